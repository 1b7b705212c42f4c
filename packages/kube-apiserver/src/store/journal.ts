/** One accepted change, as it is written down. */
export interface Written {
  readonly revision: number;
  readonly type: 'put' | 'remove';
  readonly collection: string;
  readonly key: string;
  /** JSON of the object after the change; of a removal: its last state. */
  readonly bytes: Buffer;
  /** When it was accepted, ms since the epoch. */
  readonly time: number;
}

/** Where changes are made durable. Calls never overlap. */
export interface Journal {
  /**
   * Resolves when every change of the batch is durable. Rejects with {@link NoSpace} when none of them is and none ever
   * will be; with anything else when that is not known: then nothing more may be written.
   */
  append(batch: readonly Written[]): Promise<void>;
  /** Called between batches, with everything that was appended visible in the state: time to tidy up. Rejects as `append`. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

/** There is no room for a change now. Nothing of it was left behind. */
export class NoSpace extends Error {
  constructor(cause: unknown) {
    super('no space left on device', { cause });
    this.name = 'NoSpace';
  }
}

/** Keeps nothing: for stores that live in memory only. */
export const noJournal: Journal = {
  append: () => Promise.resolve(),
  tidy: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
