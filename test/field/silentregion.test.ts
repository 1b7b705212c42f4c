import { describe, expect, it } from '@jest/globals';
import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { TAINTS } from '../../src/api/names.js';
import { worldOf, type World } from '../../src/answers/world/world.js';
import { explain } from '../../src/domain/placement/explain/explain.js';
import type { ExplainInput } from '../../src/domain/placement/explain/verdict.js';
import { forecastOf } from '../../src/answers/world/forecast.js';
import { selectedClusters } from '../../src/domain/placement/select/decision.js';
import { taint } from '../support/builders/taints.js';
import {
  explainInput,
  predicate,
  rawBinding,
  rawCluster,
  rawDecision,
  rawPlacement,
  rawSet,
} from '../support/builders/world.js';
import { scheduled } from '../support/builders/scheduled.js';

/*
 * Three regions, `DoNotSchedule`, `maxSkew: 1`. The clusters of one region fall silent, and after 300 s nothing had moved and
 * nothing would: those that wait to be replaced kept their region at 0, and no other region may then have more than one. The
 * phase was Satisfied. Right: a region in which no cluster can be selected keeps nobody out, and a Placement whose clusters
 * cannot be replaced says so.
 */

type Fleet = Readonly<Record<string, { readonly region: string; readonly tier?: string; readonly is?: string }>>;

const OLD = { since: -400_000 };
const TAINTS_OF: Readonly<Record<string, Parameters<typeof rawCluster>[1]>> = {
  silent: { taints: [taint(TAINTS.unreachable, OLD)] },
  unavailable: { taints: [taint(TAINTS.unavailable, OLD)] },
  cordoned: { taints: [taint(TAINTS.cordoned, { effect: 'NoSelectIfNew' })] },
};

function clusters(fleet: Fleet): readonly RawObject[] {
  return Object.entries(fleet).map(([name, { is = '', ...labels }]) =>
    rawCluster(name, { set: 'cdn', labels, ...TAINTS_OF[is] }),
  );
}

function inputOf(spec: object, fleet: Fleet, decided: readonly string[]): ExplainInput {
  const world: World = worldOf({
    placements: [rawPlacement(spec)],
    placementdecisions: [rawDecision(1, decided)],
    managedclusters: clusters(fleet),
    managedclustersets: [rawSet('cdn')],
    managedclustersetbindings: [rawBinding('cdn')],
  });
  return explainInput(world);
}

function chosen(spec: object, fleet: Fleet, decided: readonly string[]): readonly string[] {
  return [...selectedClusters(scheduled(inputOf(spec, fleet, decided).snapshot))].sort();
}

function spread(constraint: object = {}, more: object = {}): object {
  const region = { topologyKey: 'region', topologyKeyType: 'Label', whenUnsatisfiable: 'DoNotSchedule', ...constraint };
  return { numberOfClusters: 3, spreadPolicy: { spreadConstraints: [region] }, ...more };
}

const BEFORE = ['ap-1', 'eu-1', 'us-1'];
const HEALTHY: Fleet = {
  'ap-1': { region: 'ap' },
  'eu-1': { region: 'eu' },
  'eu-2': { region: 'eu' },
  'us-1': { region: 'us' },
  'us-2': { region: 'us' },
};

/** The fleet with a region in this state. */
function lost(region: string, is = 'silent', fleet = HEALTHY): Fleet {
  return Object.fromEntries(
    Object.entries(fleet).map(([name, one]) => [name, one.region === region ? { ...one, is } : one]),
  );
}

