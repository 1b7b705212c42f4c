import { type Clock, delay } from '../../clock.js';
import { StatusError } from '../../status.js';
import type { Store } from '../../store/store.js';

/** kube-apiserver's limit of waiting for a revision. */
const MAX_WAIT_MS = 3000;
const POLL_MS = 25;

/** 504: the requested revision does not exist yet. */
export class ResourceVersionTooLarge extends StatusError {
  readonly requested: number;

  readonly isAwaited: boolean;

  /** @param collection that is read: kube-apiserver has no watch cache for events, and so never waits for them */
  constructor(
    requested: number,
    current: number,
    { collection, watch = false }: { readonly collection: string; readonly watch?: boolean },
  ) {
    const waits = collection !== 'events';
    const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
    const details = { causes, ...(waits ? { retryAfterSeconds: 1 } : watch ? { retryAfterSeconds: 3 } : {}) };
    super(504, `Timeout: Too large resource version: ${digits(requested)}, current: ${current}`, {
      reason: 'Timeout',
      details,
    });
    this.requested = requested;
    this.isAwaited = waits;
  }
}

/** Above 2^53 a number loses digits, but the largest one is what people write. */
function digits(revision: number): string {
  const exact = BigInt(revision);
  return String(exact === 2n ** 64n ? exact - 1n : exact);
}

export interface RevisionSource {
  readonly store: Store;
  readonly clock: Clock;
}

/** Reads; where that needs a revision that does not exist yet, waits up to three seconds for it and reads again. */
export function readWhenAvailable<T>(arrivals: RevisionSource, read: () => T): T | Promise<T> {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ResourceVersionTooLarge) || !error.isAwaited) throw error;
    return revisionAvailable(arrivals, error.requested).then(read);
  }
}

/** Resolves when the revision exists, or after three seconds. */
export async function revisionAvailable({ store, clock }: RevisionSource, revision: number): Promise<void> {
  const end = clock.monotonic() + MAX_WAIT_MS;
  while (store.revision < revision && clock.monotonic() < end) await delay(clock, POLL_MS);
}
