import type { Clock } from '../../runtime/clock.js';
import { noJournal } from './journal.js';
import { LogStore } from './logstore.js';
import { LIMITS, State, type Limits } from './state.js';
import type { Store } from './store.js';

/** Revision of an empty store. */
const FIRST_REVISION = 1;

export interface MemoryOptions {
  readonly clock: Clock;
  readonly limits?: Partial<Limits>;
  /** Freezes objects to the last leaf: for tests, to find who changes what is shared. */
  readonly frozen?: boolean;
}

/** A store that ends with the process. */
export function memoryStore({ clock, limits, frozen = false }: MemoryOptions): Store {
  const state = new State(clock, { ...LIMITS, ...limits }, FIRST_REVISION, frozen);
  return new LogStore(state, noJournal, { clock, onFatal: () => undefined });
}
