import { describe, expect, it } from '@jest/globals';
import { findAnswer } from '../../../src/console/server/fleet/find.js';
import { Snapshot } from '../../../src/console/server/snapshot.js';
import type { Meaning } from '../../../src/console/wire/find.js';
import { worldOf, type World } from '../../../src/answers/world/world.js';
import { rawEngine, readingOf } from '../../support/builders/hubinput.js';
import { rawCluster, rawPlacement, rawSet } from '../../support/builders/world.js';

const CLUSTERS = [10, 2, 1].map((number) =>
  rawCluster(`cluster-${number}`, {
    set: 'prod',
    labels: { region: number === 10 ? 'us' : 'eu', tier: 'eu' },
    claims: { 'platform.example.com/zone': `eu-${number}` },
  }),
);
const WORLD: World = worldOf({
  multiclusterengines: [rawEngine()],
  managedclusters: [...CLUSTERS, rawCluster('web', {})],
  managedclustersets: [rawSet('prod')],
  placements: [rawPlacement({}), { ...rawPlacement({}, 'cluster'), status: { phase: 'Unsatisfied' } }],
});

/** A Placement that holds clusters is held, and counted as that alone. */
const HELD = { type: 'RemovalsHeld', status: 'True' };

function found(text: string): readonly Meaning[] {
  return findAnswer(new Snapshot(readingOf(WORLD)), text).rows;
}

function asked(text: string, kind: string): readonly string[] {
  return findAnswer(new Snapshot(readingOf(WORLD)), text, kind).rows.map((one) => {
    if (one.kind === 'lose') return `${one.target}: ${one.clusters}`;
    if (one.kind === 'each') return `${one.key}: ${one.clusters}`;
    if (one.kind === 'filter') return `${one.q}: ${one.clusters}`;
    return 'name' in one ? one.name : one.kind;
  });
}

function named(text: string): readonly string[] {
  return found(text).map((one) => `${one.kind} ${'name' in one ? one.name : ''}`);
}

