import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { KubeObject, ObjectMeta, OwnerReference } from '../../../../src/runtime/vocabulary/meta.js';
import {
  ClusterRoleBindings,
  ConfigMaps,
  Deployments,
  ServiceAccounts,
} from '../../../../src/runtime/vocabulary/kinds.js';
import { treeAt } from '../../../../src/domain/engine/manifest/manifest.js';
import {
  stepForRead,
  type StepInput,
  type Step,
  type StoredObject,
} from '../../../../src/domain/engine/steps/steps.js';
import { isOurNamespace, ownershipOf, wasAppliedByUs } from '../../../../src/domain/engine/steps/ownership.js';
import {
  desired,
  identity,
  NAMESPACE,
  placementOnly,
  plan,
  UID,
  wanted,
  stepText,
} from '../../../support/builders/engine.js';

const kinds = (steps: readonly Step[]): string[] => steps.map((step) => `${step.action} ${step.type.kind}`);

/** Every object stored as desired, with `change` applied to the objects of a kind; undefined removes them. */
function world(change: Readonly<Record<string, ((object: KubeObject) => KubeObject) | undefined>> = {}): StepInput {
  const objects = desired({}, {}, placementOnly).map((one) => ({ type: one.type, object: live(one.object) }));
  const changed = objects.flatMap((one) => {
    if (!(one.type.kind in change)) return [one];
    const made = change[one.type.kind]?.(one.object);
    return made === undefined ? [] : [{ ...one, object: made }];
  });
  const namespace = changed.find((one) => one.type.kind === 'Namespace')?.object;
  return {
    engine: identity,
    desired: desired({}, {}, placementOnly),
    stored: changed.filter((one) => one.type.kind !== 'Namespace'),
    namespace,
  };
}

function live(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, uid: `uid-${object.metadata.name}`, resourceVersion: '5' } };
}

const withMeta =
  (over: Partial<ObjectMeta>) =>
  (object: KubeObject): KubeObject => ({ ...object, metadata: { ...object.metadata, ...over } });
const withSpec =
  (spec: object) =>
  (object: KubeObject): KubeObject =>
    Object.assign({ ...object }, { spec });
const owner = (over: Partial<OwnerReference>): OwnerReference => ({
  apiVersion: 'multicluster.platform.io/v1alpha1',
  kind: 'MultiClusterEngine',
  name: 'hub',
  uid: UID,
  controller: true,
  ...over,
});
const only = (input: StepInput, kind: string): Step | undefined => plan(input).find((step) => step.type.kind === kind);

/** Beside the plans and steps that golden/engineplan records. */
describe('a plan', () => {
  it('a plan patches a drifted object, names its fields, and touches no other', () => {
    const steps = plan(
      world({ Deployment: withSpec({ ...treeAt(wanted('Deployment').object, 'spec'), replicas: 0 }) }),
    );

    expect(steps.filter((step) => step.action !== 'keep').map(stepText)).toEqual([
      'patch Deployment multicluster-engine/placement-controller (differs at spec.replicas)',
    ]);
    expect(steps.at(-1)?.drift).toBe(true);
  });

  it('a plan keeps the fields that others have added', () => {
    const input = world({
      ServiceAccount: (object) =>
        withMeta({ labels: { ...object.metadata.labels, theirs: '1' } })(
          Object.assign({ ...object }, { imagePullSecrets: [{ name: 'theirs' }] }),
        ),
    });

    expect(only(input, 'ServiceAccount')?.action).toBe('keep');
  });

  it('a plan goes on beside a foreign object', () => {
    const steps = plan(
      world({ ServiceAccount: withMeta({ ownerReferences: [owner({ kind: 'Widget' })] }), Deployment: undefined }),
    );

    expect(kinds(steps)).toContain('create Deployment');
  });

  it('a plan does not depend on the order of the cached objects', () => {
    const input = world({ Deployment: undefined });
    const expected = plan(input);
    fc.assert(
      fc.property(fc.shuffledSubarray([...input.stored], { minLength: input.stored.length }), (stored) => {
        expect(plan({ ...input, stored })).toEqual(expected);
      }),
    );
  });
});

