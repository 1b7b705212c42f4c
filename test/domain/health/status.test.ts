import { describe, expect, it } from '@jest/globals';

import { TAINTS } from '../../../src/api/names.js';
import type { ConditionInput, HealthCondition } from '../../../src/domain/health/conditions.js';
import {
  clusterEvents,
  scopeEvent,
  healthWrites,
  type Judgement,
  type StoredHealth,
} from '../../../src/domain/health/status.js';
import type { HealthTaint } from '../../../src/domain/health/judge.js';
import { healthView } from '../../../src/domain/health/view.js';

const THEN = '2026-01-01T00:00:00Z';
const NOW = '2026-01-01T01:00:00Z';
const NONE: StoredHealth = { conditions: [], taints: [], taintTimes: [] };
const LOST: HealthTaint = { key: TAINTS.unreachable, effect: 'NoSelect' };
const UNAVAILABLE: HealthTaint = { key: TAINTS.unavailable, effect: 'NoSelect' };

function judged(over: Partial<ConditionInput> = {}, taint?: HealthTaint): Judgement {
  const conditions: ConditionInput = {
    name: 'edge',
    accepts: true,
    joined: true,
    clusterId: undefined,
    availability: 'available',
    lastRenewal: THEN,
    brake: undefined,
    agentMessage: '',
    clock: 'synced',
    ...over,
  };
  return { kind: 'judged', conditions, taint };
}

/** What is stored after the writes of `judgement` at `now`. */
function after(stored: StoredHealth, judgement: Judgement, now: string): StoredHealth {
  const { status, taints } = healthWrites(stored, judgement, now);
  const others = stored.taints.filter(({ key }) => key !== TAINTS.unreachable && key !== TAINTS.unavailable);
  return {
    conditions: status?.conditions ?? stored.conditions,
    taintTimes: status?.taintTimes ?? stored.taintTimes,
    taints: taints === undefined ? stored.taints : [...others, ...taints],
  };
}

function messageOf(stored: StoredHealth, judgement: Judgement, type = 'ManagedClusterConditionAvailable'): string {
  const found = healthWrites(stored, judgement, NOW).status?.conditions.find((one) => one.type === type);
  return found === undefined ? '' : `${found.status} ${found.reason}: ${found.message}`;
}

describe('the conditions of a cluster', () => {
  it('each has its message', () => {
    const never = judged({ joined: false, availability: undefined });
    expect(
      healthWrites(NONE, never, NOW).status?.conditions.map(({ type, status, message }) => [type, status, message]),
    ).toEqual([
      ['HubAcceptedManagedCluster', 'True', 'spec.hubAcceptsClient is true'],
      ['ManagedClusterJoined', 'False', 'no agent has reported yet: kubectl mce cluster add edge'],
    ]);
    expect(messageOf(NONE, judged({ clusterId: 'uid' }), 'ManagedClusterJoined')).toBe(
      'True ManagedClusterJoined: cluster uid joined',
    );
    expect(messageOf(NONE, judged({ accepts: false }), 'HubAcceptedManagedCluster')).toMatch(
      /^False HubClusterAdminDenied: spec\.hubAcceptsClient is false/,
    );
    expect(messageOf(NONE, judged({ clock: 'off' }), 'ManagedClusterClockSynced')).toMatch(
      /^False ManagedClusterClockOutOfSync: /,
    );
    expect(messageOf(NONE, judged({ availability: 'unavailable', agentMessage: '/readyz: 500' }))).toBe(
      'False ManagedClusterKubeAPIServerUnavailable: /readyz: 500',
    );
  });

  it('an unknown one names the last renewal and the brake, and keeps that time', () => {
    const text = `Unknown ManagedClusterLeaseUpdateStopped: no renewal of Lease multicluster-engine-agents/edge seen since ${THEN}`;
    const unknown = judged({ availability: 'unknown' });
    expect(messageOf(NONE, unknown)).toBe(text);
    const stored = after(NONE, unknown, THEN);
    const later = { availability: 'unknown', lastRenewal: NOW } as const;
    expect(messageOf(stored, judged({ ...later, brake: { scope: 'fleet' } }))).toBe(
      `${text}; not tainted: most of the fleet is silent`,
    );
    const braked = judged({ ...later, brake: { scope: 'set', set: 'prod' } });
    expect(messageOf(stored, braked)).toBe(`${text}; not tainted: most of set prod is silent`);
    expect(healthWrites(after(stored, braked, NOW), braked, NOW)).toEqual({ status: undefined, taints: undefined });
    expect(messageOf(after(stored, braked, NOW), judged(later))).toBe(text);
  });

  it('times of transitions change with the status alone', () => {
    const stored = after(NONE, judged({ availability: 'unknown' }), THEN);
    const braked = judged({ availability: 'unknown', brake: { scope: 'fleet' } });
    const find = ({ conditions }: StoredHealth): HealthCondition | undefined =>
      (conditions as readonly HealthCondition[]).find(({ type }) => type === 'ManagedClusterConditionAvailable');
    expect(find(after(stored, braked, NOW))).toMatchObject({ lastTransitionTime: THEN, lastUpdateTime: NOW });
    expect(find(after(stored, judged(), NOW))).toMatchObject({ lastTransitionTime: NOW, lastUpdateTime: NOW });
  });

  it('what the hub has not seen enough of stays as it is stored', () => {
    const stored = after(NONE, judged({ availability: 'unknown', clusterId: 'uid' }), THEN);
    const unsure = judged({ availability: undefined, clock: undefined });
    expect(healthWrites(stored, unsure, NOW)).toEqual({ status: undefined, taints: undefined });
  });
});

