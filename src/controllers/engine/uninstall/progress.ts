import type { ResourceType } from '../../../api/meta.js';
import { finalizersOf, isTerminating, type StoredObject } from '../../../domain/engine/plan/plan.js';
import { enumerate, type ObjectState, type UninstallProgress } from '../../../domain/engine/status/input.js';
import type { ReconcileScope } from '../objects/applysteps.js';
import type { AccessContext } from '../objects/forbidden.js';

/** What an uninstall works on. */
export interface UninstallInput {
  /** undefined: the engine was never installed anywhere. */
  readonly namespace: string | undefined;
  /** The kinds of ours that live there. */
  readonly types: readonly ResourceType[];
  /** With `--namespace` neither the namespace nor bindings are ours. */
  readonly givenBindings: boolean;
  /** Makes sure of the operator's right in the namespace; gives its binding where that is not as it should be. */
  readonly bind: () => Promise<ObjectState | undefined>;
}

/** How an uninstall stands: `going` is looked at again; `gone` was seen on the server itself. */
export type UninstallResult =
  | { readonly kind: 'going'; readonly progress: UninstallProgress }
  | { readonly kind: 'gone'; readonly message: string; readonly stays: boolean };

/** Rows for what is left, and who holds it up. */
export function going(left: readonly StoredObject[], blockers: readonly string[]): UninstallResult {
  const remaining = left.map(({ type, object }) => ({
    type,
    name: object.metadata,
    component: '',
    state: 'removing' as const,
    message: isTerminating(object) ? `is being deleted${finalizersOf(object)}` : 'is removed next',
  }));
  const count = `${left.length} ${left.length === 1 ? 'object' : 'objects'} left`;
  return { kind: 'going', progress: { remaining, message: `${count}; waits: ${enumerate(blockers)}` } };
}

/** Who judges a 403 met in this pass. */
export function judgeOf(hand: ReconcileScope): AccessContext {
  const { client, clock, memory, pass } = hand;
  return { client, now: clock.monotonic(), boundAt: memory.boundAt, signal: pass.signal };
}
