import { describe, expect, it } from '@jest/globals';
import type { RawObject } from '../../../../src/runtime/vocabulary/meta.js';
import { explainInputOf, worldOf, type World } from '../../../../src/answers/world/world.js';
import { scorerOfSnapshot } from '../../../../src/domain/placement/select/scores.js';
import { compileSpec } from '../../../../src/domain/placement/spec/predicates.js';

/**
 * The tables of tests of Open Cluster Management's prioritizers, pkg/placement/plugins/{balance,resource,addon,steady}: one row
 * each. Scores are -100 to 100 there and 0 to 100 here, so a score s there is (s + 100) / 2 here, but for what a row says.
 */

const NAMES = ['cluster1', 'cluster2', 'cluster3'];

function metadata(name: string): RawObject['metadata'] {
  return { namespace: 'test', name, uid: `uid-${name}` };
}

interface Row {
  /** By cluster: the fields of its status. */
  readonly statuses?: readonly object[];
  /** By Placement: the clusters of its decision. */
  readonly decisions?: readonly (readonly [placement: string, ...clusters: readonly string[]])[];
}

function worldWith(scoreCoordinate: object, { statuses = [], decisions = [] }: Row): World {
  const spec = { prioritizerPolicy: { configurations: [{ scoreCoordinate }] } };
  const placements = [...new Set(['test', ...decisions.map(([name]) => name)])];
  const labels = { 'cluster.fleetmgmt.io/clusterset': 'all' };
  return worldOf({
    placements: placements.map((name) => ({ metadata: metadata(name), spec })),
    managedclusters: NAMES.map((name, index) => ({
      metadata: { name, labels },
      spec: {},
      status: statuses[index] ?? {},
    })),
    managedclustersets: [{ metadata: { name: 'all' }, spec: {} }],
    managedclustersetbindings: [{ metadata: metadata('all'), spec: { clusterSet: 'all' } }],
    placementdecisions: decisions.map(([placement, ...clusters]) => ({
      metadata: {
        ...metadata(`${placement}-decision-1`),
        labels: { 'cluster.fleetmgmt.io/placement': placement },
        ownerReferences: [
          {
            apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
            kind: 'Placement',
            name: placement,
            uid: `uid-${placement}`,
            controller: true,
          },
        ],
      },
      status: { decisions: clusters.map((clusterName) => ({ clusterName })) },
    })),
  });
}

/** The scores of the three clusters for Placement `test`. */
function scores(scoreCoordinate: object, row: Row): readonly number[] {
  const input = explainInputOf(worldWith(scoreCoordinate, row), 'test', 'test');
  const scorer = input && scorerOfSnapshot(input.snapshot);
  return NAMES.map((name) => {
    const cluster = input?.snapshot.candidates.view(name);
    return cluster === undefined ? NaN : (scorer?.total(cluster) ?? NaN) / 100;
  });
}

describe('Balance', () => {
  it.each<[string, NonNullable<Row['decisions']>, readonly number[]]>([
    ['no decisions', [], [100, 100, 100]],
    ['one decision belongs to current placement', [['test', 'cluster1']], [100, 100, 100]],
    ['one decision not belong to current placement', [['test1', 'cluster1']], [0, 100, 100]],
    [
      'multiple decisions',
      [
        ['test1', 'cluster1', 'cluster2'],
        ['test2', 'cluster1', 'cluster3'],
      ],
      [0, 50, 50],
    ],
    // There the most of all decisions counts, here the most of the candidates: a busy cluster elsewhere hides no difference.
    [
      'a cluster that is no candidate',
      [
        ['test1', 'cluster1', 'other'],
        ['test2', 'other'],
      ],
      [0, 100, 100],
    ],
  ])('as in Open Cluster Management: %s', (_case, decisions, wanted) => {
    expect(scores({ type: 'BuiltIn', builtIn: 'Balance' }, { decisions })).toEqual(wanted);
  });
});

describe.each(['cpu', 'memory'])('allocatable %s', (resource) => {
  const builtIn = resource === 'cpu' ? 'ResourceAllocatableCPU' : 'ResourceAllocatableMemory';

  it.each<[string, readonly string[], readonly number[]]>([
    [
      'scores',
      resource === 'cpu' ? ['10', '6', '2'] : ['20', '60', '100'],
      resource === 'cpu' ? [100, 50, 0] : [0, 50, 100],
    ],
    ['same resource value', ['50', '50', '50'], [100, 100, 100]],
    ['zero resource value', ['0', '0', '0'], [100, 100, 100]],
    // There such clusters get no score, which counts as 0, in the middle; here a cluster without a value is never preferred.
    ['no cluster resource', [], [0, 0, 0]],
  ])('as in Open Cluster Management: %s', (_case, values, wanted) => {
    const statuses = values.map((value) => ({ allocatable: { [resource]: value }, capacity: { [resource]: '100' } }));

    expect(scores({ type: 'BuiltIn', builtIn }, { statuses })).toEqual(wanted);
  });
});

describe('scores of add-ons, which are claims here', () => {
  const score1 = { type: 'Claim', claim: { name: 'score/test/score1', min: -100, max: 100 } };
  const claim = (value: number | undefined): object =>
    value === undefined ? {} : { clusterClaims: [{ name: 'score/test/score1', value: String(value) }] };

  // There a score that is missing or expired is 0, in the middle; here it is no claim, and the lowest.
  it.each<[string, readonly (number | undefined)[], readonly number[]]>([
    ['no addon scores', [undefined, undefined, undefined], [0, 0, 0]],
    ['part of addon scores generated', [30, undefined, undefined], [65, 0, 0]],
    ['part of addon scores expired', [undefined, 40, 50], [0, 70, 75]],
    ['all the addon scores generated', [30, 40, 50], [65, 70, 75]],
  ])('as in Open Cluster Management: %s', (_case, values, wanted) => {
    expect(scores(score1, { statuses: values.map(claim) })).toEqual(wanted);
  });
});

describe('Steady', () => {
  it('the three rows of its table have no score here: it is refused, since selected clusters stay', () => {
    const configurations = [{ scoreCoordinate: { type: 'BuiltIn', builtIn: 'Steady' } }];

    expect(compileSpec({ prioritizerPolicy: { configurations } }).problem).toEqual({
      field: 'spec.prioritizerPolicy.configurations[0].scoreCoordinate.builtIn',
      message:
        '"Steady" is not a coordinate: selected clusters stay; write spec.rebalance.scoreMargin to say how much better another one has to be',
    });
  });
});
