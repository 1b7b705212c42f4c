import { afterEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

import { claimsOf } from '../../src/domain/agent/report/claims.js';
import { nodeFacts } from '../../src/domain/agent/report/nodes.js';
import { ocmInventory, scoreClaims } from '../../src/domain/inventories/source.js';
import { compileSpec } from '../../src/domain/placement/spec/predicates.js';
import { FakeAgent, FakeHome, FakeHub } from '../support/fakes/agent.js';
import { MINUTE, SECOND, VirtualFleet } from '../support/rigs/fleethealth.js';

/**
 * Claims of a ConfigMap that were too many, too long or reserved were missing on the hub, and only the log of the agent, in
 * another cluster, said why. A value of 601 characters with emoji was refused, since it counted as 1,202. A shorter
 * `leaseDurationSeconds` had no effect for hours, and no message said so.
 * Right: the ManagedCluster says what its agent does not publish; lengths are counted as the API server counts them, by code
 * points; the condition says which duration counts, and until when.
 */

const FACES = '\u{1F600}'.repeat(601);
const LONGEST = '\u{1F600}'.repeat(1024);
const TOO_LONG = `${LONGEST}a`;

let agent: FakeAgent | undefined;
afterEach(async () => {
  await agent?.stop();
  agent = undefined;
});

describe('claims that an agent does not publish', () => {
  async function conditionsWith(claims: Readonly<Record<string, string>>): Promise<readonly object[]> {
    const clock = new ManualClock();
    const [home, hub] = [new FakeHome(), new FakeHub(clock)];
    agent = new FakeAgent(clock, home, hub);
    await clock.advance(0);
    home.claim(claims);
    await clock.advance(5 * SECOND);
    home.claim({ ...claims, other: 'claim' });
    await clock.advance(5 * SECOND);
    const { conditions = [] } = hub.reports.at(-1) ?? {};
    return conditions.filter(({ type }) => type === 'ClaimsNotPublished');
  }

  it.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'a reserved name',
      { 'id.k8s.io': 'a' },
      'ConfigMap claims: claim id.k8s.io: this name is reserved for what the agent finds out itself',
    ],
    [
      'the name of a fact',
      { 'cluster-name': 'a' },
      'ConfigMap claims: claim cluster-name: this name stands for what the status of the cluster says',
    ],
    [
      'a value that is too long',
      { long: TOO_LONG },
      'ConfigMap claims: claim long: its value is longer than 1024 characters',
    ],
    ['an empty value', { empty: '' }, 'ConfigMap claims: claim empty: its value is empty'],
  ])('%s is a condition of the ManagedCluster, since it began', async (_what, claims, message) => {
    expect(await conditionsWith(claims)).toEqual([
      {
        type: 'ClaimsNotPublished',
        status: 'True',
        reason: 'ClaimsRefused',
        message,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ]);
  });

  it('many are named as far as they fit, and counted, without their values', async () => {
    const names = Array.from({ length: 200 }, (_one, index) => [`claim-${index}`, 'secret-value']);
    const [condition] = await conditionsWith(Object.fromEntries(names));
    const { message } = condition as { readonly message: string };

    expect(message).toMatch(/there are 64 claims before it; .* and \d+ more$/);
    expect(message.length).toBeLessThanOrEqual(1024);
    expect(message).not.toContain('secret-value');
  });

  it('without one there is no condition', async () => {
    expect(await conditionsWith({ team: 'blue' })).toEqual([]);
  });
});

describe('lengths', () => {
  it('a value of an agent counts by code points', () => {
    const configMaps = [{ metadata: { name: 'claims' }, data: { faces: FACES, longest: LONGEST, longer: TOO_LONG } }];
    const { claims, rejected } = claimsOf({ clusterId: 'id', version: 'v1.36.3', nodes: [nodeFacts({})], configMaps });

    expect(claims.map(({ name }) => name)).toEqual([
      'faces',
      'id.k8s.io',
      'kubeversion.cluster.fleetmgmt.io',
      'longest',
    ]);
    expect(rejected).toHaveLength(1);
  });

  it('a claim and a score of another inventory count by code points', () => {
    const name = '\u{1F600}'.repeat(253);
    const clusterClaims = [
      { name, value: LONGEST },
      { name: `${name}a`, value: 'a' },
      { name: 'b', value: TOO_LONG },
    ];
    const cluster = { metadata: { name: 'a' }, spec: { hubAcceptsClient: true }, status: { clusterClaims } };
    const scores = [{ name: '\u{1F600}'.repeat(240), value: 1 }];

    expect(ocmInventory.read(cluster)?.claims).toEqual([{ name, value: LONGEST }]);
    expect(scoreClaims([{ metadata: { name: 'usage' }, status: { scores } }], 0).claims).toHaveLength(1);
  });

  it('an expression counts by code points', () => {
    const expression = (length: number): string => `managedCluster.metadata.name == "${'\u{1F600}'.repeat(length)}"`;
    const problemOf = (length: number): string | undefined => {
      const requiredClusterSelector = { celSelector: { celExpressions: [expression(length)] } };
      return compileSpec({ predicates: [{ requiredClusterSelector }] }).problem?.message;
    };

    expect(problemOf(2_000)).toBeUndefined();
    expect(problemOf(2_048)).toMatch(/2048/);
  });
});

describe('a shorter lease duration', () => {
  it('the condition says which one counts, and until when', () => {
    const fleet = new VirtualFleet();
    for (const one of ['a', 'b', 'edge']) fleet.cluster(one);
    fleet.renewing(['a', 'b']);
    fleet.run(10 * SECOND);
    fleet.renew('edge', 10 * MINUTE);
    expect(fleet.message('edge')).toBe(
      'the agent renews its Lease each 600 s: these count instead of the 60 s of spec.leaseDurationSeconds until its next report, within an hour, or three times 600 s of silence',
    );

    fleet.renew('edge', MINUTE);
    expect(fleet.message('edge')).toBe('the agent renews its Lease');
  });

  it('a longer one of the spec counts at once, so that nothing is to be said', () => {
    const fleet = new VirtualFleet();
    fleet.cluster('edge', { leaseDurationMs: 10 * MINUTE });
    fleet.run(10 * SECOND);
    fleet.renew('edge', MINUTE);

    expect(fleet.message('edge')).toBe('the agent renews its Lease');
  });
});
