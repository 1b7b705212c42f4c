import { BEAT_EVENT, MOST_TOPICS } from '../wire/topics.js';
import { eventsIn, type ServerEvent } from './eventstream.js';

/** Follows what changes: by a stream that one tab holds for all of them, and by asking again and again where there is none. */

/** What a tab needs of its browser and of the page. */
export interface LiveParts {
  /** Reads the stream until it ends or the signal fires; whether the server has served it. */
  readonly read: (address: string, onText: (text: string) => void, signal: AbortSignal) => Promise<boolean>;
  /** To the other tabs of this browser. */
  readonly post: (message: TabMessage) => void;
  /** Waits until no other tab holds the stream, and runs `held`; that resolves when it is let go. */
  readonly hold: (held: () => Promise<void>, signal: AbortSignal) => Promise<void>;
  /** Calls `run` after some time, until the returned function is called. */
  readonly later: (ms: number, run: () => void) => () => void;
  /** Something of these topics has changed. */
  readonly onTopics: (topics: readonly string[]) => void;
  /** The hub was read at this time, RFC 3339. */
  readonly onBeat: (asOf: string) => void;
  /** Asks for everything that is shown. */
  readonly onPoll: () => void;
  /** Whether this tab has to ask again and again now. */
  readonly onPolling: (isPolling: boolean) => void;
}

export type TabMessage =
  /** The tab that holds the stream has been told of this. */
  | { readonly kind: 'told'; readonly topics: readonly string[] }
  | { readonly kind: 'beat'; readonly asOf: string }
  /** A tab shows this; nothing: it is hidden. */
  | { readonly kind: 'want'; readonly tab: string; readonly topics: readonly string[] }
  /** A tab holds the stream from now on, and wants to know what the others show. */
  | { readonly kind: 'ask' };

/** After so long without a sign of the stream it counts as lost. */
const SILENCE_MS = 40_000;
export const POLL_MS = 10_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 10_000;
/** Pages that change at once are one change. */
const SETTLE_MS = 100;
/** What servers and proxies take as the head of a request. */
const LONGEST_ADDRESS = 6_000;
/** Changes with everything. */
const ANYTHING = 'events';

export class Live {
  readonly #parts: LiveParts;
  readonly #tab: string;
  readonly #others = new Map<string, readonly string[]>();
  #topics: readonly string[] = [];
  #isShown = false;
  #isPolling = false;
  #letGo: AbortController | undefined;
  /** Ends the stream that is read now, for one of other topics. */
  #stream: AbortController | undefined;
  #streamed: readonly string[] = [];
  /** The topics of the last stream that has begun: what is shown of them is as new as its events. */
  #begun: readonly string[] = [];
  #isHolding = false;
  #lastId = '';
  #failures = 0;
  #wake: (() => void) | undefined;
  readonly #timers: Record<'silence' | 'poll' | 'settle', () => void> = { silence: none, poll: none, settle: none };

  /** `tab`: another one for each tab. */
  constructor(tab: string, parts: LiveParts) {
    this.#tab = tab;
    this.#parts = parts;
  }

  /** A tab that is hidden, or whose session is over, reads nothing and holds nothing. */
  show(isShown: boolean): void {
    if (this.#isShown === isShown) return;
    this.#isShown = isShown;
    this.#announce();
    if (isShown) this.#begin();
    else this.#end();
  }

  /** What this tab shows now. */
  want(topics: readonly string[]): void {
    this.#topics = topics;
    this.#announce();
    this.#settle();
  }

  /** From another tab. */
  hear(message: TabMessage): void {
    switch (message.kind) {
      case 'told':
        return this.#told(message.topics);
      case 'beat':
        return this.#beat(message.asOf);
      case 'ask':
        return this.#announce();
      case 'want':
        if (message.topics.length === 0) this.#others.delete(message.tab);
        else this.#others.set(message.tab, message.topics);
        return this.#settle();
    }
  }

  #announce(): void {
    this.#parts.post({ kind: 'want', tab: this.#tab, topics: this.#isShown ? this.#topics : [] });
  }

