import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { explainPlacement } from '../../src/cli/commands/explain.js';
import { planChange } from '../../src/cli/commands/plan.js';
import { worldOf, type World } from '../../src/answers/world/world.js';
import { forecastOf } from '../../src/answers/world/forecast.js';
import { scorerOfSnapshot } from '../../src/domain/placement/select/scores.js';
import { compileSpec } from '../../src/domain/placement/spec/predicates.js';
import { leaseDurationMs } from '../../src/domain/health/view.js';
import { readingOf } from '../support/builders/hubinput.js';
import { explainInput, rawBinding, rawCluster, rawDecision, rawPlacement, rawSet } from '../support/builders/world.js';
import { root } from '../support/repository/root.js';

/*
 * One cluster of a fleet had a label, a claim or an allocatable of `1e309`, or of 400 digits. Every score of the Placements that
 * used it was NaN: the worst cluster was selected, another one when the objects came in another order, `rebalance` stopped, and
 * the JSON of `explain` had `score: null`. A `max` of `1e320` did the same. Right: what is beyond the numbers of a double is no
 * number, as `n/a` is none. It is named, has no score, and changes no other score; `min` and `max` cannot have it. No comparison
 * of a decision sees NaN, whatever numbers the spec and the clusters have, and no decision depends on the order of the objects.
 */

const DIGITS = '9'.repeat(400);
/** Texts at the edges of what a double holds, and whether they are numbers. */
const EDGES: readonly (readonly [text: string, isNumber: boolean])[] = [
  ['1e309', false],
  ['-1e309', false],
  ['2e308', false],
  [DIGITS, false],
  [`-${DIGITS}.5`, false],
  [`${DIGITS}Ei`, true], // A quantity with a binary suffix ends at 2^63, as that of Kubernetes does.
  ['1e999999999', false],
  ['9e9999999999', false],
  ['NaN', false],
  ['Infinity', false],
  ['', false],
  ['17e307', true],
  ['-17e307', true],
  [`${'9'.repeat(308)}`, true],
  [`${'9'.repeat(700)}e-690`, true],
  ['1e-999999999', true],
  ['0', true],
  ['-0', true],
  ['9007199254740993', true],
  ['1e21', true],
  ['0.000000001', true],
];
const [NONE, SOME] = [false, true].map((is) =>
  EDGES.filter(([, isNumber]) => isNumber === is).map(([text]) => text),
) as [string[], string[]];

type Source = 'label' | 'claim' | 'allocatable';
const SOURCES: readonly Source[] = ['label', 'claim', 'allocatable'];
const COORDINATES: Readonly<Record<Source, object>> = {
  label: { type: 'Label', label: { name: 'cost' } },
  claim: { type: 'Claim', claim: { name: 'cost', order: 'Ascending' } },
  allocatable: { type: 'BuiltIn', builtIn: 'ResourceAllocatableCPU' },
};

/** A cluster with this text in one of the places from which numbers are read. */
function costing(name: string, values: Partial<Readonly<Record<Source, string>>>): RawObject {
  const { label, claim, allocatable } = values;
  const one = rawCluster(name, {
    set: 'prod',
    labels: label === undefined ? {} : { cost: label },
    claims: claim === undefined ? {} : { cost: claim },
  });
  const status = Object(one.status);
  return { ...one, status: { ...status, ...(allocatable !== undefined && { allocatable: { cpu: allocatable } }) } };
}

function fleet(spec: object, managedclusters: readonly RawObject[], decided: readonly string[] = []): World {
  return worldOf({
    placements: [rawPlacement(spec)],
    managedclusters: [...managedclusters],
    managedclustersets: [rawSet('prod')],
    managedclustersetbindings: [rawBinding('prod')],
    placementdecisions: decided.length === 0 ? [] : [rawDecision(1, decided)],
  });
}

const scoring = (sources: readonly Source[]): object => ({
  numberOfClusters: 1,
  prioritizerPolicy: { configurations: sources.map((source) => ({ scoreCoordinate: COORDINATES[source] })) },
});

/** The score of each cluster, in hundredths. */
function scoresOf(world: World): ReadonlyMap<string, number> {
  return scorerOfSnapshot(explainInput(world).snapshot)?.totals() ?? new Map();
}

function expectScores(world: World, least: number, most: number): void {
  expect([...scoresOf(world)].filter(([, score]) => !(score >= least && score <= most))).toEqual([]);
}

const SCHEMA = path.join(root, 'docs', 'reference', 'cli', 'placementexplanation.schema.json');
const validate = new Ajv({ allErrors: true }).compile(JSON.parse(readFileSync(SCHEMA, 'utf8')) as object);

function explained(world: World): string {
  const request = { namespace: 'shop', placement: 'web', cluster: undefined, nearest: 1, colored: false };
  return explainPlacement(world, { ...request, output: 'json' });
}

