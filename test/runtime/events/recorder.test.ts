import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { Events } from '../../../src/runtime/vocabulary/kinds.js';
import {
  type EventNote,
  type EventRecorder,
  createRecorder,
  type EventObject,
  truncateBytes,
} from '../../../src/runtime/events/recorder.js';
import { ManualClock, settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import { FakeApi, failure } from '../../support/fakes/api.js';
import { RecordingLog } from '../../support/fakes/log.js';

const regarding: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { namespace: 'n', name: 'thing', uid: 'u', resourceVersion: '7' },
};
const note: EventNote = { regarding, type: 'Normal', reason: 'Done', action: 'Doing', note: 'it is done' };

let clock: ManualClock;
let api: FakeApi;
let outcomes: string[];
let recorder: EventRecorder;
beforeEach(() => {
  clock = new ManualClock();
  api = new FakeApi(clock);
  outcomes = [];
  recorder = createRecorder(
    api,
    { controller: 'example.com/engine', instance: 'pod-1', fieldManager: 'example-events' },
    {
      clock,
      log: new RecordingLog(),
      metrics: { recorded: (outcome) => void outcomes.push(outcome) },
    },
  );
});
const events = (): EventObject[] => api.all<EventObject>(Events);

describe('an event', () => {
  it('an event has its reporter, object, reason and time', async () => {
    recorder.record(note);
    await recorder.flush();

    expect(events()).toMatchObject([
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { namespace: 'n', name: expect.stringMatching(/^thing\.[0-9a-f]{16}$/) },
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'example.com/engine',
        reportingInstance: 'pod-1',
        type: 'Normal',
        reason: 'Done',
        action: 'Doing',
        note: 'it is done',
        regarding: {
          apiVersion: 'example.com/v1',
          kind: 'Thing',
          namespace: 'n',
          name: 'thing',
          uid: 'u',
          resourceVersion: '7',
        },
      },
    ]);
    expect(events()[0]).not.toHaveProperty('series');
  });

  it('an event about a cluster-scoped object is in the namespace default', async () => {
    recorder.record({ ...note, regarding: { ...regarding, metadata: { name: 'cluster', uid: 'u' } } });
    await recorder.flush();

    expect(events()[0]?.metadata.namespace).toBe('default');
    expect(events()[0]?.regarding).toEqual({ apiVersion: 'example.com/v1', kind: 'Thing', name: 'cluster', uid: 'u' });
  });

  it.each([
    ['a'.repeat(253), /^a{236}\.[0-9a-f]{16}$/],
    [`${'a'.repeat(235)}.b`, /^a{235}\.[0-9a-f]{16}$/],
    ['System:Node', /^system-node\.[0-9a-f]{16}$/],
  ])('an event about %s has a valid name', async (name, expected) => {
    recorder.record({ ...note, regarding: { ...regarding, metadata: { namespace: 'n', name } } });
    await recorder.flush();

    expect(events()[0]?.metadata.name).toMatch(expected);
  });

  it('an event has a note of at most 1 KiB and splits no character', async () => {
    recorder.record({ ...note, note: 'ä'.repeat(1_000) });
    await recorder.flush();

    expect(events()[0]?.note).toBe(`${'ä'.repeat(510)}…`);
  });
});

it.each([
  ['short', 1024, 'short'],
  ['a'.repeat(10), 10, 'a'.repeat(10)],
  ['a'.repeat(11), 10, 'aaaaaaa…'],
  ['€€€€', 10, '€€…'],
  ['😀😀😀', 10, '😀…'],
])('the note %s truncated to %d bytes is %s', (text, limit, truncated) => {
  expect(truncateBytes(text, limit)).toBe(truncated);
  expect(Buffer.byteLength(truncateBytes(text, limit))).toBeLessThanOrEqual(limit);
});

