import assert from 'node:assert/strict';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ManagedCluster } from '../../../../src/api/generated/managedcluster.js';
import type { Placement, PlacementSpec } from '../../../../src/api/generated/placement.js';
import type { PlacementDecision } from '../../../../src/api/generated/placementdecision.js';
import { CLUSTER_SET_LABEL, HISTORY_ANNOTATION } from '../../../../src/api/names.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../../../src/api/resources.js';
import { apiVersionOf, CustomResourceDefinitions } from '../../../../src/runtime/vocabulary/kinds.js';
import { field, sameJson } from '../../../../src/runtime/vocabulary/json.js';
import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';
import { FakeApi } from '../../../support/fakes/api.js';
import {
  AFTER_EACH,
  BEFORE_EACH,
  PlacementProcess,
  type Death,
} from '../../../support/rigs/controllers/placementprocess.js';

/** Moves, groups and change windows through random histories, with processes that die at any write. */

/** A Sunday. */
const START = Date.parse('2026-11-22T10:00:00Z');
const NAMESPACE = 'team';
const CLUSTERS = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'];
const SPEC: PlacementSpec = {
  numberOfClusters: 5,
  predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } }],
  prioritizerPolicy: {
    configurations: [
      { scoreCoordinate: { type: 'Claim', claim: { name: 'cost', order: 'Ascending', min: '0', max: '100' } } },
    ],
  },
  rebalance: { scoreMargin: 10, minSelectedSeconds: 60, intervalSeconds: 60 },
  decisionStrategy: {
    groupStrategy: {
      decisionGroups: [
        { groupName: 'canary', groupClusterSelector: { labelSelector: { matchLabels: { wave: 'canary' } } } },
      ],
      clustersPerDecisionGroup: 2,
    },
  },
  decisionDetails: { labels: ['wave'], claims: ['cost'] },
};
const WINDOWS: PlacementSpec = { ...SPEC, changeWindows: [{ start: 'Sun 10:00', duration: '1h', timeZone: 'UTC' }] };

interface Change {
  readonly cluster: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly cost: string;
}

interface Step {
  readonly passedMs: number;
  readonly changes: readonly Change[];
}

interface History {
  readonly spec: PlacementSpec;
  readonly steps: readonly Step[];
}

const someChange: fc.Arbitrary<Change> = fc.record({
  cluster: fc.constantFrom(...CLUSTERS),
  labels: fc.record({
    tier: fc.constantFrom('gold', 'gold', 'gold', 'silver'),
    wave: fc.constantFrom('canary', 'late', 'late'),
  }),
  cost: fc.constantFrom('5', '20', '50', '90'),
});
const HOUR = 3_600_000;
const someHistory: fc.Arbitrary<History> = fc.record({
  spec: fc.constantFrom(SPEC, WINDOWS),
  steps: fc.array(
    fc.record({
      passedMs: fc.constantFrom(0, 61_000, 61_000, 3 * HOUR, 168 * HOUR),
      changes: fc.array(someChange, { maxLength: 3 }),
    }),
    { minLength: 2, maxLength: 6 },
  ),
});

class World {
  readonly #api: FakeApi;
  #now = START;
  readonly #clock = { now: () => this.#now, monotonic: () => 0, after: () => ({ cancel: () => {} }) };

