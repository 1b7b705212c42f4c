import { isDeepStrictEqual } from 'node:util';

import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { fields, keyOf, versionOf } from '../../support/scenario/checks/reading.js';

/** A write without a response yet: `value` is in the object if the write succeeded; undefined for a deletion. */
export interface Pending {
  readonly value: string | undefined;
}

/** One object: its state after the last answered write, and the unanswered write, if any. */
interface Known {
  object: AnyObject | undefined;
  pending: Pending | undefined;
}

/**
 * All answered writes, to compare with the state of the server after a kill. Each object has one writer, so its state
 * after a kill is the last answered one, or that with the one unanswered write.
 */
export class Ledger {
  readonly #known = new Map<string, Known>();
  /** Revisions that were given to a write, each with the collection that it belongs to. */
  readonly #revisions = new Map<number, string>();
  /** The revisions that `answeredUntil` has not returned yet, by collection. */
  readonly #fresh = new Map<string, number[]>();
  readonly wrong: string[] = [];
  /** The newest revision that a client received. */
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
      this.observe(revision);
    }
    known.object = object;
    known.pending = undefined;
    this.answered += 1;
  }

  observe(revision: number): void {
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

  /** After a kill: compares the listed objects with the ledger, and adopts the results of the unanswered writes. */
  settle(collection: string, listed: readonly AnyObject[], mine: (object: AnyObject) => boolean): void {
    const found = new Map(listed.filter(mine).map((object) => [keyOf(object), object]));
    for (const [id, known] of this.#known) {
      const [kept = '', key = ''] = id.split(' ');
      if (kept !== collection) continue;
      const now = found.get(key);
      found.delete(key);
      const applied =
        known.pending !== undefined &&
        (now === undefined ? known.pending.value === undefined : holdsValue(now, known.pending.value));
      if (!applied && !isDeepStrictEqual(bare(now), bare(known.object)))
        this.wrong.push(
          `${id} is ${JSON.stringify(now)}, answered was ${JSON.stringify(known.object)}, and unanswered ${JSON.stringify(known.pending)}`,
        );
      known.object = now;
      known.pending = undefined;
      if (now !== undefined) this.observe(versionOf(now));
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

/** Whether the write of a value, which is another for each write, has succeeded. */
function holdsValue(object: AnyObject, value: string | undefined): boolean {
  return (
    value !== undefined &&
    [object.metadata?.annotations?.['value'], fields(fields(object.status)['version'])['kubernetes']].includes(value)
  );
}

/** The object without apiVersion and kind, which items of a list do not have. */
export function bare(object: AnyObject | undefined): AnyObject | undefined {
  if (object === undefined) return undefined;
  const { apiVersion: _version, kind: _kind, ...rest } = object;
  return rest;
}
