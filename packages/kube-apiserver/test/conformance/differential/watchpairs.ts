import { isDeepStrictEqual } from 'node:util';

import { becomesTrue } from '../../../testing/wait.js';
import type { RandomRequest } from './request.js';
import type { Outcome, ServerClient } from './serverclient.js';

export type ClientPair = readonly [embedded: ServerClient, real: ServerClient];

/** The events of both servers, where they differ or an expected event is missing on both. */
export interface WatchDifference {
  readonly embedded: unknown;
  readonly real: unknown;
  /** The event that is missing on both servers, where they do not differ. */
  readonly missing?: string;
}

/** The same watch on both servers. */
interface WatchPair {
  readonly move: RandomRequest;
  readonly events: readonly [unknown[], unknown[]];
  /** Whether each server reported the object that ends a sequence. */
  readonly ended: [boolean, boolean];
  /** Whether both servers accepted the watch. */
  accepted: boolean;
}

const SETTLE_MS = 30_000;
const QUIET_MS = 25;
const OK = 200;
/** The name of the object that ends a sequence. */
export const LAST = 'the-last-one';
const IGNORED_NAMES = new Set(['kube-root-ca.crt', 'default', LAST].flatMap((name) => [name, JSON.stringify(name)]));

/** The watches of a sequence, each open on both servers. */
export class WatchPairs {
  readonly #pairs: WatchPair[] = [];

  async open(move: RandomRequest, sides: ClientPair): Promise<readonly [Outcome, Outcome]> {
    const pair: WatchPair = { move, events: [[], []], ended: [false, false], accepted: false };
    this.#pairs.push(pair);
    const open = (at: 0 | 1): Promise<Outcome> =>
      sides[at].openWatch(move, (event) => {
        if (nameIn(event) === LAST) pair.ended[at] = true;
        if (isCompared(event)) pair.events[at].push(event);
      });
    const outcomes = await Promise.all([open(0), open(1)]);
    pair.accepted = outcomes.every(({ code }) => code === OK);
    return outcomes;
  }

  /**
   * Waits until both servers reported the same number of events in every watch, and the object that ends a sequence
   * where the watch selects it. @param closed the collections in which that object was created
   */
  async compare(sides: ClientPair, closed: readonly string[]): Promise<WatchDifference | undefined> {
    for (const pair of this.#pairs) {
      const { move, events, ended } = pair;
      const failed = events.flat().some((event) => typeOf(event) === 'ERROR');
      const expected = pair.accepted && !failed && closed.includes(move.path.replace(/\?.*$/, '')) && selectsLast(move);
      let before = -1;
      const settled = await becomesTrue(
        () => {
          const [{ length: embedded }, { length: real }] = events;
          const quiet = embedded === real && embedded === before;
          before = embedded;
          return quiet && (!expected || ended.every(Boolean));
        },
        { deadlineMs: SETTLE_MS, everyMs: QUIET_MS },
      );
      const embedded = events[0].map((event) => sides[0].masked(unversioned(event)));
      const real = events[1].map((event) => sides[1].masked(unversioned(event)));
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

/** Whether a watch selects the object that ends a sequence, which has the labels `mark` and `color=blue`. */
function selectsLast({ path, accept = '' }: RandomRequest): boolean {
  // A watch that accepts only PartialObjectMetadataList is accepted and has no events.
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

/** Whether an event is compared: not those of controllers, nor bookmarks without the initial-events-end annotation. */
function isCompared(event: unknown): boolean {
  if (IGNORED_NAMES.has(nameIn(event)) || isRepair(event)) return false;
  return typeOf(event) !== 'BOOKMARK' || JSON.stringify(event).includes('initial-events-end');
}

/** Whether an event is one of the IP repair controller of kube-apiserver. */
export function isRepair(event: unknown): boolean {
  return JSON.stringify(event).includes('ipallocator-repair-controller');
}

/** Masks the resourceVersion of a bookmark, which depends on writes of other sequences. */
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

/** The name of the object of an event, which may be a Table with one row. */
export function nameIn(event: unknown): string {
  const { object }: { object?: Named | null } = typeof event === 'object' && event !== null ? event : {};
  const row = object?.rows?.[0];
  return object?.metadata?.name ?? row?.object?.metadata?.name ?? JSON.stringify(row?.cells?.[0] ?? '');
}
