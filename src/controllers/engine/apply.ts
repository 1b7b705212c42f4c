import type { StatusInput } from '../../domain/engine/status/input.js';
import type { Decision } from './decide.js';
import type { Input } from './gather.js';
import { install, observe } from './install/install.js';
import { baseStatus, type Outcome } from './outcome.js';
import type { ReconcileScope } from './scope.js';
import { uninstall } from './uninstall/uninstall.js';

/** Carries out a decision. Throws what is retried with backoff. */
export async function apply(input: Input, decision: Decision, scope: ReconcileScope): Promise<Outcome> {
  switch (decision.kind) {
    case 'none':
      return { kind: 'none', result: { ending: 'done' } };
    case 'pauseUninstall':
      return pauseUninstall(input, scope);
    case 'uninstall':
      return uninstall(decision, input, scope);
    case 'observe':
      return observe(decision.desired, input, scope);
    case 'refuse':
      return refuse(input, scope);
    case 'install':
      return install(decision.desired, input, scope);
  }
}

function pauseUninstall(input: Input, scope: ReconcileScope): Outcome {
  const message = `the objects in namespace ${input.namespace} stay until the pause ends`;
  const status: StatusInput = { ...baseStatus(input, scope), uninstall: { message } };
  return { kind: 'status', status, result: { ending: 'done' } };
}

function refuse(input: Input, scope: ReconcileScope): Outcome {
  const { anotherEngine, fieldErrors, identity } = input;
  scope.targets.close(identity.name);
  const why = anotherEngine === undefined ? { fieldErrors } : { anotherEngine };
  const status: StatusInput = { ...baseStatus(input, scope), ...why };
  return { kind: 'status', status, result: { ending: 'stalled', reason: 'not served' } };
}
