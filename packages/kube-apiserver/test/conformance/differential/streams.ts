import { isDeepStrictEqual } from 'node:util';

import { waitFor } from '../../../testing/wait.js';
import type { Move } from './board.js';
import type { Outcome, Side } from './side.js';

export type Sides = readonly [embedded: Side, real: Side];

/** What both servers told, where they differ. */
export interface Parting {
  readonly embedded: unknown;
  readonly real: unknown;
}

const SETTLE_MS = 30_000;
const QUIET_MS = 25;
/** Made by controllers that not every server has, and the object that ends a sequence. */
export const LAST = 'the-last-one';
const UNTOLD = new Set(['kube-root-ca.crt', 'default', LAST].flatMap((name) => [name, JSON.stringify(name)]));

/** Watches that moves of a sequence opened, on both servers each. */
export class Streams {
  readonly #pairs: { readonly move: Move; readonly told: readonly [unknown[], unknown[]] }[] = [];

  async open(move: Move, sides: Sides): Promise<readonly [Outcome, Outcome]> {
    const told: readonly [unknown[], unknown[]] = [[], []];
    this.#pairs.push({ move, told });
    const open = (side: Side, events: unknown[]): Promise<Outcome> =>
      side.open(move, (event) => {
        if (isTold(event)) events.push(event);
      });
    return Promise.all([open(sides[0], told[0]), open(sides[1], told[1])]);
  }

  /** Waits until both servers told as much in every watch, and no more comes. */
  async compare(sides: Sides): Promise<Parting | undefined> {
    for (const { move, told } of this.#pairs) {
      let before = -1;
      await waitFor(
        'both watches to tell as much',
        () => {
          const [{ length: embedded }, { length: real }] = told;
          const settled = embedded === real && embedded === before;
          before = embedded;
          return settled;
        },
        { deadlineMs: SETTLE_MS, everyMs: QUIET_MS },
      ).catch(() => undefined);
      const embedded = told[0].map((event) => sides[0].masked(unversioned(event)));
      const real = told[1].map((event) => sides[1].masked(unversioned(event)));
      if (!isDeepStrictEqual(embedded, real))
        return {
          embedded: { watch: move.path, accept: move.accept, events: embedded },
          real: { watch: move.path, accept: move.accept, events: real },
        };
    }
    return undefined;
  }
}

/** Whether an event is compared: not what controllers do, nor a bookmark that says only what time it is. */
function isTold(event: unknown): boolean {
  if (UNTOLD.has(nameIn(event)) || isRepair(event)) return false;
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
