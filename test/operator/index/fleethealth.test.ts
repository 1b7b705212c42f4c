import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { TAINTS } from '../../../src/api/names.js';
import { MINUTE, namesOf, SECOND, VirtualFleet } from '../../support/rigs/fleethealth.js';
import { runs } from '../../support/runs.js';

/** Two clusters that renew, so that the third one alone is no silent fleet. */
function fleetWith(name: string): VirtualFleet {
  const fleet = new VirtualFleet();
  for (const one of ['a', 'b', name]) fleet.cluster(one);
  fleet.renewing(['a', 'b']);
  return fleet;
}

describe('the judgement of one cluster', () => {
  it('a cluster that falls silent is Unknown after three lease durations, tainted after four, and back with a renewal', () => {
    const fleet = fleetWith('edge');
    fleet.run(10 * SECOND);
    fleet.renew('edge');
    fleet.run(3 * MINUTE - SECOND);
    expect(fleet.verdict('edge')).toBe('available');
    fleet.run(SECOND);
    expect(fleet.verdict('edge')).toBe('unknown');
    fleet.run(MINUTE - SECOND);
    expect(fleet.verdict('edge')).toBe('unknown');
    fleet.run(SECOND);
    expect(fleet.verdict('edge')).toBe('unknown unreachable NoSelect');
    expect(fleet.granted).toEqual([['edge', 4 * MINUTE + 10 * SECOND]]);
    expect(fleet.health.counts()).toEqual({
      clusters: { available: 2, unavailable: 0, unknown: 1, 'never-joined': 0 },
      taints: { [TAINTS.unreachable]: 1, [TAINTS.unavailable]: 0 },
    });

    fleet.run(10 * MINUTE);
    fleet.renew('edge');
    expect(fleet.verdict('edge')).toBe('available');
  });

  it('a shortened lease duration counts from the first renewal of an agent that knows it', () => {
    const fleet = fleetWith('edge');
    fleet.run(10 * SECOND);
    fleet.renew('edge', MINUTE);
    fleet.cluster('edge', { leaseDurationMs: 10 * SECOND });
    fleet.run(MINUTE);
    expect(fleet.verdict('edge')).toBe('available');

    fleet.renew('edge', 10 * SECOND);
    fleet.run(40 * SECOND);
    expect(fleet.verdict('edge')).toBe('unknown unreachable NoSelect');
  });

  it('a lengthened lease duration counts at once', () => {
    const fleet = fleetWith('edge');
    fleet.run(10 * SECOND);
    fleet.renew('edge', MINUTE);
    fleet.cluster('edge', { leaseDurationMs: 10 * MINUTE });
    fleet.run(20 * MINUTE);
    expect(fleet.verdict('edge')).toBe('available');
  });

  it('a cluster that was never joined is closed for new Placements, and is never lost', () => {
    const fleet = new VirtualFleet();
    fleet.cluster('edge', { joined: false });
    fleet.run(10 * MINUTE);
    expect(fleet.verdict('edge')).toBe('kept unreachable NoSelectIfNew');
    fleet.renew('edge');
    expect(fleet.verdict('edge')).toBe('available');
    expect(fleet.judge('edge')).toMatchObject({ conditions: { joined: true, clusterId: 'id-edge' } });
    expect(fleet.granted).toEqual([]);
  });

  it('a cluster without hubAcceptsClient is never judged', () => {
    const fleet = new VirtualFleet();
    fleet.cluster('edge', { accepts: undefined });
    fleet.run(10 * MINUTE);
    expect(fleet.verdict('edge')).toBe('none');
  });

  it('a cluster whose control plane is not healthy is unavailable at once and tainted after two lease durations', () => {
    const fleet = fleetWith('edge');
    fleet.renewing(['edge']);
    fleet.run(MINUTE);
    fleet.cluster('edge', { unhealthy: '/readyz failed' });
    expect(fleet.verdict('edge')).toBe('unavailable');
    fleet.run(2 * MINUTE - SECOND);
    expect(fleet.verdict('edge')).toBe('unavailable');
    fleet.run(SECOND);
    expect(fleet.verdict('edge')).toBe('unavailable unavailable NoSelect');
    fleet.silencing(['edge']);
    fleet.run(4 * MINUTE);
    expect(fleet.verdict('edge')).toBe('unknown unreachable NoSelect');
    fleet.renew('edge');
    expect(fleet.verdict('edge')).toBe('unavailable unavailable NoSelect');
    fleet.cluster('edge');
    expect(fleet.verdict('edge')).toBe('available');
    // One for each key.
    expect(fleet.granted).toHaveLength(2);
  });

  it('the renewals of a refused cluster do not count, and those before count until then', () => {
    const fleet = fleetWith('edge');
    fleet.renewing(['edge']);
    fleet.run(MINUTE);
    fleet.cluster('edge', { accepts: false });
    fleet.run(3 * MINUTE - SECOND);
    expect(fleet.verdict('edge')).toBe('available');
    fleet.run(SECOND);
    expect(fleet.verdict('edge')).toBe('unknown');
    fleet.run(2 * MINUTE);
    expect(fleet.verdict('edge')).toBe('unknown unreachable NoSelect');
    fleet.cluster('edge', { tainted: TAINTS.unreachable });
    expect(fleet.verdict('edge')).toBe('available');
  });

  it('a deleted Lease does not reset the age', () => {
    const fleet = fleetWith('edge');
    fleet.run(SECOND);
    fleet.renew('edge');
    fleet.run(2 * MINUTE);
    const last = fleet.leases.get('edge');
    fleet.leases.delete('edge');
    fleet.health.leaseDeleted('edge', last ?? { at: 0, clock: 'synced', durationMs: 0 });
    fleet.run(2 * MINUTE);
    expect(fleet.verdict('edge')).toBe('unknown unreachable NoSelect');
  });

  it('a cluster that is deleted and recreated has never joined', () => {
    const fleet = fleetWith('edge');
    fleet.run(SECOND);
    fleet.renew('edge');
    fleet.leases.delete('edge');
    fleet.cluster('edge', { uid: 'another', joined: false });
    expect(fleet.verdict('edge')).toBe('kept unreachable NoSelectIfNew');
  });

  it('a taint that another replica has written stays until a renewal is seen', () => {
    const fleet = fleetWith('edge');
    fleet.cluster('edge', { tainted: TAINTS.unreachable });
    fleet.run(MINUTE);
    expect(fleet.verdict('edge')).toBe('kept unreachable NoSelect');
    fleet.cluster('edge');
    expect(fleet.verdict('edge')).toBe('kept unreachable NoSelect');
    fleet.renew('edge');
    expect(fleet.verdict('edge')).toBe('available');
    // An event from before the removal of the taint.
    fleet.cluster('edge', { tainted: TAINTS.unreachable });
    expect(fleet.verdict('edge')).toBe('available');
    fleet.run(3.5 * MINUTE);
    expect(fleet.verdict('edge')).toBe('unknown');
  });

  it('a new process takes no cluster for silent or recovered before it has seen so', () => {
    const fleet = fleetWith('edge');
    fleet.run(6 * MINUTE);
    expect(fleet.verdict('edge')).toBe('unknown unreachable NoSelect');
    fleet.cluster('edge', { tainted: TAINTS.unreachable });
    fleet.restart();
    fleet.run(SECOND);
    expect(fleet.verdict('edge')).toBe('kept unreachable NoSelect');
    expect(fleet.verdict('a')).toBe('kept');
    fleet.run(MINUTE);
    expect(fleet.verdict('a')).toBe('available');
  });
});

