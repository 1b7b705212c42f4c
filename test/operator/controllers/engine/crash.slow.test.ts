import { expect, it } from '@jest/globals';

import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';
import { MultiClusterEngines } from '../../../../src/api/resources.js';
import {
  ConfigMaps,
  Deployments,
  Namespaces,
  Secrets,
  ServiceAccounts,
} from '../../../../src/runtime/vocabulary/kinds.js';
import { APPLY_ORDER } from '../../../../src/domain/engine/catalogue.js';
import type { KubeClient } from '../../../../src/runtime/client/client.js';
import { pairForTest } from '../../../support/builders/certificate.js';
import { NAMESPACE } from '../../../support/builders/engine.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { FakeApi } from '../../../support/fakes/api.js';
import { EngineRig } from '../../../support/rigs/controllers/engine.js';

const WRITES = ['apply', 'delete', 'patchMetadata', 'updateStatus'];

/**
 * Passes on `count` writes, then fails: after the last one was carried out, its answer lost. What is stored is the same as
 * where a process ends before the next write.
 */
class Mortal {
  #left: number;

  constructor(count: number) {
    this.#left = count;
  }

  wrap(client: KubeClient): KubeClient {
    return new Proxy(client, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        return WRITES.includes(String(key))
          ? (...args: unknown[]) => this.#write(() => value.apply(target, args))
          : value.bind(target);
      },
    });
  }

  async #write(send: () => Promise<unknown>): Promise<unknown> {
    if (this.#left <= 0) throw new Killed();
    this.#left -= 1;
    const answer = await send();
    if (this.#left === 0) throw new Killed();
    return answer;
  }
}

class Killed extends Error {}

/** One process of the operator: passes, with other controllers between them, until two in a row write nothing. False when it ends early. */
async function live(rig: EngineRig): Promise<boolean> {
  let quiet = 0;
  for (let round = 0; round < 12 && quiet < 2; round++) {
    const before = rig.api.writes.length;
    try {
      if (rig.exists()) await rig.pass();
    } catch (error) {
      if (error instanceof Killed) return false;
      throw error;
    }
    quiet = rig.api.writes.length === before ? quiet + 1 : 0;
    await rig.clock.advance(6_000);
    rig.collect();
    if (rig.api.peek(Deployments, { namespace: NAMESPACE, name: 'placement-controller' }) !== undefined) rig.rollOut();
  }
  if (quiet < 2) throw new Error('did not come to rest');
  return true;
}

type Scenario = (rig: EngineRig) => void;

const SCENARIOS: readonly (readonly [string, readonly Scenario[]])[] = [
  ['an installation', [(rig) => rig.create({ imagePullSecret: 'pull' })]],
  ['a changed spec', [(rig) => rig.create(), (rig) => rig.edit({}, { nodeSelector: { a: '1' } })]],
  [
    'a deleted ServiceAccount',
    [
      (rig) => rig.create(),
      (rig) => rig.api.remove(ServiceAccounts, { namespace: NAMESPACE, name: 'placement-controller' }),
    ],
  ],
  [
    'a certificate that is lost',
    [(rig) => rig.create(), (rig) => rig.api.remove(Secrets, { namespace: NAMESPACE, name: 'gateway-tls' })],
  ],
  ['an uninstall', [(rig) => rig.create(), (rig) => rig.remove()]],
  [
    'an uninstall that leaves the namespace',
    [
      (rig) => rig.create(),
      (rig) => rig.api.put(ConfigMaps, { metadata: { namespace: NAMESPACE, name: 'theirs' } }),
      (rig) => rig.remove(),
    ],
  ],
];

/** One key pair for every run, so that the stored objects of runs can be compared. */
const issue = (_names: readonly string[], now: number) => Promise.resolve(pairForTest(1, now));

/** Runs a scenario in which the operator ends once, after `count` writes, and is restarted. Returns the stored objects and the requests. */
async function play(steps: readonly Scenario[], death?: Mortal): Promise<{ state: string; writes: string[] }> {
  const clock = new ManualClock();
  const api = new FakeApi(clock);
  let rig = new EngineRig({ api, clock, issue, ...(death && { wrap: (client: KubeClient) => death.wrap(client) }) });
  for (const step of steps) {
    step(rig);
    while (!(await live(rig))) rig = new EngineRig({ api, clock, issue });
  }
  return { state: snapshot(api), writes: api.writes };
}

function changes(writes: readonly string[]): string[] {
  return writes.filter((one) => /^(apply|delete) /.test(one)).sort();
}

/** The stored objects without the fields that differ between two runs: versions, uids and times, and hashes of them. */
function snapshot(api: FakeApi): string {
  const objects = [MultiClusterEngines, ConfigMaps, Namespaces, ...APPLY_ORDER].flatMap((type) =>
    api.all<KubeObject>(type),
  );
  return JSON.stringify(
    objects,
    (key, value: unknown) =>
      /^(resourceVersion|uid|.*service-account-uid|.*\/revision|generation|.*Time|.*Timestamp|.*-expires-at)$/.test(key)
        ? undefined
        : value,
    1,
  );
}

it.each(SCENARIOS)('%s has the same result when the operator ends after any of its writes', async (_name, steps) => {
  const undisturbed = await play(steps);
  const count = undisturbed.writes.length;
  expect(count).toBeGreaterThan(5);

  for (let death = 1; death <= count; death++) {
    const run = await play(steps, new Mortal(death));
    expect(run.state).toBe(undisturbed.state);
    // Nothing is created or deleted twice, or that a run without a restart does not create or delete.
    expect(changes(run.writes)).toEqual(changes(undisturbed.writes));
  }
});

it('the client of these tests fails at the chosen write', async () => {
  const rig = new EngineRig({ wrap: (client) => new Mortal(1).wrap(client) });
  rig.create();

  await expect(rig.pass()).rejects.toThrow(Killed);
  expect(rig.api.writes).toHaveLength(1);
});
