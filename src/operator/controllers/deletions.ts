import type { KubeObject, ResourceType } from '../../runtime/vocabulary/meta.js';
import { ManagedClusters, ManagedClusterSetBindings, ManagedClusterSets } from '../../api/resources.js';
import { CustomResourceDefinitions } from '../../runtime/vocabulary/kinds.js';
import type { ReadClient } from '../../runtime/client/client.js';
import type { Clock } from '../../runtime/clock.js';

/** Whether objects that are missing were deleted one by one, and if not, when to check again. */
export type DeletionCheckResult =
  | { readonly kind: 'confirmed' }
  | { readonly kind: 'unconfirmed'; readonly reason: string; readonly afterMs: number };

interface UntrustedDefinition {
  readonly reason: string;
  readonly afterMs: number;
  /** It exists, and was just created. */
  readonly isNew: boolean;
}

/** What is read of the definitions, all of which exist. */
export interface KnownDefinitions {
  /** By the plural name of the resource. */
  readonly uids: Readonly<Record<string, string>>;
  /** When the youngest was created: ms since the epoch. */
  readonly createdAt: number;
  /** In how many ms the youngest can be trusted; 0 when it is. */
  readonly trustedInMs: number;
}

/** How long what an object is made from has to be missing, or unavailable: a cause that meets many does so within that time. */
export const GRACE_PERIOD_MS = 60_000;
/** While most of them are missing, none is deleted. */
export const BRAKED_RETRY_MS = 300_000;

/** A definition younger than this may be one that is being restored: its objects may still be created again. */
const TRUSTED_AFTER_MS = 30_000;
/** A creationTimestamp has whole seconds: the definition may be younger by up to one. */
const TIMESTAMP_MS = 1_000;
const RETRY_MS = 2_000;
const CHECKED_TYPES: readonly ResourceType[] = [ManagedClusters, ManagedClusterSets, ManagedClusterSetBindings];

/**
 * Confirms that missing objects were deleted by a user.
 *
 * When a CustomResourceDefinition is deleted, the API server deletes all its objects, and a watch shows these deletions
 * like any other. So before a cluster is dropped because an object is missing, the definitions are read. A definition
 * that is missing, is being deleted (its deletionTimestamp is set before its first object is deleted) or was just created
 * confirms nothing; the last does not matter to who compares uids.
 */
export class DeletionCheck {
  readonly #client: ReadClient;
  readonly #clock: Clock;
  readonly #types: readonly ResourceType[];
  /** Name of a definition → its uid, and the monotonic ms at which it was read first. */
  readonly #firstRead = new Map<string, { readonly uid: string; readonly at: number }>();
  /** Counts events that may be the deletion of an object. */
  #deletions = 0;
  /** The count at the begin of the last read that could trust all definitions. */
  #confirmed = -1;
  /** The definitions as they were read since the state of a cache changed last. */
  #known: Promise<readonly (KubeObject | undefined)[]> | undefined;
  #reading: { readonly deletions: number; readonly found: Promise<readonly UntrustedDefinition[]> } | undefined;

  /** `types`: those whose definitions are read; of clusters, sets and bindings when absent. */
  constructor(client: ReadClient, clock: Clock, types: readonly ResourceType[] = CHECKED_TYPES) {
    this.#client = client;
    this.#clock = clock;
    this.#types = types;
  }

  /** To be called when an object of a checked type is gone from its cache. */
  noteDeletion(): void {
    this.#deletions += 1;
  }

  /** To be called when the state of a cache changes: a watch ends with its definition. */
  noteState(): void {
    this.#deletions += 1;
    this.#known = undefined;
  }

