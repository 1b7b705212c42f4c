import { isDeepStrictEqual } from 'node:util';

import { waitFor, type WaitOptions } from '../../../testing/wait.js';
import type { RandomRequest } from './request.js';
import type { Outcome, ServerClient } from './serverclient.js';

export type ClientPair = readonly [embedded: ServerClient, real: ServerClient];

/** What both servers told, where they differ or where something is missing on both. */
export interface WatchDifference {
  readonly embedded: unknown;
  readonly real: unknown;
  /** What is missing on both sides, where they differ in nothing. */
  readonly missing?: string;
}

/** A watch on both servers. */
interface WatchPair {
  readonly move: RandomRequest;
  readonly told: readonly [unknown[], unknown[]];
  /** Whether each told of the object that ends a sequence. */
  readonly ended: [boolean, boolean];
  /** Whether both have accepted the watch. */
  accepted: boolean;
}

const SETTLE_MS = 30_000;
const QUIET_MS = 25;
const OK = 200;
/** Made by controllers that not every server has, and the object that ends a sequence. */
export const LAST = 'the-last-one';
const IGNORED_NAMES = new Set(['kube-root-ca.crt', 'default', LAST].flatMap((name) => [name, JSON.stringify(name)]));

/** Watches that moves of a sequence opened, on both servers each. */
export class WatchPairs {
  readonly #pairs: WatchPair[] = [];

  async open(move: RandomRequest, sides: ClientPair): Promise<readonly [Outcome, Outcome]> {
    const pair: WatchPair = { move, told: [[], []], ended: [false, false], accepted: false };
    this.#pairs.push(pair);
    const open = (at: 0 | 1): Promise<Outcome> =>
      sides[at].openWatch(move, (event) => {
        if (nameIn(event) === LAST) pair.ended[at] = true;
        if (isCompared(event)) pair.told[at].push(event);
      });
    const outcomes = await Promise.all([open(0), open(1)]);
    pair.accepted = outcomes.every(({ code }) => code === OK);
    return outcomes;
  }

  /**
   * Waits until both servers told as much in every watch, and no more comes; and of the object that ends a sequence, where the
   * watch has to tell of it. @param closed the collections in which that object has been made
   */
  async compare(sides: ClientPair, closed: readonly string[]): Promise<WatchDifference | undefined> {
    for (const pair of this.#pairs) {
      const { move, told, ended } = pair;
      const failed = told.flat().some((event) => typeOf(event) === 'ERROR');
      const expected = pair.accepted && !failed && closed.includes(move.path.replace(/\?.*$/, '')) && selectsLast(move);
      let before = -1;
      const settled = await becomesTrue(
        () => {
          const [{ length: embedded }, { length: real }] = told;
          const quiet = embedded === real && embedded === before;
          before = embedded;
          return quiet && (!expected || ended.every(Boolean));
        },
        { deadlineMs: SETTLE_MS, everyMs: QUIET_MS },
      );
      const embedded = told[0].map((event) => sides[0].masked(unversioned(event)));
      const real = told[1].map((event) => sides[1].masked(unversioned(event)));
      if (!isDeepStrictEqual(embedded, real))
        return {
          embedded: { watch: move.path, accept: move.accept, events: embedded },
          real: { watch: move.path, accept: move.accept, events: real },
        };
      if (!settled)
        return { embedded, real, missing: `the last event of ${move.path} (${move.accept ?? 'application/json'})` };
    }
    return undefined;
  }
}

/** Whether `condition` comes true before the deadline. */
export function becomesTrue(condition: () => boolean, options: WaitOptions): Promise<boolean> {
  return waitFor('it to come true', condition, options).then(
    () => true,
    () => false,
  );
}

/** Whether a watch has to tell of the object that ends a sequence, by name: the object has the labels `mark` and `color=blue`. */
function selectsLast({ path, accept = '' }: RandomRequest): boolean {
  // A single object is no list: such a watch is accepted, and tells nothing.
  if (accept.includes('as=PartialObjectMetadataList')) return false;
  const query = new URLSearchParams(path.replace(/^[^?]*/, ''));
  const fields = query.get('fieldSelector') ?? 'metadata.name!=x';
  const labels = query.get('labelSelector') ?? '';
  return (
    query.get('watch') === 'true' &&
    /^metadata\.name!=\w+$/.test(fields) &&
    !labels.includes('!color') &&
    !query.has('includeObject')
  );
}

/** Whether an event is compared: not what controllers do, nor a bookmark that says only what time it is. */
function isCompared(event: unknown): boolean {
  if (IGNORED_NAMES.has(nameIn(event)) || isRepair(event)) return false;
  return typeOf(event) !== 'BOOKMARK' || JSON.stringify(event).includes('initial-events-end');
}

/** The real server tells of addresses that it repairs. */
export function isRepair(event: unknown): boolean {
  return JSON.stringify(event).includes('ipallocator-repair-controller');
}

/** A bookmark tells the newest version of all objects, those of other sequences too. */
function unversioned(event: unknown): unknown {
  if (typeOf(event) !== 'BOOKMARK') return event;
  const text = JSON.stringify(event).replaceAll(/"resourceVersion":"\d+"/g, '"resourceVersion":"NOW"');
  const read: unknown = JSON.parse(text);
  return read;
}

function typeOf(event: unknown): string {
  return typeof event === 'object' && event !== null && 'type' in event ? String(event.type) : '';
}

interface Named {
  readonly metadata?: { readonly name?: string };
  readonly rows?: readonly { readonly object?: Named; readonly cells?: readonly unknown[] }[];
}

/** Name of the object of an event, which may be a Table of one row. */
export function nameIn(event: unknown): string {
  const { object }: { object?: Named | null } = typeof event === 'object' && event !== null ? event : {};
  const row = object?.rows?.[0];
  return object?.metadata?.name ?? row?.object?.metadata?.name ?? JSON.stringify(row?.cells?.[0] ?? '');
}