describe('a cluster with a value at the edges of numbers', () => {
  const values = { cheap: '1', middle: '3', dear: '5' };
  const others = (source: Source): RawObject[] =>
    Object.entries(values).map(([name, value]) => costing(name, { [source]: value }));

  describe.each(SOURCES)('a value of the kind %s at the edges of numbers', (source) => {
    it.each(NONE.map((text) => [text]))('%s has no score, is named, and changes no other score', (text) => {
      const alone = scoresOf(fleet(scoring([source]), others(source)));
      const world = fleet(scoring([source]), [...others(source), costing('odd', { [source]: text })]);

      expect(Object.fromEntries(scoresOf(world))).toEqual({ ...Object.fromEntries(alone), odd: 0 });
      expect(explained(world)).toContain('"message": "not a number"');
    });

    it.each(SOME.map((text) => [text]))('%s has a score', (text) => {
      const world = fleet(scoring([source]), [...others(source), costing('odd', { [source]: text })]);

      expectScores(world, 0, 10_000);
      expect(explained(world)).not.toContain('not a number');
    });
  });

  it.each(EDGES)('%s is compared as a number, or is named as none, as where it is scored', (text, isNumber) => {
    const meets = (operator: string): boolean => {
      const matchExpressions = [{ key: 'cost', operator, values: ['0'] }];
      const spec = { predicates: [{ requiredClusterSelector: { claimSelector: { matchExpressions } } }] };
      return forecastOf(explainInput(fleet(spec, [costing('odd', { claim: text })])).snapshot).clusters.length > 0;
    };

    expect(['Ge', 'Lt'].filter(meets)).toHaveLength(isNumber ? 1 : 0);
  });
});

const someText = fc.constantFrom(...EDGES.map(([text]) => text), '1', '2', '3');
const someCosts = fc.record({ label: someText, claim: someText, allocatable: someText }, { requiredKeys: [] });
const REBALANCE = { scoreMargin: 0.5, minSelectedSeconds: 0, intervalSeconds: 1 };

describe('a fleet with any numbers', () => {
  it.each(NONE.map((text) => [text]))('a cluster goes on to move for its score where another one has %s', (text) => {
    const clusters = { dear: '9', cheap: '1', odd: text };
    const spec = { ...scoring(['claim']), rebalance: REBALANCE };
    const world = fleet(
      spec,
      Object.entries(clusters).map(([name, claim]) => costing(name, { claim })),
      ['dear'],
    );

    // Since when `dear` is selected is not known: its move waits for the interval.
    const { snapshot } = explainInput(world);
    expect(forecastOf(snapshot).decision.lookAgain).toBe(snapshot.now + 1_000);
  });

  it('no decision depends on the order of the objects, no score is NaN, and the JSON keeps to its schema', () => {
    fc.assert(
      fc.property(fc.array(someCosts, { minLength: 2, maxLength: 5 }), fc.nat(), fc.nat(1), (costs, seed, moves) => {
        const clusters = costs.map((one, index) => costing(`c${index}`, one));
        const spec = { ...scoring(SOURCES), ...(moves === 1 && { rebalance: REBALANCE }) };
        const turned = [...clusters.slice(seed % clusters.length), ...clusters.slice(0, seed % clusters.length)];
        const [world, other] = [clusters, turned.reverse()].map((list) => fleet(spec, list, moves === 1 ? ['c0'] : []));
        if (world === undefined || other === undefined) return;

        expectScores(world, 0, 30_000);
        const decided = [world, other].map((one) => forecastOf(explainInput(one).snapshot).clusters);
        expect(decided[1]).toEqual(decided[0]);
        expect(validate(JSON.parse(explained(world)))).toBe(true);
      }),
    );
  });
});

/** Numbers as JSON may hold them: the last two are what a reader makes of 1e999. */
const NUMBERS = [-1, -0, 0.5, 5e-324, 2 ** 31, 2 ** 53, 1e300, Number.MAX_VALUE, Infinity, -Infinity] as const;
const scored = (coordinate: object): object => ({ configurations: [{ scoreCoordinate: coordinate }] });
/** Each number of a spec. */
const FIELDS: Readonly<Record<string, (value: unknown) => object>> = {
  numberOfClusters: (value) => ({ numberOfClusters: value }),
  'predicates[0].numberOfClusters': (value) => ({ predicates: [{ numberOfClusters: value }] }),
  'prioritizerPolicy.configurations[0].weight': (value) => ({
    prioritizerPolicy: { configurations: [{ scoreCoordinate: COORDINATES.claim, weight: value }] },
  }),
  'prioritizerPolicy.configurations[0].scoreCoordinate.claim.max': (value) => ({
    prioritizerPolicy: scored({ type: 'Claim', claim: { name: 'cost', min: '-1', max: value } }),
  }),
  'prioritizerPolicy.configurations[0].scoreCoordinate.label.min': (value) => ({
    prioritizerPolicy: scored({ type: 'Label', label: { name: 'cost', min: value, max: '1e99' } }),
  }),
  'spreadPolicy.spreadConstraints[0].maxSkew': (value) => spreading({ maxSkew: value }),
  'spreadPolicy.spreadConstraints[0].minDomains': (value) => spreading({ minDomains: value }),
  'tolerations[0].tolerationSeconds': (value) => ({
    tolerations: [{ key: 'disks', operator: 'Exists', tolerationSeconds: value }],
  }),
  'disruptionBudget.maxRemovals': (value) => ({ disruptionBudget: { maxRemovals: value } }),
  'disruptionBudget.maxAdditions': (value) => ({ disruptionBudget: { maxAdditions: value } }),
  'disruptionBudget.windowSeconds': (value) => ({ disruptionBudget: { maxRemovals: 1, windowSeconds: value } }),
  'rebalance.scoreMargin': (value) => ({ rebalance: { scoreMargin: value } }),
  'rebalance.minSelectedSeconds': (value) => ({ rebalance: { scoreMargin: 1, minSelectedSeconds: value } }),
  'rebalance.intervalSeconds': (value) => ({ rebalance: { scoreMargin: 1, intervalSeconds: value } }),
  'decisionStrategy.groupStrategy.clustersPerDecisionGroup': (value) => ({
    decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: value } },
  }),
};

