import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock, settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import { eventsIn } from '../../../src/console/web/eventstream.js';
import { Live, type TabMessage } from '../../../src/console/web/live.js';

/** Tabs of one browser, and the server that they ask. */

interface Asked {
  readonly address: string;
  readonly say: (text: string) => void;
  /** The connection ends. */
  readonly end: (isServed: boolean) => void;
}

interface Tab {
  readonly live: Live;
  readonly topics: string[][];
  readonly beats: string[];
  polls: number;
  isPolling: boolean;
}

let clock: ManualClock;
let asked: Asked[];
let tabs: Tab[];
/** Whoever holds the stream, and who waits for it. */
let lock: Promise<void>;

beforeEach(() => {
  clock = new ManualClock();
  [asked, tabs, lock] = [[], [], Promise.resolve()];
});

function tab(): Tab {
  const index = tabs.length;
  const others = (): readonly Tab[] => tabs.filter((_, at) => at !== index);
  const one: Tab = {
    topics: [],
    beats: [],
    polls: 0,
    isPolling: false,
    live: new Live(`tab ${index}`, {
      read: (address, onText, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(true));
          asked.push({ address, say: onText, end: resolve });
        }),
      post: (message: TabMessage) => {
        for (const { live } of others()) void Promise.resolve().then(() => live.hear(message));
      },
      hold: (held, signal) => {
        lock = lock.then(() => (signal.aborted ? undefined : held()));
        return lock;
      },
      later: (ms, run) => {
        const timer = clock.after(ms, run);
        return () => timer.cancel();
      },
      onTopics: (topics) => one.topics.push([...topics]),
      onBeat: (asOf) => one.beats.push(asOf),
      onPoll: () => (one.polls += 1),
      onPolling: (is) => (one.isPolling = is),
    }),
  };
  tabs.push(one);
  return one;
}

function event(id: string, topics: readonly string[]): string {
  return `id: ${id}\ndata: ${JSON.stringify(topics)}\n\n`;
}

function last(): Asked {
  const found = asked.at(-1);
  if (found === undefined) throw new Error('nothing was asked');
  return found;
}

async function shown(...topics: readonly string[]): Promise<Tab> {
  const one = tab();
  one.live.want(topics);
  one.live.show(true);
  await clock.advance(200);
  return one;
}

describe('one tab', () => {
  it('asks for what it shows, and goes on from the last event when that is something else', async () => {
    const { live, topics } = await shown('fleet');
    expect(last().address).toBe('stream?topics=fleet');
    last().say(event('e-1', []));
    // What was read before the stream began may be older than it.
    expect(topics).toEqual([['fleet']]);
    last().say(event('e-2', ['fleet']));
    live.want(['placement:shop/web', 'placements']);
    await clock.advance(200);
    expect(last().address).toBe('stream?topics=placement%3Ashop%2Fweb,placements&after=e-2');
    last().say(event('e-3', []));
    expect(topics).toEqual([['fleet'], ['fleet'], ['placement:shop/web', 'placements']]);
  });

  it('an event may come in pieces, and several at once', async () => {
    const { topics } = await shown('fleet');
    const text = event('e-1', ['engine']) + event('e-2', ['fleet']);
    last().say(text.slice(0, 9));
    last().say(text.slice(9));
    expect(topics).toEqual([['engine', 'fleet'], ['fleet']]);
  });

  it('reads nothing while it is hidden, and has no timer then', async () => {
    const { live } = await shown('fleet');
    last().say(event('e-1', []));
    live.show(false);
    await clock.advance(3_600_000);
    expect([asked.length, clock.pending]).toEqual([1, 0]);
    live.show(true);
    await clock.advance(200);
    expect([asked.length, last().address]).toEqual([2, 'stream?topics=fleet&after=e-1']);
  });

  it('after 40 seconds of silence it asks every 10 seconds, and for a stream again, until there is one', async () => {
    const one = await shown('fleet');
    last().say(event('e-1', []));
    await clock.advance(39_000);
    expect(one.isPolling).toBe(false);
    await clock.advance(2_000);
    expect([one.isPolling, asked.length]).toEqual([true, 2]);
    await clock.advance(30_000);
    expect(one.polls).toBe(3);
    last().say('event: beat\ndata: 2026-01-01T00:00:00Z\n\n');
    expect([one.isPolling, one.beats]).toEqual([false, ['2026-01-01T00:00:00Z']]);
    await clock.advance(30_000);
    expect(one.polls).toBe(3);
  });

  it('where there is no stream it asks at once, and less and less often for one', async () => {
    const one = await shown('fleet');
    last().end(false);
    await clock.advance(1);
    expect(one.isPolling).toBe(true);
    for (let second = 0; second < 60; second++) {
      await clock.advance(1_000);
      last().end(false);
    }
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.length).toBeLessThan(12);
    expect(one.polls).toBe(6);
  });

  it('a connection that ends is opened again from the last event', async () => {
    const one = await shown('fleet');
    last().say(event('e-1', []));
    last().end(true);
    await clock.advance(1_500);
    expect([asked.length, last().address, one.isPolling]).toEqual([2, 'stream?topics=fleet&after=e-1', false]);
  });

  it('more topics than a stream may have are followed as one', async () => {
    const many = Array.from({ length: 70 }, (_, index) => `cluster:c${index}`);
    const { topics } = await shown(...many);
    expect(last().address).toBe('stream?topics=events');
    last().say(event('e-1', []));
    last().say(event('e-2', ['events']));
    expect(topics.at(-1)).toEqual(['events', ...many.toSorted()]);
  });
});

describe('several tabs', () => {
  it('share one stream of all that they show, and each is told', async () => {
    const one = await shown('fleet');
    const two = await shown('engine');
    expect(asked.map(({ address }) => address)).toEqual(['stream?topics=fleet', 'stream?topics=engine,fleet']);
    last().say(event('e-1', ['engine']));
    await settle();
    expect([one.topics.at(-1), two.topics.at(-1)]).toEqual([
      ['engine', 'fleet'],
      ['engine', 'fleet'],
    ]);
    expect(two.isPolling).toBe(false);
  });

  it('another one holds the stream when the first is hidden, and none when all are', async () => {
    const one = await shown('fleet');
    const two = await shown('engine');
    one.live.show(false);
    await clock.advance(200);
    expect(last().address).toBe('stream?topics=engine');
    two.live.show(false);
    await clock.advance(3_600_000);
    expect([asked.length, clock.pending]).toEqual([3, 0]);
  });
});

it('the last event of a text is complete when an empty line follows', () => {
  expect(eventsIn('event: beat\ndata: a: b\n\nid: 1\ndata: x')).toEqual({
    events: [{ event: 'beat', data: 'a: b', id: '' }],
    rest: 'id: 1\ndata: x',
  });
});
