import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileSpec, type PlacementRules } from '../../../../src/domain/placement/spec/predicates.js';
import { clusterHash, pairHash, seedOf } from '../../../../src/domain/placement/select/rank.js';
import { matches, predicateOf } from '../../../../src/domain/placement/select/rules.js';
import type { ClusterView } from '../../../../src/domain/placement/select/snapshot.js';
import { decision, member, snapshot } from '../../../support/builders/placement.js';
import type { FleetMember } from '../../../support/builders/candidates.js';
import { scheduled } from '../../../support/builders/scheduled.js';
import { runs } from '../../../support/runs.js';

/** The order of a decision, section by section, without groups, queues or counts that are kept: slow, and easy to read. */
class Literal {
  readonly rules: PlacementRules;
  readonly clusters: readonly ClusterView[];
  readonly #seed = seedOf('team', 'web');

  constructor(spec: unknown, fleet: readonly FleetMember[]) {
    this.rules = compileSpec(spec);
    this.clusters = fleet.map(({ cluster }) => cluster);
  }

  /** What stays of `before`, and what comes in, in the order in which it does. */
  decide(before: readonly string[]): { readonly kept: readonly string[]; readonly added: readonly string[] } {
    const { wanted = Infinity, predicates } = this.rules;
    let kept = this.clusters.filter((one) => before.includes(one.name) && this.#passes(one));
    const limits = predicates.map((one, index) => [index, one.wanted ?? Infinity] as const);
    for (;;) {
      const above = limits.find(([index, limit]) => this.#of(index, kept).length > limit);
      const those = above === undefined ? [] : this.#of(above[0], kept);
      const from = those.length > 0 ? those : kept.length > wanted ? kept : [];
      if (from.length === 0) break;
      const lowest = this.#sorted(from, kept, (one) => (this.#prefers(one) > 0 ? 1 : 0)).at(-1);
      kept = kept.filter((one) => one !== lowest);
    }
    const selected = [...kept];
    for (;;) {
      const rest = this.clusters.filter(
        (one) => !before.includes(one.name) && this.#passes(one) && !selected.includes(one),
      );
      const allowed = rest.filter((one) => this.#mayComeIn(one, selected));
      const [best] = this.#sorted(allowed, selected, (one) => this.#prefers(one));
      if (best === undefined || selected.length >= wanted) break;
      selected.push(best);
    }
    return { kept: kept.map(({ name }) => name).sort(), added: selected.slice(kept.length).map(({ name }) => name) };
  }

  #of(predicate: number | undefined, clusters: readonly ClusterView[]): readonly ClusterView[] {
    return clusters.filter((one) => predicateOf(this.rules, one) === predicate);
  }

  #passes(one: ClusterView): boolean {
    return matches(this.rules, one) && !one.taints.some(({ effect }) => effect === 'NoSelect');
  }

  #prefers({ taints }: ClusterView): number {
    return taints.filter(({ effect }) => effect === 'PreferNoSelect').length;
  }

