import { describe, expect, it } from '@jest/globals';
import { compileSpec } from '../../../../src/domain/placement/spec/predicates.js';
import { matches } from '../../../../src/domain/placement/select/rules.js';
import { cluster } from '../../../support/builders/placement.js';

const SELECTOR = 'spec.predicates[0].requiredClusterSelector';

function labels(matchLabels: Record<string, string>): object {
  return { requiredClusterSelector: { labelSelector: { matchLabels } } };
}

function claims(...matchExpressions: readonly object[]): object {
  return { requiredClusterSelector: { claimSelector: { matchExpressions } } };
}

describe('matches', () => {
  const eu = cluster('a', { labels: { region: 'eu' }, claims: { platform: 'aws' } });
  const both = {
    requiredClusterSelector: {
      labelSelector: { matchLabels: { region: 'eu' } },
      claimSelector: { matchExpressions: [{ key: 'platform', operator: 'In', values: ['gcp'] }] },
    },
  };

  it.each([
    { rule: 'none: every cluster matches', spec: {}, matched: true },
    { rule: 'an empty list: every cluster matches', spec: { predicates: [] }, matched: true },
    { rule: 'an empty predicate: every cluster matches', spec: { predicates: [{}] }, matched: true },
    {
      rule: 'an empty selector: every cluster matches',
      spec: { predicates: [{ requiredClusterSelector: {} }] },
      matched: true,
    },
    {
      rule: 'empty selectors inside: every cluster matches',
      spec: { predicates: [{ requiredClusterSelector: { labelSelector: {}, claimSelector: {} } }] },
      matched: true,
    },
    {
      rule: 'null fields count as absent',
      spec: { predicates: [null], ClusterSets: null, numberOfClusters: null, clusterSets: null },
      matched: true,
    },
    { rule: 'no spec at all: every cluster matches', spec: undefined, matched: true },
    { rule: 'labels alone', spec: { predicates: [labels({ region: 'eu' })] }, matched: true },
    { rule: 'claims alone', spec: { predicates: [claims({ key: 'platform', operator: 'Exists' })] }, matched: true },
    { rule: 'labels that differ', spec: { predicates: [labels({ region: 'us' })] }, matched: false },
    { rule: 'labels AND claims: one of them is not enough', spec: { predicates: [both] }, matched: false },
    {
      rule: 'predicates are ORed: one is enough',
      spec: { predicates: [labels({ region: 'us' }), both, labels({ region: 'eu' })] },
      matched: true,
    },
    {
      rule: 'claim expressions are ANDed',
      spec: { predicates: [claims({ key: 'platform', operator: 'Exists' }, { key: 'zone', operator: 'Exists' })] },
      matched: false,
    },
    {
      rule: 'a label is no claim',
      spec: { predicates: [claims({ key: 'region', operator: 'Exists' })] },
      matched: false,
    },
    { rule: 'a claim is no label', spec: { predicates: [labels({ platform: 'aws' })] }, matched: false },
  ])('predicates: $rule', ({ spec, matched }) => {
    const rules = compileSpec(spec);

    expect(rules.problem).toBeUndefined();
    expect(matches(rules, eu)).toBe(matched);
  });

  it.each(['Google Cloud', 'https://example.com/a?b=c', 'x'.repeat(1024), '', 'ÄÖÜ'])(
    'a claim value need not be a label value: %s',
    (value) => {
      const rules = compileSpec({ predicates: [claims({ key: 'k', operator: 'In', values: [value] })] });

      expect(rules.problem).toBeUndefined();
      expect(matches(rules, cluster('a', { claims: { k: value } }))).toBe(true);
      expect(matches(rules, cluster('a', { claims: { k: `${value} ` } }))).toBe(false);
    },
  );
});

