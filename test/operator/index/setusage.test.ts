import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { readClusterSelector } from '../../../src/domain/clusters/selector.js';
import { eligibleSets } from '../../../src/domain/placement/select/eligible.js';
import { compileSpec } from '../../../src/domain/placement/spec/predicates.js';
import type { BindingView, SetView } from '../../../src/domain/placement/select/snapshot.js';
import { PlacementIndex } from '../../../src/operator/index/placementindex.js';
import { SetUsage } from '../../../src/operator/index/setusage.js';
import { runs } from '../../support/runs.js';

const SETS = ['s1', 's2', 's3'];
const NAMESPACES = ['n1', 'n2'];
const KEYS = ['n1/a', 'n1/b', 'n2/a'];
const SELECTOR = readClusterSelector({});
const UNREADABLE = readClusterSelector({ clusterSelector: 7 });

const someSet = fc.constantFrom(...SETS);
const someChange = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), name: someSet, deleting: fc.boolean(), readable: fc.boolean() }),
  fc.record({ kind: fc.constant('setGone' as const), name: someSet }),
  fc.record({
    kind: fc.constant('binding' as const),
    namespace: fc.constantFrom(...NAMESPACES),
    name: someSet,
    clusterSet: someSet,
    deleting: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('bindingGone' as const), namespace: fc.constantFrom(...NAMESPACES), name: someSet }),
  fc.record({ kind: fc.constant('placement' as const), key: fc.constantFrom(...KEYS), sets: fc.subarray(SETS) }),
  fc.record({ kind: fc.constant('placementGone' as const), key: fc.constantFrom(...KEYS) }),
);
type SomeChange = typeof someChange extends fc.Arbitrary<infer T> ? T : never;

/** All objects, and who selects from what, computed anew from them. */
class Model {
  readonly sets = new Map<string, SetView>();
  readonly bindings = new Map<string, BindingView & { readonly namespace: string }>();
  readonly placements = new Map<string, readonly string[]>();

  /** `namespace/set` → names of the Placements, sorted. */
  users(): Map<string, readonly string[]> {
    const found = new Map<string, string[]>();
    for (const [key, requested] of this.placements) {
      const [namespace = '', name = ''] = key.split('/');
      const bound = [...this.bindings.values()].filter((one) => one.namespace === namespace);
      const { eligible } = eligibleSets(compileSpec({ ClusterSets: requested }), bound, this.sets);
      for (const set of eligible)
        found.set(`${namespace}/${set}`, [...(found.get(`${namespace}/${set}`) ?? []), name].sort());
    }
    return found;
  }
}

function fold(model: Model, index: PlacementIndex, change: SomeChange): void {
  switch (change.kind) {
    case 'set':
      model.sets.set(change.name, { ...change, selector: change.readable ? SELECTOR : UNREADABLE });
      index.upsertSet({ ...change, selector: change.readable ? SELECTOR : UNREADABLE });
      return;
    case 'setGone':
      model.sets.delete(change.name);
      index.removeSet(change.name);
      return;
    case 'binding':
      model.bindings.set(`${change.namespace}/${change.name}`, change);
      index.upsertBinding(change.namespace, change);
      return;
    case 'bindingGone':
      model.bindings.delete(`${change.namespace}/${change.name}`);
      index.removeBinding(change.namespace, change.name);
      return;
    case 'placement':
      model.placements.set(change.key, change.sets);
      index.upsertPlacement(change.key, {
        namespace: change.key.slice(0, 2),
        rules: compileSpec({ ClusterSets: change.sets }),
      });
      return;
    case 'placementGone':
      model.placements.delete(change.key);
      index.removePlacement(change.key);
  }
}

const pairs = NAMESPACES.flatMap((namespace) => SETS.map((set): [string, string] => [namespace, set]));

describe('the use of cluster sets', () => {
  it('the use of cluster sets equals what all objects give, and every difference is reported', () => {
    fc.assert(
      fc.property(fc.array(someChange, { maxLength: 30 }), (changes) => {
        const [model, usage] = [new Model(), new SetUsage()];
        const index = new PlacementIndex(undefined, usage);
        for (const change of changes) {
          const before = model.users();
          fold(model, index, change);
          const after = model.users();
          const reported = usage.takeChanges();
          for (const [namespace, set] of pairs) {
            const key = `${namespace}/${set}`;
            expect(usage.placementsOf(set, namespace).names).toEqual(after.get(key) ?? []);
            if (before.get(key)?.join() !== after.get(key)?.join()) expect(reported.bindings).toContain(key);
            if (before.has(key) !== after.has(key)) expect(reported.sets).toContain(set);
          }
          for (const set of SETS)
            expect(usage.namespacesOf(set).names).toEqual(NAMESPACES.filter((one) => after.has(`${one}/${set}`)));
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('the use of cluster sets reports a set when its first Placement of a namespace comes and its last one goes', () => {
    const usage = new SetUsage();
    const steps: [string, readonly string[]][] = [
      ['shop/web', ['edge']],
      ['shop/api', ['edge']],
      ['shop/api', ['edge']],
      ['shop/web', []],
      ['shop/api', []],
    ];

    const reported = steps.map(([key, sets]) => {
      usage.put(key, sets);
      return usage.takeChanges();
    });

    expect(reported).toEqual([
      { sets: ['edge'], bindings: ['shop/edge'] },
      { sets: [], bindings: ['shop/edge'] },
      { sets: [], bindings: [] },
      { sets: [], bindings: ['shop/edge'] },
      { sets: ['edge'], bindings: ['shop/edge'] },
    ]);
  });
});
