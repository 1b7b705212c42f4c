import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import type { Placement } from '../../../src/api/generated/placement.js';
import type { PlacementDecision } from '../../../src/api/generated/placementdecision.js';
import type { Change } from '../../../src/runtime/cache/store.js';
import { ChangeFilter, MutationCache } from '../../../src/runtime/controller/mutationcache.js';

interface Mutations {
  readonly placements: MutationCache<Placement>;
  readonly decisions: MutationCache<PlacementDecision>;
}

interface Filter {
  readonly changes: ChangeFilter;
  readonly mutations: Mutations;
  decisionChanged(keys: readonly string[], change: Change<PlacementDecision>): readonly string[];
  placementChanged(change: Change<Placement>): readonly string[];
}

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
function filter(): Filter {
  const clock = new ManualClock();
  const mutations: Mutations = { placements: new MutationCache(clock), decisions: new MutationCache(clock) };
  mutations.decisions.mutated(`team/${NAME}`, decision('new', '5'));
  mutations.placements.mutated(KEY, placement('8'));
  const changes = new ChangeFilter();
  return {
    changes,
    mutations,
    decisionChanged: (keys, delivered) => changes.affected(mutations.decisions, delivered, keys),
    placementChanged: (delivered) => changes.affected(mutations.placements, delivered, [delivered.key]),
  };
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
    expect(filter().decisionChanged([KEY], delivered)).toEqual(keys);
  });

  it.each(ROWS)('a change during a reconcile counts after its end: %s', (_sentence, delivered, keys) => {
    const { changes, decisionChanged } = filter();
    changes.begin(KEY);

    expect(decisionChanged([KEY], delivered)).toEqual([]);
    expect([...changes.end(KEY)]).toEqual(keys);
    expect([...changes.end(KEY)]).toEqual([]);
  });

  it('the event of a write that is answered after it calls for no reconcile', () => {
    const { changes, mutations, decisionChanged } = filter();
    changes.begin(KEY);
    decisionChanged([KEY], change(decision('new', '5'), decision('new', '6')));
    mutations.decisions.mutated(`team/${NAME}`, decision('new', '6'));

    expect([...changes.end(KEY)]).toEqual([]);
    expect(mutations.decisions.size).toBe(0);
  });

  it('the event of an own deletion calls for no reconcile', () => {
    const { mutations, decisionChanged } = filter();
    mutations.decisions.deleted(`team/${NAME}`, 'new');

    expect(decisionChanged([KEY], change(decision('new', '5'), undefined))).toEqual([]);
  });

  it('a change of an object that was not written calls for a reconcile of each Placement that it may concern', () => {
    const { mutations, decisionChanged } = filter();
    mutations.decisions.clear();

    const keys = decisionChanged([KEY, 'team/other'], change(undefined, decision('x', '9')));

    expect(keys).toEqual([KEY, 'team/other']);
  });

  it('a change that concerns a Placement being reconciled and another one is deferred for both', () => {
    const { changes, decisionChanged } = filter();
    changes.begin(KEY);

    expect(decisionChanged(['team/other', KEY], change(undefined, decision('x', '9')))).toEqual([]);
    expect([...changes.end(KEY)].sort()).toEqual(['team/other', KEY]);
  });

  it.each([
    ['the written status calls for no reconcile', '8', []],
    ['an earlier status calls for no reconcile', '7', []],
    ['a later status calls for a reconcile', '9', [KEY]],
  ])('a change of a Placement counts during a reconcile as well: %s', (_sentence, version, keys) => {
    const delivered = { key: KEY, before: placement('6'), after: placement(version) };
    expect(filter().placementChanged(delivered)).toEqual(keys);
    const { changes, placementChanged } = filter();
    changes.begin(KEY);

    expect(placementChanged(delivered)).toEqual([]);
    expect([...changes.end(KEY)]).toEqual(keys);
  });
});
