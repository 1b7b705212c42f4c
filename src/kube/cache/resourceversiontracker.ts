import type { Clock } from '../../runtime/clock.js';
import { ApiError } from '../../runtime/errors.js';
import type { FailedCall } from '../../runtime/errors.js';
import { isNotNewer, isOlder } from '../../runtime/resourceversion.js';

/** A list older than what was seen before may come from a replica that lags; one that stays older comes from a restored backup. */
const BACKUP_AFTER_MS = 30_000;
/** Everything is read anew after this long, to heal what no protocol reveals. */
const RELIST_MS = 3_600_000;

/** How far a reflector has read the history of its collection. */
export class ResourceVersionTracker {
  readonly #clock: Clock;
  #position: string | undefined;
  /** The newest resourceVersion that was ever believed. */
  #newest = '';
  #wentBackAt: number | undefined;
  #listedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Where the next watch goes on; undefined when a list has to come first. */
  get watchFrom(): string | undefined {
    return this.#position;
  }

  /** The next thing to do is a list. */
  requireList(): void {
    this.#position = undefined;
  }

  /** Whether the last list is so old that it is time for another. */
  get relistDue(): boolean {
    return this.#clock.monotonic() - this.#listedAt >= RELIST_MS;
  }

  /**
   * Whether a list of this resourceVersion may be believed. One that is older than what was seen before is not, until the
   * server has kept to it for half a minute.
   */
  accepts(resourceVersion: string): boolean {
    if (!this.isBehind(resourceVersion)) {
      this.#wentBackAt = undefined;
      return true;
    }
    const now = this.#clock.monotonic();
    this.#wentBackAt ??= now;
    return now - this.#wentBackAt >= BACKUP_AFTER_MS;
  }

  /** Whether the server is at an earlier moment than one that was seen already. */
  isBehind(resourceVersion: string): boolean {
    return this.#newest !== '' && isOlder(resourceVersion, this.#newest);
  }

  /** A list was published; a watch can go on from it. */
  listed(resourceVersion: string): void {
    this.#position = resourceVersion;
    this.#newest = resourceVersion;
    this.#wentBackAt = undefined;
    this.#listedAt = this.#clock.monotonic();
  }

  /** Takes an event's or a bookmark's resourceVersion; false when that was seen before: a replay, which says nothing new. */
  advance(resourceVersion: string): boolean {
    if (this.#position !== undefined && isNotNewer(resourceVersion, this.#position)) return false;
    this.#position = resourceVersion;
    this.#newest = resourceVersion;
    return true;
  }
}

/** The failure of a list that is not believed (yet). */
export function olderListError(resourceVersion: string, call: FailedCall): ApiError {
  const message = `list ${call.resource}: resourceVersion ${resourceVersion} is older than what was seen before: a replica that lags, or a restored backup`;
  return new ApiError({ kind: 'Unavailable', message, call });
}
