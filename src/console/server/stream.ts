import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '../../runtime/clock.js';
import { ALL_TOPICS, BEAT_EVENT, BEAT_MS, MOST_TOPICS, OBJECT_TOPICS, SINGLE_TOPICS } from '../wire/topics.js';
import type { Entrance, Visit } from './guard.js';
import type { Snapshots } from './reading/snapshot.js';
import { RequestError } from './routes.js';

/** Streams of server-sent events, which name what has changed. */

/** Nothing is written more often, and no topic is named more often, nor than this many times what its last answers have cost. */
const SHORTEST_MS = 1_000;
const BY_COST = 5;
/** Whoever does not read for this long is cut, and asks again. */
const UNDRAINED_MS = 30_000;
/** The right to read is asked about again after this time. */
const CHECK_MS = 30_000;

export interface StreamParts {
  readonly response: ServerResponse;
  readonly snapshots: Snapshots;
  readonly topics: readonly string[];
  /** The id of the last event that the page has had; empty: it has read nothing yet. */
  readonly after: string;
  readonly clock: Clock;
  /** Whether the person may still ask. Never rejects. */
  readonly isAllowed: () => Promise<boolean>;
}

/**
 * One stream of server-sent events. What is waiting to be told is a set of topics, so a reader who is slow costs no more than
 * one who is not. Resolves `ended` when it is over, whoever has ended it.
 */
export class Stream {
  readonly ended: Promise<void>;
  readonly #parts: StreamParts;
  readonly #pending = new Set<string>();
  readonly #stopFollowing: () => void;
  /** When this stream named each topic last, by the monotonic clock. */
  readonly #firedAt = new Map<string, number>();
  #checking: Timer | undefined;
  #isOver = false;
  #flush: Timer | undefined;
  #cut: Timer | undefined;
  #beat: Timer | undefined;
  /** What was told of, whole. */
  #told: string;
  #seen: string;
  #wroteAt = -Infinity;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    const { response, snapshots, after } = parts;
    const { feed } = snapshots;
    this.#told = feed.id;
    this.#seen = feed.id;
    this.ended = new Promise((resolve) => response.once('close', resolve));
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    if (after !== '') for (const topic of feed.since(after, parts.topics)) this.#pending.add(topic);
    // The first event comes at once, also where nothing has changed: it has the id to go on from.
    this.#write(`id: ${feed.id}\ndata: ${named(this.#pending)}\n\n`);
    this.#pending.clear();
    this.#stopFollowing = snapshots.follow(() => this.#note());
    this.#check();
    void this.ended.then(() => this.#close());
  }

