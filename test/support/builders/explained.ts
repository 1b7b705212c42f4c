import assert from 'node:assert/strict';
import type { RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { asRecord, field, recordsIn } from '../../../src/runtime/vocabulary/json.js';
import { ranksIn } from '../../../src/answers/whoselects.js';
import type { World } from '../../../src/answers/world/world.js';
import { explain } from '../../../src/domain/placement/explain/explain.js';
import { fixFor, type LabelChanges } from '../../../src/domain/placement/explain/fix.js';
import { explainPredicates } from '../../../src/domain/placement/explain/predicates.js';
import { summarize } from '../../../src/domain/placement/explain/causes.js';
import type { Explanation } from '../../../src/domain/placement/explain/verdict.js';
import { bindingView, setView } from '../../../src/domain/placement/select/eligible.js';
import { isFactName } from '../../../src/domain/clusters/facts.js';
import { namedFacts, hasNumbers } from '../../../src/domain/placement/spec/predicates.js';
import { clusterView } from '../../../src/domain/placement/spec/cluster.js';
import { selectedClusters } from '../../../src/domain/placement/select/decision.js';
import { PlacementIndex } from '../../../src/operator/index/placementindex.js';
import { explainInput, NAMESPACE } from './world.js';
import { scheduled } from './scheduled.js';

/** What holds for the explanation of any world. */

/** Verdicts, causes, ranks and the line say what `schedule` does. */
export function expectExplainsSchedule(world: World): void {
  const { snapshot } = explainInput(world);
  const decided = scheduled(snapshot);
  const explained = explain(explainInput(world));
  const ranks = ranksIn(explainInput(world));
  for (const { name, rank, verdict } of explained.clusters)
    if (verdict !== 'Unknown') assert.equal(ranks.get(name), rank, name);
  const verdicts = new Map(explained.clusters.map((one) => [one.name, one]));

  assert.deepEqual(namesOf(explained, 'Selected'), [...selectedClusters(decided)].sort());
  assert.deepEqual(
    namesOf(explained, 'Held'),
    decided.heldRemovals.map((one) => one.cluster),
  );
  for (const { cluster, cause } of decided.heldRemovals) assert.equal(verdicts.get(cluster)?.causes[0], cause);
  for (const { cluster, cause } of decided.dropped) {
    const one = verdicts.get(cluster);
    assert.equal(one?.verdict, cause);
    if (cause !== 'NotNeeded') assert.equal(one?.causes[0], cause);
  }
  assert.deepEqual(namesKept(explained), decided.kept.flat().sort());
  const summary = summarize(explained);
  assert.equal(summary.total, explained.clusters.length);
  assert.equal(
    summary.parts.reduce((sum, { count }) => sum + count, summary.selected ?? NaN),
    summary.total,
  );
  const { rules } = snapshot.placement;
  // Numbers of predicates and spread let a cluster of a lower rank in before one of a higher.
  const isByRank = !hasNumbers(rules) && rules.spread.length === 0;
  if (decided.problem === undefined && isByRank) expectRanksGrow(world, explained);
}

/**
 * The clusters with the ranks 1 to N are those that N wanted clusters would be. One that leaves because of a taint has no rank, and
 * would stay with its taint where more are wanted than others can be.
 */
function expectRanksGrow(world: World, { clusters }: Explanation): void {
  const ranked = clusters.filter((one) => one.rank !== undefined).sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  assert.deepEqual(
    ranked.map((one) => one.rank),
    ranked.map((_, index) => index + 1),
  );
  const { snapshot } = explainInput(world);
  for (let wanted = 0; wanted <= ranked.length; wanted++) {
    // Held clusters have no rank, and take the places of others.
    const release = { until: Infinity, clusters: undefined, isDigested: false, id: '' };
    const rules = { ...snapshot.placement.rules, wanted };
    const chosen = selectedClusters(scheduled({ ...snapshot, placement: { ...snapshot.placement, rules, release } }));
    const leaving = clusters.filter((one) => one.verdict === 'Tainted' && one.inDecision && chosen.includes(one.name));
    const best = [...ranked.slice(0, wanted - leaving.length), ...leaving].map((one) => one.name);
    assert.deepEqual([...chosen].sort(), best.sort());
  }
}

/**
 * A fix that passes makes the cluster one that can be selected; one that leaves takes it out of the eligible sets. A cluster
 * that is not held has left the decision before anybody can label it.
 */
export function expectFixesWork(world: World): void {
  const input = explainInput(world);
  const explained = explain(input);
  for (const one of explained.clusters) {
    for (const index of one.unmet.keys()) {
      const fix = fixFor(one, index, input);
      if (fix === undefined) continue;
      const then = one.verdict === 'Held' ? world : withoutSelected(world, one.name);
      const after = explain(explainInput(relabelled(then, one.name, fix.labels))).clusters;
      const verdict = after.find(({ name }) => name === one.name)?.verdict;
      const expected = fix.kind === 'Passes' ? ['Selected', 'NotNeeded'] : [undefined, 'NotMember'];
      assert(expected.includes(verdict), `${one.name}: ${fix.kind}, then ${verdict}`);
    }
  }
}

function withoutSelected(world: World, name: string): World {
  const placementdecisions = world.objects.placementdecisions.map((one): RawObject => {
    const decisions = recordsIn(field(one.status, 'decisions')).filter(({ clusterName }) => clusterName !== name);
    return { ...one, status: { ...asRecord(one.status), decisions } };
  });
  return { ...world, objects: { ...world.objects, placementdecisions } };
}

/** A hint names what some candidate has, and the number of candidates that have it. */
export function expectHintsOfCandidates(world: World): void {
  const explained = explain(explainInput(world));
  const candidates = explained.clusters.filter(({ cluster, sets }) => sets.length > 0 && cluster?.deleting === false);
  for (const { hints } of explainPredicates(explained)) {
    for (const { suggested, carriers } of hints) {
      const having = candidates.filter(({ cluster }) => {
        const texts = new Map(Object.entries((suggested.source === 'label' ? cluster?.labels : cluster?.claims) ?? {}));
        return suggested.value === undefined ? texts.has(suggested.key) : texts.get(suggested.key) === suggested.value;
      });
      assert.equal(carriers, having.length);
      assert(carriers > 0);
    }
  }
}

/** The index that the controller keeps has the same inputs, but for the facts of clusters that the Placement does not name. */
export function expectIndexEqual(world: World): void {
  const { snapshot } = explainInput(world);
  const index = new PlacementIndex();
  const { objects } = world;
  const facts = namedFacts(snapshot.placement.rules);
  for (const one of objects.managedclustersets) index.upsertSet(setView(one));
  for (const one of objects.managedclustersetbindings)
    index.upsertBinding(one.metadata.namespace ?? '', bindingView(one));
  for (const one of objects.managedclusters) index.upsertCluster(clusterView(one, facts));
  index.upsertPlacement('shop/web', { namespace: NAMESPACE, rules: snapshot.placement.rules });
  const reading = index.begin('shop/web');
  assert(reading !== undefined);
  const { bindings, sets, timedSets, candidates } = reading;
  const names = objects.managedclusters.map(({ metadata }) => metadata.name);

  assert.deepEqual(bindings, snapshot.bindings);
  assert.deepEqual(sets, snapshot.sets);
  assert.deepEqual(timedSets, snapshot.timedSets);
  assert.equal(candidates.count, snapshot.candidates.count);
  assert.deepEqual(candidates.unmatched, snapshot.candidates.unmatched);
  for (const name of names) assert.equal(candidates.has(name), snapshot.candidates.has(name));
  assert.deepEqual(new Map(candidates.tainted), new Map(snapshot.candidates.tainted));
  assert.deepEqual(sortedNames(candidates.matched), sortedNames(snapshot.candidates.matched));
  for (const [name, view] of snapshot.selected) {
    const claims = Object.entries(view.claims).filter(
      ([claim]) => !isFactName(claim) || facts === 'all' || facts.has(claim),
    );
    assert.deepEqual(index.cluster(name), { ...view, claims: Object.fromEntries(claims) });
  }
}

/** The world after `kubectl label` of one cluster. */
export function relabelled(world: World, name: string, changes: LabelChanges): World {
  const managedclusters = world.objects.managedclusters.map((one): RawObject => {
    if (one.metadata.name !== name) return one;
    const labels = { ...one.metadata.labels };
    for (const [key, value] of Object.entries(changes)) {
      if (value === null) delete labels[key];
      else labels[key] = value;
    }
    return { ...one, metadata: { ...one.metadata, labels } };
  });
  return { ...world, objects: { ...world.objects, managedclusters } };
}

function namesOf({ clusters }: Explanation, verdict: string): readonly string[] {
  return clusters.filter((one) => one.verdict === verdict).map((one) => one.name);
}

function namesKept({ clusters }: Explanation): readonly string[] {
  const kept = clusters.filter(({ verdict, inDecision }) => inDecision && ['Selected', 'Held'].includes(verdict));
  return kept.map((one) => one.name);
}

function sortedNames(clusters: Iterable<{ readonly name: string }>): readonly string[] {
  return Array.from(clusters, (one) => one.name).sort();
}
