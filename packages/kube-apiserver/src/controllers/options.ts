import type { Clock } from '../clock.js';
import type { ObjectReader } from '../registry/reader.js';
import type { ServedRegistry } from '../registry/registry.js';
import type { Store } from '../store/store.js';
import type { Verbs } from '../verbs/verbs.js';

/** What controllers see and act with. */
export interface ControllerOptions {
  readonly store: Store;
  readonly reader: ObjectReader;
  readonly registry: ServedRegistry;
  readonly verbs: Verbs;
  readonly clock: Clock;
  /** Told of a key whose work failed and is tried again. */
  readonly onError: (key: string, error: unknown) => void;
}
