import { getEventListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import { connectHub } from '../../../src/agent/hub.js';
import type { ManagedCluster } from '../../../src/api/generated/managedcluster.js';
import { ManagedClusters } from '../../../src/api/resources.js';
import { Secrets } from '../../../src/runtime/vocabulary/kinds.js';
import { AGENTS_NAMESPACE, CLUSTER_SET_LABEL, JOIN_FIELD_MANAGER } from '../../../src/api/names.js';
import { DemoFleet } from '../../../src/standalone/demofleet/demofleet.js';
import { createIdentityClient } from '../../../src/runtime/client/identity.js';
import { parseManifests } from '../../../src/runtime/manifests.js';
import { systemClock, systemRandom } from '../../../src/runtime/clock.js';
import { RecordingLog } from '../../support/fakes/log.js';
import { claimsOf, HubRig } from '../../support/rigs/agent/hub.js';
import { root } from '../../support/repository/root.js';

const TOTAL = 6;
/** The one of six that falls silent. */
const FLAKY = 'demo-4';
const STEP_MS = 1_000;
const names = Array.from({ length: TOTAL }, (_, index) => `demo-${index + 1}`);

/** A run of the fleet, with a clock of its own for its agents and its outages. */
class Run {
  readonly clock = new ManualClock();
  readonly printed: string[] = [];
  readonly #end = new AbortController();
  readonly #ended: Promise<boolean>;

  constructor({ server }: HubRig) {
    const log = new RecordingLog();
    const connection = { clock: systemClock, random: systemRandom, log, userAgent: 'demo-fleet-test' };
    const fleet = new DemoFleet({
      clock: this.clock,
      random: systemRandom,
      log,
      total: TOTAL,
      hub: {
        client: server.client,
        identity: createIdentityClient(server.transport(server.api.token, systemClock)),
      },
      address: { hubUrl: server.api.url, hubCa: server.api.ca.trim() },
      openHub: (join, token) => connectHub(join, token, connection),
      print: (line) => void this.printed.push(line),
    });
    this.#ended = fleet.run(this.#end.signal);
  }

  /** Waits for a line, without time passing for the fleet. */
  printedLine(line: string): Promise<true> {
    return waitFor(line, (seen) => {
      seen(this.printed);
      return this.printed.includes(line) || undefined;
    });
  }

  /** Lets time pass for the fleet until `isDone`. */
  passUntil(what: string, isDone: () => boolean | Promise<boolean>): Promise<true> {
    return waitFor(what, async (seen) => {
      seen(this.printed);
      await this.clock.advance(STEP_MS);
      return (await isDone()) || undefined;
    });
  }

  /** Listeners on the signal that ends the fleet. Node warns from the eleventh on. */
  endListeners(): number {
    return getEventListeners(this.#end.signal, 'abort').length;
  }

  stop(): Promise<boolean> {
    this.#end.abort(new Error('the run is over'));
    return this.#ended;
  }
}

let hub: HubRig;
let run: Run;

beforeAll(async () => {
  hub = await HubRig.start();
  for (const kind of ['managedclusterset', 'managedclustersetbinding'])
    await hub.server.apply(parseManifests(readFileSync(path.join(root, 'crds', `${kind}.yaml`), 'utf8'), kind));
});
afterAll(async () => {
  await run.stop();
  await hub.server.close();
});

async function renewTimes(): Promise<Readonly<Record<string, string>>> {
  const leases = await Promise.all(names.map(async (name) => [name, (await hub.lease(name))?.spec?.renewTime ?? '']));
  return Object.fromEntries(leases);
}

it('the clusters of a demo fleet join as others do, with a short lease and claims', async () => {
  run = new Run(hub);
  await run.printedLine(`demo fleet: ${TOTAL} clusters have joined`);

  const { metadata, spec, status } = (await hub.cluster('demo-2')) ?? ({} as Partial<ManagedCluster>);
  expect(metadata?.labels).toEqual({ [CLUSTER_SET_LABEL]: 'demo' });
  expect(spec).toMatchObject({ hubAcceptsClient: true, leaseDurationSeconds: 10 });
  expect(status).toMatchObject({ nodes: { total: 3, ready: 3 }, capacity: { cpu: '24', memory: '96Gi' } });
  expect(claimsOf(await hub.cluster('demo-2'))).toMatchObject({ tier: 'gold' });
  await waitFor('the join tokens to end', async () =>
    (await hub.server.client.list(Secrets, AGENTS_NAMESPACE)).length === 0 ? true : undefined,
  );
  // The delay before the outage: those that have joined leave none.
  expect(run.endListeners()).toBe(1);
  expect((await hub.requestsOf('demo-2')).filter((one) => !/ (20[01]|404)$/.test(one))).toEqual([]);
});

it('a cluster of the script falls silent while the others renew, and comes back by itself', async () => {
  await run.passUntil('the outage', () => run.printed.includes(`demo fleet: ${FLAKY} falls silent for 90 s`));
  const before = await renewTimes();
  const others = names.filter((name) => name !== FLAKY);
  await run.passUntil('the renewals of the others', async () => {
    const now = await renewTimes();
    return others.every((name) => now[name] !== before[name]);
  });
  const during = await renewTimes();
  expect(run.printed).not.toContain(`demo fleet: ${FLAKY} is back`);
  expect(during[FLAKY]).toBe(before[FLAKY]);

  await run.passUntil('the end of the outage', () => run.printed.includes(`demo fleet: ${FLAKY} is back`));
  await run.passUntil('a renewal', async () => (await hub.lease(FLAKY))?.spec?.renewTime !== before[FLAKY]);
});

it('at the next start the clusters join again with tokens of their own, but for one that the hub refuses', async () => {
  const account = await hub.cluster('demo-2');
  expect(await run.stop()).toBe(true);
  const refused = { metadata: { name: 'demo-1' }, spec: { hubAcceptsClient: false } } as ManagedCluster;
  await hub.server.client.apply(ManagedClusters, refused, { fieldManager: JOIN_FIELD_MANAGER, force: false });
  run = new Run(hub);
  await run.printedLine(`demo fleet: ${TOTAL - 1} clusters have joined`);

  expect(run.printed).toContain(
    'demo fleet: demo-1 cannot join: the hub does not accept demo-1: set spec.hubAcceptsClient to true first',
  );
  expect((await hub.cluster('demo-2'))?.metadata.uid).toBe(account?.metadata.uid);
  expect((await hub.requestsOf('demo-2')).filter((one) => one === 'create leases 201')).toHaveLength(2);
});
