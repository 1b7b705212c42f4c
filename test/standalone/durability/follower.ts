import { isDeepStrictEqual } from 'node:util';

import type { AnyObject, ApiSession } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { keyOf, versionOf } from '../../support/scenario/checks/reading.js';
import { bare } from './ledger.js';

interface Event {
  readonly type: string;
  readonly object: AnyObject;
}

/**
 * A watch that resumes from the last revision it received, also after a restart of the server, and lists again after
 * 410. Holds the objects that an informer would hold.
 */
export class Follower {
  readonly #path: string;
  readonly #objects = new Map<string, AnyObject>();
  /** Revisions of all events, and those of lists from which on nothing can be missing. */
  readonly #seen = new Set<number>();
  #revision = 0;
  #listed = 0;
  relisted = 0;
  events = 0;
  readonly wrong: string[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Follows until the connection is lost or `signal` fires. */
  async follow(session: ApiSession, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (this.#revision === 0) await this.#list(session);
      const path = `${this.#path}?watch=true&allowWatchBookmarks=true&resourceVersion=${this.#revision}`;
      await session.stream(path, (line) => this.#take(line), signal);
      if (this.#revision !== 0) return;
    }
  }

  /** What is wrong with it, compared with a list. */
  compare(listed: readonly AnyObject[]): string[] {
    const found = new Map(listed.map((object) => [keyOf(object), object]));
    const keys = new Set([...found.keys(), ...this.#objects.keys()]);
    const differing = [...keys].filter((key) => !isDeepStrictEqual(bare(found.get(key)), bare(this.#objects.get(key))));
    return differing.map(
      (key) =>
        `${this.#path} ${key}: watched ${JSON.stringify(this.#objects.get(key))}, listed ${JSON.stringify(found.get(key))}`,
    );
  }

  /** Which of these revisions had no event although the watch has passed them. */
  missing(revisions: readonly number[]): number[] {
    return revisions.filter((one) => one > this.#listed && one <= this.#revision && !this.#seen.has(one));
  }

  async #list(session: ApiSession): Promise<void> {
    const { body } = await session.call({ path: this.#path });
    this.#objects.clear();
    for (const object of body.items ?? []) this.#objects.set(keyOf(object), object);
    this.#revision = versionOf(body);
    this.#listed = this.#revision;
  }

  #take(line: string): void {
    const event = parsed(line);
    if (event === undefined) return;
    const { type, object } = event;
    if (type === 'ERROR') {
      if (object.code !== 410) this.wrong.push(line);
      this.relisted += 1;
      this.#revision = 0;
      return;
    }
    const revision = versionOf(object);
    const key = keyOf(object);
    if (type === 'BOOKMARK') {
      if (revision < this.#revision) this.wrong.push(`a bookmark of ${revision} after ${this.#revision}`);
    } else {
      this.#change(type, key, object);
      if (revision <= this.#revision) this.wrong.push(`${type} ${key} at ${revision} after ${this.#revision}`);
      this.#seen.add(revision);
      this.events += 1;
    }
    this.#revision = revision;
  }

  #change(type: string, key: string, object: AnyObject): void {
    if ((type === 'ADDED') === this.#objects.has(key))
      this.wrong.push(`${type} ${key}, which ${type === 'ADDED' ? 'was there' : 'was not there'}`);
    if (type === 'DELETED') this.#objects.delete(key);
    else this.#objects.set(key, object);
  }
}

/** The last line of a cut connection may be half of one. */
function parsed(line: string): Event | undefined {
  try {
    const event: Event = JSON.parse(line);
    return event;
  } catch {
    return undefined;
  }
}
