/** An accepted change as it is stored. */
export interface Written {
  readonly revision: number;
  readonly type: 'put' | 'remove';
  readonly collection: string;
  readonly key: string;
  /** JSON of the object after the change; for a deletion, of its last state. */
  readonly bytes: Buffer;
  /** Time of acceptance, ms since the epoch. */
  readonly time: number;
}

/** Makes changes durable. Calls never overlap. */
export interface Journal {
  /**
   * Resolves when all changes of the batch are durable. Rejects with {@link NoSpace} when none is and none will be;
   * with another error when that is unknown: then nothing more may be written.
   */
  append(batch: readonly Written[]): Promise<void>;
  /** Called between batches, when the state includes everything that was appended: may compact. Rejects as `append`. */
  maintain(): Promise<void>;
  close(): Promise<void>;
}

/** There is no space for the change, and nothing of it was written. */
export class NoSpace extends Error {
  constructor(cause: unknown) {
    super('no space left on device', { cause });
    this.name = 'NoSpace';
  }
}

/** Stores nothing, for in-memory stores. */
export const noJournal: Journal = {
  append: () => Promise.resolve(),
  maintain: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
