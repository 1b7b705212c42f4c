import { describe, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../src/api/meta.js';
import { PAUSED_ANNOTATION, SERVICE_ACCOUNT_UID_ANNOTATION } from '../../../src/api/names.js';
import { Deployments, ServiceAccounts } from '../../../src/api/resources.js';
import { textAt } from '../../../src/domain/engine/manifest/manifest.js';
import { ApiError } from '../../../src/runtime/errors.js';
import { NAMESPACE } from '../../support/builders/engine.js';
import { EngineRig } from '../../support/rigs/controllers/engine.js';

const NAME = { namespace: NAMESPACE, name: 'placement-controller' };
const APPLY_ACCOUNT = 'apply serviceaccounts multicluster-engine/placement-controller';
const APPLY_DEPLOYMENT = 'apply deployments multicluster-engine/placement-controller';

function accountUid(stage: EngineRig): string | undefined {
  return stage.api.peek<KubeObject>(ServiceAccounts, NAME)?.metadata.uid;
}

function podsUid(stage: EngineRig): string {
  return textAt(
    stage.api.peek(Deployments, NAME),
    'spec',
    'template',
    'metadata',
    'annotations',
    SERVICE_ACCOUNT_UID_ANNOTATION,
  );
}

/** The applies since `from`. */
function applies(stage: EngineRig, from: number): string[] {
  return stage.api.writes.slice(from).filter((one) => one.startsWith('apply '));
}

/** Refuses every apply of the account, until the returned function is called. */
function refuseAccounts(stage: EngineRig): () => void {
  stage.api.before = (call) => {
    if (call.verb !== 'apply' || call.type !== ServiceAccounts) return;
    throw new ApiError({
      kind: 'Invalid',
      message: 'no more accounts',
      call: { verb: 'patch', resource: 'serviceaccounts' },
    });
  };
  return () => {
    stage.api.before = () => {};
  };
}

describe('the pods of a component carry the uid of their ServiceAccount', () => {
  it('from the first apply on, so that an installation rolls nothing a second time', async () => {
    const stage = new EngineRig();
    await stage.install();

    expect(podsUid(stage)).toBe(accountUid(stage));
    expect(stage.api.writes.filter((one) => one === APPLY_DEPLOYMENT)).toHaveLength(1);
  });

  it('and are rolled once when the account was deleted and is made anew', async () => {
    const stage = new EngineRig();
    await stage.install();
    const [old, from] = [accountUid(stage), stage.api.writes.length];
    stage.api.remove(ServiceAccounts, NAME);
    await stage.settle();

    expect(accountUid(stage)).not.toBe(old);
    expect(podsUid(stage)).toBe(accountUid(stage));
    expect(applies(stage, from)).toEqual([APPLY_ACCOUNT, APPLY_DEPLOYMENT]);
    expect(stage.state()).toBe('Progressing RollingOut');
    stage.rollOut();
    await stage.settle();
    expect(stage.state()).toBe('Available EngineReady');
    expect(applies(stage, from)).toHaveLength(2);
  });

  it('when the account was made anew by a life of the operator that died then', async () => {
    const stage = new EngineRig();
    await stage.install();
    const account = stage.api.peek<KubeObject>(ServiceAccounts, NAME);
    stage.api.remove(ServiceAccounts, NAME);
    stage.api.put(ServiceAccounts, { ...account, metadata: { ...account?.metadata, ...NAME, uid: 'anew' } });
    const restarted = new EngineRig({ api: stage.api, clock: stage.clock });
    const from = stage.api.writes.length;
    await restarted.settle();

    expect(podsUid(restarted)).toBe('anew');
    expect(applies(restarted, from)).toEqual([APPLY_DEPLOYMENT]);
  });

  it('which somebody who takes it away gets back', async () => {
    const stage = new EngineRig();
    await stage.install();
    const stored = stage.api.peek<KubeObject>(Deployments, NAME);
    stage.api.put(
      Deployments,
      JSON.parse(JSON.stringify(stored).replace(`"${SERVICE_ACCOUNT_UID_ANNOTATION}"`, '"other"')) as KubeObject,
    );
    expect(podsUid(stage)).toBe('');
    await stage.settle();

    expect(podsUid(stage)).toBe(accountUid(stage));
  });
});

describe('while the uid of the account is not known', () => {
  it('a Deployment that does not exist waits for it', async () => {
    const stage = new EngineRig();
    const allow = refuseAccounts(stage);
    stage.create();
    const result = await stage.pass();

    expect(stage.made()).not.toContain('Deployment placement-controller');
    expect(
      stage.engine().status?.components?.find((row) => row.kind === 'Deployment' && row.name === NAME.name),
    ).toMatchObject({
      status: 'False',
      reason: 'Pending',
      message: 'waits for ServiceAccount multicluster-engine/placement-controller',
    });
    expect(stage.message()).toContain('ServiceAccount multicluster-engine/placement-controller: no more accounts');
    expect(result).toMatchObject({ ending: 'wait', afterMs: 1_000 });

    allow();
    await stage.clock.advance(1_000);
    await stage.settle();
    expect(podsUid(stage)).toBe(accountUid(stage));
  });

  it('one that runs is left as it is, and its other fields are still repaired', async () => {
    const stage = new EngineRig();
    await stage.install();
    const [uid, from] = [podsUid(stage), stage.api.writes.length];
    refuseAccounts(stage);
    stage.api.remove(ServiceAccounts, NAME);
    await stage.pass();
    expect(applies(stage, from)).toEqual([APPLY_ACCOUNT]);

    const stored = stage.api.peek<KubeObject>(Deployments, NAME);
    stage.api.put(
      Deployments,
      Object.assign(
        { ...stored, metadata: { ...stored?.metadata, ...NAME } },
        { spec: { ...Object(Reflect.get(stored ?? {}, 'spec')), replicas: 7 } },
      ),
    );
    await stage.pass();
    expect(stage.api.peek(Deployments, NAME)).toMatchObject({ spec: { replicas: 2 } });
    expect(podsUid(stage)).toBe(uid);
  });

  it.each([
    ['a Deployment that runs counts as it is', false, ['Deployment True Available', 'ServiceAccount False Missing']],
    [
      'a Deployment that is gone too counts as missing',
      true,
      ['Deployment False Missing', 'ServiceAccount False Missing'],
    ],
  ])('since the pause holds the account back, %s', async (_name, gone, rows) => {
    const stage = new EngineRig();
    await stage.install();
    stage.edit({ annotations: { [PAUSED_ANNOTATION]: 'true' } });
    stage.api.remove(ServiceAccounts, NAME);
    if (gone) stage.api.remove(Deployments, NAME);
    const from = stage.api.writes.length;
    await stage.settle();

    const told = stage
      .engine()
      .status?.components?.filter((row) => row.reason !== 'Applied' && row.name === NAME.name)
      .map((row) => `${row.kind} ${row.status} ${row.reason}`);
    expect(told).toEqual(rows);
    expect(applies(stage, from)).toEqual([]);
  });
});
