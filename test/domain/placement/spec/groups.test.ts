import { describe, expect, it } from '@jest/globals';
import { compileSpec } from '../../../../src/domain/placement/spec/predicates.js';

const STRATEGY = 'spec.decisionStrategy.groupStrategy';
const of = (groupStrategy: unknown): ReturnType<typeof compileSpec> =>
  compileSpec({ decisionStrategy: { groupStrategy } });
const size = (clustersPerDecisionGroup: unknown): unknown => ({ clustersPerDecisionGroup });
const names = (...list: readonly unknown[]): unknown => ({ decisionGroups: list.map((groupName) => ({ groupName })) });

describe('spec.decisionStrategy.groupStrategy', () => {
  it.each([
    [undefined, 'percent', 100],
    [null, 'percent', 100],
    ['1%', 'percent', 1],
    ['100%', 'percent', 100],
    [1, 'clusters', 1],
    [2_147_483_647, 'clusters', 2_147_483_647],
  ])('clustersPerDecisionGroup %j is read', (value, unit, number) => {
    expect(of(size(value))).toMatchObject({
      problem: undefined,
      groups: { groups: [], size: { unit, value: number } },
    });
  });

  it.each([
    [{}],
    [{ decisionStrategy: {} }],
    [{ decisionStrategy: null }],
    [{ decisionStrategy: { groupStrategy: null } }],
  ])('the spec %j has no groups', (spec) => {
    expect(compileSpec(spec)).toMatchObject({ problem: undefined, groups: undefined });
  });

  it('a group has the requirements of its selector', () => {
    const groupClusterSelector = {
      labelSelector: { matchLabels: { canary: 'true' } },
      claimSelector: { matchExpressions: [{ key: 'cpu', operator: 'Gt', values: ['4'] }] },
    };
    expect(of({ decisionGroups: [{ groupName: 'canary', groupClusterSelector }] }).groups?.groups).toMatchObject([
      { name: 'canary', labels: [{ key: 'canary', operator: 'In' }], claims: [{ key: 'cpu', operator: 'Gt' }] },
    ]);
  });

  const amount = 'must be a whole number from 1 to 2147483647 without quotes, or a percentage from 1% to 100%';
  const rule = "must be 1 to 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends";
  it.each([
    [size(0), 'clustersPerDecisionGroup', `0: ${amount}`],
    [size('0%'), 'clustersPerDecisionGroup', `"0%": ${amount}`],
    [size('101%'), 'clustersPerDecisionGroup', `"101%": ${amount}`],
    [size(2.5), 'clustersPerDecisionGroup', `2.5: ${amount}`],
    [names('a', 'b', 'a'), 'decisionGroups[2].groupName', '"a" is the name of another group: names must differ'],
    [names(''), 'decisionGroups[0].groupName', `"": ${rule}`],
    [names('a b'), 'decisionGroups[0].groupName', `"a b": ${rule}`],
    [names(undefined), 'decisionGroups[0].groupName', 'is missing: a string is required'],
    [names(...Array.from({ length: 33 }, (_, n) => `g${n}`)), 'decisionGroups', 'has 33 items: at most 32 are allowed'],
    [
      {
        decisionGroups: [{ groupName: 'a', groupClusterSelector: { labelSelector: { matchLabels: { 'a b': 'c' } } } }],
      },
      'decisionGroups[0].groupClusterSelector.labelSelector.matchLabels[a b]',
      '"a b" is not a label key: at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends, with an optional DNS name and "/" before it',
    ],
  ])('%j is a problem of its field', (value, field, message) => {
    expect(of(value).problem).toEqual({ field: `${STRATEGY}.${field}`, message });
  });
});
