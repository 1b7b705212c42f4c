import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import type { Placement } from '../../../src/api/generated/placement.js';
import type { PlacementDecision } from '../../../src/api/generated/placementdecision.js';
import { ChangeFilter, type PlacementMutations } from '../../../src/controllers/placement/changes.js';
import type { Change } from '../../../src/kube/cache/store.js';
import { MutationCache } from '../../../src/runtime/mutationcache.js';

const KEY = 'team/web';
const NAME = 'web-decision-1';

function decision(uid: string, resourceVersion: string): PlacementDecision {
  return { metadata: { namespace: 'team', name: NAME, uid, resourceVersion }, status: { decisions: [] } };
}

function placement(resourceVersion: string): Placement {
  return { metadata: { namespace: 'team', name: 'web', uid: 'placement', resourceVersion }, spec: {} };
}

function change(
  before: PlacementDecision | undefined,
  after: PlacementDecision | undefined,
): Change<PlacementDecision> {
  return { key: `team/${NAME}`, before, after };
}

/** A filter, after a write that left decision object `new` at version 5, and one that left the Placement at version 8. */
function filter(): { readonly changes: ChangeFilter; readonly mutations: PlacementMutations } {
  const clock = new ManualClock();
  const mutations: PlacementMutations = { placements: new MutationCache(clock), decisions: new MutationCache(clock) };
  mutations.decisions.mutated(`team/${NAME}`, decision('new', '5'));
  mutations.placements.mutated(KEY, placement('8'));
  return { changes: new ChangeFilter(mutations), mutations };
}

const ROWS: readonly (readonly [string, Change<PlacementDecision>, readonly string[]])[] = [
  ['the written version calls for no reconcile', change(undefined, decision('new', '5')), []],
  ['an earlier version calls for no reconcile', change(undefined, decision('new', '4')), []],
  ['a later version calls for a reconcile', change(decision('new', '5'), decision('new', '6')), [KEY]],
  ['the deletion of the written object calls for a reconcile', change(decision('new', '5'), undefined), [KEY]],
  [
    'the deletion of an earlier object of the same name calls for no reconcile',
    change(decision('old', '3'), undefined),
    [],
  ],
];

describe('ChangeFilter', () => {
  it.each(ROWS)('%s', (_sentence, delivered, keys) => {
    expect([...filter().changes.decisionChanged([KEY], delivered)]).toEqual(keys);
  });

  it.each(ROWS)('when it is delivered during a reconcile, after its end %s', (_sentence, delivered, keys) => {
    const { changes } = filter();
    changes.begin(KEY);

    expect([...changes.decisionChanged([KEY], delivered)]).toEqual([]);
    expect([...changes.end(KEY)]).toEqual(keys);
    expect([...changes.end(KEY)]).toEqual([]);
  });

  it('the event of a write that is answered after it calls for no reconcile', () => {
    const { changes, mutations } = filter();
    changes.begin(KEY);
    changes.decisionChanged([KEY], change(decision('new', '5'), decision('new', '6')));
    mutations.decisions.mutated(`team/${NAME}`, decision('new', '6'));

    expect([...changes.end(KEY)]).toEqual([]);
    expect(mutations.decisions.size).toBe(0);
  });

  it('the event of an own deletion calls for no reconcile', () => {
    const { changes, mutations } = filter();
    mutations.decisions.deleted(`team/${NAME}`, 'new');

    expect([...changes.decisionChanged([KEY], change(decision('new', '5'), undefined))]).toEqual([]);
  });

  it('a change of an object that was not written calls for a reconcile of each Placement that it may concern', () => {
    const { changes, mutations } = filter();
    mutations.decisions.clear();

    const keys = changes.decisionChanged([KEY, 'team/other'], change(undefined, decision('x', '9')));

    expect([...keys]).toEqual([KEY, 'team/other']);
  });

  it('a change that concerns a Placement being reconciled and another one is deferred for both', () => {
    const { changes } = filter();
    changes.begin(KEY);

    expect([...changes.decisionChanged(['team/other', KEY], change(undefined, decision('x', '9')))]).toEqual([]);
    expect([...changes.end(KEY)].sort()).toEqual(['team/other', KEY]);
  });

  it.each([
    ['the written status calls for no reconcile', '8', []],
    ['an earlier status calls for no reconcile', '7', []],
    ['a later status calls for a reconcile', '9', [KEY]],
  ])('of a Placement, %s, during a reconcile as well', (_sentence, version, keys) => {
    const delivered = { key: KEY, before: placement('6'), after: placement(version) };
    expect([...filter().changes.placementChanged(delivered)]).toEqual(keys);
    const { changes } = filter();
    changes.begin(KEY);

    expect([...changes.placementChanged(delivered)]).toEqual([]);
    expect([...changes.end(KEY)]).toEqual(keys);
  });
});
