import { EventEmitter } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { Feed } from '../../../src/console/server/reading/feed.js';
import type { Entrance } from '../../../src/console/server/guard.js';
import { Snapshots } from '../../../src/console/server/reading/snapshot.js';
import { Stream, Streams, type StreamParts } from '../../../src/console/server/stream.js';
import { systemClock } from '../../../src/runtime/clock.js';
import type { World } from '../../../src/domain/fleet/world.js';
import { startConsole, type MemoryConsole } from '../../support/rigs/console/hub.js';
import { EXAMPLE_SPEC, exampleWorld } from '../../support/builders/examplefleet.js';
import { rawPlacement } from '../../support/builders/world.js';

/** The stream of the console over plain sockets: what it tells, to whom, how often, and when it ends. */

const BYTES = Buffer.from('page');
const ASSET = { contentType: 'text/html', bytes: BYTES, brotli: BYTES, gzip: BYTES, isHashed: false };
const PLACEMENT = rawPlacement(EXAMPLE_SPEC);

let clock: ManualClock;
let started: MemoryConsole;
let cookie: string;

beforeEach(async () => {
  clock = new ManualClock();
  const assets = { shell: ASSET, find: () => undefined, build: 'b' };
  started = await startConsole(exampleWorld(EXAMPLE_SPEC, { placements: [PLACEMENT] }), assets, clock);
  cookie = `console-${started.port}=${started.sessions.open(started.sessions.code())}`;
});
afterEach(() => {
  started.streams.close();
  started.server.closeAllConnections();
  started.server.close();
});

/** What a stream is written to. */
class FakeResponse extends EventEmitter {
  text = '';
  isFull = false;
  isCut = false;

  writeHead(): void {}

  write(text: string): boolean {
    this.text += text;
    return !this.isFull;
  }

  end(): void {
    this.emit('close');
  }

  destroy(): void {
    this.isCut = true;
    this.emit('close');
  }

  topics(): readonly (readonly string[])[] {
    return told(this) as readonly (readonly string[])[];
  }
}

/** A stream of readings that a test makes up. Returns what ends it. */
function stream(feed: Feed, response: FakeResponse, topics: readonly string[]): () => void {
  const snapshots = { feed, asOf: undefined, follow: (listener: () => void) => feed.listen(listener) };
  const parts = { response, snapshots, topics, after: '', clock, isAllowed: () => Promise.resolve(true) };
  // The parts of a response and of readings that a stream uses.
  const one = new Stream(parts as unknown as StreamParts);
  return () => one.end();
}

interface Reader {
  readonly response: IncomingMessage;
  /** All that has come. */
  text: string;
  isOver: boolean;
}

