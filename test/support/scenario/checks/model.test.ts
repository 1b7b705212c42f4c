import { describe, expect, it } from '@jest/globals';

import { fault, judge, reasonOf } from './model.js';
import { after, EMPTY, type Cluster, type Predicate, type World, type Write } from '../script/world.js';

function cluster(labels: Record<string, string>, claims: Record<string, string> = {}, deleting = false): Cluster {
  return { labels: { 'cluster.fleetmgmt.io/clusterset': 'prod', ...labels }, claims, deleting, heartbeat: 0 };
}

const FLEET: Write[] = [
  { kind: 'set', name: 'prod', to: {} },
  { kind: 'set', name: 'none', to: {} },
  { kind: 'binding', name: 't/prod', to: 'prod' },
  { kind: 'cluster', name: 'eu', to: cluster({ region: 'eu' }, { cloud: 'a b' }) },
  { kind: 'cluster', name: 'us', to: cluster({ region: 'us' }) },
  { kind: 'cluster', name: 'bare', to: cluster({}, { cloud: 'x' }) },
  { kind: 'cluster', name: 'going', to: cluster({ region: 'eu' }, {}, true) },
];

function world(predicates: readonly Predicate[], count?: number, more: readonly Write[] = []): World {
  const to = { sets: [], predicates, ...(count === undefined ? {} : { count }) };
  return after(EMPTY, [...FLEET, { kind: 'placement', name: 't/p', to }, ...more]);
}

function expression(operator: string, values?: readonly string[]): Predicate {
  return {
    labelSelector: { matchExpressions: [{ key: 'region', operator, ...(values === undefined ? {} : { values }) }] },
  };
}

describe('the model of who matches', () => {
  it.each<[string, readonly Predicate[], readonly string[]]>([
    ['no predicate selects all but the one that is being deleted', [], ['eu', 'us', 'bare']],
    ['In', [expression('In', ['eu'])], ['eu']],
    ['NotIn matches a missing key', [expression('NotIn', ['eu'])], ['us', 'bare']],
    ['Exists', [expression('Exists')], ['eu', 'us']],
    ['DoesNotExist', [expression('DoesNotExist')], ['bare']],
    ['predicates are alternatives', [expression('In', ['eu']), expression('DoesNotExist')], ['eu', 'bare']],
    [
      'labels and claims of one predicate hold together',
      [{ ...expression('In', ['eu']), claims: [{ key: 'cloud', operator: 'In', values: ['x'] }] }],
      [],
    ],
    ['claims are compared byte for byte', [{ claims: [{ key: 'cloud', operator: 'In', values: ['a b'] }] }], ['eu']],
  ])('the model selects the matching clusters: %s', (_what, predicates, wanted) => {
    expect([...judge(world(predicates), 't/p', new Set()).matching].sort()).toEqual([...wanted].sort());
  });

  it.each<[string, World, string]>([
    ['enough clusters', world([], 2), 'AllDecisionsScheduled'],
    ['too few clusters', world([], 9), 'NotAllDecisionsScheduled'],
    ['no wanted clusters', world([], 0, [{ kind: 'binding', name: 't/prod' }]), 'AllDecisionsScheduled'],
    ['no binding', world([], 2, [{ kind: 'binding', name: 't/prod' }]), 'NoManagedClusterSetBindings'],
    [
      'a binding of another name',
      world([], 2, [{ kind: 'binding', name: 't/prod', to: 'none' }]),
      'NoManagedClusterSetBindings',
    ],
    [
      'an empty set',
      world([], 2, [
        { kind: 'binding', name: 't/prod' },
        { kind: 'binding', name: 't/none', to: 'none' },
      ]),
      'AllManagedClusterSetsEmpty',
    ],
    ['no matching clusters', world([expression('In', ['mars'])], 2), 'NoManagedClusterMatched'],
    ['an operator that does not exist', world([expression('Near', ['eu'])], 2), 'Misconfigured'],
    ['In without values', world([expression('In')], 2), 'Misconfigured'],
  ])('the model gives the reason of a placement with %s', (_what, state, reason) => {
    expect(reasonOf(state, 't/p', new Set())).toBe(reason);
  });

  it.each<[string, World, readonly string[], readonly string[], boolean]>([
    ['a right first choice', world([], 2), [], ['eu', 'us'], true],
    ['a cluster that does not match', world([], 2), [], ['eu', 'going'], false],
    ['one too few', world([], 2), [], ['eu'], false],
    ['one too many', world([], 1), [], ['eu', 'us'], false],
    ['one that could have stayed', world([], 2), ['eu', 'us'], ['eu', 'bare'], false],
    ['one that had to go', world([], 1), ['eu', 'us'], ['us'], true],
    ['a replacement', world([], 2), ['going', 'us'], ['us', 'bare'], true],
    ['misconfigured and kept', world([expression('Near')], 1), ['eu', 'us'], ['eu', 'us'], true],
    ['misconfigured, less the deleted', world([expression('Near')], 1), ['eu', 'going'], ['eu'], true],
    ['misconfigured and emptied', world([expression('Near')], 1), ['eu'], [], false],
  ])('the model accepts or rejects a decision: %s', (_what, state, before, now, right) => {
    expect(fault(state, 't/p', new Set(before), new Set(now)) === undefined).toBe(right);
  });

  it('the model keeps the selected members of a set that cannot be read', () => {
    const broken: Write = {
      kind: 'set',
      name: 'prod',
      to: { selector: { matchExpressions: [{ key: 'region', operator: 'In' }] } },
    };
    const state = world([], 2, [broken]);
    expect(fault(state, 't/p', new Set(['eu']), new Set(['eu']))).toBeUndefined();
    expect(fault(state, 't/p', new Set(['eu']), new Set())).toBeDefined();
    expect(fault(state, 't/p', new Set(['eu']), new Set(['eu', 'us']))).toBeDefined();
  });
});
