import { describe, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';
import { PAUSED_ANNOTATION, SERVICE_ACCOUNT_UID_ANNOTATION } from '../../../../src/api/names.js';
import { Deployments, ServiceAccounts } from '../../../../src/runtime/vocabulary/kinds.js';
import { textAt } from '../../../../src/domain/engine/manifest/manifest.js';
import { ApiError } from '../../../../src/runtime/errors.js';
import { NAMESPACE } from '../../../support/builders/engine.js';
import { EngineRig } from '../../../support/rigs/controllers/engine.js';

const NAME = { namespace: NAMESPACE, name: 'placement-controller' };
const APPLY_ACCOUNT = 'apply serviceaccounts multicluster-engine/placement-controller';
const APPLY_DEPLOYMENT = 'apply deployments multicluster-engine/placement-controller';

function accountUid(rig: EngineRig): string | undefined {
  return rig.api.peek<KubeObject>(ServiceAccounts, NAME)?.metadata.uid;
}

function podsUid(rig: EngineRig): string {
  return textAt(
    rig.api.peek(Deployments, NAME),
    'spec',
    'template',
    'metadata',
    'annotations',
    SERVICE_ACCOUNT_UID_ANNOTATION,
  );
}

/** The applies since `from`. */
function applies(rig: EngineRig, from: number): string[] {
  return rig.api.writes.slice(from).filter((one) => one.startsWith('apply '));
}

/** Refuses every apply of the account, until the returned function is called. */
function refuseAccounts(rig: EngineRig): () => void {
  rig.api.before = (call) => {
    if (call.verb !== 'apply' || call.type !== ServiceAccounts) return;
    throw new ApiError({
      kind: 'Invalid',
      message: 'no more accounts',
      call: { verb: 'patch', resource: 'serviceaccounts' },
    });
  };
  return () => {
    rig.api.before = () => {};
  };
}

describe('the uid of a ServiceAccount in the pod template', () => {
  it('the first apply of a Deployment carries the uid of its account, so that an installation has one rollout', async () => {
    const rig = new EngineRig();
    await rig.install();

    expect(podsUid(rig)).toBe(accountUid(rig));
    expect(rig.api.writes.filter((one) => one === APPLY_DEPLOYMENT)).toHaveLength(1);
  });

  it('a Deployment is rolled out once after its account was deleted and created again', async () => {
    const rig = new EngineRig();
    await rig.install();
    const [old, from] = [accountUid(rig), rig.api.writes.length];
    rig.api.remove(ServiceAccounts, NAME);
    await rig.converge();

    expect(accountUid(rig)).not.toBe(old);
    expect(podsUid(rig)).toBe(accountUid(rig));
    expect(applies(rig, from)).toEqual([APPLY_ACCOUNT, APPLY_DEPLOYMENT]);
    expect(rig.state()).toBe('Progressing RollingOut');
    rig.rollOut();
    await rig.converge();
    expect(rig.state()).toBe('Available EngineReady');
    expect(applies(rig, from)).toHaveLength(2);
  });

  it('a Deployment is rolled out after an earlier process created its account again and ended', async () => {
    const rig = new EngineRig();
    await rig.install();
    const account = rig.api.peek<KubeObject>(ServiceAccounts, NAME);
    rig.api.remove(ServiceAccounts, NAME);
    rig.api.put(ServiceAccounts, { ...account, metadata: { ...account?.metadata, ...NAME, uid: 'created-again' } });
    const restarted = new EngineRig({ api: rig.api, clock: rig.clock });
    const from = rig.api.writes.length;
    await restarted.converge();

    expect(podsUid(restarted)).toBe('created-again');
    expect(applies(restarted, from)).toEqual([APPLY_DEPLOYMENT]);
  });

  it('a removed uid is applied again', async () => {
    const rig = new EngineRig();
    await rig.install();
    const stored = rig.api.peek<KubeObject>(Deployments, NAME);
    rig.api.put(
      Deployments,
      JSON.parse(JSON.stringify(stored).replace(`"${SERVICE_ACCOUNT_UID_ANNOTATION}"`, '"other"')) as KubeObject,
    );
    expect(podsUid(rig)).toBe('');
    await rig.converge();

    expect(podsUid(rig)).toBe(accountUid(rig));
  });
});

describe('a Deployment whose account has no known uid', () => {
  it('a Deployment that does not exist waits for its account', async () => {
    const rig = new EngineRig();
    const allow = refuseAccounts(rig);
    rig.create();
    const result = await rig.pass();

    expect(rig.made()).not.toContain('Deployment placement-controller');
    expect(
      rig.engine().status?.components?.find((row) => row.kind === 'Deployment' && row.name === NAME.name),
    ).toMatchObject({
      status: 'False',
      reason: 'Pending',
      message: 'waits for ServiceAccount multicluster-engine/placement-controller',
    });
    expect(rig.message()).toContain('ServiceAccount multicluster-engine/placement-controller: no more accounts');
    expect(result).toMatchObject({ ending: 'wait', afterMs: 1_000 });

    allow();
    await rig.clock.advance(1_000);
    await rig.converge();
    expect(podsUid(rig)).toBe(accountUid(rig));
  });

  it('a running Deployment keeps the uid of its account, and its other fields are still repaired', async () => {
    const rig = new EngineRig();
    await rig.install();
    const [uid, from] = [podsUid(rig), rig.api.writes.length];
    refuseAccounts(rig);
    rig.api.remove(ServiceAccounts, NAME);
    await rig.pass();
    expect(applies(rig, from)).toEqual([APPLY_ACCOUNT]);

    const stored = rig.api.peek<KubeObject>(Deployments, NAME);
    rig.api.put(
      Deployments,
      Object.assign(
        { ...stored, metadata: { ...stored?.metadata, ...NAME } },
        { spec: { ...Object(Reflect.get(stored ?? {}, 'spec')), replicas: 7 } },
      ),
    );
    await rig.pass();
    expect(rig.api.peek(Deployments, NAME)).toMatchObject({ spec: { replicas: 2 } });
    expect(podsUid(rig)).toBe(uid);
  });

  it.each([
    ['a Deployment that runs counts as it is', false, ['Deployment True Available', 'ServiceAccount False Missing']],
    [
      'a Deployment that is gone too counts as missing',
      true,
      ['Deployment False Missing', 'ServiceAccount False Missing'],
    ],
  ])('a paused engine whose account is missing reports %s', async (_name, gone, rows) => {
    const rig = new EngineRig();
    await rig.install();
    rig.edit({ annotations: { [PAUSED_ANNOTATION]: 'true' } });
    rig.api.remove(ServiceAccounts, NAME);
    if (gone) rig.api.remove(Deployments, NAME);
    const from = rig.api.writes.length;
    await rig.converge();

    const reported = rig
      .engine()
      .status?.components?.filter((row) => row.reason !== 'Applied' && row.name === NAME.name)
      .map((row) => `${row.kind} ${row.status} ${row.reason}`);
    expect(reported).toEqual(rows);
    expect(applies(rig, from)).toEqual([]);
  });
});
