import {
  recordDecision,
  recordHoldBegins,
  recordHoldEnds,
  recordStatus,
} from '../../src/operator/controllers/placement/events.js';
import type { Input } from '../../src/operator/controllers/placement/gather.js';
import { explain } from '../../src/domain/placement/explain/explain.js';
import type { Explanation } from '../../src/domain/placement/explain/verdict.js';
import { setView } from '../../src/domain/placement/select/eligible.js';
import { schedule } from '../../src/domain/placement/select/schedule.js';
import { sliceChanges } from '../../src/domain/placement/publish/slices.js';
import { readRelease } from '../../src/domain/placement/spec/budget.js';
import { placementReport, type PublicationFailure } from '../../src/domain/placement/report/status.js';
import type { EventNote } from '../../src/runtime/events/recorder.js';
import {
  binding,
  clusterSet,
  decision,
  member,
  members,
  names,
  snapshot,
  type World,
  UNREADABLE,
} from '../support/builders/placement.js';
import { CLUSTER_SET_LABEL, TAINTS } from '../../src/api/names.js';
import type { FleetMember } from '../support/builders/candidates.js';
import { taint } from '../support/builders/taints.js';
import { describeRecorded, type Case } from './recorded.js';

interface Progress {
  /** How many writes were accepted; all of them when left out. */
  readonly done?: number;
  readonly failure?: PublicationFailure;
  /** The status as stored before. */
  readonly stored?: unknown;
}

/** The conditions, the rest of the report, and the events, of a pass that came as far as `progress` says. */
function outputOf(world: Partial<World>, { done, failure, stored }: Progress = {}): object {
  const plain = snapshot(world);
  const seen = { ...plain, placement: { ...plain.placement, status: stored ?? plain.placement.status } };
  const decided = schedule(seen);
  const changes = sliceChanges(seen, decided);
  const publication = { changes, done: done ?? changes.writes.length, ...(failure && { failure }) };
  const { states, ...rest } = placementReport(seen, decided, publication);
  const events: EventNote[] = [];
  const recorder = { record: (event: EventNote) => void events.push(event), flush: () => Promise.resolve() };
  // The events read the Placement that they regard, and the snapshot, and nothing else of the input.
  const input = {
    placement: { metadata: { namespace: 'team', name: 'web' } },
    snapshot: seen,
  } as unknown as Input;
  const outcome = { kind: 'published', input, decision: decided, publication, error: undefined } as const;
  recordDecision(outcome, recorder);
  const { eligible, unreadable } = decided.eligibility;
  const isKnown = (set: string): boolean => eligible.includes(set) && !unreadable.includes(set);
  const fleet = (world.fleet ?? []).map(({ cluster, sets }) => ({ cluster, sets: sets.filter(isKnown) }));
  const among = fleet.filter(({ sets }) => sets.length > 0);
  const explainPass = (): Explanation =>
    explain({ snapshot: seen, members: among, readable: { fleet: true, decisions: true } });
  recordStatus(outcome, { states, ...rest }, { recorder, explain: explainPass });
  recordHoldBegins(input, decided, recorder);
  recordHoldEnds(outcome, recorder);
  return { rest, conditions: states, events: events.map(({ regarding: _, ...event }) => event) };
}

function pass(sentence: string, world: Partial<World>, progress?: Progress): Case {
  return [sentence, () => outputOf(world, progress)];
}

