import type { EngineEventNote } from '../../domain/engine/status/events.js';
import type { StatusInput } from '../../domain/engine/status/input.js';
import type { Result } from '../../runtime/result.js';
import type { Input } from './gather.js';
import type { ReconcileScope } from './scope.js';

/** What a pass came to: what is to be reported, and how the pass ends. */
export type Outcome =
  /** Nothing is to be reported. */
  | { readonly kind: 'none'; readonly result: Result }
  | {
      readonly kind: 'status';
      readonly status: StatusInput;
      /** Events beside those that follow from the change of the status. */
      readonly events?: readonly EngineEventNote[];
      readonly result: Result;
    }
  /** Everything is removed: the finalizer goes. */
  | {
      readonly kind: 'release';
      readonly status: StatusInput;
      /** The namespace is kept: the status says why before the engine goes. */
      readonly namespaceKept: boolean;
      /** What became of the namespace. */
      readonly message: string;
      readonly result: Result;
    };

/** What the status of every outcome has in common. */
export function baseStatus(input: Input, { settings }: Pick<ReconcileScope, 'settings'>): StatusInput {
  const { engine, namespace, paused } = input;
  return { engine, version: settings.version, targetNamespace: namespace, paused };
}
