import { register, type LoadHook } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** The variable of the environment with {@link Mistaken}, as JSON, for `node --import` of this file. */
export const MISTAKEN = 'MULTICLUSTER_ENGINE_MISTAKEN';

/** The module that is loaded with another text than its file has. */
export interface Mistaken {
  readonly url: string;
  readonly source: string;
}

const { url, source } = JSON.parse(process.env[MISTAKEN] ?? '{}') as Partial<Mistaken>;

// This file is loaded twice: by the program, and for its hook, in the thread of hooks.
if (isMainThread && url !== undefined) register(import.meta.url);

export const load: LoadHook = (wanted, context, next) =>
  wanted === url && source !== undefined ? { format: 'module', source, shortCircuit: true } : next(wanted, context);