function open(address: string, headers: Readonly<Record<string, string>> = {}): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const own = { 'sec-fetch-site': 'same-origin', cookie, ...headers };
    const options = { host: '127.0.0.1', port: started.port, path: `/api/v1/${address}`, headers: own };
    const sent = request(options, (response) => {
      const reader: Reader = { response, text: '', isOver: false };
      response.on('data', (chunk: Buffer) => (reader.text += chunk.toString()));
      response.on('error', () => (reader.isOver = true));
      response.on('close', () => (reader.isOver = true));
      resolve(reader);
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** The topics of each event that has come. */
function told({ text }: Pick<Reader, 'text'>): readonly unknown[] {
  const data = text.split('\n').filter((line) => line.startsWith('data: ['));
  return data.map((line) => JSON.parse(line.slice('data: '.length)));
}

async function toldAfter(reader: Reader, count: number): Promise<readonly unknown[]> {
  return waitFor(`${count} events`, () => (told(reader).length >= count ? told(reader) : undefined));
}

/** A stream that has had its first event, and whose hub was read once. */
async function following(topics: string): Promise<Reader> {
  const reader = await open(`stream?topics=${topics}`);
  await toldAfter(reader, 1);
  await clock.advance(1);
  // The first reading is news.
  await clock.advance(2_000);
  await toldAfter(reader, 2);
  return reader;
}

function change(resource: 'placements' | 'managedclusters', version: string): void {
  const { objects } = started.hub.world;
  const [first, ...others] = objects[resource];
  if (first === undefined) throw new Error(`there are no ${resource}`);
  const changed = { ...first, metadata: { ...first.metadata, resourceVersion: version } };
  const world: World = { ...started.hub.world, objects: { ...objects, [resource]: [changed, ...others] } };
  started.hub.world = world;
}

describe('what is told', () => {
  it('the head lets no proxy keep anything back, and the first event has an id to go on from', async () => {
    const { response, text } = await following('fleet');
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
      'cache-control': 'no-store',
      'console-build': 'b',
    });
    expect(text).toMatch(/^id: [\w-]{8}-\d+\ndata: \[\]\n\n/);
  });

  it('a change is told by the names of the topics that show it', async () => {
    const reader = await following('fleet,placements,engine,placement:shop/web');
    change('placements', '7');
    await clock.advance(2_000);
    expect((await toldAfter(reader, 3))[2]).toEqual(['placement:shop/web', 'placements']);
    change('managedclusters', '8');
    await clock.advance(2_000);
    expect((await toldAfter(reader, 4))[3]).toEqual(['engine', 'fleet', 'placement:shop/web']);
    expect(reader.text).not.toContain('prod-us');
  });

  it('what happens while nobody listens is told to who comes back, by header or address', async () => {
    const reader = await following('fleet,placements');
    const id = /.*id: (\S+)/s.exec(reader.text)?.[1] ?? '';
    const other = await open('stream?topics=placements');
    await toldAfter(other, 1);
    reader.response.destroy();
    change('placements', '7');
    await clock.advance(2_000);
    await toldAfter(other, 2);

    expect((await toldAfter(await open(`stream?topics=fleet,placements&after=${id}`), 1))[0]).toEqual(['placements']);
    const again = await open('stream?topics=fleet,placements', { 'last-event-id': id });
    expect((await toldAfter(again, 1))[0]).toEqual(['placements']);
    const unknown = await open('stream?topics=fleet&after=AAAAAAAA-12');
    expect((await toldAfter(unknown, 1))[0]).toEqual(['all']);
  });

  it('that the hub cannot be read, and can be again, changes every topic', async () => {
    const reader = await following('fleet,engine');
    started.hub.isDown = true;
    await clock.advance(2_000);
    expect((await toldAfter(reader, 3))[2]).toEqual(['engine', 'fleet']);
    started.hub.isDown = false;
    await clock.advance(2_000);
    expect((await toldAfter(reader, 4))[3]).toEqual(['engine', 'fleet']);
  });

  it('a hub that hangs, and answers again, is read again at once: the time that it was waited for is no work of it', async () => {
    const reader = await following('fleet,engine');
    const { hub } = started;
    hub.isDown = true;
    hub.delay = () => new Promise((resolve) => void clock.after(15_000, resolve));
    await clock.advance(17_000);
    expect((await toldAfter(reader, 3))[2]).toEqual(['engine', 'fleet']);
    hub.isDown = false;
    hub.delay = undefined;
    // The request that hangs ends first.
    await clock.advance(18_000);
    expect((await toldAfter(reader, 4))[3]).toEqual(['engine', 'fleet']);
  });

  it('a right that is taken away changes every topic, since all answers name what is missing', async () => {
    const reader = await following('fleet,engine');
    started.hub.allows = (_verb, plural) => plural !== 'placements';
    await clock.advance(2_000);
    expect((await toldAfter(reader, 3))[2]).toEqual(['engine', 'fleet']);
  });

  it('nothing is told of what this person may not list, and its events and ids are the same whatever happens there', async () => {
    started.hub.allows = (_verb, plural) => plural !== 'placements';
    const reader = await following('fleet,placements,events');
    const { text } = reader;
    change('placements', '7');
    await clock.advance(8_000);
    change('placements', '8');
    await clock.advance(8_000);
    expect(reader.text.replace(/event: beat\ndata: .*\n\n/, '')).toBe(text);
  });

  it('where nothing changes there is a sign of life every 15 seconds, with when the hub was read', async () => {
    const reader = await following('placements');
    await clock.advance(16_000);
    await waitFor('a beat', () => /event: beat\ndata: 2026-01-01T00:00:\d\d\.\d+Z\n\n/.test(reader.text) || undefined);
  });
});

describe('how much it costs', () => {
  it('nobody listens: the hub is not read', async () => {
    const reader = await following('fleet');
    reader.response.destroy();
    await waitFor('the end', () => started.streams.size === 0 || undefined);
    const before = started.hub.lists;
    await clock.advance(3_600_000);
    expect(started.hub.lists).toBe(before);
  });

  it('a topic is told at most once a second, however often it changes', async () => {
    const reader = await following('placements');
    for (let version = 10; version < 40; version++) {
      change('placements', String(version));
      await clock.advance(100);
    }
    await clock.advance(2_000);
    await toldAfter(reader, 3);
    expect(told(reader).length).toBeLessThanOrEqual(2 + 5);
  });

  it('the streams of one person share the readings', async () => {
    const readings = async (): Promise<number> => {
      const before = started.hub.lists;
      await clock.advance(10_000);
      return started.hub.lists - before;
    };
    await following('placements');
    const ofOne = await readings();
    await toldAfter(await open('stream?topics=fleet'), 1);
    expect(await readings()).toBe(ofOne);
  });

  it('what is expensive to compute is told less often', async () => {
    let computing = 0;
    const feed = new Feed({ ...systemClock, monotonic: () => clock.monotonic() + computing });
    const response = new FakeResponse();
    const stop = stream(feed, response, ['fleet', 'placements']);
    const fleetEvents = (): number => response.topics().filter((one) => one.includes('fleet')).length;
    feed.allChanged();
    await clock.advance(1_000);
    feed.measured('fleet', () => (computing += 2_000));
    for (let second = 0; second < 9; second++) {
      feed.allChanged();
      await clock.advance(1_000);
    }
    expect([fleetEvents(), response.topics().length]).toEqual([1, 11]);
    await clock.advance(1_000);
    expect(fleetEvents()).toBe(2);
    stop();
  });

  it('to a reader who is slow nothing is written, then all at once; one who never reads is cut', async () => {
    const feed = new Feed(clock);
    const response = new FakeResponse();
    response.isFull = true;
    stream(feed, response, ['fleet', 'placements']);
    for (let second = 0; second < 20; second++) {
      feed.allChanged();
      await clock.advance(1_000);
    }
    expect(response.topics()).toEqual([[]]);
    response.isFull = false;
    response.emit('drain');
    expect(response.topics()).toEqual([[], ['fleet', 'placements']]);

    response.isFull = true;
    feed.allChanged();
    await clock.advance(29_000);
    expect(response.isCut).toBe(false);
    await clock.advance(3_000);
    expect(response.isCut).toBe(true);
    // Nothing is left of it.
    expect([feed.isFollowed, clock.pending]).toEqual([false, 0]);
  });
});