describe('the namespace', () => {
  it.each([
    ['that the operator did not make', {}],
    ['of another engine', { 'multicluster.platform.io/engine': 'other' }],
  ])('a namespace %s is left as it is', (_name, labels) => {
    expect(only(world({ Namespace: withMeta({ labels }) }), 'Namespace')).toBeUndefined();
  });

  it('a terminating namespace delays the creation of objects, while existing ones are still patched', () => {
    const input = world({
      Namespace: withMeta({ deletionTimestamp: 'now' }),
      Deployment: undefined,
      ServiceAccount: withMeta({ labels: {} }),
    });

    expect(only(input, 'Deployment')).toMatchObject({
      action: 'wait',
      cause: 'Namespace multicluster-engine is being deleted',
    });
    expect(only(input, 'ServiceAccount')).toMatchObject({ action: 'patch' });
    expect(only({ ...input, stored: [] }, 'ClusterRoleBinding')).toMatchObject({ action: 'create' });
  });

  it.each([
    [{ 'multicluster.platform.io/engine': 'hub' }, true],
    [{ 'multicluster.platform.io/engine': 'other' }, false],
    [undefined, false],
  ])('a namespace with labels %j is ours: %j', (labels, ours) => {
    expect(isOurNamespace({ metadata: { name: 'x', ...(labels && { labels }) } }, identity)).toBe(ours);
  });
});

describe('pruning', () => {
  const extra = (type: StoredObject['type'], name: string, over: Partial<ObjectMeta> = {}): StoredObject => ({
    type,
    object: {
      metadata: { name, ...(type.namespaced && { namespace: NAMESPACE }), ownerReferences: [owner({})], ...over },
    },
  });

  it('pruning deletes objects of ours that are no longer desired, in the reverse order of applying', () => {
    const input = world();
    const more = [
      extra(ServiceAccounts, 'old'),
      extra(Deployments, 'old'),
      extra(ConfigMaps, 'b'),
      extra(ConfigMaps, 'a'),
      extra(ClusterRoleBindings, 'retired'),
    ];
    const steps = plan({ ...input, stored: [...more, ...input.stored] }).slice(input.desired.length);

    expect(steps.map(stepText)).toEqual([
      'delete Deployment multicluster-engine/old (is no longer desired)',
      'delete ConfigMap multicluster-engine/a (is no longer desired)',
      'delete ConfigMap multicluster-engine/b (is no longer desired)',
      'delete ClusterRoleBinding retired (is no longer desired)',
      'delete ServiceAccount multicluster-engine/old (is no longer desired)',
    ]);
  });

  it.each<[string, Partial<ObjectMeta>]>([
    ["somebody else's", { ownerReferences: [owner({ kind: 'Widget' })] }],
    [
      'without an owner, our label or not',
      { ownerReferences: [], labels: { 'multicluster.platform.io/engine': 'hub' } },
    ],
    ["an earlier engine's", { ownerReferences: [owner({ uid: 'before' })] }],
  ])('pruning leaves an object that is %s', (_name, over) => {
    const input = world();

    expect(kinds(plan({ ...input, stored: [...input.stored, extra(ConfigMaps, 'x', over)] }))).not.toContain(
      'delete ConfigMap',
    );
  });
});

describe('a step that is decided again after a read', () => {
  const account = wanted('ServiceAccount');
  const booked = { managedFields: [{ manager: 'multicluster-engine', operation: 'Apply' }] };

  it.each<[string, KubeObject, string]>([
    ['ours, changed', withMeta({ labels: {} })(live(account.object)), 'patch'],
    [
      'ours that lost owner and label: cannot be distinguished from a foreign one',
      withMeta({ ownerReferences: [], labels: {}, ...booked })(live(account.object)),
      'skip-foreign',
    ],
    [
      "another controller's",
      withMeta({ ownerReferences: [owner({ kind: 'Widget' })] })(live(account.object)),
      'skip-foreign',
    ],
  ])('a step that is decided again after a read: %s', (_name, fresh, action) => {
    expect(stepForRead(account, fresh, identity, 'Refuse')?.action).toBe(action);
  });

  it.each<[string, Partial<ObjectMeta> & { managedFields?: object[] }, boolean]>([
    ['booked as applied by us, with our label', { ownerReferences: [], ...booked }, true],
    [
      'booked as updated by us',
      { ownerReferences: [], managedFields: [{ manager: 'multicluster-engine', operation: 'Update' }] },
      false,
    ],
    ['booked by another', { ownerReferences: [], managedFields: [{ manager: 'kubectl', operation: 'Apply' }] }, false],
    ['owned by another', { ownerReferences: [owner({ kind: 'Widget' })], ...booked }, false],
    ['not booked at all', { ownerReferences: [] }, false],
  ])('an object %s was applied by us: %#', (_name, over, ours) => {
    expect(wasAppliedByUs(withMeta(over)(live(account.object)), identity)).toBe(ours);
  });

  it('an object with our controller reference is ours', () => {
    expect(ownershipOf(account.object, identity)).toBe('ours');
  });
});
