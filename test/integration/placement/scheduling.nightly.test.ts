import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { RawObject } from '../../../src/runtime/vocabulary/meta.js';
import type { Placement, PlacementSpec } from '../../../src/api/generated/placement.js';
import { CLUSTER_SET_LABEL } from '../../../src/api/names.js';
import type { PlacementDecision } from '../../../src/api/generated/placementdecision.js';
import { PlacementDecisions, Placements } from '../../../src/api/resources.js';
import { DECISION_RESOURCES, readFleetWorld } from '../../../src/answers/world/worlds.js';
import { planFleet } from '../../../src/answers/plan/plan.js';
import { clustersAfter } from '../../support/builders/changes.js';
import { explainInputOf, type World } from '../../../src/answers/world/world.js';
import { explain } from '../../../src/domain/placement/explain/explain.js';
import { Fleet, PlacementServerRig } from '../../support/rigs/server/placement.js';
import {
  rawOf,
  someScheduling,
  someSchedulingSpec,
  someModelCluster,
  type Fields,
  type SchedulingCase,
} from '../../support/builders/scheduling.js';
import { chooseByTheBook, type ModelCluster, type ModelSpec } from '../../support/scenario/checks/choice.js';
import { fillByTheBook, moveByTheBook } from '../../support/scenario/checks/moving.js';

const LONG_MS = 3_600_000;
const SCENARIOS = Number(process.env['SCENARIOS'] ?? 200);
const SEED = Number(process.env['SCENARIO_SEED'] ?? 1);
const SET = 'edge';
const OTHERS = [1, 2, 3];

/** One thing that somebody does to the fleet or to the Placement, as one write that matters. */
type Step =
  | { readonly kind: 'spec'; readonly spec: ModelSpec }
  | { readonly kind: 'pause' }
  | { readonly kind: 'labels' | 'status' | 'leave' | 'join'; readonly index: number; readonly to: Fields };

const someStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: someSchedulingSpec.map((spec): Step => ({ kind: 'spec', spec })) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'pause' }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('labels' as const, 'status' as const, 'status' as const, 'leave' as const, 'join' as const),
      index: fc.nat(11),
      to: someModelCluster,
    }),
  },
);
/** What a Placement asks for besides: nothing, changes in a window that does not open, or moves at once. */
type Mode = 'plain' | 'windows' | 'moves';

const WAVES = {
  groupStrategy: {
    decisionGroups: [{ groupName: 'gold', groupClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } }],
    clustersPerDecisionGroup: 2,
  },
};
const REBALANCE = { scoreMargin: 5, minSelectedSeconds: 0, intervalSeconds: 1 };

/** The fields of the mode. The window opens in twelve hours. */
function fieldsOf(mode: Mode): Partial<PlacementSpec> {
  if (mode === 'moves') return { rebalance: REBALANCE };
  if (mode === 'plain') return {};
  const opens = new Date(Date.now() + 12 * 3_600_000).toISOString();
  return { changeWindows: [{ start: `* ${opens.slice(11, 16)}`, duration: '1m', timeZone: 'UTC' }] };
}

const someScenario = fc.record({
  mode: fc.constantFrom<Mode>('plain', 'windows', 'moves'),
  isGrouped: fc.boolean(),
  begin: someScheduling(9),
  steps: fc.array(someStep, { minLength: 3, maxLength: 5 }),
});

interface Beginning {
  readonly begin: SchedulingCase;
  readonly mode: Mode;
  readonly isGrouped: boolean;
}

/** Placement `web` of one namespace, the clusters of its set, and what the rules say of both. */
class Scenario {
  readonly #fleet: Fleet;
  readonly #namespace: string;
  #clusters: readonly ModelCluster[];
  #spec: ModelSpec;
  #selected: readonly string[] = [];
  readonly #known: ReadonlySet<string>;
  readonly #mode: Mode;
  /** The fields of the spec that are not of the model. */
  readonly #fields: Partial<PlacementSpec>;
  #isPaused = false;
  /** Whether the spec was edited since the decision was made. */
  #isEdited = true;

  constructor(fleet: Fleet, namespace: string, { begin, mode, isGrouped }: Beginning) {
    this.#fleet = fleet;
    this.#namespace = namespace;
    this.#clusters = begin.clusters;
    this.#spec = begin.spec;
    this.#known = new Set(begin.clusters.map(({ name }) => name));
    this.#mode = mode;
    this.#fields = { ...fieldsOf(mode), ...(isGrouped && { decisionStrategy: WAVES }) };
  }