describe('the taint of the hub', () => {
  it('the taint of the hub has the time of its first write, also after a change of the key and a drop by others', () => {
    const tainted = after(NONE, judged({}, UNAVAILABLE), THEN);
    expect(tainted.taints).toEqual([{ ...UNAVAILABLE, timeAdded: THEN }]);
    expect(tainted.taintTimes).toEqual([{ ...UNAVAILABLE, since: THEN }]);
    const swapped = after(tainted, judged({}, LOST), NOW);
    expect(swapped.taints).toEqual([{ ...LOST, timeAdded: THEN }]);
    expect(swapped.taintTimes).toEqual([{ ...LOST, since: THEN }]);
    expect(after({ ...swapped, taints: [] }, judged({}, LOST), NOW)).toEqual(swapped);
    expect(healthWrites(swapped, judged({}, LOST), NOW)).toEqual({ status: undefined, taints: undefined });
    const gone = after(swapped, judged(), NOW);
    expect([gone.taints, gone.taintTimes]).toEqual([[], []]);
  });

  it('the taint of a cluster that never joined does not lend its time to a later one', () => {
    const never = after(NONE, judged({ joined: false }, { key: TAINTS.unreachable, effect: 'NoSelectIfNew' }), THEN);
    expect(after(never, judged({}, LOST), NOW).taints).toEqual([{ ...LOST, timeAdded: NOW }]);
  });
});

describe('the times of taints', () => {
  const cordoned = { key: TAINTS.cordoned, effect: 'NoSelectIfNew' };

  it.each<[string, Judgement]>([
    ['with an agent', judged()],
    ['without an agent', { kind: 'none' }],
    ['while the observation is stale', { kind: 'unobserved' }],
  ])('the times of taints of people are kept since the hub first saw them, of a cluster %s', (_, judgement) => {
    const stored = after({ ...NONE, taints: [cordoned] }, judgement, THEN);
    expect(stored.taintTimes).toEqual([{ ...cordoned, since: THEN }]);
    expect(healthWrites(stored, judgement, NOW)).toEqual({ status: undefined, taints: undefined });
    const valued = after({ ...stored, taints: [{ ...cordoned, value: 'disks' }] }, judgement, NOW);
    expect(valued.taintTimes).toEqual([{ ...cordoned, value: 'disks', since: NOW }]);
    expect(after({ ...stored, taints: [] }, judgement, NOW).taintTimes).toEqual([]);
  });

  it('the order of the stored times of taints makes no write', () => {
    const taints = [cordoned, { ...cordoned, effect: 'NoSelect' }];
    const stored = after({ ...NONE, taints }, { kind: 'none' }, THEN);
    for (const taintTimes of [stored.taintTimes, stored.taintTimes.toReversed()])
      expect(healthWrites({ ...stored, taintTimes }, { kind: 'none' }, NOW).status).toBeUndefined();
  });

  it('the times of taints are not kept where the taint has its own', () => {
    const stored = { ...NONE, taints: [{ ...cordoned, timeAdded: THEN }] };
    expect(healthWrites(stored, { kind: 'none' }, NOW).status).toBeUndefined();
  });

  it('a write for the times of taints takes nothing else away while the observation is stale', () => {
    const stored = after(NONE, judged({}, LOST), THEN);
    const seen = after({ ...stored, taints: [...stored.taints, cordoned] }, { kind: 'unobserved' }, NOW);
    expect(seen.conditions).toEqual(stored.conditions);
    expect(seen.taintTimes).toEqual([{ ...cordoned, since: NOW }, ...stored.taintTimes]);
  });
});