describe('a stale observation of the Leases', () => {
  it('a stale observation of the Leases judges no cluster, and restarts all ages', () => {
    const fleet = fleetWith('edge');
    fleet.run(MINUTE);
    fleet.watching = false;
    fleet.run(MINUTE);
    expect(fleet.verdict('edge')).toBe('kept');
    fleet.run(60 * MINUTE);
    expect(fleet.verdict('edge')).toBe('unobserved');
    fleet.watching = true;
    fleet.run(3 * MINUTE);
    expect(fleet.verdict('edge')).toBe('kept');
    fleet.run(2 * SECOND);
    expect(fleet.verdict('edge')).toBe('unknown');
    expect(fleet.granted).toEqual([]);
  });
});

describe('the brake', () => {
  /** 20 clusters that renew; those of the last `count` fall silent after a minute. */
  function silence(count: number, set?: string): VirtualFleet {
    const fleet = new VirtualFleet();
    const names = namesOf('edge', 20);
    for (const name of names) fleet.cluster(name);
    const last = names.slice(20 - count);
    if (set !== undefined) for (const name of last) fleet.sets.set(name, [set]);
    fleet.renewing(names);
    fleet.run(MINUTE);
    fleet.silencing(last);
    return fleet;
  }

  it('the brake taints no cluster while most of the fleet is silent, and says so in each judgement', () => {
    const fleet = silence(12);
    fleet.run(60 * MINUTE);
    expect(fleet.granted).toEqual([]);
    expect(fleet.silent).toEqual(['fleet']);
    expect(fleet.health.braked).toEqual(['fleet']);
    expect(fleet.verdict('edge-19')).toBe('unknown braked by fleet');
    expect(fleet.verdict('edge-0')).toBe('available');
  });

  it('the brake releases a fleet with few silent after three minutes, and taints those two lease durations later', () => {
    const fleet = silence(12);
    fleet.run(30 * MINUTE);
    fleet.renewing(namesOf('edge', 18));
    const began = fleet.now;
    fleet.run(10 * MINUTE);
    expect(fleet.recovered).toEqual(['fleet']);
    expect(fleet.granted.map(([name]) => name)).toEqual(['edge-18', 'edge-19']);
    const [, at = 0] = fleet.granted[0] ?? [];
    expect(at - began).toBeGreaterThanOrEqual(5 * MINUTE);
    expect(at - began).toBeLessThanOrEqual(6 * MINUTE);
  });

  it('the brake holds a silent set for 15 minutes, then taints its members', () => {
    const fleet = silence(5, 'prod');
    fleet.run(10 * MINUTE);
    expect(fleet.silent).toEqual(['set prod']);
    expect(fleet.verdict('edge-19')).toBe('unknown braked by set prod');
    expect(fleet.granted).toEqual([]);
    fleet.run(10 * MINUTE);
    expect(fleet.granted).toHaveLength(5);
    // Silent after two lease durations, then fifteen minutes.
    expect(fleet.granted.map(([, at]) => at - MINUTE)).toEqual(
      Array.from({ length: 5 }, () => 16 * MINUTE + 50 * SECOND),
    );
  });

  it('the brake taints at most six clusters a minute, and only when it leads', () => {
    const fleet = silence(10);
    fleet.leads = false;
    fleet.run(10 * MINUTE);
    expect(fleet.granted).toEqual([]);
    fleet.leads = true;
    fleet.run(SECOND);
    expect(fleet.granted).toHaveLength(6);
    fleet.run(MINUTE - SECOND);
    expect(fleet.granted).toHaveLength(6);
    fleet.run(SECOND);
    expect(fleet.granted).toHaveLength(10);
  });

  it('the brake taints those first that have been silent for longest', () => {
    const fleet = silence(4);
    fleet.run(MINUTE);
    fleet.silencing(namesOf('edge', 20).slice(10));
    fleet.leads = false;
    fleet.run(10 * MINUTE);
    fleet.leads = true;
    fleet.run(SECOND);
    expect(fleet.granted.map(([name]) => name)).toEqual([
      'edge-16',
      'edge-17',
      'edge-18',
      'edge-19',
      'edge-10',
      'edge-11',
    ]);
  });

  it('the taints of another replica count for the rate', () => {
    const fleet = silence(10);
    fleet.leads = false;
    fleet.run(10 * MINUTE);
    for (const name of namesOf('edge', 20).slice(10, 14)) fleet.cluster(name, { tainted: TAINTS.unreachable });
    fleet.leads = true;
    fleet.run(SECOND);
    expect(fleet.granted).toHaveLength(2);
  });

  it('the brake does not count clusters that are refused', () => {
    const fleet = silence(0);
    for (const name of namesOf('edge', 15)) fleet.cluster(name, { accepts: false });
    fleet.run(10 * MINUTE);
    expect(fleet.silent).toEqual([]);
    expect(fleet.granted).toHaveLength(15);
  });
});