  /** The definitions; undefined while one is missing, or they cannot be read. They are read again when `noteState` was called. */
  async definitions(): Promise<KnownDefinitions | undefined> {
    this.#known ??= this.#readDefinitions();
    const reading = this.#known;
    try {
      const found = await reading;
      if (found.every((one) => one !== undefined)) return this.#knownOf(found);
    } catch {
      // What the missing objects mean is decided by `check`, which throws.
    }
    if (this.#known === reading) this.#known = undefined;
    return undefined;
  }

  #knownOf(found: readonly KubeObject[]): KnownDefinitions {
    const created = found.map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? ''));
    const uids = found.map(({ metadata }, index) => [this.#types[index]?.plural ?? '', metadata.uid ?? ''] as const);
    const trustedInMs = Math.max(...found.map((one) => TRUSTED_AFTER_MS - this.#ageOf(one)), 0);
    return { uids: Object.fromEntries(uids), createdAt: Math.max(...created), trustedInMs };
  }

  #readDefinitions(): Promise<readonly (KubeObject | undefined)[]> {
    return Promise.all(this.#types.map((type) => this.#get(type)));
  }

  /**
   * Checks the deletions noted so far. `comparesUids`: the caller tells a definition that was made anew by its uid, so that it need
   * not be old. Callers share one read until another deletion is noted. Throws when the definitions cannot be read.
   */
  async check(comparesUids: boolean): Promise<DeletionCheckResult> {
    if (this.#confirmed === this.#deletions) return { kind: 'confirmed' };
    if (this.#reading?.deletions !== this.#deletions)
      this.#reading = { deletions: this.#deletions, found: this.#readAll() };
    const found = await this.#reading.found;
    const untrusted = found.find(({ isNew }) => !(isNew && comparesUids));
    return untrusted === undefined
      ? { kind: 'confirmed' }
      : { kind: 'unconfirmed', reason: untrusted.reason, afterMs: untrusted.afterMs };
  }

  async #readAll(): Promise<readonly UntrustedDefinition[]> {
    const deletions = this.#deletions;
    try {
      const read = await this.#readDefinitions();
      this.#known = Promise.resolve(read);
      const found = read.flatMap((one, index) => this.#untrusted(nameOf(this.#types[index]), one));
      if (found.length === 0) this.#confirmed = Math.max(this.#confirmed, deletions);
      return found;
    } finally {
      if (this.#reading?.deletions === deletions) this.#reading = undefined;
    }
  }

  #get(type: ResourceType): Promise<KubeObject | undefined> {
    return this.#client.get<KubeObject>(CustomResourceDefinitions, { name: nameOf(type) }, { metadataOnly: true });
  }

  /** The definition if it cannot be trusted. */
  #untrusted(name: string, found: KubeObject | undefined): readonly UntrustedDefinition[] {
    const untrusted = (state: string, afterMs: number, isNew = false): readonly UntrustedDefinition[] => {
      return [{ reason: `CustomResourceDefinition ${name} is ${state}`, afterMs, isNew }];
    };
    if (found === undefined) return untrusted('missing', RETRY_MS);
    if (found.metadata.deletionTimestamp !== undefined) return untrusted('being deleted', RETRY_MS);
    const trustedInMs = TRUSTED_AFTER_MS - this.#ageOf(found);
    return trustedInMs <= 0 ? [] : untrusted('new', trustedInMs, true);
  }

  /** Ms since the creation, or since the first read if that is more: a wall clock that is behind only delays. */
  #ageOf({ metadata }: KubeObject): number {
    const now = this.#clock.monotonic();
    const uid = metadata.uid ?? '';
    const known = this.#firstRead.get(metadata.name);
    const since = known?.uid === uid ? known.at : now;
    this.#firstRead.set(metadata.name, { uid, at: since });
    const stamped = this.#clock.now() - Date.parse(metadata.creationTimestamp ?? '') - TIMESTAMP_MS;
    return Math.max(now - since, Number.isNaN(stamped) ? 0 : stamped);
  }
}

function nameOf(type: ResourceType | undefined): string {
  return `${type?.plural}.${type?.group}`;
}
