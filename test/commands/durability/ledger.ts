import { isDeepStrictEqual } from 'node:util';

import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { fields, keyOf, versionOf } from '../../support/scenario/checks/reading.js';

/** What a writer has asked for and not heard of: `value` is in the object if it came to pass; undefined for a deletion. */
export interface Pending {
  readonly value: string | undefined;
}

/** What is known of one object: its last answered state, and what may have come after it. */
interface Known {
  object: AnyObject | undefined;
  pending: Pending | undefined;
}

/**
 * All that was answered, to hold against what a server says after it was killed. One writer an object: so the state after a
 * kill is the last answered one, or that with the one unanswered write.
 */
export class Ledger {
  readonly #known = new Map<string, Known>();
  /** Revisions that were given to a write, each with the collection that it belongs to. */
  readonly #revisions = new Map<number, string>();
  /** Of these, by collection, those that nobody has asked for yet. */
  readonly #fresh = new Map<string, number[]>();
  readonly wrong: string[] = [];
  /** The newest revision that anybody was told. */
  newest = 0;
  answered = 0;

  object(collection: string, key: string): AnyObject | undefined {
    return this.#of(collection, key).object;
  }

  begin(collection: string, key: string, pending: Pending): void {
    this.#of(collection, key).pending = pending;
  }

  /** The write was answered with the object as it is now; undefined: it is gone. */
  end(collection: string, key: string, object: AnyObject | undefined): void {
    const known = this.#of(collection, key);
    if (object !== undefined) {
      const revision = versionOf(object);
      const given = this.#revisions.get(revision);
      if (given !== undefined || revision <= versionOf(known.object ?? {}))
        this.wrong.push(
          `revision ${revision} of ${collection} ${key} was given before, to ${given ?? 'an older state'}`,
        );
      this.#revisions.set(revision, `${collection} ${key}`);
      this.#freshOf(collection).push(revision);
      this.told(revision);
    }
    known.object = object;
    known.pending = undefined;
    this.answered += 1;
  }

  told(revision: number): void {
    this.newest = Math.max(this.newest, revision);
  }

  /** Revisions of answered writes of a collection up to a revision, each once and never again. */
  answeredUntil(collection: string, revision: number): number[] {
    const fresh = this.#freshOf(collection);
    this.#fresh.set(
      collection,
      fresh.filter((one) => one > revision),
    );
    return fresh.filter((one) => one <= revision);
  }

  /** After a kill: holds the listed objects against the ledger, and takes over what became of the unanswered writes. */
  settle(collection: string, listed: readonly AnyObject[], mine: (object: AnyObject) => boolean): void {
    const found = new Map(listed.filter(mine).map((object) => [keyOf(object), object]));
    for (const [id, known] of this.#known) {
      const [kept = '', key = ''] = id.split(' ');
      if (kept !== collection) continue;
      const now = found.get(key);
      found.delete(key);
      const came =
        known.pending !== undefined &&
        (now === undefined ? known.pending.value === undefined : tellsOf(now, known.pending.value));
      if (!came && !isDeepStrictEqual(bare(now), bare(known.object)))
        this.wrong.push(
          `${id} is ${JSON.stringify(now)}, answered was ${JSON.stringify(known.object)}, and unanswered ${JSON.stringify(known.pending)}`,
        );
      known.object = now;
      known.pending = undefined;
      if (now !== undefined) this.told(versionOf(now));
    }
    for (const key of found.keys()) this.wrong.push(`${collection} ${key} was written by nobody`);
  }

  #freshOf(collection: string): number[] {
    const fresh = this.#fresh.get(collection) ?? [];
    this.#fresh.set(collection, fresh);
    return fresh;
  }

  #of(collection: string, key: string): Known {
    const id = `${collection} ${key}`;
    const known = this.#known.get(id) ?? { object: undefined, pending: undefined };
    this.#known.set(id, known);
    return known;
  }
}

/** Whether the write of a value, which is another for each write, has come to pass. */
function tellsOf(object: AnyObject, value: string | undefined): boolean {
  return (
    value !== undefined &&
    [object.metadata?.annotations?.['value'], fields(fields(object.status)['version'])['kubernetes']].includes(value)
  );
}

/** Items of a list do not tell what they are. */
export function bare(object: AnyObject | undefined): AnyObject | undefined {
  if (object === undefined) return undefined;
  const { apiVersion: _version, kind: _kind, ...rest } = object;
  return rest;
}
