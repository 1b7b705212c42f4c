import { describe, expect, it } from '@jest/globals';
import { routeOfMeaning, textOfMeaning } from '../../../src/console/web/meaning.js';
import { formatRoute } from '../../../src/console/web/route.js';
import type { Meaning } from '../../../src/console/wire/find.js';
import { termsOf } from '../../../tools/web.js';

describe('what a text in the box means', () => {
  it.each<readonly [Meaning, string, string]>([
    [{ kind: 'cluster', name: 'edge-1', health: 'notJoined' }, '/clusters/edge-1', 'edge-1'],
    [{ kind: 'drain', name: 'edge-1', health: 'silent' }, '/clusters/edge-1?act=drain', 'drain edge-1'],
    [{ kind: 'placement', namespace: 'shop', name: 'web', phase: 'Held' }, '/placements/shop/web', 'shop/web'],
    [
      { kind: 'why', cluster: 'edge-1', namespace: 'shop', name: 'web' },
      '/placements/shop/web?show=all&why=edge-1',
      'why edge-1 shop/web',
    ],
    [{ kind: 'edit', namespace: 'shop', name: 'web' }, '/what-if?begin=placement:shop%2Fweb', 'edit shop/web'],
    [{ kind: 'edit', namespace: '', name: 'edge-1' }, '/what-if?begin=labels:edge-1', 'edit edge-1'],
    [{ kind: 'history', namespace: 'shop', name: 'web' }, '/placements/shop/web?act=history', 'history shop/web'],
    [{ kind: 'history', namespace: '', name: 'edge-1' }, '/clusters/edge-1?act=history', 'history edge-1'],
    [{ kind: 'set', name: 'prod', clusters: 1 }, '/sets/prod', 'prod'],
    [{ kind: 'health', health: 'silent', clusters: 7 }, '/fleet?q=health:silent&view=table', 'silent'],
    [{ kind: 'filter', q: 'set:prod', clusters: 7 }, '/fleet?q=set:prod', 'set:prod'],
    [
      { kind: 'phase', phase: 'PartiallySatisfied', placements: 1 },
      '/placements?phase=PartiallySatisfied',
      'partially satisfied',
    ],
    [
      { kind: 'lose', target: 'label/region=eu', clusters: 4 },
      '/what-if?begin=lose:label%2Fregion%3Deu',
      'lose label/region=eu',
    ],
    [
      { kind: 'each', key: 'label/region', clusters: 4 },
      '/what-if?begin=each:label%2Fregion',
      'lose each label/region',
    ],
  ])('%j has an address and a text', (meaning, address, text) => {
    expect(formatRoute(routeOfMeaning(meaning))).toBe(address);
    expect(textOfMeaning(meaning).text).toBe(text);
  });
});

describe('the glossary in the page', () => {
  it('has the terms and their meanings, without marks and links', () => {
    const text =
      '| term | meaning | where |\n| --- | --- | --- |\n| held | by `budget`, see [all](a.md#b) | `x.ts` |\n';
    expect(termsOf(text)).toEqual({ held: 'by budget, see all' });
  });
});
