import type { DesiredObject } from '../../../domain/engine/manifest/desired.js';
import { isBoundIn } from '../caches.js';
import { isServed } from '../decide.js';
import type { Input } from '../gather.js';
import { baseStatus, type Outcome } from '../outcome.js';
import type { ReconcileScope } from '../scope.js';
import { notReadYet } from './outcomes.js';
import { withReadyReplicas } from './readyreplicas.js';
import { initialState, observeStages, STAGES } from './stages.js';

/** A paused engine: drift is reported where the target namespace can be read, and nothing but status is written. */
export function observe(desired: readonly DesiredObject[], input: Input, scope: ReconcileScope): Outcome {
  const { identity, namespace, spec } = input;
  const { targets, caches, memory } = scope;
  const status = baseStatus(input, scope);
  if (isServed(input) && isBoundIn(caches, namespace)) targets.open(identity, namespace);
  if (!targets.isOpen(identity)) return { kind: 'status', status, result: { ending: 'done' } };
  const view = targets.view(identity, spec.imagePullSecret);
  if (view.kind === 'notSynced') {
    const undecided = 'the target namespace is being read';
    return { kind: 'status', status: { ...status, undecided }, result: notReadYet('caches') };
  }
  const { contents } = view;
  const { applied } = observeStages(STAGES, { ...initialState(desired, input), contents }, scope);
  const objects = withReadyReplicas(applied.objects, contents, memory);
  return { kind: 'status', status: { ...status, objects }, result: { ending: 'done' } };
}
