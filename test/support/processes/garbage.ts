import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Jest's flag would be for all its workers.
setFlagsFromString('--expose-gc');

/** Collects the garbage of this process. */
export const collectGarbage: NonNullable<typeof globalThis.gc> = runInNewContext('gc');
