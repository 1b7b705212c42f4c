import { describe, expect, it } from '@jest/globals';
import { NAMESPACE, PlacementRig } from '../../../support/rigs/controllers/placement.js';
import { ManagedClusters } from '../../../../src/api/resources.js';

const onLabel = (key: string, value: string): object => ({
  requiredClusterSelector: { labelSelector: { matchLabels: { [key]: value } } },
});
const onClaim = (key: string, value: string): object => ({
  requiredClusterSelector: { claimSelector: { matchExpressions: [{ key, operator: 'In', values: [value] }] } },
});

/** A fleet with Placements that are satisfied, short of clusters, matched by none, and without an eligible set. */
async function hubWithPlacements(): Promise<PlacementRig> {
  const hub = new PlacementRig();
  for (let n = 0; n < 20; n++) hub.cluster(`c${n}`, { tier: n < 2 ? 'gold' : 'silver', zone: 'a' }, claims(n));
  hub.place('satisfied', { numberOfClusters: 2, predicates: [onLabel('tier', 'gold')] });
  hub.place('short', { numberOfClusters: 5, predicates: [onLabel('tier', 'gold'), onLabel('teir', 'gold')] });
  hub.place('typo', { predicates: [onLabel('teir', 'gold'), onClaim('platform', 'azure'), onLabel('zone', 'b')] });
  hub.place('together', {
    predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold', zone: 'b' } } } }],
  });
  hub.place('unbound', { ClusterSets: ['nope'] });
  hub.place('missing', { ClusterSets: ['fleet', 'nope'], predicates: [onLabel('tier', 'gold')] });
  return hub.start();
}

function claims(n: number): { readonly claims: Record<string, string> } {
  return { claims: { platform: n % 2 === 0 ? 'aws' : 'Azure', version: String(n) } };
}

/** The n-th change that changes no fact of these Placements: the first two clusters match, the others do not. */
function changeNothing(hub: PlacementRig, n: number): void {
  const at = 2 + (n % 17);
  const name = `c${at}`;
  switch (n % 5) {
    case 0:
      hub.cluster(name, { tier: 'silver', zone: 'a', noise: String(n) }, claims(at));
      return;
    case 1:
      hub.cluster(name, { tier: n % 2 === 0 ? 'bronze' : 'silver', zone: 'c' }, claims(at));
      return;
    case 2:
      hub.cluster(name, {}, claims(n));
      return;
    case 3:
      hub.api.remove(ManagedClusters, { name });
      return;
    default:
      hub.cluster(name, { tier: 'silver', zone: 'a' }, { claims: { version: String(n) } });
  }
}

describe('quiet status', () => {
  it('1,000 changes of the fleet that change no fact write nothing, and a restart neither', async () => {
    const hub = await hubWithPlacements();
    const { mark } = hub;
    const events = hub.events.length;

    for (let n = 0; n < 1_000; n++) {
      changeNothing(hub, n);
      if (n % 10 === 9) await hub.clock.advance(100);
    }
    await hub.untilIdle();

    expect(hub.writesSince(mark)).toEqual([]);
    expect(hub.events).toHaveLength(events);
    await hub.loseLease();
    const restarted = await new PlacementRig(hub).start();
    expect(restarted.writesSince(mark)).toEqual([]);
  });

  it.each([
    [
      'the first cluster with the key',
      () => ['c5', { teir: 'silver' }] as const,
      'no candidate matches label teir=gold',
    ],
    [
      'a cluster that matches a predicate which matched none',
      () => ['c0', { tier: 'gold', teir: 'gold' }] as const,
      undefined,
    ],
  ])('%s changes a fact, and the message is written once', async (_what, change, says) => {
    const hub = await hubWithPlacements();
    const { mark } = hub;
    const before = hub.condition('short', 'PlacementSatisfied')?.message;

    const [name, labels] = change();
    hub.cluster(name, labels, claims(0));
    await hub.untilIdle();

    const base = '3 of 5 wanted clusters are missing: every cluster that matches is selected';
    expect(before).toBe(`${base}; predicate 1: no candidate has label teir`);
    expect(hub.condition('short', 'PlacementSatisfied')?.message).toBe(
      says === undefined ? base : `${base}; predicate 1: ${says}`,
    );
    expect(hub.writesSince(mark).filter((write) => write.includes(`${NAMESPACE}/short`))).toHaveLength(1);
  });

  it('of twelve Placements whose status one change changes, ten have an explanation in their event', async () => {
    const hub = new PlacementRig();
    hub.cluster('a', { tier: 'gold' });
    for (let n = 0; n < 12; n++) hub.place(`p${n}`, { predicates: [onLabel('tier', 'gold')] });
    await hub.start();
    hub.events.length = 0;

    hub.cluster('a', { teir: 'gold' });
    await hub.untilIdle();

    const notes = hub.events.filter(({ reason }) => reason === 'PlacementUnsatisfied').map(({ note }) => note);
    const message = 'no cluster of cluster sets fleet matches: predicate 0: no candidate has label tier';
    const line = "0/1 clusters are selected: 1 didn't match label tier=gold; did you mean label teir (1 of 1 have it)?";
    expect(notes.filter((note) => note === `${message}; ${line}`)).toHaveLength(10);
    expect(notes.filter((note) => note === message)).toHaveLength(2);
    expect(hub.events.filter(({ reason, type }) => reason === 'DecisionChanged' && type === 'Warning')).toHaveLength(
      12,
    );
  });
});
