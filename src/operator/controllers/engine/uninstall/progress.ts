import { enumerate } from '../../../../domain/engine/manifest/manifest.js';
import type { StoredObject } from '../../../../domain/engine/steps/steps.js';
import { finalizersOf, isTerminating } from '../../../../domain/engine/steps/termination.js';
import type { UninstallProgress } from '../../../../domain/engine/status/input.js';

/** How far an uninstall has come. `complete` was read from the API server, not from a cache. */
export type UninstallResult =
  | { readonly kind: 'inProgress'; readonly progress: UninstallProgress }
  | { readonly kind: 'complete'; readonly message: string; readonly namespaceKept: boolean };

/** `remaining`: the objects that are left. `blockers`: what delays their deletion. */
export function waitsFor(remaining: readonly StoredObject[], blockers: readonly string[]): UninstallResult {
  const states = remaining.map(({ type, object }) => ({
    type,
    name: object.metadata,
    component: '',
    state: 'removing' as const,
    message: isTerminating(object) ? `is being deleted${finalizersOf(object)}` : 'will be removed next',
  }));
  const count = `${remaining.length} ${remaining.length === 1 ? 'object' : 'objects'} left`;
  return { kind: 'inProgress', progress: { remaining: states, message: `${count}; waiting: ${enumerate(blockers)}` } };
}

/** The objects that are left cannot be read or deleted. `cause.kind` denied: a right is missing. */
export function obstructed(cause: { readonly kind: string; readonly message: string }): UninstallResult {
  const { kind, message } = cause;
  return { kind: 'inProgress', progress: kind === 'denied' ? { message, denied: message } : { message } };
}