describe('a region of which all clusters are silent', () => {
  it.each(['silent', 'unavailable'])('is replaced by clusters of the others while its clusters are %s', (is) => {
    expect(chosen(spread(), lost('eu', is), BEFORE)).toEqual(['ap-1', 'us-1', 'us-2']);
  });

  it('is replaced where several clusters of it are selected', () => {
    const fleet = { ...lost('eu'), 'ap-2': { region: 'ap' } };
    const decided = ['ap-1', 'eu-1', 'eu-2', 'us-1'];

    expect(chosen(spread({}, { numberOfClusters: 4 }), fleet, decided)).toEqual(['ap-1', 'ap-2', 'us-1', 'us-2']);
  });

  it('is replaced while a cordoned cluster of it is not selected, and keeps a cordoned one that is', () => {
    const cordoned = { ...lost('eu'), 'eu-2': { region: 'eu', is: 'cordoned' } };

    expect(chosen(spread(), cordoned, BEFORE)).toEqual(['ap-1', 'us-1', 'us-2']);
    expect(chosen(spread(), lost('eu', 'cordoned'), BEFORE)).toEqual(BEFORE);
  });

  it('moves nothing when its clusters come back', () => {
    const after = ['ap-1', 'us-1', 'us-2'];

    expect(chosen(spread(), HEALTHY, after)).toEqual(after);
  });

  it('is replaced by its own spare clusters first', () => {
    const fleet = { ...HEALTHY, 'eu-1': { region: 'eu', is: 'silent' } };

    expect(chosen(spread(), fleet, BEFORE)).toEqual(['ap-1', 'eu-2', 'us-1']);
  });

  it('does not count for minDomains: where that keeps others out, the status and the explanation say so', () => {
    const input = inputOf(spread({ minDomains: 3 }), lost('eu'), BEFORE);
    const { phase, satisfied } = forecastOf(input.snapshot);

    expect([...selectedClusters(scheduled(input.snapshot))].sort()).toEqual(BEFORE);
    expect([phase, satisfied]).toEqual([
      'PartiallySatisfied',
      {
        status: 'False',
        reason: 'NotAllDecisionsScheduled',
        message:
          '1 of 3 wanted clusters is to be replaced: spread by label region (maxSkew 1, minDomains 3) allows no more in us; there are fewer than 3 domains; matching clusters are tainted: cluster.fleetmgmt.io/unreachable; eu-1 is unreachable and no other cluster can take its place',
      },
    ]);
    const [one] = explain(input).clusters.filter(({ name }) => name === 'us-2');
    expect([one?.verdict, one?.blocked]).toMatchObject(['SpreadBlocked', { domain: 'us', count: 1, lowest: 0 }]);
  });

  it('keeps no cluster out that moves for its spread, and makes none move', () => {
    const rebalance = { scoreMargin: 0, minSelectedSeconds: 0, intervalSeconds: 1 };
    const spec = spread({ maxSkew: 1 }, { numberOfClusters: 4, rebalance });
    const fleet = { ...lost('eu'), 'ap-2': { region: 'ap' } };
    const { move, stuck } = scheduled(inputOf(spec, fleet, ['eu-1', 'us-1', 'us-2', 'ap-1']).snapshot);

    expect([move, stuck]).toEqual([undefined, []]);
  });
});

describe('a region with clusters that no number lets in', () => {
  const gold = (numberOfClusters: number): object => ({ ...Object(predicate({ tier: 'gold' })), numberOfClusters });
  const silver = (numberOfClusters: number): object => ({ ...Object(predicate({ tier: 'silver' })), numberOfClusters });
  const fleet: Fleet = {
    'eu-1': { region: 'eu', tier: 'gold' },
    'us-1': { region: 'us', tier: 'gold' },
    'us-2': { region: 'us', tier: 'silver' },
    'us-3': { region: 'us', tier: 'silver' },
  };

  it.each([
    ['its predicate has the number 0', [gold(0), silver(2)], [], ['us-2', 'us-3']],
    ['its predicate is full', [gold(1), silver(2)], ['us-1'], ['us-1', 'us-2', 'us-3']],
  ])('keeps nobody out where %s', (_case, predicates, decided, selected) => {
    expect(chosen({ ...spread(), numberOfClusters: undefined, predicates }, fleet, decided)).toEqual(selected);
  });
});

describe('a disruption budget', () => {
  it.each([
    ['clusters are alike', {}],
    ['they are spread', spread({ maxSkew: 9 })],
  ])(
    'that keeps additions out lets a silent cluster be replaced, and the decision does not grow, where %s',
    (_, more) => {
      const spec = { ...more, numberOfClusters: 4, disruptionBudget: { maxAdditions: 0, windowSeconds: 3_600 } };
      const status = { observedGeneration: 1, phase: 'Satisfied', basis: { numberOfClusters: 2 } };
      const outcome = (fleet: Fleet): unknown => {
        const { snapshot } = inputOf(spec, fleet, ['eu-1', 'us-1']);
        const decided = scheduled({ ...snapshot, placement: { ...snapshot.placement, status } });
        return [decided.dropped, decided.added.length, decided.heldAdditions.length];
      };
      const replaced = [{ cluster: 'eu-1', cause: 'Tainted' }];

      expect(outcome({ ...HEALTHY, 'eu-1': { region: 'eu', is: 'silent' } })).toEqual([replaced, 1, 2]);
      expect(outcome({ ...lost('eu'), 'ap-1': { region: 'ap', is: 'cordoned' } })).toEqual([replaced, 1, 0]);
    },
  );
});