describe('compileSpec', () => {
  it('a spec is parsed into its sets, sorted and unique, and its number', () => {
    const rules = compileSpec({ ClusterSets: ['b', 'a', 'b'], numberOfClusters: 7 });

    expect(rules).toMatchObject({
      requested: ['a', 'b'],
      wanted: 7,
      predicates: [],
      tolerations: [],
      problem: undefined,
    });
  });

  it.each([0, 1, 2147483647])('a spec with %i as numberOfClusters is accepted', (numberOfClusters) => {
    expect(compileSpec({ numberOfClusters }).wanted).toBe(numberOfClusters);
  });

  const GT_TWO = { key: 'cpu', operator: 'Gt', values: ['2'] };
  const expression = (over: object): object => claims({ key: 'platform', operator: 'In', values: ['aws'], ...over });
  it.each([
    { what: 'a text', spec: 'all', field: 'spec', says: '"all" is not an object' },
    {
      what: 'the lower-case spelling of ClusterSets',
      spec: { clusterSets: [] },
      field: 'spec.clusterSets',
      says: 'is not a field: write ClusterSets',
    },
    { what: 'sets that are a text', spec: { ClusterSets: 'a' }, field: 'spec.ClusterSets', says: '"a" is not a list' },
    {
      what: 'a set that is a number',
      spec: { ClusterSets: ['a', 1] },
      field: 'spec.ClusterSets[1]',
      says: '1 is not a string',
    },
    { what: 'a set without a name', spec: { ClusterSets: [''] }, field: 'spec.ClusterSets[0]', says: 'is empty' },
    {
      what: '257 sets',
      spec: { ClusterSets: Array.from({ length: 257 }, (_, n) => `s${n}`) },
      field: 'spec.ClusterSets',
      says: 'has 257 names: at most 256',
    },
    {
      what: 'a negative number',
      spec: { numberOfClusters: -1 },
      field: 'spec.numberOfClusters',
      says: '-1 is not a whole number from 0 to 2147483647',
    },
    { what: 'a fraction', spec: { numberOfClusters: 1.5 }, field: 'spec.numberOfClusters', says: '1.5 is not' },
    {
      what: 'a number over int32',
      spec: { numberOfClusters: 2147483648 },
      field: 'spec.numberOfClusters',
      says: '2147483648 is not',
    },
    { what: 'a number in quotes', spec: { numberOfClusters: '3' }, field: 'spec.numberOfClusters', says: '"3" is not' },
    {
      what: 'predicates that are an object',
      spec: { predicates: {} },
      field: 'spec.predicates',
      says: '{} is not a list',
    },
    {
      what: '65 predicates',
      spec: { predicates: Array.from({ length: 65 }, () => ({})) },
      field: 'spec.predicates',
      says: 'has 65 items: at most 64',
    },
    {
      what: 'a predicate that is a text',
      spec: { predicates: ['x'] },
      field: 'spec.predicates[0]',
      says: '"x" is not an object',
    },
    {
      what: 'a selector that is a list',
      spec: { predicates: [{ requiredClusterSelector: [] }] },
      field: SELECTOR,
      says: '[] is not an object',
    },
    {
      what: 'an operator that does not exist',
      spec: { predicates: [{}, expression({ operator: 'Near' })] },
      field: 'spec.predicates[1].requiredClusterSelector.claimSelector.matchExpressions[0].operator',
      says: '"Near" is not an operator: must be one of In, NotIn, Exists, DoesNotExist, Gt, Ge, Lt, Le',
    },
    {
      what: 'a comparison of labels',
      spec: { predicates: [{ requiredClusterSelector: { labelSelector: { matchExpressions: [GT_TWO] } } }] },
      field: `${SELECTOR}.labelSelector.matchExpressions[0].operator`,
      says: '"Gt" is not an operator: must be one of In, NotIn, Exists, DoesNotExist',
    },
    {
      what: 'a comparison with two values',
      spec: { predicates: [expression({ operator: 'Gt', values: ['1', '2'] })] },
      field: `${SELECTOR}.claimSelector.matchExpressions[0].values`,
      says: 'must have exactly one item with operator Gt',
    },
    {
      what: 'a comparison without a value',
      spec: { predicates: [expression({ operator: 'Le', values: undefined })] },
      field: `${SELECTOR}.claimSelector.matchExpressions[0].values`,
      says: '[] must have exactly one item with operator Le',
    },
    {
      what: 'a comparison with a word',
      spec: { predicates: [expression({ operator: 'Lt', values: ['v1.30.2-gke.100'] })] },
      field: `${SELECTOR}.claimSelector.matchExpressions[0].values[0]`,
      says: '"v1.30.2-gke.100" must be a version of two or three numbers (v1.30) or a quantity',
    },
    {
      what: 'a selector without values',
      spec: { predicates: [expression({ values: [] })] },
      field: `${SELECTOR}.claimSelector.matchExpressions[0].values`,
      says: '[] must not be empty with operator In',
    },
    {
      what: 'bad label syntax',
      spec: { predicates: [labels({ 'a b': 'x' })] },
      field: `${SELECTOR}.labelSelector.matchLabels[a b]`,
      says: '"a b" is not a label key',
    },
  ])('a spec with $what is misconfigured and matches no cluster', ({ spec, field, says }) => {
    const rules = compileSpec(spec);

    expect(rules.problem).toEqual({ field, message: expect.stringContaining(says) });
    expect(matches(rules, cluster('a'))).toBe(false);
  });

  it('the problem of a spec names the first of several invalid fields', () => {
    expect(compileSpec({ numberOfClusters: -1, ClusterSets: [1] }).problem?.field).toBe('spec.ClusterSets[0]');
  });
});