const N = (numberOfClusters: number): object => ({ numberOfClusters });
const inEu = { requiredClusterSelector: { labelSelector: { matchLabels: { region: 'eu' } } } };
const onAws = {
  requiredClusterSelector: {
    claimSelector: { matchExpressions: [{ key: 'platform', operator: 'In', values: ['aws', 'Google Cloud'] }] },
  },
};
const spreadBy = (over: object): object => ({
  spreadPolicy: { spreadConstraints: [{ topologyKey: 'region', topologyKeyType: 'Claim', ...over }] },
});
/** Four clusters in eu, four in us, one in ap. */
const overRegions = ['eu', 'eu', 'eu', 'eu', 'us', 'us', 'us', 'us', 'ap'].map((region, index) =>
  member(`${region}-${index}`, { claims: { region } }),
);
/** A predicate on labels, from `key: value` and from requirements. */
const labels = (matchLabels: Record<string, string>, ...matchExpressions: readonly unknown[]): unknown => ({
  requiredClusterSelector: { labelSelector: { matchLabels, matchExpressions } },
});
const notGold = { key: 'tier', operator: 'NotIn', values: ['gold'] };
const gold = [member('x', { labels: { tier: 'gold', zone: 'a' } }), member('y', { labels: { zone: 'b' } })];
const tainted = [member('y', { taints: [taint('maintenance', { value: 'disks' })] })];
const lost = (...clusters: readonly string[]): readonly FleetMember[] =>
  clusters.map((name) => member(name, { taints: [taint(TAINTS.unreachable)] }));
const bad = { spec: N(-1) };
const two = { bindings: [binding('a'), binding('b')], sets: [clusterSet('a'), clusterSet('b')] };
const unreadable = {
  sets: [clusterSet('fleet'), clusterSet('bad', { selector: UNREADABLE })],
  bindings: [binding('fleet'), binding('bad')],
};
const inFleet = (name: string, region: string): FleetMember =>
  member(name, { labels: { region, [CLUSTER_SET_LABEL]: 'fleet' } });
const everyCluster = { clusterSelector: { selectorType: 'LabelSelector', labelSelector: {} } };
const nightSet = setView({
  metadata: { name: 'fleet' },
  spec: { changeWindows: [{ start: 'Mon 22:00', duration: '4h', timeZone: 'Europe/Berlin' }] },
});
/** Cluster x fails a rule, and z comes to match. */
const ofNightSet = (spec: object = {}): Partial<World> => ({
  spec: { predicates: [inEu], ...spec },
  fleet: [inFleet('x', 'us'), inFleet('y', 'eu'), inFleet('z', 'eu')],
  sets: [nightSet],
  stored: [decision(1, ['x', 'y'])],
});
const failure = { name: 'web-decision-1', message: 'exceeded quota' };
const usAndEu = { fleet: [member('x', { labels: { region: 'us' } }), member('y', { labels: { region: 'eu' } })] };
const budgeted = {
  spec: { predicates: [inEu], disruptionBudget: { maxRemovals: 0 } },
  ...usAndEu,
  stored: [decision(1, ['x', 'y'])],
};
const held = {
  phase: 'Satisfied',
  observedGeneration: 1,
  conditions: [
    { type: 'PlacementSatisfied', status: 'True', reason: 'AllDecisionsScheduled' },
    { type: 'Ready', status: 'True', reason: 'DecisionPublished' },
    { type: 'RemovalsHeld', status: 'True', reason: 'DisruptionBudgetExceeded', observedGeneration: 1 },
  ],
};
const satisfied = {
  phase: 'Satisfied',
  observedGeneration: 1,
  conditions: [
    { type: 'PlacementSatisfied', status: 'True', reason: 'AllDecisionsScheduled' },
    { type: 'Ready', status: 'True', reason: 'DecisionPublished' },
  ],
};
const madeAnew = {
  uids: { managedclusters: 'anew', managedclustersets: 'b' },
  newerThanDecision: true,
  trustedInMs: 0,
};
const widened = {
  spec: { disruptionBudget: { maxAdditions: 1 } },
  fleet: members('x', 'y', 'z'),
  stored: [decision(1, ['x'])],
};
const oneWanted = { ...satisfied, basis: { numberOfClusters: 1 } };
const heldBack = {
  ...oneWanted,
  conditions: [
    ...satisfied.conditions,
    { type: 'AdditionsHeld', status: 'True', reason: 'DisruptionBudgetExceeded', observedGeneration: 1 },
  ],
};