describe('no order of events', () => {
  const event = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('renew' as const), index: fc.nat(7) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), index: fc.constant(0) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('watching' as const), index: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('leads' as const), index: fc.nat(1) }) },
  );
  const script = fc.array(fc.record({ event, afterMs: fc.integer({ min: 1, max: 240 }).map((s) => s * SECOND) }), {
    maxLength: 40,
  });

  it('no order of events taints a cluster before four lease durations observed without interruption or renewal', () => {
    fc.assert(
      fc.property(script, (steps) => {
        const fleet = new VirtualFleet();
        const names = namesOf('edge', 8);
        for (const name of names) fleet.cluster(name);
        /** Per cluster, when the silence that the hub can have seen began. */
        const silentSince = new Map(names.map((name) => [name, 0]));
        const seenAnew = (): void => names.forEach((name) => silentSince.set(name, fleet.now));
        for (const { event: one, afterMs } of steps) {
          const { kind, index } = one;
          if (kind === 'renew') fleet.renew(`edge-${index}`);
          if (kind === 'renew' && fleet.watching) silentSince.set(`edge-${index}`, fleet.now);
          if (kind === 'restart') fleet.restart();
          if (kind === 'restart') seenAnew();
          if (kind === 'watching') fleet.watching = index === 0;
          if (kind === 'leads') fleet.leads = index === 0;
          const startedAt = fleet.now;
          const before = fleet.granted.length;
          fleet.run(afterMs);
          for (const [name, at] of fleet.granted.slice(before))
            expect(at - (silentSince.get(name) ?? 0)).toBeGreaterThanOrEqual(4 * MINUTE);
          // While the watch is silent for longer than 90 s, nothing before its return counts.
          if (!fleet.watching && fleet.now - startedAt > 90 * SECOND) seenAnew();
        }
      }),
      { numRuns: runs(200) },
    );
  });
});
