import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';
import { Deployments, Namespaces, RoleBindings, Services } from '../../../../src/runtime/vocabulary/kinds.js';
import { failure } from '../../../support/fakes/api.js';
import { NAMESPACE } from '../../../support/builders/engine.js';
import { ROWS, EngineRig } from '../../../support/rigs/controllers/engine.js';

/** An installed engine whose namespace is being deleted, after the installer binding was deleted. */
async function unbound(): Promise<EngineRig> {
  const rig = new EngineRig();
  await rig.install();
  const namespace = rig.api.peek<KubeObject>(Namespaces, { name: NAMESPACE });
  if (namespace === undefined) throw new Error('there is no namespace');
  rig.api.put(Namespaces, {
    ...namespace,
    metadata: { ...namespace.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  });
  for (const { metadata } of rig.api.all(RoleBindings)) rig.api.remove(RoleBindings, metadata);
  return rig;
}

/** `status reason: message` of the rows of a kind, each once. */
function rowsOf(rig: EngineRig, kind: string): readonly string[] {
  const rows = rig.engine().status?.components ?? [];
  expect(rows).toHaveLength(ROWS);
  return [
    ...new Set(
      rows.filter((row) => row.kind === kind).map(({ status, reason, message }) => `${status} ${reason}: ${message}`),
    ),
  ];
}

describe('a terminating namespace that loses the installer binding before the rest', () => {
  it('the rows of a terminating namespace show the objects that can still be read', async () => {
    const rig = await unbound();
    await rig.converge();
    expect(rig.state()).toBe('Progressing NamespaceTerminating');
    expect(rowsOf(rig, 'Deployment')).toEqual(['True Available: 2 of 2 replicas available, 2 up to date']);
    expect(rowsOf(rig, 'Service')).toEqual(['True Applied: applied']);

    for (const type of [Deployments, Services])
      for (const { metadata } of rig.api.all(type)) rig.api.remove(type, metadata);
    await rig.converge();

    expect(rowsOf(rig, 'Deployment')).toEqual([`False Pending: Namespace ${NAMESPACE} is being deleted`]);
    expect(rowsOf(rig, 'Service')).toEqual([`False Pending: Namespace ${NAMESPACE} is being deleted`]);
    expect(rowsOf(rig, 'NetworkPolicy')).toEqual(['True Applied: applied']);
  });

  it('the rows of a terminating namespace make no claim about objects that cannot be read', async () => {
    const rig = await unbound();
    for (const cache of rig.opened) cache.fail(failure('Forbidden', 'list', Deployments, { name: '' }));
    await rig.converge();

    expect(rig.state()).toBe('Progressing NamespaceTerminating');
    for (const kind of ['Deployment', 'Service', 'ServiceAccount', 'NetworkPolicy', 'PodDisruptionBudget']) {
      expect(rowsOf(rig, kind)).toEqual([`False Pending: Namespace ${NAMESPACE} is being deleted`]);
    }
    expect(rowsOf(rig, 'Secret')).toEqual([expect.stringContaining('False Pending: ')]);
    expect(rig.condition('Available')).toMatchObject({ status: 'False', reason: 'ComponentsUnavailable' });
  });
});
