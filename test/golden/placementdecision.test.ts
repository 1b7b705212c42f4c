import { compileSpec } from '../../src/domain/placement/spec/predicates.js';
import { sliceChanges } from '../../src/domain/placement/publish/slices.js';
import { problemText } from '../../src/domain/conditions.js';
import { decision, member, members, names, snapshot, type World } from '../support/builders/placement.js';
import { describeRecorded, type Case } from './recorded.js';
import { scheduled } from '../support/builders/scheduled.js';

/** Specs that admission should have refused, by what is wrong with them. */
const selector = (requiredClusterSelector: unknown): unknown => ({ predicates: [{ requiredClusterSelector }] });
const labels = (expression: object): unknown => selector({ labelSelector: { matchExpressions: [expression] } });
const SPECS: Readonly<Record<string, unknown>> = {
  'that is a list': [],
  'with clusterSets in lower case': { clusterSets: ['a'] },
  'with ClusterSets that are a text': { ClusterSets: 'a' },
  'with an empty name of a set': { ClusterSets: [''] },
  'with a name of a set that is a number': { ClusterSets: [1] },
  'with too many sets': { ClusterSets: names(257) },
  'with a number that is negative': { numberOfClusters: -1 },
  'with a number that is a text': { numberOfClusters: 'two' },
  'with too many predicates': { predicates: names(65).map(() => ({})) },
  'with a predicate that is a text': { predicates: ['a'] },
  'with a key that is no label key': labels({ key: 'a b', operator: 'Exists' }),
  'with a value that is no label value': labels({ key: 'a', operator: 'In', values: ['b c'] }),
  'with a value that is a number': labels({ key: 'a', operator: 'In', values: [1] }),
  'with an unknown operator': labels({ key: 'a', operator: 'Near' }),
  'without an operator': labels({ key: 'a' }),
  'with In and no value': labels({ key: 'a', operator: 'In' }),
  'with Exists and values': labels({ key: 'a', operator: 'Exists', values: ['b'] }),
  'with a claim without a name': selector({ claimSelector: { matchExpressions: [{ key: '', operator: 'Exists' }] } }),
  'with a toleration that is a text': { tolerations: ['a'] },
  'with too many tolerations': { tolerations: names(65).map(() => ({ operator: 'Exists' })) },
  'with a toleration without a key': { tolerations: [{ value: 'a' }] },
  'with a toleration whose value Exists does not need': { tolerations: [{ operator: 'Exists', value: 'a' }] },
  'with a toleration of an unknown operator': { tolerations: [{ key: 'a', operator: 'Near' }] },
  'with a toleration of an unknown effect': { tolerations: [{ key: 'a', effect: 'NoSchedule' }] },
  'with a toleration for half a second': { tolerations: [{ key: 'a', tolerationSeconds: 0.5 }] },
  'with a toleration whose key is a number': { tolerations: [{ key: 1 }] },
  'with a long value': { numberOfClusters: 'x'.repeat(500) },
};

const problems = Object.entries(SPECS).map(([what, spec]): Case => [
  `a spec ${what}`,
  () => {
    const { problem } = compileSpec(spec);
    return problem && problemText(problem);
  },
]);

/** What is selected and dropped, and how that is published. */
function decided(sentence: string, over: Partial<World>): Case {
  return [
    `a decision for ${sentence}`,
    () => {
      const seen = snapshot(over);
      const decision = scheduled(seen);
      const { added, dropped } = decision;
      const { writes, blocked } = sliceChanges(seen, decision);
      const short = (list: readonly string[]): string =>
        list.length > 5 ? `${list.length} clusters from ${list[0]}` : list.join(' ');
      return {
        added: short(added),
        dropped,
        writes: writes.map((write) => ({ ...write, clusters: short(write.clusters) })),
        blocked,
      };
    },
  ];
}

const eu = { labels: { region: 'eu' } };
const inEu = { predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { region: 'eu' } } } }] };
const fleet = [
  member('a', eu),
  member('b', eu),
  member('c', { ...eu, deleting: true }),
  member('d', { labels: { region: 'us' }, claims: { platform: 'gcp' } }),
  member('e', eu),
];

const decisions: readonly Case[] = [
  decided('nobody', {}),
  decided('a first cluster', { fleet: members('a') }),
  decided('250 clusters', { fleet: members(...names(250)) }),
  decided('what is stored', { fleet: members('a', 'b'), stored: [decision(1, ['b', 'a'])] }),
  decided('clusters that are gone, deleted, unmatched and of no set', {
    spec: inEu,
    fleet: [...fleet, member('f', eu, [])],
    stored: [decision(1, ['a', 'c', 'd', 'f', 'gone'])],
  }),
  decided('fewer clusters than before', {
    spec: { numberOfClusters: 1 },
    fleet: members('a', 'b'),
    stored: [decision(1, ['a', 'b'])],
  }),
  decided('a second object that is empty', { fleet: members('a'), stored: [decision(1, ['a']), decision(2, [])] }),
  decided('an object of a deleted Placement', {
    fleet: members('a'),
    stored: [decision(1, ['x'], { ownership: 'predecessor' })],
  }),
  decided('an object of a name that is not given', {
    fleet: members('a'),
    stored: [decision(1, ['a']), decision(2, [], { name: 'odd', ordinal: undefined as never })],
  }),
  decided('a foreign object', { fleet: members('a'), stored: [decision(1, [], { ownership: 'foreign' })] }),
  decided('an object that a finalizer holds', {
    fleet: members('a'),
    stored: [decision(1, [], { ownership: 'predecessor', deleting: true })],
  }),
];

describeRecorded('placement-decision', [...problems, ...decisions]);
