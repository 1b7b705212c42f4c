import { randomBytes } from 'node:crypto';
import { WORLD_RESOURCES, type WorldResource } from '../../../domain/fleet/world.js';
import type { Clock } from '../../../runtime/clock.js';
import { ALL_TOPICS } from '../../wire/topics.js';
import { changedKinds, kindsOf, type Versions } from './topics.js';

/** Of so many topics it is known what they cost. */
const MOST_COSTS = 256;

/** Ms that the answers of a topic took since a change. */
interface Cost {
  readonly since: number;
  ms: number;
}

/**
 * When what one person reads has changed. It compares the readings that were made with the credentials of this person, so it
 * tells nothing that they could not see by asking. Six times are kept, whatever changes.
 */
export class Feed {
  readonly #clock: Clock;
  /** A feed that begins anew knows nothing of what was before. */
  readonly #epoch = randomBytes(6).toString('base64url');
  readonly #changedAt = new Map<WorldResource, number>();
  readonly #listeners = new Set<() => void>();
  readonly #costs = new Map<string, Cost>();
  #latest = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes a reading that has come in the place of another one. */
  replaced(before: Versions | undefined, after: Versions): void {
    this.#note(before === undefined ? WORLD_RESOURCES : changedKinds(before, after));
  }

  /** Notes that every answer is another one now: of the time, or of why the hub cannot be read. */
  allChanged(): void {
    this.#note(WORLD_RESOURCES);
  }

  /** Calls `listener` after each change, until the returned function is called. */
  listen(listener: () => void): () => void {
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  get isFollowed(): boolean {
    return this.#listeners.size > 0;
  }

  /** `epoch-ms`: what a stream has told of when it was given this. */
  get id(): string {
    return `${this.#epoch}-${this.#latest}`;
  }

  /** Which of the topics have changed since an id; `all` where the id is not of this feed. */
  since(id: string, topics: readonly string[]): readonly string[] {
    const [, epoch, ms] = /^([\w-]{8})-(\d{1,15})$/.exec(id) ?? [];
    if (epoch !== this.#epoch) return [ALL_TOPICS];
    return topics.filter((one) => kindsOf(one).some((kind) => (this.#changedAt.get(kind) ?? 0) > Number(ms)));
  }

  /** Computes an answer of this topic, and notes how long it took. */
  measured<T>(topic: string | undefined, compute: () => T): T {
    const start = this.#clock.monotonic();
    try {
      return compute();
    } finally {
      if (topic !== undefined) this.#noteCost(topic, this.#clock.monotonic() - start);
    }
  }

  /** Ms that the last answers of the topic took, of one change. */
  costOf(topic: string): number {
    return this.#costs.get(topic)?.ms ?? 0;
  }

  #noteCost(topic: string, ms: number): void {
    const known = this.#costs.get(topic);
    if (known?.since === this.#latest) {
      known.ms += ms;
      return;
    }
    this.#costs.delete(topic);
    const [oldest] = this.#costs.keys();
    if (this.#costs.size >= MOST_COSTS && oldest !== undefined) this.#costs.delete(oldest);
    this.#costs.set(topic, { since: this.#latest, ms });
  }

  #note(kinds: readonly WorldResource[]): void {
    if (kinds.length === 0) return;
    // Two changes of one millisecond are two.
    this.#latest = Math.max(this.#latest + 1, Math.floor(this.#clock.monotonic()));
    for (const kind of kinds) this.#changedAt.set(kind, this.#latest);
    for (const listener of this.#listeners) listener();
  }
}
