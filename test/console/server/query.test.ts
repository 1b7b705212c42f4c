import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  matchesAll,
  MOST_TERMS,
  parseQuery,
  termText,
  type QueryCluster,
} from '../../../src/console/server/fleet/query.js';

const CLUSTER: QueryCluster = {
  name: 'prod-eu-1',
  sets: ['production'],
  labels: { tier: 'gold', constructor: 'x' },
  claims: { platform: 'Google Cloud', region: 'eu' },
  taints: ['maintenance'],
  health: 'silent',
};

function matches(text: string): boolean | string {
  const query = parseQuery(text);
  return query.kind === 'fault' ? query.fault : matchesAll(query.terms, CLUSTER);
}

describe('the query of the fleet', () => {
  it.each<readonly [string, boolean | string]>([
    ['', true],
    ['eu', true],
    ['us', false],
    ['set:production label:tier=gold claim:region!=us health:silent taint:maintenance', true],
    ['set:prod', false],
    ['label:tier', true],
    ['label:toString', false],
    ['label:zone!=b', true],
    ['label:tier!=gold', false],
    ['claim:platform="Google Cloud"', true],
    ['name:prod-eu-1', true],
    ['name:prod', false],
    ['health:Silent', true],
    ['health:"not joined"', false],
    ['health:well', 'health:well: want one of unavailable, silent, notJoined, deleting, noAgent, available'],
    ['sett:x', 'sett:x: unknown field sett, want set, label, claim, health, taint, name'],
    ['set:', 'set:: a value is missing'],
    ['a '.repeat(MOST_TERMS + 1), 'at most 16 terms, got 17'],
  ])('%j gives %j', (text, result) => {
    expect(matches(text)).toBe(result);
  });

  it('the term of a set matches its members, whatever the name holds beside quotes', () => {
    const names = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((name) => !name.includes('"') && name.trim() !== '');
    fc.assert(
      fc.property(names, (name) => {
        const query = parseQuery(termText('set', name));
        expect(query.kind === 'query' && matchesAll(query.terms, { ...CLUSTER, sets: [name] })).toBe(true);
      }),
    );
  });
});
