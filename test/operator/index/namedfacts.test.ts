import { describe, expect, it } from '@jest/globals';
import { NamedFacts } from '../../../src/operator/index/namedfacts.js';

describe('NamedFacts', () => {
  it('the named facts are those of all Placements, and change only with the first and the last that names one', () => {
    const facts = new NamedFacts();
    const put = (key: string, ...names: readonly string[]): unknown => [facts.put(key, new Set(names)), ...facts.all];

    expect([
      put('a', 'nodes/ready'),
      put('b', 'nodes/ready', 'cluster-name'),
      put('a'),
      put('b', 'nodes/ready', 'cluster-name'),
      put('b', 'nodes/total'),
      put('b'),
    ]).toEqual([
      [true, 'nodes/ready'],
      [true, 'nodes/ready', 'cluster-name'],
      [false, 'nodes/ready', 'cluster-name'],
      [false, 'nodes/ready', 'cluster-name'],
      [true, 'nodes/total'],
      [true],
    ]);
  });
});
