import { describe, expect, it } from '@jest/globals';
import { compileSpec } from '../../../../src/domain/placement/spec/predicates.js';

const of = (spreadConstraints: readonly object[], numberOfClusters?: number): ReturnType<typeof compileSpec> =>
  compileSpec({ numberOfClusters, spreadPolicy: { spreadConstraints } });
const byClaim = (topologyKey: string, over: object = {}): object => ({
  topologyKey,
  topologyKeyType: 'Claim',
  ...over,
});

describe('spec.spreadPolicy.spreadConstraints', () => {
  it('a constraint has its defaults, and a label and a claim of one name are two keys', () => {
    const strict = { topologyKeyType: 'Label', whenUnsatisfiable: 'DoNotSchedule', minDomains: 3, maxSkew: 2 };
    expect(of([byClaim('region'), byClaim('region', strict)], 2)).toMatchObject({
      problem: undefined,
      spread: [
        { source: 'claim', key: 'region', maxSkew: 1, minDomains: undefined, isStrict: false },
        { source: 'label', key: 'region', maxSkew: 2, minDomains: 3, isStrict: true },
      ],
    });
  });

  it.each([
    [[byClaim('zone'), byClaim('zone')], '[1]', 'claim zone has a constraint before: keys must differ'],
    [[byClaim('')], '[0].topologyKey', 'is empty: the name of a claim or label is needed'],
    [
      [byClaim('a b', { topologyKeyType: 'Label' })],
      '[0].topologyKey',
      '"a b" is not a label key: at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends, with an optional DNS name and "/" before it',
    ],
    [
      [byClaim('zone', { minDomains: 2 })],
      '[0].minDomains',
      '2 needs whenUnsatisfiable: DoNotSchedule, not ScheduleAnyway',
    ],
  ])('%j is a problem of its field', (value, field, message) => {
    expect(of(value, 2).problem).toEqual({ field: `spec.spreadPolicy.spreadConstraints${field}`, message });
  });

  it('a spread needs a number of clusters, and none is no spread', () => {
    expect(of([byClaim('zone')]).problem).toEqual({
      field: 'spec.spreadPolicy',
      message: 'needs a number of clusters: set spec.numberOfClusters, or numberOfClusters of every predicate',
    });
    expect(of([])).toMatchObject({ problem: undefined, spread: [] });
  });
});