  #domain(constraint: number, one: ClusterView): string | undefined {
    const { source, key } = this.rules.spread[constraint] ?? { source: 'claim', key: '' };
    return (source === 'claim' ? one.claims : one.labels)[key];
  }

  #count(constraint: number, domain: string | undefined, selected: readonly ClusterView[]): number {
    if (domain === undefined) return Infinity;
    return selected.filter((one) => this.#domain(constraint, one) === domain).length;
  }

  #hasRoom(one: ClusterView, selected: readonly ClusterView[]): boolean {
    const predicate = predicateOf(this.rules, one);
    const limit = this.rules.predicates[predicate ?? this.rules.predicates.length]?.wanted ?? Infinity;
    return this.#of(predicate, selected).length < limit;
  }

  #mayComeIn(one: ClusterView, selected: readonly ClusterView[]): boolean {
    if (!this.#hasRoom(one, selected)) return false;
    return this.rules.spread.every(({ isStrict, maxSkew, minDomains = 0 }, index) => {
      if (!isStrict) return true;
      const mayCome = (other: ClusterView): boolean => this.#passes(other) && this.#hasRoom(other, selected);
      const passing = this.clusters.filter((other) => mayCome(other) || selected.includes(other));
      const domains = new Set(passing.flatMap((other) => this.#domain(index, other) ?? []));
      const counts = [...domains].map((domain) => this.#count(index, domain, selected));
      const lowest = domains.size < minDomains ? 0 : Math.min(...counts);
      return this.#count(index, this.#domain(index, one), selected) + 1 - lowest <= maxSkew;
    });
  }

  #sorted(
    clusters: readonly ClusterView[],
    selected: readonly ClusterView[],
    tierOf: (one: ClusterView) => number,
  ): readonly ClusterView[] {
    const tuple = (one: ClusterView): number[] => [
      tierOf(one),
      ...this.rules.spread.map((_, index) => this.#count(index, this.#domain(index, one), selected)),
      -pairHash(this.#seed, clusterHash(one.name)),
    ];
    return [...clusters].sort((a, b) => {
      const [first, second] = [tuple(a), tuple(b)];
      const at = first.findIndex((value, index) => value !== second[index]);
      return (first[at] ?? 0) - (second[at] ?? 0) || (a.name < b.name ? -1 : 1);
    });
  }
}

const someFleet = fc
  .array(
    fc.record({
      claims: fc.record({ region: fc.constantFrom('eu', 'us', 'ap') }, { requiredKeys: [] }),
      labels: fc.record(
        { zone: fc.constantFrom('a', 'b', 'c', 'd'), tier: fc.constantFrom('gold', 'silver') },
        { requiredKeys: [] },
      ),
      taints: fc.array(
        fc.record({
          key: fc.constantFrom('x', 'y'),
          value: fc.constant(''),
          effect: fc.constantFrom('PreferNoSelect' as const, 'PreferNoSelect' as const, 'NoSelect' as const),
          since: fc.constant(undefined),
        }),
        { maxLength: 1 },
      ),
    }),
    { maxLength: 12 },
  )
  .map((list) => list.map((one, index) => member(`c${index}`, one)));
const byTier = (tier: string): unknown => ({ requiredClusterSelector: { labelSelector: { matchLabels: { tier } } } });
const somePredicates = fc.oneof(
  fc.constant({}),
  fc.tuple(fc.nat(3), fc.nat(3)).map(([a, b]) => ({
    predicates: [
      { ...Object(byTier('gold')), numberOfClusters: a },
      { requiredClusterSelector: {}, numberOfClusters: b },
    ],
  })),
);
const someConstraints = fc.uniqueArray(
  fc
    .record({
      topologyKey: fc.constantFrom('region', 'zone'),
      maxSkew: fc.integer({ min: 1, max: 2 }),
      isStrict: fc.boolean(),
      minDomains: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    })
    .map(({ topologyKey, maxSkew, isStrict, minDomains }) => ({
      topologyKey,
      topologyKeyType: topologyKey === 'region' ? 'Claim' : 'Label',
      maxSkew,
      ...(isStrict ? { whenUnsatisfiable: 'DoNotSchedule', minDomains } : {}),
    })),
  { maxLength: 2, selector: ({ topologyKey }) => topologyKey },
);
const someSpec = fc
  .tuple(fc.integer({ min: 0, max: 8 }), somePredicates, someConstraints)
  .map(([numberOfClusters, predicates, spreadConstraints]) => ({
    numberOfClusters,
    ...predicates,
    spreadPolicy: { spreadConstraints },
  }));
const someBefore = fc.uniqueArray(
  fc.nat(11).map((index) => `c${index}`),
  { maxLength: 8 },
);
/** A spec, a fleet, and those of its clusters that are selected. */
const someWorld = fc
  .tuple(someSpec, someFleet, someBefore)
  .map(
    ([spec, fleet, names]) =>
      [spec, fleet, names.filter((one) => fleet.some(({ cluster }) => cluster.name === one))] as const,
  );

function decided(
  spec: unknown,
  fleet: readonly FleetMember[],
  before: readonly string[],
): ReturnType<Literal['decide']> {
  const { kept, added } = scheduled(snapshot({ spec, fleet, stored: [decision(1, before)] }));
  return { kept: kept.flat().sort(), added };
}

describe('a choice of clusters', () => {
  it('a choice of clusters is the one of a literal reading, one cluster after the other', () => {
    fc.assert(
      fc.property(someWorld, ([spec, fleet, before]) => {
        expect(decided(spec, fleet, before)).toEqual(new Literal(spec, fleet).decide(before));
      }),
      { numRuns: runs(300) },
    );
  });

  it('a choice of clusters does not depend on the order of lists', () => {
    fc.assert(
      fc.property(someWorld, ([spec, fleet, before]) => {
        expect(decided(spec, [...fleet].reverse(), [...before].reverse())).toEqual(decided(spec, fleet, before));
      }),
    );
  });

  it('a choice of clusters stays the same with another cluster of known domains that is not selected', () => {
    fc.assert(
      fc.property(someWorld, ([spec, fleet, before]) => {
        const [first] = fleet;
        if (first === undefined) return;
        const other = member('other', first.cluster);
        const twin = { ...other, cluster: { ...other.cluster, name: 'other' } };
        const after = decided(spec, [...fleet, twin], before);
        fc.pre(!after.added.includes('other'));

        expect(after).toEqual(decided(spec, fleet, before));
      }),
    );
  });

  it('a second decision after a choice of clusters changes nothing', () => {
    fc.assert(
      fc.property(someWorld, ([spec, fleet, before]) => {
        const { kept, added } = decided(spec, fleet, before);
        const known = [...kept, ...added];
        const again = decided(spec, fleet, known);

        expect(again).toEqual({ kept: known.sort(), added: [] });
      }),
    );
  });
});
