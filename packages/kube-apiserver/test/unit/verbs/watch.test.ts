import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Query, WatchEvent } from '../../../src/verbs/verbs.js';
import { VerbsFixture, configMap, nextEvents, thingCrd } from './fixture.js';

const NOT_OLDER: Query = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' };

function summaryOf({ type, object }: WatchEvent): unknown {
  const { metadata } = object as { metadata: { name?: string; resourceVersion?: string; labels?: { l: string } } };
  return [type, metadata.name, metadata.resourceVersion, ...(metadata.labels === undefined ? [] : [metadata.labels.l])];
}

async function rest(events: AsyncIterator<WatchEvent>): Promise<WatchEvent[]> {
  const taken: WatchEvent[] = [];
  for (;;) {
    const { done, value } = await events.next();
    if (done === true) return taken;
    taken.push(value);
  }
}

describe('a watch', () => {
  let fixture: VerbsFixture;
  const label = (name: string, l: string): Promise<unknown> =>
    fixture.patch(`configmaps/ns/${name}`, 'merge', { metadata: { labels: { l } } });
  const make = (name: string, l: string): Promise<unknown> =>
    fixture.create('configmaps/ns', configMap(name, { metadata: { name, labels: { l } } }));

  beforeEach(async () => {
    fixture = new VerbsFixture();
    await fixture.namespace('ns');
    await make('b', 'b');
    await make('a', 'a');
  });

  it('a watch from a revision sends every later change in order, then new ones', async () => {
    const events = fixture.watch('configmaps/ns', { resourceVersion: '3' });
    await label('a', 'x');
    await fixture.delete('configmaps/ns/b');
    await make('c', 'c');
    expect((await nextEvents(events, 4)).map(summaryOf)).toEqual([
      ['ADDED', 'a', '4', 'a'],
      ['MODIFIED', 'a', '5', 'x'],
      ['DELETED', 'b', '6', 'b'],
      ['ADDED', 'c', '7', 'c'],
    ]);
  });

  it('a watch with a selector adds and deletes objects as their labels change', async () => {
    const events = fixture.watch('configmaps/ns', { resourceVersion: '4', labelSelector: 'l=x' });
    await label('a', 'x');
    await label('b', 'y');
    await label('a', 'x');
    await fixture.patch('configmaps/ns/a', 'merge', { data: { k: 'v' } });
    await label('a', 'a');
    await make('c', 'x');
    await fixture.delete('configmaps/ns/c');
    expect((await nextEvents(events, 5)).map(summaryOf)).toEqual([
      ['ADDED', 'a', '5', 'x'],
      ['MODIFIED', 'a', '7', 'x'],
      ['DELETED', 'a', '8', 'x'],
      ['ADDED', 'c', '9', 'x'],
      ['DELETED', 'c', '10', 'x'],
    ]);
  });

  const burst = [
    ['ADDED', 'a', '4', 'a'],
    ['ADDED', 'b', '3', 'b'],
  ];
  const end = ['BOOKMARK', undefined, '4'];

  it.each<[string, Query, unknown[]]>([
    ['without revision', {}, burst],
    ['from revision 0', { resourceVersion: '0' }, burst],
    ['without revision and with bookmarks', { allowWatchBookmarks: 'true' }, [...burst, end]],
    ['that asks for initial events', NOT_OLDER, burst],
    ['that asks for initial events and bookmarks', { ...NOT_OLDER, allowWatchBookmarks: 'true' }, [...burst, end]],
    [
      'that asks for initial events with a limit',
      { ...NOT_OLDER, allowWatchBookmarks: 'true', limit: '1' },
      [...burst, end],
    ],
    [
      'that asks for initial events from an old revision',
      { ...NOT_OLDER, allowWatchBookmarks: 'true', resourceVersion: '1' },
      [...burst, end],
    ],
    [
      'of one name',
      { ...NOT_OLDER, allowWatchBookmarks: 'true', fieldSelector: 'metadata.name=a' },
      [['ADDED', 'a', '4', 'a'], end],
    ],
    ['that asks for none', { ...NOT_OLDER, sendInitialEvents: 'false' }, []],
    ['of anything that is no false', { watch: 'maybe' }, burst],
  ])('a watch %s starts with the expected events', async (_what, query, expected) => {
    const events = fixture.watch('configmaps/ns', query);
    await fixture.create('configmaps/ns', configMap('z', { metadata: { name: 'z' } }));
    const seen = (
      await nextEvents(events, query.fieldSelector === undefined ? expected.length + 1 : expected.length)
    ).map(summaryOf);
    expect(seen).toEqual(query.fieldSelector === undefined ? [...expected, ['ADDED', 'z', '5']] : expected);
  });

  it('the bookmark that ends the initial events has only a revision and the annotation', async () => {
    const [, , bookmark] = await nextEvents(
      fixture.watch('configmaps/ns', { ...NOT_OLDER, allowWatchBookmarks: 'true' }),
      3,
    );
    expect(bookmark).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { resourceVersion: '4', annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    });
  });

  it('a watch from a compacted revision sends one error', async () => {
    fixture.store.compact();
    const events = await rest(fixture.watch('configmaps/ns', { resourceVersion: '3' }));
    expect(events).toEqual([
      {
        type: 'ERROR',
        object: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          code: 410,
          reason: 'Expired',
          message: 'too old resource version: 3 (4)',
        },
      },
    ]);
    expect(
      (await nextEvents(fixture.watch('configmaps/ns', { ...NOT_OLDER, resourceVersion: '3' }), 2)).map(summaryOf),
    ).toEqual(burst);
  });

  it('a watch from a future revision waits for it', async () => {
    const events = fixture.watch('configmaps/ns', { resourceVersion: '5' });
    await label('a', 'x');
    await label('a', 'y');
    expect((await nextEvents(events, 1)).map(summaryOf)).toEqual([['MODIFIED', 'a', '6', 'y']]);
  });

  it('a watch for initial events of a revision that does not come sends one error after three seconds', async () => {
    const events = rest(fixture.watch('configmaps/ns', { ...NOT_OLDER, resourceVersion: '99999999' }));
    await fixture.clock.advance(3100);
    expect(await events).toEqual([
      {
        type: 'ERROR',
        object: expect.objectContaining({
          code: 504,
          message: 'Timeout: Too large resource version: 99999999, current: 4',
        }),
      },
    ]);
  });

  it('a watch for initial events of the next revision starts with it', async () => {
    const events = nextEvents(fixture.watch('configmaps/ns', { ...NOT_OLDER, resourceVersion: '5' }), 1);
    await label('a', 'x');
    await fixture.clock.advance(25);
    expect((await events).map(summaryOf)).toEqual([['ADDED', 'a', '5', 'x']]);
  });

  it('a watch ends after timeoutSeconds, with a bookmark shortly before', async () => {
    const events = fixture.watch('configmaps/ns', {
      resourceVersion: '4',
      timeoutSeconds: '10',
      allowWatchBookmarks: 'true',
    });
    await fixture.clock.advance(8_000);
    expect((await nextEvents(events, 1)).map(summaryOf)).toEqual([['BOOKMARK', undefined, '4']]);
    await fixture.clock.advance(2_000);
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(fixture.clock.pending).toBe(0);
  });

  it('a watch sends a bookmark every minute', async () => {
    const events = fixture.watch('configmaps/ns', { resourceVersion: '4', allowWatchBookmarks: 'true' });
    await fixture.create('configmaps/ns', configMap('other'));
    await nextEvents(events, 1);
    await fixture.namespace('elsewhere');
    await fixture.clock.advance(60_000);
    expect((await nextEvents(events, 1)).map(summaryOf)).toEqual([['BOOKMARK', undefined, '6']]);
    await fixture.clock.advance(60_000);
    expect((await nextEvents(events, 1)).map(summaryOf)).toEqual([['BOOKMARK', undefined, '6']]);
  });

  it.each(['-1', '-10', '10000000000'])(
    'a watch with timeoutSeconds %s ends at once without events',
    async (timeoutSeconds) => {
      const events = fixture.watch('configmaps/ns', { resourceVersion: '3', timeoutSeconds });
      expect(await rest(events)).toEqual([]);
    },
  );

  it('a watch without timeoutSeconds ends between 30 and 60 minutes', async () => {
    const events = fixture.watch('configmaps/ns', { resourceVersion: '4' });
    await fixture.clock.advance(60 * 60_000);
    expect(await rest(events)).toEqual([]);
  });

  it('a watch ends at once when its caller disconnects', async () => {
    const events = fixture.watch('configmaps/ns');
    fixture.abort.abort();
    expect(await rest(events)).toEqual([]);
    expect(fixture.clock.pending).toBe(0);
  });

  it('a watch ends when its reader is a thousand events behind, after those events', async () => {
    const events = fixture.watch('configmaps/ns', { resourceVersion: '4' });
    for (let n = 0; n < 1002; n += 1) await fixture.patch('configmaps/ns/a', 'merge', { data: { n: String(n) } });
    expect(await rest(events)).toHaveLength(1001);
  });

  it('a watch ends when its unread events are too large', async () => {
    const events = fixture.watch('configmaps/ns', { resourceVersion: '4' });
    for (let n = 0; n < 80; n += 1)
      await fixture.patch('configmaps/ns/a', 'merge', { data: { n: String(n % 10).repeat(1_000_000) } });
    expect(await rest(events)).toHaveLength(68);
  });

  it('a watch has no limit of initial events', async () => {
    for (let n = 0; n < 1100; n += 1) await fixture.create('configmaps/ns', configMap(`m${n}`));
    expect(await nextEvents(fixture.watch('configmaps/ns'), 1102)).toHaveLength(1102);
  });

  it('a watch ends when the schema of its definition changes', async () => {
    await fixture.define(thingCrd());
    const events = fixture.watch('things.facts.example.com/ns');
    const next = thingCrd({ schema: { type: 'object', properties: { spec: { type: 'object' } } } }) as { spec: object };
    await fixture.patch('customresourcedefinitions.apiextensions.k8s.io/things.facts.example.com', 'merge', {
      metadata: { labels: { harmless: 'true' } },
    });
    await fixture.settle();
    await fixture.patch('customresourcedefinitions.apiextensions.k8s.io/things.facts.example.com', 'merge', {
      spec: next.spec as never,
    });
    expect(await rest(events)).toEqual([]);
  });
});
