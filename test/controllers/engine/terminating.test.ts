import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../../src/api/meta.js';
import { Deployments, Namespaces, RoleBindings, Services } from '../../../src/api/resources.js';
import { failure } from '../../support/fakes/api.js';
import { NAMESPACE } from '../../support/builders/engine.js';
import { ROWS, EngineRig } from '../../support/rigs/controllers/engine.js';

/** An installed engine whose namespace is being deleted, and has lost the installer binding already. */
async function unbound(): Promise<EngineRig> {
  const stage = new EngineRig();
  await stage.install();
  const namespace = stage.api.peek<KubeObject>(Namespaces, { name: NAMESPACE });
  if (namespace === undefined) throw new Error('there is no namespace');
  stage.api.put(Namespaces, {
    ...namespace,
    metadata: { ...namespace.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  });
  for (const { metadata } of stage.api.all(RoleBindings)) stage.api.remove(RoleBindings, metadata);
  return stage;
}

/** `status reason: message` of the rows of a kind, each once. */
function told(stage: EngineRig, kind: string): readonly string[] {
  const rows = stage.engine().status?.components ?? [];
  expect(rows).toHaveLength(ROWS);
  return [
    ...new Set(
      rows.filter((row) => row.kind === kind).map(({ status, reason, message }) => `${status} ${reason}: ${message}`),
    ),
  ];
}

describe('a terminating namespace that loses the installer binding before the rest', () => {
  it('has up what is still seen there, until it is seen to go', async () => {
    const stage = await unbound();
    await stage.settle();
    expect(stage.state()).toBe('Progressing NamespaceTerminating');
    expect(told(stage, 'Deployment')).toEqual(['True Available: 2 of 2 replicas available, 2 up to date']);
    expect(told(stage, 'Service')).toEqual(['True Applied: applied']);

    for (const type of [Deployments, Services])
      for (const { metadata } of stage.api.all(type)) stage.api.remove(type, metadata);
    await stage.settle();

    expect(told(stage, 'Deployment')).toEqual([`False Pending: Namespace ${NAMESPACE} is being deleted`]);
    expect(told(stage, 'Service')).toEqual([`False Pending: Namespace ${NAMESPACE} is being deleted`]);
    expect(told(stage, 'NetworkPolicy')).toEqual(['True Applied: applied']);
  });

  it('claims nothing any more of what cannot be seen', async () => {
    const stage = await unbound();
    for (const cache of stage.opened) cache.fail(failure('Forbidden', 'list', Deployments, { name: '' }));
    await stage.settle();

    expect(stage.state()).toBe('Progressing NamespaceTerminating');
    for (const kind of ['Deployment', 'Service', 'ServiceAccount', 'NetworkPolicy', 'PodDisruptionBudget']) {
      expect(told(stage, kind)).toEqual([`False Pending: Namespace ${NAMESPACE} is being deleted`]);
    }
    expect(told(stage, 'Secret')).toEqual([expect.stringContaining('False Pending: ')]);
    expect(stage.condition('Available')).toMatchObject({ status: 'False', reason: 'ComponentsUnavailable' });
  });
});