function spreading(over: object): object {
  const constraint = { topologyKey: 'cost', topologyKeyType: 'Label', whenUnsatisfiable: 'DoNotSchedule', ...over };
  return { numberOfClusters: 1, spreadPolicy: { spreadConstraints: [constraint] } };
}

describe('a number in the status or spec of a cluster at the edges of doubles', () => {
  const others = ['2', '7'].map((ready, index) => counting(`c${index}`, Number(ready)));

  it.each([...NUMBERS])('nodes.ready of %p counts as a number of nodes, or as none', (ready) => {
    const coordinate = { type: 'Claim', claim: { name: 'nodes/ready' } };
    const celExpressions = ['managedCluster.status.nodes.ready >= 0 || managedCluster.status.nodes.ready < 0'];
    const spec = {
      numberOfClusters: 1,
      predicates: [{ requiredClusterSelector: { celSelector: { celExpressions } } }],
      prioritizerPolicy: scored(coordinate),
    };
    const worlds = [
      [...others, counting('odd', ready)],
      [counting('odd', ready), ...others],
    ].map((one) => fleet(spec, one));

    for (const world of worlds) expectScores(world, 0, 10_000);
    const [chosen, turned] = worlds.map((world) => forecastOf(explainInput(world).snapshot).clusters);
    expect(chosen).toEqual([ready >= 2 ** 31 && Number.isSafeInteger(ready) ? 'odd' : 'c1']);
    expect(turned).toEqual(chosen);
  });

  it.each([...NUMBERS])('leaseDurationSeconds of %p is a time within the limits of the API', (seconds) => {
    expect(leaseDurationMs(seconds)).toBeGreaterThanOrEqual(10_000);
    expect(leaseDurationMs(seconds)).toBeLessThanOrEqual(3_600_000);
  });
});

/** A cluster with so many nodes that are ready. */
function counting(name: string, ready: number): RawObject {
  const one = rawCluster(name, { set: 'prod' });
  return { ...one, status: { nodes: { total: 9, ready } } };
}

/** The paths of numbers in a value that are NaN or infinite. */
function unboundedIn(value: unknown, at = ''): readonly string[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [at];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => unboundedIn(one, `${at}.${key}`));
}

describe.each(Object.entries(FIELDS))('spec.%s with a number at the edges of doubles', (field, specOf) => {
  const base = scoring(SOURCES);
  const disks = { key: 'disks', effect: 'NoSelect', timeAdded: '2026-01-02T03:04:05Z' };
  const clusters = ['1', '5e307', '-17e307'].map((value, index) => {
    const one = costing(`c${index}`, { claim: value, label: value });
    return index === 0 ? { ...one, spec: { taints: [disks] } } : one;
  });

  it.each([...NUMBERS, ...NUMBERS.map(String), '1e99', '1e100', '1e309', '1e320'])(
    `%p is refused by name, or decides with finite numbers alone`,
    (value) => {
      const spec = { ...base, rebalance: REBALANCE, ...specOf(value) };
      const rules = compileSpec(spec);
      if (rules.problem !== undefined) {
        expect(rules.problem.field).toMatch(new RegExp(`^spec\\.(${field.replaceAll(/[.[\]]/g, '\\$&')}|.*\\.max)$`));
        if (value === Infinity) expect(rules.problem.message).toContain('Infinity');
        return;
      }
      expect(unboundedIn(rules)).toEqual([]);
      const world = fleet(spec, clusters, ['c0']);
      expectScores(world, -300_000, 300_000);
      expect(validate(JSON.parse(explained(world)))).toBe(true);
      const labels = ['mcl/c1:cost=2'];
      const request = { namespace: 'shop', manifests: undefined, complete: false, deletions: [], colored: false };
      const limits = { maxRemovals: undefined, maxAdditions: undefined };
      expect(() => planChange(readingOf(world), { ...request, ...limits, labels, output: 'json' })).not.toThrow();
    },
  );
});