describe('what a text in the box means', () => {
  it('is first what has this very name, of any kind, and then what begins so, by numbers', () => {
    expect(named('cluster')).toEqual([
      'placement cluster',
      'cluster cluster-1',
      'cluster cluster-2',
      'cluster cluster-10',
    ]);
    expect(named('cluster-1')).toEqual(['cluster cluster-1', 'cluster cluster-10']);
    expect(named('shop/WEB')).toEqual(['placement web']);
    expect(named('web')).toEqual(['placement web', 'cluster web']);
    expect(found('prod')).toEqual([{ kind: 'set', name: 'prod', clusters: 3 }]);
  });

  it('can be a state, in the word of the page, and nothing written stands for all that there are', () => {
    expect(found('no agent')).toEqual([{ kind: 'health', health: 'noAgent', clusters: 4 }]);
    expect(found('unsat')).toEqual([{ kind: 'phase', phase: 'Unsatisfied', placements: 1 }]);
    const held = { ...rawPlacement({}), status: { phase: 'Unsatisfied', conditions: [HELD] } };
    const world = { ...WORLD, objects: { ...WORLD.objects, placements: [held] } };
    expect(findAnswer(new Snapshot(readingOf(world)), 'unsat').rows).toEqual([]);
    expect(findAnswer(new Snapshot(readingOf(world)), 'held').rows).toEqual([
      { kind: 'phase', phase: 'Held', placements: 1 },
    ]);
    expect(found('noagent')).toEqual([{ kind: 'health', health: 'noAgent', clusters: 4 }]);
    expect(new Set(found('').map(({ kind }) => kind))).toEqual(new Set(['health', 'phase']));
  });

  it('can be a filter of the fleet; one with a fault means nothing', () => {
    expect(found('set:prod label:region=eu')).toEqual([{ kind: 'filter', q: 'set:prod label:region=eu', clusters: 2 }]);
    expect(found('sets:prod')).toEqual([]);
    expect(found('label:tie')).toEqual([
      { kind: 'filter', q: 'label:tie', clusters: 0 },
      { kind: 'filter', q: 'label:tier', clusters: 3 },
      { kind: 'filter', q: 'label:tier=eu', clusters: 3 },
    ]);
    expect(asked('label:region=us s', 'filter')).toEqual(['label:region=us set:prod: 1']);
    expect(asked('region=e', 'filter')).toContain('label:region=eu: 2');
  });

  it('can ask why, in either order', () => {
    const why = { kind: 'why', cluster: 'cluster-2', namespace: 'shop', name: 'web' };
    expect(found('why cluster-2 web')[0]).toEqual(why);
    expect(found('why web cluster-2')[0]).toEqual(why);
    expect(found('why cluster-2')).toMatchObject([{ kind: 'cluster', name: 'cluster-2' }]);
    expect(found('why nothing web')).toEqual([]);
    expect(findAnswer(new Snapshot(readingOf(WORLD)), 'why clsuter-2 shop/wbe')).toEqual({
      total: 1,
      rows: [why],
      isGuess: true,
    });
  });

  it('can be a loss: a region first, whatever else has the value', () => {
    expect(found('lose eu').slice(0, 2)).toEqual([
      { kind: 'lose', target: 'label/region=eu', clusters: 2 },
      { kind: 'lose', target: 'label/tier=eu', clusters: 3 },
    ]);
    expect(found('lose tier eu')).toEqual([{ kind: 'lose', target: 'label/tier=eu', clusters: 3 }]);
    expect(found('lose zone')[0]).toEqual({ kind: 'each', key: 'claim/platform.example.com/zone', clusters: 3 });
    expect(found('lose prod')).toContainEqual({ kind: 'lose', target: 'mclset/prod', clusters: 3 });
    expect(found('lose cluster-10')).toEqual([{ kind: 'lose', target: 'mcl/cluster-10', clusters: 1 }]);
  });

  it('has what is there instead where nothing can be lost by the word', () => {
    const { isGuess, rows } = findAnswer(new Snapshot(readingOf(WORLD)), 'lose moon');
    expect([isGuess, rows[0]]).toEqual([true, { kind: 'each', key: 'label/region', clusters: 3 }]);
    expect(rows).toContainEqual({ kind: 'lose', target: 'label/region=eu', clusters: 2 });
    expect(found('lose e').length).toBeGreaterThan(0);
    expect(findAnswer(new Snapshot(readingOf(WORLD)), 'cluster-7')).toEqual({ total: 0, rows: [] });
  });

  it('of a field is what the field takes, all of it where nothing is written', () => {
    expect(asked('eu', 'lose')[0]).toBe('label/region=eu: 2');
    expect(asked('label/region=eu', 'lose')).toEqual(['label/region=eu: 2']);
    expect(asked('', 'lose')[0]).toBe('label/region=eu: 2');
    expect(asked('', 'each')[0]).toBe('label/region: 3');
    expect(asked('cluster-2', 'drain')).toEqual(['cluster-2']);
  });

  it('can be a drain', () => {
    expect(found('drain cluster-1')[0]).toEqual({ kind: 'drain', name: 'cluster-1', health: 'noAgent' });
  });

  it('can be an edit or a history, of a Placement or a cluster', () => {
    expect(found('edit web')).toEqual([
      { kind: 'edit', namespace: 'shop', name: 'web' },
      { kind: 'edit', namespace: '', name: 'web' },
    ]);
    expect(found('who changed shop/web')).toEqual([{ kind: 'history', namespace: 'shop', name: 'web' }]);
  });

  it('is sent in part, with the count of all', () => {
    const managedclusters = Array.from({ length: 40 }, (_, index) => rawCluster(`c${index}`, {}));
    const { total, rows } = findAnswer(new Snapshot(readingOf(worldOf({ managedclusters }))), 'c');
    expect([total, rows.length]).toEqual([40, 12]);
  });
});
