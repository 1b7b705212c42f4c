import { isDeepStrictEqual } from 'node:util';
import type { Agent } from 'node:https';

import { Dice } from '../../../testing/random.js';
import { waitFor } from '../../../testing/wait.js';
import type { ConformanceTarget } from '../target.js';
import { collectionOf, type Board, type Move } from './board.js';
import { CLUSTER_KINDS } from './clusterkinds.js';
import { definitionKinds } from './definitionkinds.js';
import { definitionsAfter, settled, tidy } from './definitions.js';
import { combined } from './features.js';
import { KINDS, type Kind } from './kinds.js';
import { KNOWN } from './known.js';
import { nextMove } from './move.js';
import { Side } from './side.js';
import { isRepair, LAST, nameIn, Streams } from './streams.js';

export interface Players {
  readonly embedded: { readonly target: ConformanceTarget; readonly agent: Agent };
  readonly real: { readonly target: ConformanceTarget; readonly agent: Agent };
}

/** Where two servers parted: enough to play it again and to see why. */
export interface Difference {
  readonly seed: number;
  readonly step: number;
  readonly moves: readonly Move[];
  readonly embedded: unknown;
  readonly real: unknown;
}

export interface Played {
  readonly requests: number;
  readonly difference: Difference | undefined;
  /** Reasons of the known differences that were met. */
  readonly known: readonly string[];
}

const STEPS = 24;
/** Share of sequences that are about definitions and what they define. */
const DEFINITIONS = 0.12;
const WATCH_MS = 30_000;
const REFUSED = 300;

/** Plays one seeded sequence of requests about two kinds against both servers, and stops where they part. */
export async function playSequence(seed: number, players: Players): Promise<Played> {
  const dice = new Dice(seed);
  const mark = `s${seed}`;
  const namespace = `differential-${seed}`;
  const kinds = dice.chance(DEFINITIONS) ? definitionKinds(mark) : dice.some([...KINDS, ...CLUSTER_KINDS], 2);
  const sides = [
    new Side(players.embedded.target, players.embedded.agent, namespace),
    new Side(players.real.target, players.real.agent, namespace),
  ] as const;
  const opening: Move = { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } };
  const watches = await openWatches(
    kinds.filter(({ namespaced, unwatched }) => namespaced && unwatched !== true),
    sides,
    opening,
  );
  const streams = new Streams();
  const moves: Move[] = [opening];
  const known: string[] = [];
  try {
    for (let step = 1; step <= STEPS; step++) {
      const kind = dice.pick(kinds);
      const board: Board = {
        kind,
        mark,
        names: kind.names !== undefined ? kind.names : kind.namespaced ? ['x', 'y', 'z'] : [`${mark}-x`, `${mark}-y`],
      };
      const move = nextMove(dice, board);
      moves.push(move);
      const [embedded, real] = await (move.watch === true
        ? streams.open(move, sides)
        : Promise.all([sides[0].play(move), sides[1].play(move)]));
      const parted = isDeepStrictEqual(embedded, real) ? KNOWN.find(({ follows }) => follows?.(move, real)) : undefined;
      if (parted !== undefined)
        return { requests: moves.length, known: [...known, parted.reason], difference: undefined };
      const changed =
        Math.min(embedded.code, real.code) >= REFUSED
          ? []
          : definitionsAfter(
              move,
              kinds.flatMap(({ names = [] }) => names),
            );
      for (const path of changed) {
        await Promise.all(sides.map((side) => settled(side, path)));
        const state = await Promise.all([
          sides[0].play({ method: 'GET', path }),
          sides[1].play({ method: 'GET', path }),
        ]);
        if (isDeepStrictEqual(embedded, real) && !isDeepStrictEqual(...state))
          return {
            requests: moves.length,
            known,
            difference: {
              seed,
              step,
              moves,
              embedded: { settled: path, ...state[0] },
              real: { settled: path, ...state[1] },
            },
          };
      }
      if (isDeepStrictEqual(embedded, real)) continue;
      const excuse = KNOWN.find(({ applies }) => applies(move, embedded, real));
      if (excuse === undefined)
        return { requests: moves.length, known, difference: { seed, step, moves, embedded, real } };
      known.push(excuse.reason);
      // From here on the two hold different objects.
      return { requests: moves.length, known, difference: undefined };
    }
    const difference = (await watches.compare()) ?? (await streams.compare(sides));
    return {
      requests: moves.length,
      known,
      difference: difference === undefined ? undefined : { seed, step: STEPS, moves, ...difference },
    };
  } finally {
    for (const side of sides) side.close();
    await Promise.all(sides.map((side) => tidy(side, kinds)));
    await watches.end();
  }
}

interface Watches {
  /** Waits until both told as much; the events of both where they differ. */
  compare(): Promise<{ readonly embedded: unknown; readonly real: unknown } | undefined>;
  end(): Promise<void>;
}

/** Made by controllers that not every server has. */
const MADE_ALONG = new Set(['kube-root-ca.crt', 'default']);

/** What was there when a watch begins late would come in another order than it was made. */
const FROM_OPENING = '{{rv /api/v1/namespaces/{{namespace}}}}';

async function openWatches(kinds: readonly Kind[], sides: readonly [Side, Side], opening: Move): Promise<Watches> {
  const end = new AbortController();
  const streams: Promise<void>[] = [];
  const events = new Map<string, readonly [unknown[], unknown[]]>();
  await Promise.all(sides.map((side) => side.play(opening)));
  for (const kind of kinds) {
    const told: readonly [unknown[], unknown[]] = [[], []];
    events.set(kind.name, told);
    for (const [at, side] of sides.entries()) {
      const list = told[at] ?? [];
      streams.push(
        side
          .follow(collectionOf(kind), FROM_OPENING, end.signal, (event) => {
            if (!MADE_ALONG.has(nameIn(event)) && !isRepair(event)) list.push(event);
          })
          .catch(() => undefined),
      );
    }
  }
  return {
    async compare() {
      for (const kind of kinds) {
        const [first, second] = events.get(kind.name) ?? [[], []];
        await Promise.all(sides.map((side) => side.play(lastMove(kind))));
        const atEnd = (list: readonly unknown[]): boolean => list.some((event) => nameIn(event) === LAST);
        await waitFor(`both watches of ${kind.name} to end`, () => atEnd(first) && atEnd(second), {
          deadlineMs: WATCH_MS,
          everyMs: 5,
        }).catch(() => undefined);
        const embedded = first.map((event) => sides[0].masked(event));
        const real = second.map((event) => sides[1].masked(event));
        if (!isDeepStrictEqual(embedded, real)) return { embedded, real };
      }
      return undefined;
    },
    async end() {
      end.abort();
      await Promise.all(streams);
    },
  };
}

/** An object that is made last, so that a watch which shows it has shown everything before it. */
function lastMove(kind: Kind): Move {
  const identity = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: LAST } };
  return { method: 'POST', path: collectionOf(kind), body: combined([kind.base(new Dice(1)), identity]) };
}