describeRecorded('placement-status', [
  pass('a field that cannot be read, with two clusters published', {
    ...bad,
    stored: [decision(1, ['x', 'y'])],
    fleet: members('x', 'y'),
  }),
  pass(
    'a field that cannot be read, with one cluster published',
    { ...bad, stored: [decision(1, ['x'])], fleet: members('x') },
    { stored: satisfied },
  ),
  pass('a field that cannot be read, with nothing published', { ...bad, bindings: [] }),
  pass('no cluster that is wanted', { spec: N(0), fleet: members('x') }),
  pass('no binding', { bindings: [] }),
  pass(
    'no binding any more',
    { bindings: [], fleet: members('x'), stored: [decision(1, ['x'])] },
    { stored: satisfied },
  ),
  pass('bindings of which none counts', {
    bindings: [
      binding('mine', { clusterSet: 'fleet' }),
      binding('z'),
      binding('fleet', { deleting: true }),
      binding('leaving'),
    ],
    sets: [clusterSet('fleet'), clusterSet('leaving', { deleting: true })],
  }),
  pass('sets that are asked for and not bound', { ...two, spec: { ClusterSets: ['z', 'y'] } }),
  pass('sets without a cluster', two),
  pass('a set whose clusters are all being deleted', { fleet: [member('x', { deleting: true })] }),
  pass('a set without a cluster, beside one that cannot be read', {
    ...unreadable,
    fleet: [member('x', {}, ['bad'])],
  }),
  pass('one predicate that nobody matches', { ...two, spec: { predicates: [inEu] }, fleet: [member('x', {}, ['a'])] }),
  pass('two predicates that nobody matches', {
    ...two,
    spec: { predicates: [inEu, inEu] },
    fleet: [member('x', {}, ['a'])],
  }),
  pass('a predicate that contradicts itself', {
    spec: { predicates: [labels({ tier: 'gold' }, notGold)] },
    fleet: gold,
  }),
  pass('a label that some have as a claim', {
    spec: { predicates: [labels({ platform: 'aws' })] },
    fleet: [member('x', { claims: { platform: 'aws' } })],
  }),
  pass('a claim that some have as a label', {
    spec: { predicates: [onAws] },
    fleet: [member('x', { labels: { platform: 'aws' } })],
  }),
  pass('a claim that nobody has', { spec: { predicates: [onAws] }, fleet: members('x') }),
  pass('a value that nobody has', { spec: { predicates: [labels({ tier: 'Gold' })] }, fleet: gold }),
  pass('requirements that nobody meets together', {
    spec: { predicates: [labels({ tier: 'gold', zone: 'b' })] },
    fleet: gold,
  }),
  pass('five predicates that nobody matches', {
    spec: { predicates: ['a', 'b', 'c', 'd', 'e'].map((key) => labels({ [key]: 'x' })) },
    fleet: gold,
  }),
  pass('four predicates with long values', {
    spec: {
      predicates: names(4).map((name) =>
        labels({}, { key: 'tier', operator: 'In', values: names(64, 100).map((one) => `${name}-${one}`) }),
      ),
    },
    fleet: gold,
  }),
  pass('one cluster of two, and a predicate that nobody matches', {
    spec: { ...N(2), predicates: [labels({ tier: 'gold' }), inEu] },
    fleet: gold,
  }),
  pass('all wanted clusters, and a predicate that nobody matches', {
    spec: { ...N(1), predicates: [labels({ tier: 'gold' }), inEu] },
    fleet: gold,
  }),
  pass('sets of which some bring in nobody', {
    spec: { ...N(1), ClusterSets: ['fleet', 'leaving', 'mine', 'nope', 'other', 'z'] },
    bindings: [
      binding('fleet'),
      binding('leaving'),
      binding('mine', { deleting: true }),
      binding('nope'),
      binding('other', { clusterSet: 'fleet' }),
    ],
    sets: [clusterSet('fleet'), clusterSet('leaving', { deleting: true }), clusterSet('mine')],
    fleet: members('x'),
  }),
  pass('a binding that brings in nobody', {
    bindings: [binding('fleet'), binding('nope')],
    fleet: members('x'),
  }),
  pass('sets that are asked for, of which none is bound, and no binding', {
    spec: { ClusterSets: ['nope', 'old'] },
    bindings: [binding('old')],
    sets: [],
  }),
  pass('no cluster that is wanted, of a set that is missing', { spec: { ...N(0), ClusterSets: ['nope', 'fleet'] } }),
  pass('the one wanted cluster', { spec: N(1), fleet: members('x') }),
  pass('the one wanted cluster, not stored', { spec: N(1), fleet: members('x') }, { done: 0, failure }),
  pass('all wanted clusters', { spec: N(2), fleet: members('x', 'y') }),
  pass('every cluster', { fleet: members('x') }),
  pass('one cluster of two', { spec: N(2), fleet: members('x') }),
  pass('two clusters of five', { spec: N(5), fleet: members('x', 'y') }),
  pass('five clusters of six over three regions, of which one has no more', {
    spec: { ...N(6), ...spreadBy({ maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }) },
    fleet: overRegions,
  }),
  pass('two clusters of three over fewer regions than it needs, beside one without a region', {
    spec: { ...N(3), ...spreadBy({ minDomains: 3, whenUnsatisfiable: 'DoNotSchedule' }) },
    fleet: overRegions.filter(({ cluster }) => cluster.claims['region'] !== 'ap').concat(members('x')),
  }),
  pass('a region that only clusters with taints could fill', {
    spec: { ...N(4), ...spreadBy({ whenUnsatisfiable: 'DoNotSchedule' }) },
    fleet: [
      ...overRegions.slice(0, 4),
      member('us-1', { claims: { region: 'us' } }),
      member('us-9', { claims: { region: 'us' }, taints: [taint('maintenance')] }),
    ],
  }),
  pass('two predicates with numbers, of which one lacks a cluster', {
    spec: {
      predicates: [
        { ...inEu, numberOfClusters: 1 },
        { ...onAws, numberOfClusters: 2 },
      ],
    },
    fleet: [...usAndEu.fleet, member('z', { claims: { platform: 'aws' } })],
  }),
  pass('two predicates with numbers, of which the first takes what matches the second', {
    spec: {
      predicates: [
        { ...inEu, numberOfClusters: 1 },
        {
          requiredClusterSelector: {
            ...inEu.requiredClusterSelector,
            claimSelector: { matchExpressions: [{ key: 'cost', operator: 'Lt', values: ['1'] }] },
          },
          numberOfClusters: 1,
        },
      ],
    },
    fleet: [...usAndEu.fleet, member('z', { labels: { region: 'eu' }, claims: { cost: '0.1' } })],
  }),
  pass('a version that is compared with a number', {
    spec: {
      predicates: [
        {
          requiredClusterSelector: {
            claimSelector: { matchExpressions: [{ key: 'kubernetes-version', operator: 'Ge', values: ['1.30'] }] },
          },
        },
      ],
    },
    fleet: [member('x', { claims: { 'kubernetes-version': 'v1.31.2' } })],
  }),
  pass('two predicates with numbers, of which nobody matches one', {
    spec: {
      predicates: [
        { ...inEu, numberOfClusters: 1 },
        { ...onAws, numberOfClusters: 2 },
      ],
    },
    fleet: usAndEu.fleet,
  }),
  pass(
    'a predicate whose number was lowered',
    {
      spec: { predicates: [{ ...inEu, numberOfClusters: 1 }, { numberOfClusters: 1 }] },
      generation: 2,
      fleet: [...usAndEu.fleet, member('z', { labels: { region: 'eu' } })],
      stored: [decision(1, ['x', 'y', 'z'])],
    },
    { stored: satisfied },
  ),
  pass('predicates that want no cluster', {
    spec: { predicates: [{ ...inEu, numberOfClusters: 0 }] },
    fleet: usAndEu.fleet,
    stored: [decision(1, [])],
  }),
  pass(
    'clusters that came to a predicate which is full, one that fails a rule, and a disruption budget',
    {
      spec: {
        predicates: [
          { ...inEu, numberOfClusters: 1 },
          { ...onAws, numberOfClusters: 2 },
        ],
        disruptionBudget: { maxRemovals: 0 },
      },
      fleet: [...['x', 'y'].map((name) => member(name, { labels: { region: 'eu' } })), member('z')],
      stored: [decision(1, ['x', 'y', 'z'])],
    },
    { stored: satisfied },
  ),
  pass(
    'a move that waits for a change window',
    {
      spec: {
        ...N(1),
        prioritizerPolicy: {
          configurations: [{ scoreCoordinate: { type: 'Selector', selector: inEu.requiredClusterSelector } }],
        },
        rebalance: { scoreMargin: 20, minSelectedSeconds: 0 },
        changeWindows: [{ start: 'Mon 22:00', duration: '4h', timeZone: 'Europe/Berlin' }],
      },
      ...usAndEu,
      stored: [decision(1, ['x'], { since: new Map([['x', '2020-01-01T00:00:00Z']]) })],
    },
    { stored: satisfied },
  ),
  pass('a set that cannot be read', { ...unreadable, fleet: members('x') }),
  pass('a foreign decision object', {
    spec: N(150),
    fleet: members(...names(150)),
    stored: [decision(1, [], { ownership: 'foreign' })],
  }),
  pass('a foreign decision object, and a field that cannot be read', {
    ...bad,
    stored: [decision(1, [], { ownership: 'foreign' })],
  }),
  pass('a foreign object in the way of an empty decision', {
    spec: N(0),
    stored: [decision(1, [], { ownership: 'foreign' })],
  }),
  pass('a decision object of a deleted Placement that a finalizer holds', {
    stored: [decision(1, [], { ownership: 'predecessor', deleting: true })],
  }),
  pass('a decision of which one object is stored', { fleet: members(...names(150)) }, { done: 1 }),
  pass(
    'a refused write of a later decision',
    { fleet: members('x'), stored: [decision(1, [])] },
    { done: 0, failure, stored: satisfied },
  ),
  pass('a decision that stays', { fleet: members('x'), stored: [decision(1, ['x'])] }, { stored: satisfied }),
  pass('clusters that came', { fleet: members('a', 'b', 'x'), stored: [decision(1, ['x'])] }, { stored: satisfied }),
  pass(
    'clusters that came and one that went',
    { fleet: members('a', 'b'), stored: [decision(1, ['x'])] },
    { stored: satisfied },
  ),
  pass(
    'clusters that went for several causes, one of them too many to be named',
    {
      spec: { ClusterSets: ['a', 'b'], predicates: [labels({ tier: 'gold' }), onAws] },
      ...two,
      bindings: [...two.bindings, binding('gone')],
      fleet: [
        member('c1', { labels: { tier: 'silver' } }, ['a']),
        member('c2', { labels: { tier: 'silver' } }, ['a']),
        member('c3', {}, ['a']),
        member('c4', { labels: { tier: 'gold' }, deleting: true }, ['a']),
        member('c5', { labels: { tier: 'gold', [CLUSTER_SET_LABEL]: 'gone' } }, []),
        member('c6', { labels: { tier: 'gold' } }, []),
      ],
      stored: [decision(1, ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'])],
    },
    { stored: satisfied },
  ),
  pass(
    'clusters that an edit of the Placement let go',
    { spec: N(1), generation: 2, fleet: members('x', 'y', 'z'), stored: [decision(1, ['x', 'y', 'z'])] },
    { stored: satisfied },
  ),
  pass(
    'many clusters that came and went',
    {
      spec: { predicates: [labels({ tier: 'gold' })] },
      fleet: [
        ...names(200).map((name) =>
          member(`left-${name}`, { labels: { tier: `${name}-${'x'.repeat(50)}`.slice(0, 8) } }),
        ),
        ...names(200).map((name) => member(`came-${name}`, { labels: { tier: 'gold' } })),
      ],
      stored: [
        decision(
          1,
          names(100).map((name) => `left-${name}`),
        ),
        decision(
          2,
          names(100, 100).map((name) => `left-${name}`),
        ),
      ],
    },
    { stored: satisfied },
  ),
  pass(
    'a predicate that nobody matches any more, and words that were meant',
    {
      spec: { predicates: [labels({ teir: 'gold' }), labels({ tier: 'Gold' })] },
      fleet: gold,
      stored: [decision(1, ['x'])],
    },
    { stored: satisfied },
  ),
  pass(
    'many clusters that went',
    { fleet: names(100).map((name) => member(name, {}, [])), stored: [decision(1, names(100))] },
    { stored: satisfied },
  ),
  pass('a removal that the disruption budget begins to hold', budgeted, { stored: satisfied }),
  pass('a removal that the disruption budget goes on to hold', budgeted, { stored: held }),
  pass(
    'a held removal that a user lets go',
    { ...budgeted, release: readRelease('2099-01-01T00:00:00Z/*') },
    { stored: held },
  ),
  pass('a held cluster that matches again', { ...budgeted, fleet: members('x', 'y'), spec: {} }, { stored: held }),
  pass(
    'a wanted cluster that fails a rule and is held',
    { ...budgeted, spec: { ...budgeted.spec, numberOfClusters: 2 } },
    { stored: satisfied },
  ),
  pass('every matching cluster tainted', {
    spec: N(2),
    fleet: [member('x', { taints: [taint('maintenance')] }), member('y', { taints: [taint('example.com/old')] })],
  }),
  pass('too few clusters without taints', { spec: N(2), fleet: [member('x'), ...tainted] }),
  pass('all wanted clusters, some of which are tainted', { fleet: [member('x'), ...tainted] }),
  pass('clusters that are lost and that nothing can replace', {
    spec: N(3),
    fleet: [...lost('x', 'z'), member('y')],
    stored: [decision(1, ['x', 'y', 'z'])],
  }),
  pass(
    'a cluster that leaves because of a taint',
    { spec: N(1), fleet: [...tainted, member('x')], stored: [decision(1, ['y'])] },
    { stored: satisfied },
  ),
  pass(
    'a cluster that is lost and replaced',
    { spec: N(1), fleet: [...lost('y'), member('x')], stored: [decision(1, ['y'])] },
    { stored: satisfied },
  ),
  pass(
    'a tainted cluster that the disruption budget begins to hold',
    { ...budgeted, spec: { disruptionBudget: { maxRemovals: 0 } }, fleet: tainted, stored: [decision(1, ['y'])] },
    { stored: satisfied },
  ),
  pass('no cluster that is cheap enough', {
    spec: {
      predicates: [
        {
          requiredClusterSelector: {
            claimSelector: { matchExpressions: [{ key: 'cost', operator: 'Lt', values: ['0.35'] }] },
          },
        },
      ],
    },
    fleet: [member('x', { claims: { cost: '0.4' } }), member('y', { claims: { cost: 'n/a' } })],
  }),
  pass('no cluster for which an expression is true', {
    spec: {
      predicates: [
        {
          requiredClusterSelector: { celSelector: { celExpressions: ['managedCluster.metadata.labels.zone == "a"'] } },
        },
      ],
    },
    fleet: members('x'),
  }),
  pass('most clusters deleted', { fleet: members('x'), stored: [decision(1, names(3))] }, { stored: satisfied }),
  pass(
    'most clusters deleted, of a Placement with a former budget',
    { fleet: members('x'), stored: [decision(1, names(3))], generation: 2 },
    { stored: { ...satisfied, basis: { disruptionBudget: { maxRemovals: 1, windowSeconds: 60 } } } },
  ),
  pass(
    'clusters lost with their definition',
    { fleet: [], stored: [decision(1, names(2))], definitions: madeAnew },
    { stored: { ...satisfied, basis: { definitions: { managedclusters: 'before', managedclustersets: 'b' } } } },
  ),
  pass('clusters that the disruption budget begins to keep out', widened, { stored: oneWanted }),
  pass(
    'clusters that come in by a release',
    { ...widened, releasedAdditions: readRelease('2099-01-01T00:00:00Z/*') },
    { stored: heldBack },
  ),
  pass(
    'clusters that are wanted and kept out',
    { ...widened, spec: { ...widened.spec, numberOfClusters: 3 } },
    { stored: oneWanted },
  ),
  pass(
    'a cluster that waits for a change window',
    {
      ...budgeted,
      spec: { predicates: [inEu], changeWindows: [{ start: 'Mon 22:00', duration: '4h', timeZone: 'Europe/Berlin' }] },
    },
    { stored: satisfied },
  ),
  pass(
    'a cluster that waits for a change window, and is released until before it opens',
    {
      ...budgeted,
      spec: {
        ...budgeted.spec,
        changeWindows: [{ start: 'Mon 22:00', duration: '4h', timeZone: 'Europe/Berlin' }],
      },
      release: readRelease('2026-11-23T20:00:00Z/*'),
    },
    { stored: satisfied },
  ),
  pass('a set outside of its change windows that keeps one cluster in and another out', ofNightSet(), {
    stored: satisfied,
  }),
  pass(
    'a set outside of its change windows, which the Placement has too, and another set that is paused',
    {
      ...ofNightSet({ changeWindows: [{ start: 'Sat 12:00', duration: '4h', timeZone: 'UTC' }] }),
      sets: [nightSet, setView({ metadata: { name: 'global' }, spec: { ...everyCluster, paused: true } })],
    },
    { stored: satisfied },
  ),
  pass('a new Placement of a set that is paused', {
    spec: N(2),
    fleet: [inFleet('x', 'us'), inFleet('y', 'eu')],
    sets: [setView({ metadata: { name: 'fleet' }, spec: { paused: true } })],
  }),
  pass('a cluster that waits for a set whose windows cannot be read', {
    ...ofNightSet(),
    sets: [setView({ metadata: { name: 'fleet' }, spec: { changeWindows: [{ start: 'Monday' }] } })],
  }),
  pass(
    'a paused Placement with a cluster that fails a rule and one that matches',
    { spec: { predicates: [inEu], paused: true, numberOfClusters: 2 }, ...usAndEu, stored: [decision(1, ['x'])] },
    { stored: satisfied },
  ),
  pass('a new Placement that is paused, with one of its clusters tainted', {
    spec: { paused: true },
    fleet: [member('x'), ...tainted],
  }),
  pass(
    'a group whose last cluster is gone',
    {
      spec: {
        decisionStrategy: {
          groupStrategy: {
            decisionGroups: [
              { groupName: 'canary', groupClusterSelector: { labelSelector: { matchLabels: { wave: 'canary' } } } },
            ],
          },
        },
      },
      fleet: [member('x'), member('y')],
      stored: [decision(1, ['gone', 'x', 'y'])],
    },
    { stored: satisfied },
  ),
  pass('more names than a message holds', { sets: [], bindings: names(200).map((name) => binding(name)) }),
  pass(
    'two texts that do not fit into one message',
    { spec: { ClusterSets: names(256).map((name) => `${name}-${'z'.repeat(50)}`) } },
    { done: 0, failure: { ...failure, message: 'y'.repeat(2_000) } },
  ),
]);
