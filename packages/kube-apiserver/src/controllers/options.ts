import type { Clock } from '../clock.js';
import type { ObjectReader } from '../registry/reader.js';
import type { ServedRegistry } from '../registry/registry.js';
import type { Store } from '../store/store.js';
import type { Verbs } from '../verbs/verbs.js';

/** What all controllers need. */
export interface ControllerOptions {
  readonly store: Store;
  readonly reader: ObjectReader;
  readonly registry: ServedRegistry;
  readonly verbs: Verbs;
  readonly clock: Clock;
  /** Receives the key and the error of a failed reconciliation, which is retried. */
  readonly onError: (key: string, error: unknown) => void;
}
