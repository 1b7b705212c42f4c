import { describe, expect, it } from '@jest/globals';
import { detailsOf } from '../../../../src/domain/placement/spec/details.js';
import { compileSpec } from '../../../../src/domain/placement/spec/predicates.js';

const keys = (count: number): string[] => Array.from({ length: count }, (_, index) => `k${index}`);

describe('spec.decisionDetails', () => {
  it.each([
    [undefined, []],
    [null, []],
    [{}, []],
    [{ labels: null, claims: [] }, []],
    [
      { labels: ['region', 'example.com/tier', 'region'], claims: ['region', 'any name'] },
      ['label/region', 'label/example.com/tier', 'claim/region', 'claim/any name'],
    ],
  ])('%j is read', (decisionDetails, names) => {
    const { details, problem } = compileSpec({ decisionDetails });

    expect(problem).toBeUndefined();
    expect(details.map(({ source, key }) => `${source}/${key}`)).toEqual(names);
  });

  it.each([
    [['region'], '', '["region"] is not an object'],
    [{ labels: 'region' }, '.labels', '"region" is not a list'],
    [{ labels: [1] }, '.labels[0]', '1 is not a string'],
    [{ labels: ['region', 'a b'] }, '.labels[1]', expect.stringMatching(/^"a b" is not a label key: /)],
    [{ claims: [''] }, '.claims[0]', 'is empty: the name of a claim is needed'],
    [{ labels: keys(9), claims: keys(8) }, '', 'names 17 labels and claims: at most 16 are allowed together'],
  ])('%j is a problem of its field', (decisionDetails, field, message) => {
    expect(compileSpec({ decisionDetails }).problem).toEqual({ field: `spec.decisionDetails${field}`, message });
  });

  it.each([
    ['eu', 'eu'],
    [undefined, ''],
    ['x'.repeat(256), 'x'.repeat(256)],
    ['x'.repeat(257), ''],
    ['ü'.repeat(128), 'ü'.repeat(128)],
    ['ü'.repeat(129), ''],
  ])('the value %j stands in an item as %j', (value, text) => {
    expect(detailsOf([{ source: 'claim', key: 'a' }], () => value)).toEqual({ 'claim/a': text });
  });
});