describe('a cluster without an agent', () => {
  it('a cluster without an agent loses what the hub wrote, and keeps the taints of people', () => {
    const cordoned = { key: TAINTS.cordoned, effect: 'NoSelect', timeAdded: THEN };
    const stored = after({ ...NONE, taints: [cordoned] }, judged({}, LOST), THEN);
    const writes = healthWrites(stored, { kind: 'none' }, NOW);
    expect(writes).toEqual({ status: { conditions: [], taintTimes: [] }, taints: [] });
  });

  it('a cluster without an agent keeps conditions and taints that others wrote', () => {
    const conditions = [{ type: 'ManagedClusterConditionAvailable', status: 'True' }];
    const stored = { ...NONE, conditions, taints: [{ ...LOST, timeAdded: THEN }] };
    expect(healthWrites(stored, { kind: 'none' }, NOW)).toEqual({ status: undefined, taints: undefined });
  });
});

describe('the events of a cluster', () => {
  const reasons = (stored: StoredHealth, judgement: Judgement): readonly string[] =>
    clusterEvents(stored, judgement, healthWrites(stored, judgement, NOW)).map(
      ({ type, reason }) => `${type} ${reason}`,
    );
  const joined = after(NONE, judged(), THEN);
  const lost = after(joined, judged({ availability: 'unknown' }, LOST), THEN);

  it.each<[string, StoredHealth, Judgement, readonly string[]]>([
    ['it joins', NONE, judged(), ['Normal ClusterJoined']],
    ['it is lost', joined, judged({ availability: 'unknown' }), ['Warning ClusterLost']],
    ['it is lost under the brake', joined, judged({ availability: 'unknown', brake: { scope: 'fleet' } }), []],
    ['it is unavailable', joined, judged({ availability: 'unavailable' }), ['Warning ClusterUnavailable']],
    ['it is tainted', joined, judged({}, LOST), ['Warning ClusterTainted']],
    ['its taint changes its key', lost, judged({ availability: 'unknown' }, UNAVAILABLE), []],
    ['its taint was dropped', { ...lost, taints: [] }, judged({ availability: 'unknown' }, LOST), []],
    ['it recovers', lost, judged(), ['Normal ClusterRecovered']],
    ['nothing changes', joined, judged(), []],
    ['it never joined', NONE, judged({ joined: false, availability: undefined }), []],
    ['the observation is stale', lost, { kind: 'unobserved' }, []],
  ])('when %s', (_, stored, judgement, expected) => {
    expect(reasons(stored, judgement)).toEqual(expected);
  });

  it('those of scopes name the scope', () => {
    expect(scopeEvent('fleet', 'silent')).toMatchObject({
      type: 'Warning',
      reason: 'FleetSilent',
      note: expect.stringMatching(/^most of the fleet is silent: /),
    });
    expect(scopeEvent('set prod', 'recovered')).toEqual({
      type: 'Normal',
      reason: 'FleetRecovered',
      note: 'set prod is no longer silent',
    });
  });
});

describe('healthView', () => {
  it('healthView reads what the hub and the agent report', () => {
    const cluster = {
      metadata: { name: 'edge', uid: 'u' },
      spec: { hubAcceptsClient: true, leaseDurationSeconds: 10, taints: [LOST] },
      status: {
        conditions: [
          { type: 'ManagedClusterJoined', status: 'True' },
          { type: 'ControlPlaneHealthy', status: 'False', message: 'down' },
        ],
      },
    };
    expect(healthView(cluster)).toMatchObject({
      name: 'edge',
      uid: 'u',
      accepts: true,
      leaseDurationMs: 10_000,
      joined: true,
      unhealthy: 'down',
      tainted: TAINTS.unreachable,
    });
  });

  it('healthView takes values that admission should have refused for absent ones', () => {
    const cluster = {
      metadata: { name: 'edge' },
      spec: { hubAcceptsClient: 'yes', leaseDurationSeconds: 0, taints: [{ key: 3 }, 'x'] },
      status: { conditions: {}, taintTimes: [{}] },
    };
    expect(healthView(cluster)).toEqual({
      name: 'edge',
      uid: '',
      accepts: undefined,
      leaseDurationMs: 10_000,
      joined: false,
      unhealthy: undefined,
      tainted: undefined,
      stored: NONE,
    });
  });
});
