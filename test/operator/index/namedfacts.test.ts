import { describe, expect, it } from '@jest/globals';
import { NamedFacts } from '../../../src/operator/index/keyindex.js';

describe('NamedFacts', () => {
  it('all facts are named while one Placement names all of them', () => {
    const facts = new NamedFacts();

    expect([facts.put('a', new Set(['nodes/ready'])), facts.put('b', 'all'), facts.all]).toEqual([true, true, 'all']);
    expect([facts.put('b'), facts.all]).toEqual([true, new Set(['nodes/ready'])]);
  });

  it('the named facts are those of all Placements, and change only with the first and the last that names one', () => {
    const facts = new NamedFacts();
    const put = (key: string, ...names: readonly string[]): unknown => [
      facts.put(key, new Set(names)),
      ...(facts.all === 'all' ? [] : facts.all),
    ];

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
