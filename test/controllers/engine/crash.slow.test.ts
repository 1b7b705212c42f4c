import { describe, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../src/api/meta.js';
import {
  ConfigMaps,
  Deployments,
  MultiClusterEngines,
  Namespaces,
  Secrets,
  ServiceAccounts,
} from '../../../src/api/resources.js';
import { APPLY_ORDER } from '../../../src/domain/engine/catalogue.js';
import type { KubeClient } from '../../../src/kube/client/client.js';
import { pairForTest } from '../../support/builders/certificate.js';
import { NAMESPACE } from '../../support/builders/engine.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { FakeApi } from '../../support/fakes/api.js';
import { EngineRig } from '../../support/rigs/controllers/engine.js';

const WRITES = ['apply', 'delete', 'patchMetadata', 'updateStatus'];

/** Lets `count` writes through and dies: with the last one carried out and its answer lost, or before the next one. */
class Mortal {
  readonly #phase: 'before' | 'after';
  #left: number;

  constructor(count: number, phase: 'before' | 'after') {
    this.#left = count;
    this.#phase = phase;
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
    if (this.#left === 0 && this.#phase === 'after') throw new Killed();
    return answer;
  }
}

class Killed extends Error {}

/** One life of the operator: passes, the world moving between them, until two in a row write nothing. False when it dies. */
async function live(stage: EngineRig): Promise<boolean> {
  let quiet = 0;
  for (let round = 0; round < 12 && quiet < 2; round++) {
    const before = stage.api.writes.length;
    try {
      if (stage.exists()) await stage.pass();
    } catch (error) {
      if (error instanceof Killed) return false;
      throw error;
    }
    quiet = stage.api.writes.length === before ? quiet + 1 : 0;
    await stage.clock.advance(6_000);
    stage.collect();
    if (stage.api.peek(Deployments, { namespace: NAMESPACE, name: 'placement-controller' }) !== undefined)
      stage.rollOut();
  }
  if (quiet < 2) throw new Error('did not come to rest');
  return true;
}

type Scenario = (stage: EngineRig) => void;

const SCENARIOS: readonly (readonly [string, readonly Scenario[]])[] = [
  ['an installation', [(stage) => stage.create({ imagePullSecret: 'pull' })]],
  ['a changed spec', [(stage) => stage.create(), (stage) => stage.edit({}, { nodeSelector: { a: '1' } })]],
  [
    'a deleted ServiceAccount',
    [
      (stage) => stage.create(),
      (stage) => stage.api.remove(ServiceAccounts, { namespace: NAMESPACE, name: 'placement-controller' }),
    ],
  ],
  [
    'a certificate that is lost',
    [(stage) => stage.create(), (stage) => stage.api.remove(Secrets, { namespace: NAMESPACE, name: 'gateway-tls' })],
  ],
  ['an uninstall', [(stage) => stage.create(), (stage) => stage.remove()]],
  [
    'an uninstall that leaves the namespace',
    [
      (stage) => stage.create(),
      (stage) => stage.api.put(ConfigMaps, { metadata: { namespace: NAMESPACE, name: 'theirs' } }),
      (stage) => stage.remove(),
    ],
  ],
];

/** One pair for every run, so that what they leave behind can be compared. */
const issue = (_names: readonly string[], now: number) => Promise.resolve(pairForTest(1, now));

/** Plays a scenario; the operator dies once, after `count` writes, and starts anew. Gives what is stored at the end, and what was asked for. */
async function play(steps: readonly Scenario[], death?: Mortal): Promise<{ state: string; writes: string[] }> {
  const clock = new ManualClock();
  const api = new FakeApi(clock);
  let stage = new EngineRig({ api, clock, issue, ...(death && { wrap: (client: KubeClient) => death.wrap(client) }) });
  for (const step of steps) {
    step(stage);
    while (!(await live(stage))) stage = new EngineRig({ api, clock, issue });
  }
  return { state: snapshot(api), writes: api.writes };
}

function changes(writes: readonly string[]): string[] {
  return writes.filter((one) => /^(apply|delete) /.test(one)).sort();
}

/** What is stored, without what differs between any two runs: versions, uids and times, and the hashes that they stand in. */
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

describe.each(SCENARIOS)('%s', (_name, steps) => {
  it.each(['before', 'after'] as const)('ends the same when the operator dies %s any of its writes', async (phase) => {
    const undisturbed = await play(steps);
    const count = undisturbed.writes.length;
    expect(count).toBeGreaterThan(5);

    for (let death = 1; death <= count; death++) {
      const run = await play(steps, new Mortal(death, phase));
      expect(run.state).toBe(undisturbed.state);
      // Nothing is made or deleted a second time, or that an undisturbed run does not.
      expect(changes(run.writes)).toEqual(changes(undisturbed.writes));
    }
  });
});

it('a mortal client dies when it should', async () => {
  const stage = new EngineRig({ wrap: (client) => new Mortal(1, 'before').wrap(client) });
  stage.create();

  await expect(stage.pass()).rejects.toThrow(Killed);
  expect(stage.api.writes).toHaveLength(1);
});
