import { type Clock, delay } from '../clock.js';
import { StatusError } from '../status.js';
import type { Store } from '../store/store.js';

/** As long as the real server waits until it has seen a revision. */
const PATIENCE_MS = 3000;
const LOOK_MS = 25;

/** 504: there is no such revision yet. */
export class TooLarge extends StatusError {
  readonly asked: number;

  readonly waits: boolean;

  /** @param collection that is read: events are not kept in memory by the real server, and so never waited for */
  constructor(
    asked: number,
    current: number,
    { collection, watch = false }: { readonly collection: string; readonly watch?: boolean },
  ) {
    const waits = collection !== 'events';
    const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
    const details = { causes, ...(waits ? { retryAfterSeconds: 1 } : watch ? { retryAfterSeconds: 3 } : {}) };
    super(504, `Timeout: Too large resource version: ${digits(asked)}, current: ${current}`, {
      reason: 'Timeout',
      details,
    });
    this.asked = asked;
    this.waits = waits;
  }
}

/** Beyond 2^53 a number has lost its last digits, but the largest is the one that people write. */
function digits(revision: number): string {
  const exact = BigInt(revision);
  return String(exact === 2n ** 64n ? exact - 1n : exact);
}

export interface Arrivals {
  readonly store: Store;
  readonly clock: Clock;
}

/** Reads; where that needs a revision that is not there yet, reads again when it is, or when three seconds are over. */
export function patiently<T>(arrivals: Arrivals, read: () => T): T | Promise<T> {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TooLarge) || !error.waits) throw error;
    return arrived(arrivals, error.asked).then(read);
  }
}

/** Resolves when a revision is there, at the latest after three seconds. */
export async function arrived({ store, clock }: Arrivals, revision: number): Promise<void> {
  const end = clock.monotonic() + PATIENCE_MS;
  while (store.revision < revision && clock.monotonic() < end) await delay(clock, LOOK_MS);
}