  #begin(): void {
    this.#letGo = new AbortController();
    const { signal } = this.#letGo;
    this.#sign();
    void this.#parts.hold(() => this.#follow(signal), signal).catch(() => undefined);
  }

  #end(): void {
    this.#letGo?.abort();
    this.#stream?.abort();
    this.#wake?.();
    for (const cancel of Object.values(this.#timers)) cancel();
    this.#setPolling(false);
  }

  /** Reads one stream after the other while this tab is shown. */
  async #follow(letGo: AbortSignal): Promise<void> {
    this.#isHolding = true;
    this.#others.clear();
    this.#parts.post({ kind: 'ask' });
    this.#failures = 0;
    while (!letGo.aborted) {
      const topics = this.#union();
      if (topics.length === 0) await this.#pause(undefined);
      else if (!(await this.#readStream(topics)) && !letGo.aborted) await this.#retryLater();
    }
    this.#isHolding = false;
  }

  /** Whether the stream was ended by this tab. */
  async #readStream(topics: readonly string[]): Promise<boolean> {
    const added = topics.filter((one) => !this.#begun.includes(one));
    this.#streamed = topics;
    this.#stream = new AbortController();
    const { signal } = this.#stream;
    let rest = '';
    let isFirst = true;
    const isServed = await this.#parts.read(
      addressOf(topics, this.#lastId),
      (text) => {
        if (signal.aborted) return;
        const found = eventsIn(rest + text);
        ({ rest } = found);
        for (const event of found.events) {
          // What was read of these topics may be older than the stream.
          this.#take(event, isFirst ? added : []);
          if (isFirst) this.#begun = topics;
          isFirst = false;
        }
      },
      signal,
    );
    if (signal.aborted) return true;
    // A server that refuses a stream will not be silent for long before it is asked again.
    if (!isServed) this.#setPolling(true);
    return false;
  }

  #take({ event, data, id }: ServerEvent, added: readonly string[]): void {
    this.#failures = 0;
    if (event === BEAT_EVENT) {
      this.#parts.post({ kind: 'beat', asOf: data });
      this.#beat(data);
      return;
    }
    if (id !== '') this.#lastId = id;
    const told = [...new Set([...topicsIn(data), ...added])];
    // Too many topics to name each: anything has changed.
    const topics = this.#streamed.includes(ANYTHING) && told.includes(ANYTHING) ? told.concat(this.#unnamed()) : told;
    this.#parts.post({ kind: 'told', topics });
    this.#told(topics);
  }

  #told(topics: readonly string[]): void {
    this.#sign();
    if (this.#isShown && topics.length > 0) this.#parts.onTopics(topics);
  }

  #beat(asOf: string): void {
    this.#sign();
    if (asOf !== '') this.#parts.onBeat(asOf);
  }

  /** A sign of the stream has come, from this tab or from another one. */
  #sign(): void {
    this.#timers.silence();
    this.#setPolling(false);
    if (!this.#isShown) return;
    this.#timers.silence = this.#parts.later(SILENCE_MS, () => {
      this.#setPolling(true);
      // What is silent is not coming back by itself.
      this.#stream?.abort();
    });
  }

  #setPolling(isPolling: boolean): void {
    const isOn = isPolling && this.#isShown;
    if (isOn === this.#isPolling) return;
    this.#isPolling = isOn;
    this.#timers.poll();
    this.#parts.onPolling(isOn);
    if (isOn) this.#pollLater();
  }

  #pollLater(): void {
    this.#timers.poll = this.#parts.later(POLL_MS, () => {
      this.#parts.onPoll();
      this.#pollLater();
    });
  }

  /** Begins another stream where other topics are shown now. */
  #settle(): void {
    this.#timers.settle();
    this.#timers.settle = this.#parts.later(SETTLE_MS, () => {
      if (!this.#isHolding || this.#union().join() === this.#streamed.join()) return;
      this.#stream?.abort();
      this.#wake?.();
    });
  }

  /** What all tabs show. */
  #wantedByAll(): readonly string[] {
    return [...new Set([this.#topics, ...this.#others.values()].flat())].sort();
  }

  #union(): readonly string[] {
    const all = this.#wantedByAll();
    return all.length > MOST_TOPICS || addressOf(all, '').length > LONGEST_ADDRESS ? [ANYTHING] : all;
  }

  #unnamed(): readonly string[] {
    return this.#wantedByAll().filter((one) => !this.#streamed.includes(one));
  }

  async #retryLater(): Promise<void> {
    const wait = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures);
    this.#failures += 1;
    await this.#pause(wait);
  }

  /** Until `ms` have gone by, or there is a reason to go on. */
  async #pause(ms: number | undefined): Promise<void> {
    let cancel = none;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (ms !== undefined) cancel = this.#parts.later(ms, resolve);
    });
    cancel();
    this.#wake = undefined;
  }
}

function none(): void {}

function addressOf(topics: readonly string[], after: string): string {
  const names = topics.map(encodeURIComponent).join();
  return `stream?topics=${names}${after === '' ? '' : `&after=${after}`}`;
}

function topicsIn(data: string): readonly string[] {
  const found: unknown = JSON.parse(data);
  return Array.isArray(found) ? found.filter((one) => typeof one === 'string') : [];
}