/** A connection that takes nothing after its request. */
class StalledSocket extends Duplex {
  constructor(request: string) {
    super();
    this.push(request);
  }

  override _read(): void {}

  /** Never done. */
  override _write(): void {}
}

/** A server of streams alone, each of another person; all of them see the same readings. */
function streamServer(streams: Streams): ReturnType<typeof createServer> {
  const { client } = started.hub;
  const snapshots = new Snapshots({ client, namespace: undefined, fallback: () => 'shop', clock });
  let persons = 0;
  const enter = (_visit: unknown, _path: string, work: (hub: object, person: string) => unknown): unknown =>
    work({ snapshots }, `person ${persons++}`);
  return createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'https://console');
    const visit = { request, response, origin: '', body: () => Promise.resolve() };
    // Of an entrance, a stream uses this alone.
    void streams.serve({ enter } as unknown as Entrance, visit, searchParams);
  });
}

it('what 500 streams that nobody reads are to be told does not grow, and all of them are cut', async () => {
  const streams = new Streams(clock);
  const server = streamServer(streams);
  const topics = Array.from({ length: 64 }, (_, index) => `placement:shop/${'n'.repeat(200)}-${index}`).join();
  const sockets = Array.from({ length: 500 }, () => {
    const socket = new StalledSocket(`GET /stream?topics=${topics} HTTP/1.1\r\nHost: console\r\n\r\n`);
    server.emit('connection', socket);
    return socket;
  });
  await waitFor('the streams', () => streams.size === 500 || undefined);
  const held = (): number => sockets.reduce((sum, { writableLength }) => sum + writableLength, 0);
  const changes = async (from: number, to: number): Promise<void> => {
    for (let version = from; version < to; version++) {
      change('placements', String(version));
      await clock.advance(1_000);
    }
  };
  await changes(10, 15);
  const first = held();
  await changes(15, 35);
  expect([streams.size, held()]).toEqual([500, first]);
  // Each may hold what the system does not take at once, and one event beyond it.
  expect(first / sockets.length).toBeLessThan(64 * 1024);
  await changes(35, 45);
  await waitFor('the cut', () => streams.size === 0 || undefined);
  expect(sockets.every(({ destroyed }) => destroyed)).toBe(true);
});

describe('who may listen', () => {
  it.each([
    ['stream', 400],
    ['stream?topics=secrets', 400],
    ['stream?topics=placement:shop', 400],
    [`stream?topics=${Array.from({ length: 65 }, (_, index) => `cluster:c${index}`).join()}`, 400],
  ])('%s is an error that says what is wanted', async (address, code) => {
    const { response } = await open(address);
    expect(response.statusCode).toBe(code);
  });

  it('another site, and whoever has no session, gets nothing', async () => {
    expect((await open('stream?topics=fleet', { 'sec-fetch-site': 'cross-site' })).response.statusCode).toBe(403);
    expect((await open('stream?topics=fleet', { cookie: '' })).response.statusCode).toBe(401);
  });

  it('a person has four streams, and another one when one of them has ended', async () => {
    const four = await Promise.all([1, 2, 3, 4].map(() => open('stream?topics=fleet')));
    const fifth = await open('stream?topics=fleet');
    expect([fifth.response.statusCode, fifth.response.headers['retry-after']]).toEqual([429, '10']);
    four[0]?.response.destroy();
    await waitFor('the end', () => started.streams.size === 3 || undefined);
    expect((await open('stream?topics=fleet')).response.statusCode).toBe(200);
  });

  it('a session that ends takes its stream with it within 35 seconds', async () => {
    const reader = await following('fleet');
    started.sessions.close(cookie.slice(cookie.indexOf('=') + 1));
    await clock.advance(35_000);
    await waitFor('the end', () => reader.isOver || undefined);
  });
});