  constructor(spec: PlacementSpec) {
    this.#api = new FakeApi(this.#clock);
    for (const type of [ManagedClusters, ManagedClusterSets, ManagedClusterSetBindings]) {
      const metadata = { name: `${type.plural}.${type.group}`, creationTimestamp: '2025-06-01T00:00:00Z' };
      const apiVersion = apiVersionOf(CustomResourceDefinitions);
      this.#api.put<KubeObject>(CustomResourceDefinitions, { apiVersion, metadata });
    }
    this.#api.put(ManagedClusterSets, { metadata: { name: 'fleet' }, spec: {} });
    const binding = { metadata: { namespace: NAMESPACE, name: 'fleet' }, spec: { clusterSet: 'fleet' } };
    this.#api.put(ManagedClusterSetBindings, binding);
    CLUSTERS.forEach((cluster, index) => {
      this.#change({
        cluster,
        labels: { tier: 'gold', wave: index === 0 ? 'canary' : 'late' },
        cost: String(index * 9),
      });
    });
    this.#api.put<Placement>(Placements, { metadata: { namespace: NAMESPACE, name: 'web' }, spec });
  }

  take({ passedMs, changes }: Step): void {
    this.#now += passedMs;
    for (const one of changes) this.#change(one);
  }

  process(death: Death | undefined): PlacementProcess {
    const observer = { pass: () => {}, wrote: () => {} };
    return new PlacementProcess({ api: this.#api, clock: this.#clock, death, observer });
  }

  /** What is stored, but for histories, which name no trigger that came before the process, and times of conditions. */
  stored(): unknown {
    const decisions = this.#api.all<PlacementDecision>(PlacementDecisions).map(({ metadata, status }) => {
      const { [HISTORY_ANNOTATION]: _history, ...annotations } = metadata.annotations ?? {};
      return { name: metadata.name, labels: metadata.labels, annotations, decisions: status.decisions };
    });
    const { conditions = [], ...status } =
      this.#api.peek<Placement>(Placements, { namespace: NAMESPACE, name: 'web' })?.status ?? {};
    const states = conditions.map(({ lastTransitionTime: _, lastUpdateTime: __, ...rest }) => rest);
    return { decisions, conditions: states, phase: status.phase, groups: status.decisionGroups, basis: status.basis };
  }

  /** The items of which some value of a label or claim is not that of their cluster. */
  outdated(): readonly unknown[] {
    const items = this.#api.all<PlacementDecision>(PlacementDecisions).flatMap(({ status }) => status.decisions);
    return items.filter((item) => {
      const found = this.#api.peek<ManagedCluster>(ManagedClusters, { name: item.clusterName });
      const values = [found?.metadata.labels?.['wave'], found?.status?.clusterClaims?.[0]?.value];
      return !sameJson([field(item, 'label/wave'), field(item, 'claim/cost')], values);
    });
  }

  #change({ cluster, labels, cost }: Change): void {
    this.#api.put<ManagedCluster>(ManagedClusters, {
      metadata: { name: cluster, labels: { ...labels, [CLUSTER_SET_LABEL]: 'fleet' } },
      spec: {},
      status: { clusterClaims: [{ name: 'cost', value: cost }] },
    });
  }
}

interface Played {
  readonly moves: number;
  readonly crashes: number;
  /** What is stored after each step. */
  readonly ends: readonly unknown[];
}

/** Plays a history; `deaths`: when the processes end, each of which the next one follows at once. */
async function play({ spec, steps }: History, deaths: (process: number) => Death | undefined): Promise<Played> {
  const world = new World(spec);
  const ends: unknown[] = [];
  let process = world.process(deaths(0));
  let crashes = 0;
  for (const step of [{ passedMs: 0, changes: [] }, ...steps]) {
    world.take(step);
    while (!(await process.survives())) {
      crashes += 1;
      process = world.process(deaths(crashes));
    }
    assert.deepEqual(world.outdated(), []);
    ends.push(world.stored());
  }
  return { moves: process.events.filter(({ note }) => note.startsWith('moved ')).length, crashes, ends };
}

describe('moves, changes of groups, and changes that wait for a window', () => {
  it('each step ends in what is stored without crashes, whichever write a process dies at', async () => {
    const seen = { crashes: 0, moves: 0, waits: 0, groups: 0 };
    await fc.assert(
      fc.asyncProperty(someHistory, async (history) => {
        const { ends, moves } = await play(history, () => undefined);
        for (const deaths of [AFTER_EACH, BEFORE_EACH]) {
          const run = await play(history, () => deaths);
          assert.deepEqual(run.ends, ends);
          seen.crashes += run.crashes;
        }
        seen.moves += moves;
        const text = JSON.stringify(ends);
        if (text.includes('ChangesWaiting')) seen.waits += 1;
        if (text.includes('"decisionGroupName":"canary"')) seen.groups += 1;
      }),
      { numRuns: 30 },
    );
    expect(seen.crashes).toBeGreaterThan(200);
    expect(Math.min(seen.moves, seen.waits, seen.groups)).toBeGreaterThan(0);
  }, 120_000);
});