  end(): void {
    const { response } = this.#parts;
    if (this.#cut === undefined) response.end();
    else response.destroy();
  }

  #note(): void {
    const { snapshots, topics } = this.#parts;
    for (const topic of snapshots.feed.since(this.#seen, topics)) this.#pending.add(topic);
    this.#seen = snapshots.feed.id;
    this.#tell();
  }

  /** Names the topics that are due, and comes back for the others. */
  #tell(): void {
    this.#flush?.cancel();
    this.#flush = undefined;
    // A stream that is not drained comes back when it is.
    if (this.#cut !== undefined || this.#pending.size === 0) return;
    const { clock } = this.#parts;
    const now = clock.monotonic();
    const isWritable = now - this.#wroteAt >= SHORTEST_MS;
    const due = isWritable ? [...this.#pending].filter((one) => this.#dueAt(one) <= now) : [];
    if (due.length > 0) {
      for (const topic of due) {
        this.#pending.delete(topic);
        this.#firedAt.set(topic, now);
      }
      // A page that is cut now asks for what it was not told.
      if (this.#pending.size === 0) this.#told = this.#seen;
      this.#write(`id: ${this.#told}\ndata: ${named(due)}\n\n`);
    }
    if (this.#pending.size === 0) return;
    const next = Math.min(...Array.from(this.#pending, (one) => this.#dueAt(one)));
    const wait = Math.max(next, this.#wroteAt + SHORTEST_MS) - now;
    this.#flush = clock.after(wait, () => this.#tell());
  }

  /** What a topic costs is what bounds how often it is named. */
  #dueAt(topic: string): number {
    const cost = this.#parts.snapshots.feed.costOf(topic);
    return (this.#firedAt.get(topic) ?? -Infinity) + Math.max(SHORTEST_MS, BY_COST * cost);
  }

  #write(text: string): void {
    const { response, clock } = this.#parts;
    this.#wroteAt = clock.monotonic();
    this.#beat?.cancel();
    this.#beat = clock.after(BEAT_MS, () => this.#sendBeat());
    if (response.write(text)) return;
    this.#cut = clock.after(UNDRAINED_MS, () => response.destroy());
    response.once('drain', () => {
      this.#cut?.cancel();
      this.#cut = undefined;
      this.#tell();
    });
  }

  /** The page shows when the hub was read last, though nothing has changed. */
  #sendBeat(): void {
    const { asOf } = this.#parts.snapshots;
    const time = asOf === undefined ? '' : new Date(asOf).toISOString();
    if (this.#cut === undefined) this.#write(`event: ${BEAT_EVENT}\ndata: ${time}\n\n`);
    else this.#beat = this.#parts.clock.after(BEAT_MS, () => this.#sendBeat());
  }

  #check(): void {
    const { clock, isAllowed } = this.#parts;
    this.#checking = clock.after(CHECK_MS, () => {
      void isAllowed().then((isStill) => {
        if (this.#isOver) return;
        if (isStill) this.#check();
        else this.end();
      });
    });
  }

  #close(): void {
    this.#isOver = true;
    this.#stopFollowing();
    for (const timer of [this.#checking, this.#flush, this.#cut, this.#beat]) timer?.cancel();
  }
}

/** A browser holds one for all of its tabs. */
const MOST_OF_A_PERSON = 4;
const MOST = 500;
/** When it is worth to ask again, seconds. */
const RETRY = { 'retry-after': '10' };

/** The streams that are open, of all persons. */
export class Streams {
  readonly #clock: Clock;
  /** With the person whose it is. */
  readonly #open = new Map<Stream, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Serves the stream of a request to its end. @throws RequestError for what is no topic, without a session, and beyond a limit */
  serve(entrance: Entrance, visit: Visit, query: URLSearchParams): Promise<void> {
    const topics = topicsIn(query);
    return entrance.enter(visit, 'stream', async ({ snapshots }, person) => {
      const held = [...this.#open.values()].filter((one) => one === person);
      if (held.length >= MOST_OF_A_PERSON)
        throw new RequestError(429, `at most ${MOST_OF_A_PERSON} streams of a person`, RETRY);
      if (this.#open.size >= MOST) throw new RequestError(503, 'the console is busy: too many streams are open', RETRY);
      const after = idIn(visit, query);
      const isAllowed = (): Promise<boolean> => mayAsk(entrance, visit, snapshots);
      const { response } = visit;
      const stream = new Stream({ response, snapshots, topics, after, clock: this.#clock, isAllowed });
      this.#open.set(stream, person);
      await stream.ended;
      this.#open.delete(stream);
    });
  }

  /** Ends every stream. */
  close(): void {
    for (const stream of this.#open.keys()) stream.end();
  }
}

/** Whoever asks too much at this moment may still ask. What was read for a session that has ended is not followed on. */
async function mayAsk(entrance: Entrance, visit: Visit, followed: Snapshots): Promise<boolean> {
  try {
    return await entrance.enter(visit, 'stream', async ({ snapshots }) => snapshots === followed);
  } catch (error) {
    return error instanceof RequestError && error.code === 429;
  }
}

/** Browsers send the header by themselves when they come back. */
function idIn({ request }: Visit, query: URLSearchParams): string {
  const header = request.headers['last-event-id'];
  return typeof header === 'string' && header !== '' ? header : (query.get('after') ?? '');
}

/** What the object of a topic is written like. */
const OBJECT_NAMES = { 'NAMESPACE/NAME': /^[^/]{1,63}\/[^/]{1,253}$/s, NAME: /^[^/]{1,253}$/s } as const;
const SINGLE: readonly string[] = SINGLE_TOPICS;
const OBJECTS = Object.entries(OBJECT_TOPICS);

function isTopic(text: string): boolean {
  return (
    SINGLE.includes(text) ||
    OBJECTS.some(([head, name]) => {
      return text.startsWith(`${head}:`) && OBJECT_NAMES[name].test(text.slice(head.length + 1));
    })
  );
}

/** The topics of a request, once each. @throws RequestError 400 */
function topicsIn(query: URLSearchParams): readonly string[] {
  const topics = [...new Set((query.get('topics') ?? '').split(',').filter((one) => one !== ''))];
  if (topics.length > MOST_TOPICS) throw new RequestError(400, `topics: at most ${MOST_TOPICS}, got ${topics.length}`);
  const unknown = topics.find((one) => !isTopic(one));
  if (unknown !== undefined || topics.length === 0) {
    const all = [...SINGLE, ...OBJECTS.map(([head, name]) => `${head}:${name}`)];
    const want = `want ${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
    throw new RequestError(400, `topics: ${JSON.stringify(unknown ?? '')}: ${want}`);
  }
  return topics;
}

/** As an event names them: `all` alone where nothing is known. */
function named(topics: Iterable<string>): string {
  const sorted = [...topics].sort();
  return JSON.stringify(sorted.includes(ALL_TOPICS) ? [ALL_TOPICS] : sorted);
}
