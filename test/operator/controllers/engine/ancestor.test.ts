import { describe, expect, it } from '@jest/globals';

import { ClusterRoleBindings, PodDisruptionBudgets } from '../../../../src/runtime/vocabulary/kinds.js';
import { treeAt } from '../../../../src/domain/engine/manifest/manifest.js';
import { ApiError } from '../../../../src/runtime/errors.js';
import { ROWS, EngineRig } from '../../../support/rigs/controllers/engine.js';

/** Regression tests for faults of the well-known operator for the same job. */
describe('faults of the well-known operator for the same job', () => {
  it('a new engine is never in phase Error', async () => {
    const rig = new EngineRig();
    rig.create({ imagePullSecret: 'pull' });
    const phases: unknown[] = [];
    rig.api.before = (call) => {
      if (call.verb === 'updateStatus') phases.push(treeAt(call.object, 'status')['phase']);
    };
    for (let pass = 0; pass < 5; pass++) await rig.pass();
    rig.rollOut();
    await rig.converge();

    expect(phases.length).toBeGreaterThan(0);
    expect(new Set(phases)).toEqual(new Set(['Progressing']));
  });

  it.each<[string, (rig: EngineRig) => Promise<void> | void]>([
    ['the pause', (rig) => rig.edit({ annotations: { 'multicluster.platform.io/paused': 'true' } })],
    ['an error', (rig) => rig.edit({}, { targetNamespace: 'elsewhere' })],
    ['a restart that cannot read yet', (rig) => rig.opened.forEach((cache) => cache.fail(new Error('away')))],
  ])('the list of components is not emptied by %s', async (_name, happens) => {
    const rig = new EngineRig();
    await rig.install();
    await happens(rig);
    await rig.pass();
    const restarted = new EngineRig({ api: rig.api, clock: rig.clock });
    await restarted.pass();

    expect(restarted.engine().status?.components).toHaveLength(ROWS);
  });

  it('every applied object has a row, and is created again when it is deleted', async () => {
    const rig = new EngineRig();
    await rig.install();
    const applied = rig.api.calls
      .filter((call) => call.verb === 'apply')
      .map((call) => `${call.type.kind} ${call.name.name}`);
    expect(
      rig
        .engine()
        .status?.components?.map((row) => `${row.kind} ${row.name}`)
        .sort(),
    ).toEqual([...new Set(applied)].sort());

    for (const call of rig.api.calls.filter((one) => one.verb === 'apply')) {
      rig.enqueued.length = 0;
      rig.api.remove(call.type, call.name);
      expect(rig.enqueued).toContain('hub');
      await rig.converge();
      expect(rig.api.peek(call.type, call.name)).toBeDefined();
    }
  });

  it('an object that fails does not stop the others', async () => {
    const rig = new EngineRig();
    rig.create();
    rig.api.before = (call) => {
      if (call.verb === 'apply' && [ClusterRoleBindings, PodDisruptionBudgets].includes(call.type))
        throw new ApiError({
          kind: 'Invalid',
          message: `${call.type.kind} is bad`,
          call: { verb: 'patch', resource: 'x' },
        });
    };
    await rig.pass();

    expect(rig.made()).toEqual(
      expect.arrayContaining(['Deployment placement-controller', 'NetworkPolicy placement-controller']),
    );
    expect(rig.message()).toContain(
      'ClusterRoleBinding multicluster-engine-placement-controller: ClusterRoleBinding is bad',
    );
    expect(rig.message()).toContain(
      'PodDisruptionBudget multicluster-engine/placement-controller: PodDisruptionBudget is bad',
    );
  });

  it('a change of the message alone is written', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.rollOut({ available: 1 });
    await rig.converge();
    const before = rig.condition('Ready');
    await rig.clock.advance(5_000);
    rig.rollOut({
      available: 0,
      conditions: [
        { type: 'Available', status: 'True' },
        { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
      ],
    });
    await rig.converge();
    const after = rig.condition('Ready');

    expect(before?.message).toContain('1 of 2');
    expect(after?.message).toContain('0 of 2');
    expect(after?.lastTransitionTime).toBe(before?.lastTransitionTime);
    expect(after?.lastUpdateTime).not.toBe(before?.lastUpdateTime);
  });
});
