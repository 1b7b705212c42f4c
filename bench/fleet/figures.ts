import type { Figure } from '@multicluster-engine/kube-apiserver/testing/bench';
import { overlay, type Change } from '../../src/answers/world/overlay.js';
import { lossOfEach } from '../../src/answers/plan/loss.js';
import { planFleet } from '../../src/answers/plan/plan.js';
import { explainInputOf, type World } from '../../src/answers/world/world.js';
import { explainPredicates } from '../../src/domain/placement/explain/predicates.js';
import { explain } from '../../src/domain/placement/explain/explain.js';
import { summarize } from '../../src/domain/placement/explain/causes.js';
import { explainedWorld, fleetWorld, wideWorld } from './worlds.js';

const WARM_UP = 3;
const RUNS = 7;
const CLUSTERS = 10_000;
const REQUIREMENTS = 20;
const REGIONS = 10;

/** What the commands for users compute: explanations and plans, without reading the objects. */
export function fleetFigures(): Promise<readonly Figure[]> {
  const figures = [
    ...['one predicate', 'twenty predicates'].map((form): Figure => {
      const world = explainedWorld(CLUSTERS, form === 'one predicate' ? [conjunction()] : alternatives());
      const measure = `explain: ${CLUSTERS} clusters, ${REQUIREMENTS} requirements in ${form}`;
      return { id: 'F1', measure, unit: 'ms', values: times(() => explained(world)), atMost: 100 };
    }),
    ...planFigures(fleetWorld(1_000, CLUSTERS)),
    lossFigure(wideWorld(1_000, CLUSTERS)),
  ];
  return Promise.resolve(figures);
}

function planFigures(world: World): readonly Figure[] {
  const changes: readonly [string, Change][] = [
    ['a deleted set', { kind: 'delete', resource: 'managedclustersets', object: { name: 'set-3' } }],
    ['a label', { kind: 'label', resource: 'managedclusters', object: { name: 'cluster-7' }, key: 'k1', value: 'x' }],
  ];
  return changes.map(([what, change]) => ({
    id: 'F2',
    measure: `plan: 1000 Placements, ${CLUSTERS} clusters, ${what}`,
    unit: 'ms',
    values: times(() => planFleet(world, overlay(world, [change]))),
    atMost: 3_000,
  }));
}

/** Every Placement can select from all clusters, and two of three select one of each region. */
function lossFigure(world: World): Figure {
  const regions = new Map(
    world.objects.managedclusters.map(({ metadata: { name } }, at) => [name, `r${at % REGIONS}`]),
  );
  return {
    id: 'F3',
    measure: `plan --lose-each: ${REGIONS} regions, 1000 Placements, ${CLUSTERS} clusters`,
    unit: 'ms',
    values: times(() => lossOfEach(world, regions), 1),
    atMost: 10_000,
  };
}

function explained(world: World): unknown {
  const input = explainInputOf(world, 'shop', 'web');
  if (input === undefined) throw new Error('the world has no Placement web');
  const explanation = explain(input);
  return [explanation, summarize(explanation), explainPredicates(explanation)];
}

/** Twenty requirements that a cluster meets in part. */
function conjunction(): unknown {
  const matchLabels = Object.fromEntries(Array.from({ length: REQUIREMENTS }, (_, key) => [`k${key}`, `v${key % 3}`]));
  return { requiredClusterSelector: { labelSelector: { matchLabels } } };
}

/** Twenty predicates of one requirement, which no cluster meets. */
function alternatives(): readonly unknown[] {
  return Array.from({ length: REQUIREMENTS }, (_, key) => ({
    requiredClusterSelector: { labelSelector: { matchLabels: { [`k${key}`]: 'absent' } } },
  }));
}

/** Milliseconds of each run, once the code is compiled. */
function times(work: () => unknown, warmUp = WARM_UP): readonly number[] {
  const values: number[] = [];
  for (let run = -warmUp; run < RUNS; run++) {
    const start = performance.now();
    work();
    if (run >= 0) values.push(performance.now() - start);
  }
  return values;
}
