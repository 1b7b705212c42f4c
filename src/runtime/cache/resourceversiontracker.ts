import type { Clock } from '../clock.js';
import { ApiError, type FailedCall } from '../errors.js';
import { isNotNewer, isOlder } from '../vocabulary/meta.js';

/** An older list may come from a replica that lags; when it stays older for this long, the server was restored from a backup. */
const BACKUP_AFTER_MS = 30_000;
/** The collection is listed again after this long, in case an event was lost unnoticed. */
const RELIST_MS = 3_600_000;

/** Which resourceVersion a reflector has observed, and whether the next request is a list or a watch. */
export class ResourceVersionTracker {
  readonly #clock: Clock;
  #watchFrom: string | undefined;
  /** The newest resourceVersion that was accepted. */
  #newest = '';
  #behindSince: number | undefined;
  #listedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The resourceVersion from which the next watch starts; undefined when a list has to come first. */
  get watchFrom(): string | undefined {
    return this.#watchFrom;
  }

  /** Makes the next request a list. */
  requireList(): void {
    this.#watchFrom = undefined;
  }

  /** Whether the last list is an hour old. */
  get relistDue(): boolean {
    return this.#clock.monotonic() - this.#listedAt >= RELIST_MS;
  }

  /**
   * Whether a list of this resourceVersion may replace the store. One that is older than an accepted one may not, unless
   * the server has returned older ones for 30 s.
   */
  accepts(resourceVersion: string): boolean {
    if (!this.isBehind(resourceVersion)) {
      this.#behindSince = undefined;
      return true;
    }
    const now = this.#clock.monotonic();
    this.#behindSince ??= now;
    return now - this.#behindSince >= BACKUP_AFTER_MS;
  }

  /** Whether this resourceVersion is older than one that was accepted. */
  isBehind(resourceVersion: string): boolean {
    return this.#newest !== '' && isOlder(resourceVersion, this.#newest);
  }

  /** Records a list that was stored: the next watch starts from it. */
  listed(resourceVersion: string): void {
    this.#watchFrom = resourceVersion;
    this.#newest = resourceVersion;
    this.#behindSince = undefined;
    this.#listedAt = this.#clock.monotonic();
  }

  /** Records the resourceVersion of an event or bookmark; false when it is not newer than the last: a replay. */
  advance(resourceVersion: string): boolean {
    if (this.#watchFrom !== undefined && isNotNewer(resourceVersion, this.#watchFrom)) return false;
    this.#watchFrom = resourceVersion;
    this.#newest = resourceVersion;
    return true;
  }
}

/** The error for a list that is not accepted. */
export function olderListError(resourceVersion: string, call: FailedCall): ApiError {
  const message = `list ${call.resource}: resourceVersion ${resourceVersion} is older than one observed before: the replica lags, or the server was restored from a backup`;
  return new ApiError({ kind: 'Unavailable', message, call });
}