  async begin(): Promise<void> {
    for (const one of this.#clusters) await this.#join(one);
    await this.#fleet.namespace(this.#namespace, SET);
    for (const number of OTHERS) {
      const values = this.#clusters.filter(({ others }) => others >= number).map(({ name }) => name);
      if (values.length === 0) continue;
      const matchExpressions = [{ key: 'cluster-name', operator: 'In' as const, values }];
      const predicates = [{ requiredClusterSelector: { claimSelector: { matchExpressions } } }];
      await this.#fleet.place(this.#namespace, `other-${number}`, { predicates });
      await this.#until(`other-${number}`, [...values].sort());
    }
    await this.#place();
    await this.#settle();
  }

  /** Plans the step, carries it out, and holds plan, decision and explanation against the rules. */
  async take(step: Step): Promise<void> {
    if ('index' in step) {
      const isThere = this.#clusters.some(({ name }) => name === `c${step.index}`);
      if (isThere === (step.kind === 'join')) return;
      // A cluster that leaves the set waits, too, and is none of the model.
      if (step.kind === 'leave' && (this.#mode === 'windows' || this.#isPaused)) return;
    }
    // Another Placement would select a cluster that comes back at the same time.
    if (step.kind === 'join' && this.#known.has(`c${step.index}`)) return;
    const world = await hubOf(this.#fleet);
    const next = this.#after(step);
    if (step.kind === 'pause') this.#isPaused = !this.#isPaused;
    if (step.kind === 'spec') this.#isEdited ||= JSON.stringify(step.spec) !== JSON.stringify(this.#spec);
    const spec = { ...next.spec, ...this.#fields, paused: this.#isPaused };
    const planned = planFleet(world, changed(world, this.#namespace, step, { ...next, spec })).find(
      ({ namespace, name }) => namespace === this.#namespace && name === 'web',
    );
    this.#clusters = next.clusters;
    this.#spec = next.spec;
    await this.#write(
      step,
      next.clusters.find(({ name }) => 'index' in step && name === `c${step.index}`),
    );
    await this.#settle();
    const after = planned?.after && clustersAfter(planned);
    if (this.#mode !== 'moves') expect([step, after]).toEqual([step, this.#selected]);
  }

  /** Leaves neither a Placement nor a cluster in the set. */
  async end(): Promise<void> {
    const namespace = this.#namespace;
    for (const one of await this.#fleet.client.list<Placement>(Placements, namespace))
      await this.#fleet.remove(Placements, { namespace, name: one.metadata.name });
    for (const one of await this.#fleet.client.list<PlacementDecision>(PlacementDecisions, namespace))
      await this.#fleet.remove(PlacementDecisions, { namespace, name: one.metadata.name });
    for (const { name } of this.#clusters) await this.#fleet.cluster(name, 'none');
  }

  #after(step: Step): { readonly clusters: readonly ModelCluster[]; readonly spec: ModelSpec } {
    if (step.kind === 'spec') return { clusters: this.#clusters, spec: step.spec };
    if (step.kind === 'pause') return { clusters: this.#clusters, spec: this.#spec };
    const name = `c${step.index}`;
    if (step.kind === 'leave') return { clusters: this.#clusters.filter((one) => one.name !== name), spec: this.#spec };
    if (step.kind === 'join')
      return { clusters: [...this.#clusters, { ...step.to, name, others: 0 }], spec: this.#spec };
    const clusters = this.#clusters.map((one): ModelCluster => {
      if (one.name !== name) return one;
      const { labels, unpreferred, ...status } = step.to;
      if (step.kind === 'labels') return { ...one, labels, unpreferred };
      return { name, labels: one.labels, unpreferred: one.unpreferred, ...status, others: one.others };
    });
    return { clusters, spec: this.#spec };
  }

  async #write(step: Step, cluster: ModelCluster | undefined): Promise<void> {
    if (step.kind === 'spec' || step.kind === 'pause') await this.#place();
    else if (step.kind === 'leave') await this.#fleet.cluster(`c${step.index}`, 'none');
    else if (cluster === undefined) throw new Error('the step changes no cluster');
    else if (step.kind === 'join') await this.#join(cluster);
    else if (step.kind === 'labels') await this.#fleet.put(rawOf(cluster, SET));
    else await this.#fleet.report(rawOf(cluster, SET));
  }

  async #place(): Promise<void> {
    const spec = { ...this.#spec, ...this.#fields, paused: this.#isPaused } as PlacementSpec;
    await this.#fleet.place(this.#namespace, 'web', spec);
  }

  /** A cluster comes into the set once its status is written. */
  async #join(cluster: ModelCluster): Promise<void> {
    await this.#fleet.put(rawOf(cluster, 'none'));
    await this.#fleet.report(rawOf(cluster, 'none'));
    await this.#fleet.put(rawOf(cluster, SET));
  }

  async #settle(): Promise<void> {
    this.#selected = this.#decided();
    if (!this.#isPaused) this.#isEdited = false;
    await this.#until('web', this.#selected);
    const input = explainInputOf(await hubOf(this.#fleet), this.#namespace, 'web');
    const explained = input === undefined ? [] : explain(input).clusters;
    const selected = explained.filter(({ verdict }) => verdict === 'Selected').map(({ name }) => name);
    if (this.#mode === 'windows' || this.#isPaused) expect(this.#selected).toEqual(expect.arrayContaining(selected));
    else expect(selected).toEqual(this.#selected);
  }

  #decided(): readonly string[] {
    const placement = `${this.#namespace}/web`;
    const question = { placement, spec: this.#spec, clusters: this.#clusters, before: this.#selected };
    if (this.#isPaused) return this.#selected;
    if (this.#mode === 'windows' && !this.#isEdited) return fillByTheBook(question);
    let selected = chooseByTheBook(question);
    for (let next = selected; this.#mode === 'moves'; selected = next) {
      const ages = Object.fromEntries(selected.map((name) => [name, Infinity]));
      const move = moveByTheBook({ ...question, ages, rebalance: REBALANCE, left: Infinity });
      if (move === undefined) break;
      const [leaves = '', comes = ''] = move.split(' → ');
      next = [...selected.filter((name) => name !== leaves), comes].sort();
    }
    return selected;
  }

  async #until(placement: string, clusters: readonly string[]): Promise<void> {
    await waitFor(`${placement} to select ${clusters.join(' ')}`, async (seen) => {
      const stored = await this.#fleet.placement(this.#namespace, placement);
      const selected = await this.#fleet.selected(this.#namespace, placement);
      seen({ selected, spec: stored?.spec, conditions: stored?.status?.conditions });
      const isCurrent = stored?.status?.observedGeneration === stored?.metadata.generation;
      const isCounted = stored?.status?.numberOfSelectedClusters === clusters.length;
      return (isCurrent && isCounted && selected?.join() === clusters.join()) || undefined;
    });
  }
}

async function hubOf(fleet: Fleet): Promise<World> {
  const fallback = (): string => '';
  return (await readFleetWorld(fleet.client, { namespace: undefined, fallback, resources: DECISION_RESOURCES })).world;
}

/** The objects of a hub after the step. */
function changed(
  world: World,
  namespace: string,
  step: Step,
  { clusters, spec }: { readonly clusters: readonly ModelCluster[]; readonly spec: ModelSpec },
): World {
  const placements = world.objects.placements.map((one): RawObject => {
    if (
      (step.kind !== 'spec' && step.kind !== 'pause') ||
      one.metadata.namespace !== namespace ||
      one.metadata.name !== 'web'
    )
      return one;
    return { ...one, spec, metadata: { ...one.metadata, generation: (one.metadata.generation ?? 0) + 1 } };
  });
  const own = world.objects.managedclusters.filter(
    ({ metadata: { labels = {} } }) => labels[CLUSTER_SET_LABEL] !== SET,
  );
  const managedclusters = [...own, ...clusters.map((one) => rawOf(one, SET))];
  return { ...world, objects: { ...world.objects, placements, managedclusters } };
}

describeWithServer('Placements that compare, count, prefer, spread, group, wait and move', { own: true }, (server) => {
  let fleet: Fleet;
  let running: PlacementServerRig;

  beforeAll(async () => {
    await installCrds(server());
    fleet = new Fleet(server());
    for (const set of [SET, 'none']) await fleet.set(set);
    running = new PlacementServerRig(server());
    await running.synced();
  }, LONG_MS);
  afterAll(async () => {
    await running.stop();
    await fleet.close();
  }, LONG_MS);

  it(
    `plan, decision and explanation are what the rules say, in ${SCENARIOS} random scenarios`,
    async () => {
      const all = fc.sample(someScenario, { numRuns: SCENARIOS, seed: SEED });
      for (const [index, { steps, ...beginning }] of all.entries()) {
        const scenario = new Scenario(fleet, `scenario-${index}`, beginning);
        await scenario.begin();
        for (const step of steps) await scenario.take(step);
        await scenario.end();
      }
    },
    LONG_MS,
  );
});