describe('a repeated event', () => {
  async function recordOnce(): Promise<void> {
    recorder.record(note);
    await settle();
  }

  it('a repeated event starts a series at once, and the series is then written at most every ten seconds', async () => {
    await recordOnce();
    await clock.advance(10_000);
    for (let times = 0; times < 5; times++) await recordOnce();
    expect(events()[0]?.series).toEqual({ count: 2, lastObservedTime: '2026-01-01T00:00:10.000000Z' });
    await clock.advance(4_000);
    await recordOnce();
    expect(api.writes).toHaveLength(2);
    await clock.advance(6_000);

    expect(events()).toHaveLength(1);
    expect(events()[0]?.series).toEqual({ count: 7, lastObservedTime: '2026-01-01T00:00:14.000000Z' });
    expect(api.writes).toHaveLength(3);
  });

  it('a repeated event that is recorded while the series is written is not written before ten seconds are over', async () => {
    await recordOnce();
    await clock.advance(10_000);
    api.before = () => settle();
    recorder.record(note);
    await Promise.resolve();
    await Promise.resolve();
    recorder.record(note);
    await settle();
    await settle();
    expect(events()[0]?.series?.count).toBe(2);
    await clock.advance(9_999);
    expect(api.writes).toHaveLength(2);
    await clock.advance(1);
    await settle();

    expect(events()[0]?.series?.count).toBe(3);
    expect(api.writes).toHaveLength(3);
  });

  it('a repeated event that is recorded while the write of the first fails is written, and leaves no timer', async () => {
    api.before = async () => {
      recorder.record(note);
      api.before = () => undefined;
      await settle();
      throw failure('Unavailable', 'create', Events, { name: 'x' });
    };
    recorder.record(note);
    await recorder.flush();

    expect(events()[0]?.series?.count).toBe(2);
    expect(outcomes).toEqual(['dropped', 'created']);
    expect(clock.pending).toBe(0);
  });

  it('a repeated event that is recorded before the first is written is counted in its series', async () => {
    for (let times = 0; times < 3; times++) recorder.record(note);
    await recorder.flush();

    expect(api.writes).toHaveLength(1);
    expect(events()[0]?.series?.count).toBe(3);
  });

  it.each<[string, Partial<EventNote>]>([
    ['reason', { reason: 'Other' }],
    ['note', { note: 'other' }],
    ['type', { type: 'Warning' }],
    ['object', { regarding: { ...regarding, metadata: { ...regarding.metadata, uid: 'other' } } }],
  ])('an event that differs in its %s is not a repeated event', async (_, change) => {
    recorder.record(note);
    recorder.record({ ...note, ...change });
    await recorder.flush();

    expect(events()).toHaveLength(2);
  });

  it('a repeated event creates a new Event object when it was not recorded for six minutes', async () => {
    await recordOnce();
    await clock.advance(360_001);
    await recordOnce();

    expect(events().map((event) => event.series)).toEqual([undefined, undefined]);
    expect(new Set(events().map((event) => event.metadata.name)).size).toBe(2);
  });

  it('a repeated event creates a new Event object after the first one was deleted', async () => {
    await recordOnce();
    await clock.advance(10_000);
    const [first] = events();
    api.remove(Events, first?.metadata ?? { name: '' });
    await recordOnce();
    expect(outcomes).toEqual(['created', 'dropped']);
    await recordOnce();

    expect(events()).toHaveLength(1);
    expect(outcomes).toEqual(['created', 'dropped', 'created']);
  });
});

describe('the event recorder', () => {
  it('the event recorder never blocks and never throws, whatever the server does', async () => {
    api.before = () => {
      throw failure('Forbidden', 'create', Events, { name: 'x' });
    };
    recorder.record(note);
    await recorder.flush();

    expect(outcomes).toEqual(['dropped']);
    expect(clock.pending).toBe(0);
  });

  it('the event recorder writes one event at a time, in order', async () => {
    let inFlight = 0;
    let maxInFlight = 0;
    api.before = async () => {
      maxInFlight = Math.max(maxInFlight, ++inFlight);
      await settle();
      inFlight -= 1;
    };
    for (const reason of ['A', 'B', 'C']) recorder.record({ ...note, reason });
    await recorder.flush();

    expect(maxInFlight).toBe(1);
    expect(api.calls.map((call) => Reflect.get(call.object ?? {}, 'reason'))).toEqual(['A', 'B', 'C']);
  });

  it('the event recorder drops events beyond the capacity of its queue, and keeps no more than a thousand series', async () => {
    let unblock = (): void => undefined;
    const blocked = new Promise<void>((resolve) => (unblock = resolve));
    api.before = () => blocked;
    for (let index = 0; index < 3_000; index++) recorder.record({ ...note, reason: `R${index}` });
    unblock();
    await recorder.flush();

    expect(outcomes.filter((outcome) => outcome === 'dropped').length).toBeGreaterThanOrEqual(1_900);
    expect(events().length).toBeLessThanOrEqual(1_001);
    expect(events().length).toBeGreaterThanOrEqual(1_000);
    expect(clock.pending).toBe(0);
  });

  it('the event recorder has written every event and stopped its timer after flush', async () => {
    recorder.record(note);
    await settle();
    recorder.record(note);
    await settle();
    expect(clock.pending).toBe(1);
    await recorder.flush();

    expect(events()[0]?.series?.count).toBe(2);
    expect(clock.pending).toBe(0);
  });
});
