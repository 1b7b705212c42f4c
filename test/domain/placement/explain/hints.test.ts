import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { worldOf, type World } from '../../../../src/answers/world/world.js';
import { explain } from '../../../../src/domain/placement/explain/explain.js';
import { bestFix, fixFor } from '../../../../src/domain/placement/explain/fix.js';
import { hintText, explainPredicates, predicateText } from '../../../../src/domain/placement/explain/predicates.js';
import { expectFixesWork, expectHintsOfCandidates } from '../../../support/builders/explained.js';
import {
  explainInput,
  predicate,
  rawBinding,
  rawCluster,
  rawDecision,
  rawPlacement,
  rawSet,
  someWorld,
} from '../../../support/builders/world.js';
import { runs } from '../../../support/runs.js';

const FLEET = [
  rawCluster('a', { set: 'edge', labels: { tier: 'gold', region: 'eu' }, claims: { platform: 'Azure' } }),
  rawCluster('b', { set: 'edge', labels: { tier: 'gold', region: 'us' }, claims: { platform: 'Azure' } }),
  rawCluster('c', { set: 'edge', labels: { tier: 'silver', region: 'eu' }, claims: { platform: 'Google Cloud' } }),
  rawCluster('d', { set: 'edge', labels: { tier: 'gold', region: 'us' }, deleting: true }),
  rawCluster('foreign', { set: 'secret', labels: { teirs: 'platinum' } }),
];

function world(predicates: readonly unknown[], managedclusters = FLEET, selector?: unknown): World {
  return worldOf({
    placements: [rawPlacement({ predicates })],
    managedclusters,
    managedclustersets: [rawSet('edge', selector), rawSet('secret')],
    managedclustersetbindings: [rawBinding('edge')],
  });
}

function findings(...predicates: readonly unknown[]): readonly string[] {
  return explainPredicates(explain(explainInput(world(predicates)))).flatMap((one) => [
    predicateText(one) ?? `predicate ${one.index}: ${one.matched}`,
    ...one.hints.map(hintText),
  ]);
}

const claim = (key: string, ...values: readonly string[]): unknown =>
  predicate({}, [], [{ key, operator: 'In', values }]);

/** Beside those that golden/placementstatus and golden/cliexplain record. */
describe('findings of a predicate', () => {
  it.each([
    { of: 'a match', predicates: [predicate({ tier: 'gold' })], says: ['predicate 0: 2'] },
    {
      of: 'a claim key in another case',
      predicates: [claim('Platform', 'Azure')],
      says: ['predicate 0: no candidate has claim Platform', 'did you mean claim platform (3 of 3 have it)?'],
    },
    {
      of: 'a contradiction of three',
      predicates: [
        predicate({}, [
          { key: 'tier', operator: 'In', values: ['gold', 'silver'] },
          { key: 'tier', operator: 'NotIn', values: ['gold'] },
          { key: 'tier', operator: 'NotIn', values: ['silver'] },
        ]),
      ],
      says: [
        'predicate 0 can match no cluster: label tier in (gold, silver) contradicts label tier!=gold and label tier!=silver',
      ],
    },
    {
      of: 'a key that must be absent',
      predicates: [predicate({}, [{ key: 'tier', operator: 'DoesNotExist' }])],
      says: ['predicate 0: no candidate matches label !tier'],
    },
    {
      of: 'two predicates',
      predicates: [predicate({ tier: 'gold' }), predicate({ zone: 'a' })],
      says: ['predicate 0: 2', 'predicate 1: no candidate has label zone'],
    },
  ])('the findings for $of are $says', ({ predicates, says }) => {
    expect(findings(...predicates)).toEqual(says);
  });

  it('nothing is found without candidates', () => {
    const [found] = explainPredicates(explain(explainInput(world([predicate({ teir: 'gold' })], []))));

    expect(found).toMatchObject({ matched: 0, unmatched: undefined, hints: [] });
  });
});

describe('a fix', () => {
  it.each([
    {
      of: 'a label to change',
      wanted: predicate({ tier: 'silver' }),
      fix: 'kubectl label mcl a tier=silver --overwrite',
    },
    { of: 'a label to add', wanted: predicate({ zone: 'x' }), fix: 'kubectl label mcl a zone=x' },
    {
      of: 'a label that has to exist',
      wanted: predicate({}, [{ key: 'gpu', operator: 'Exists' }]),
      fix: 'kubectl label mcl a gpu=true',
    },
    {
      of: 'labels to remove and to change',
      wanted: predicate({}, [
        { key: 'region', operator: 'DoesNotExist' },
        { key: 'tier', operator: 'In', values: ['gold', 'silver'] },
        { key: 'tier', operator: 'NotIn', values: ['gold'] },
      ]),
      fix: 'kubectl label mcl a region- tier=silver --overwrite',
    },
    { of: 'a claim', wanted: claim('platform', 'gcp'), fix: undefined },
    {
      of: 'a contradiction',
      wanted: predicate({ tier: 'silver' }, [{ key: 'tier', operator: 'NotIn', values: ['silver'] }]),
      fix: undefined,
    },
  ])('the fix for $of is $fix', ({ wanted, fix }) => {
    const input = explainInput(world([wanted]));
    const one = explain(input).clusters.find(({ name }) => name === 'a');
    const found = one === undefined ? undefined : bestFix(one, input, () => true);

    expect(found?.kind === 'Passes' ? found.command : undefined).toBe(fix);
  });

  it('a fix that would take the cluster out of its set is none, and names the set', () => {
    const input = explainInput(
      world([predicate({ tier: 'silver' })], FLEET, {
        selectorType: 'LabelSelector',
        labelSelector: { matchLabels: { tier: 'gold' } },
      }),
    );
    const one = explain(input).clusters.find(({ name }) => name === 'a');

    expect(one && fixFor(one, 0, input)).toEqual({ kind: 'Leaves', labels: { tier: 'silver' }, sets: ['edge'] });
    expect(one && bestFix(one, input, () => true)).toBeUndefined();
  });

  it('a cluster that yields its place has none: another one takes the place', () => {
    const taints = [
      { key: 'cluster.fleetmgmt.io/unavailable', value: '', effect: 'NoSelect', since: -301_000 },
    ] as const;
    const held = rawCluster('a', { set: 'edge', taints });
    const other = rawCluster('b', { set: 'edge', labels: { tier: 'gold' } });
    const { objects } = world([predicate({ tier: 'gold' })], [held, other]);
    const input = explainInput(
      worldOf({
        ...objects,
        placements: [rawPlacement({ numberOfClusters: 1, predicates: [predicate({ tier: 'gold' })] })],
        placementdecisions: [rawDecision(1, ['a'])],
      }),
    );
    const one = explain(input).clusters.find(({ name }) => name === 'a');

    expect(one?.verdict).toBe('NotMatched');
    expect(one && bestFix(one, input, () => true)).toBeUndefined();
  });

  it('a cluster name that a shell would read otherwise stands in quotes', () => {
    const strange = rawCluster("a'; rm", { set: 'edge' });
    const input = explainInput(world([predicate({ tier: 'gold' })], [strange]));
    const [one] = explain(input).clusters;

    expect(one && bestFix(one, input, () => true)).toMatchObject({
      command: `kubectl label mcl 'a'\\''; rm' tier=gold`,
    });
  });

  it('fixes and hints hold in any world', () => {
    fc.assert(fc.property(someWorld, expectFixesWork), { numRuns: runs(200) });
    fc.assert(fc.property(someWorld, expectHintsOfCandidates), { numRuns: runs(200) });
  });
});
