import { describe, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../src/api/meta.js';
import { ClusterRoleBindings, Deployments, PodDisruptionBudgets } from '../../../src/api/resources.js';
import { itemsAt, treeAt } from '../../../src/domain/engine/manifest/manifest.js';
import { ApiError } from '../../../src/runtime/errors.js';
import { NAMESPACE } from '../../support/builders/engine.js';
import { ROWS, EngineRig } from '../../support/rigs/controllers/engine.js';

const COMPONENT = { namespace: NAMESPACE, name: 'placement-controller' };

/** Each fault of the well-known operator for the same job, named as design names it, kept out for good. */
describe('not like its ancestor:', () => {
  it('a new engine never flashes Error', async () => {
    const stage = new EngineRig();
    stage.create({ imagePullSecret: 'pull' });
    const phases: unknown[] = [];
    stage.api.before = (call) => {
      if (call.verb === 'updateStatus') phases.push(treeAt(call.object, 'status')['phase']);
    };
    for (let pass = 0; pass < 5; pass++) await stage.pass();
    stage.rollOut();
    await stage.settle();

    expect(phases.length).toBeGreaterThan(0);
    expect(new Set(phases)).toEqual(new Set(['Progressing']));
  });

  it("a Deployment's old status is not read as ready", async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.edit({}, { nodeSelector: { a: '1' } });
    await stage.pass();

    expect(stage.state()).toBe('Progressing RollingOut');
    expect(stage.message()).toContain('the Deployment controller has not observed the change yet');
  });

  it('the status is not stale until a poll: every change it depends on wakes the engine', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.enqueued.length = 0;
    stage.rollOut({ available: 0 });
    expect(new Set(stage.enqueued)).toEqual(new Set(['hub']));
    await stage.settle();

    expect(stage.state()).toBe('Progressing ComponentsUnavailable');
  });

  it.each<[string, (stage: EngineRig) => Promise<void> | void]>([
    ['the pause', (stage) => stage.edit({ annotations: { 'multicluster.platform.io/paused': 'true' } })],
    ['an error', (stage) => stage.edit({}, { targetNamespace: 'elsewhere' })],
    ['a restart that cannot read yet', (stage) => stage.opened.forEach((cache) => cache.fail(new Error('away')))],
  ])('the list of components is not emptied by %s', async (_name, happens) => {
    const stage = new EngineRig();
    await stage.install();
    await happens(stage);
    await stage.pass();
    const restarted = new EngineRig({ api: stage.api, clock: stage.clock });
    await restarted.pass();

    expect(restarted.engine().status?.components).toHaveLength(ROWS);
  });

  it('every applied object is tracked: each has its row, and each is put back', async () => {
    const stage = new EngineRig();
    await stage.install();
    const applied = stage.api.calls
      .filter((call) => call.verb === 'apply')
      .map((call) => `${call.type.kind} ${call.name.name}`);
    expect(
      stage
        .engine()
        .status?.components?.map((row) => `${row.kind} ${row.name}`)
        .sort(),
    ).toEqual([...new Set(applied)].sort());

    for (const call of stage.api.calls.filter((one) => one.verb === 'apply')) {
      stage.enqueued.length = 0;
      stage.api.remove(call.type, call.name);
      expect(stage.enqueued).toContain('hub');
      await stage.settle();
      expect(stage.api.peek(call.type, call.name)).toBeDefined();
    }
  });

  it('the first failing object does not stop the rest', async () => {
    const stage = new EngineRig();
    stage.create();
    stage.api.before = (call) => {
      if (call.verb === 'apply' && [ClusterRoleBindings, PodDisruptionBudgets].includes(call.type))
        throw new ApiError({
          kind: 'Invalid',
          message: `${call.type.kind} is bad`,
          call: { verb: 'patch', resource: 'x' },
        });
    };
    await stage.pass();

    expect(stage.made()).toEqual(
      expect.arrayContaining(['Deployment placement-controller', 'NetworkPolicy placement-controller']),
    );
    expect(stage.message()).toContain(
      'ClusterRoleBinding multicluster-engine-placement-controller: ClusterRoleBinding is bad',
    );
    expect(stage.message()).toContain(
      'PodDisruptionBudget multicluster-engine/placement-controller: PodDisruptionBudget is bad',
    );
  });

  it('a change of the message alone is not lost', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.rollOut({ available: 1 });
    await stage.settle();
    const before = stage.condition('Ready');
    await stage.clock.advance(5_000);
    stage.rollOut({
      available: 0,
      conditions: [
        { type: 'Available', status: 'True' },
        { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
      ],
    });
    await stage.settle();
    const after = stage.condition('Ready');

    expect(before?.message).toContain('1 of 2');
    expect(after?.message).toContain('0 of 2');
    expect(after?.lastTransitionTime).toBe(before?.lastTransitionTime);
    expect(after?.lastUpdateTime).not.toBe(before?.lastUpdateTime);
  });

  it("no default value is written into the user's spec", async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.remove();
    await stage.pass();

    expect(stage.engine().spec).toEqual({});
  });

  it('a missing pull secret is not silent', async () => {
    const stage = new EngineRig();
    await stage.install({ imagePullSecret: 'pull' });

    expect(stage.state()).toBe('Progressing PullSecretNotFound');
    expect(stage.reasons()).toContain('PullSecretNotFound');
  });

  it('the pause stops everything, the deletion too', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.edit({ annotations: { 'multicluster.platform.io/paused': 'true' } }, { nodeSelector: { a: '1' } });
    for (const call of stage.api.calls.filter((one) => one.verb === 'apply')) stage.api.remove(call.type, call.name);
    await stage.settle();
    stage.remove();
    const before = stage.api.writes.length;
    await stage.settle();

    expect(new Set(stage.api.writes.slice(before))).toEqual(new Set(['updateStatus multiclusterengines hub']));
    expect(stage.made()).toEqual([]);
  });

  it('tolerations and node selector are missing on no component', async () => {
    const stage = new EngineRig();
    await stage.install({ nodeSelector: { infra: '' }, tolerations: [{ key: 'infra', operator: 'Exists' }] });
    const deployments = stage.api.all<KubeObject>(Deployments);

    expect(deployments.length).toBeGreaterThan(0);
    for (const one of deployments) {
      expect(treeAt(one, 'spec', 'template', 'spec')).toMatchObject({
        nodeSelector: { infra: '' },
        tolerations: [{ key: 'infra', operator: 'Exists' }],
      });
    }
  });

  it.each(['1', '0755', '1e3', 'true', 'null', '0x1f', '00', 'on'])(
    'the toleration value %j, which looks like something else, stays a text',
    async (text) => {
      const stage = new EngineRig();
      await stage.install({ tolerations: [{ key: text, operator: 'Equal', value: text }] });
      const [toleration] = itemsAt(stage.api.peek(Deployments, COMPONENT), 'spec', 'template', 'spec', 'tolerations');

      expect(toleration).toEqual({ key: text, operator: 'Equal', value: text });
    },
  );

  it('an uninstall that hangs names what it waits for', async () => {
    const stage = new EngineRig();
    await stage.install();
    const deployment = stage.api.peek<KubeObject>(Deployments, COMPONENT);
    stage.api.put(Deployments, {
      ...deployment,
      metadata: { ...deployment?.metadata, ...COMPONENT, finalizers: ['somebody.io/hold'] },
    });
    stage.remove();
    await stage.pass();
    await stage.pass();

    expect(stage.message()).toContain(
      'Deployment multicluster-engine/placement-controller is being deleted (finalizers: somebody.io/hold, foregroundDeletion)',
    );
  });
});
