import { isDeepStrictEqual } from 'node:util';
import type { Agent } from 'node:https';

import { Dice } from '../../../testing/random.js';
import { becomesTrue } from '../../../testing/wait.js';
import type { ConformanceTarget } from '../target.js';
import { collectionOf, type RequestContext, type RandomRequest } from './request.js';
import { CLUSTER_KINDS } from './clusterkinds.js';
import { definitionKinds } from './definitionkinds.js';
import { definitionsAfter, settles, tidy } from './definitions.js';
import { combined } from './features.js';
import { KINDS, type Kind } from './kinds.js';
import { KNOWN } from './known.js';
import { nextRequest } from './generator.js';
import { ServerClient } from './serverclient.js';
import { isRepair, LAST, nameIn, WatchPairs, type WatchDifference } from './watchpairs.js';

export interface Servers {
  readonly embedded: { readonly target: ConformanceTarget; readonly agent: Agent };
  readonly real: { readonly target: ConformanceTarget; readonly agent: Agent };
}

/** The first difference of a sequence, with its seed and requests. */
export interface Difference {
  readonly seed: number;
  readonly step: number;
  readonly moves: readonly RandomRequest[];
  readonly embedded: unknown;
  readonly real: unknown;
  /** The event that is missing on both servers, where they do not differ. */
  readonly missing?: string;
}

export interface Played {
  readonly requests: number;
  readonly difference: Difference | undefined;
  /** Reasons of the known differences that occurred. */
  readonly known: readonly string[];
}

const STEPS = 24;
/** Share of sequences about CustomResourceDefinitions and their instances. */
const DEFINITIONS = 0.12;
const WATCH_MS = 30_000;
const REFUSED = 300;
const CREATED = 201;

/** Runs one seeded sequence of requests to two kinds on both servers, up to the first difference. */
export async function playSequence(seed: number, players: Servers): Promise<Played> {
  const dice = new Dice(seed);
  const mark = `s${seed}`;
  const namespace = `differential-${seed}`;
  const kinds = dice.chance(DEFINITIONS) ? definitionKinds(mark) : dice.some([...KINDS, ...CLUSTER_KINDS], 2);
  const sides = [
    new ServerClient(players.embedded.target, players.embedded.agent, namespace),
    new ServerClient(players.real.target, players.real.agent, namespace),
  ] as const;
  const opening: RandomRequest = {
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { metadata: { name: namespace } },
  };
  const watched = kinds.filter(({ namespaced, unwatched }) => namespaced && unwatched !== true);
  const watches = await openWatches(watched, sides, opening);
  const streams = new WatchPairs();
  const moves: RandomRequest[] = [opening];
  const known: string[] = [];
  const definitions = kinds.flatMap(({ names = [] }) => names);
  try {
    for (let step = 1; step <= STEPS; step++) {
      const kind = dice.pick(kinds);
      const move = nextRequest(dice, contextOf(kind, mark));
      moves.push(move);
      const [embedded, real] = await (move.watch === true
        ? streams.open(move, sides)
        : Promise.all([sides[0].send(move), sides[1].send(move)]));
      const parted = isDeepStrictEqual(embedded, real)
        ? KNOWN.find(({ diverges: follows }) => follows?.(move, real))
        : undefined;
      if (parted !== undefined)
        return { requests: moves.length, known: [...known, parted.reason], difference: undefined };
      const isRefused = Math.min(embedded.code, real.code) >= REFUSED;
      const apart = await definitionsApart(isRefused ? [] : definitionsAfter(move, definitions), sides);
      if (isDeepStrictEqual(embedded, real) && apart !== undefined)
        return { requests: moves.length, known, difference: { seed, step, moves, ...apart } };
      if (isDeepStrictEqual(embedded, real)) continue;
      const excuse = KNOWN.find(({ applies }) => applies(move, embedded, real));
      if (excuse === undefined)
        return { requests: moves.length, known, difference: { seed, step, moves, embedded, real } };
      known.push(excuse.reason);
      // From here on the servers store different objects.
      return { requests: moves.length, known, difference: undefined };
    }
    const difference = (await watches.compare(mark)) ?? (await streams.compare(sides, watched.map(collectionOf)));
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

/** What the two servers have of the first of these definitions that differs once it has settled; undefined where none does. */
async function definitionsApart(
  paths: readonly string[],
  sides: readonly [ServerClient, ServerClient],
): Promise<Pick<Difference, 'embedded' | 'real'> | undefined> {
  for (const path of paths) {
    const isSettled = await Promise.all(sides.map((side) => settles(side, path)));
    const [embedded, real] = await Promise.all([
      sides[0].send({ method: 'GET', path }),
      sides[1].send({ method: 'GET', path }),
    ]);
    if (isSettled.includes(false) || !isDeepStrictEqual(embedded, real))
      return {
        embedded: { path, settled: isSettled[0], ...embedded },
        real: { path, settled: isSettled[1], ...real },
      };
  }
  return undefined;
}

/** What a request to a kind is made from. */
function contextOf(kind: Kind, mark: string): RequestContext {
  const ownNames = kind.namespaced ? ['x', 'y', 'z'] : [`${mark}-x`, `${mark}-y`];
  return { kind, label: mark, names: kind.names ?? ownNames };
}

interface Watches {
  /** Creates a last object of each kind, waits until both servers reported it, and compares all events. */
  compare(mark: string): Promise<WatchDifference | undefined>;
  end(): Promise<void>;
}

/** Objects of controllers that not every server has. */
const MADE_BY_CONTROLLERS = new Set(['kube-root-ca.crt', 'default']);

/** Watches begin at the resourceVersion of the namespace, so that events come in the order of writes. */
const FROM_OPENING = '{{rv /api/v1/namespaces/{{namespace}}}}';

async function openWatches(
  kinds: readonly Kind[],
  sides: readonly [ServerClient, ServerClient],
  opening: RandomRequest,
): Promise<Watches> {
  const end = new AbortController();
  const streams: Promise<void>[] = [];
  const events = new Map<string, readonly [unknown[], unknown[]]>();
  await Promise.all(sides.map((side) => side.send(opening)));
  for (const kind of kinds) {
    const received: readonly [unknown[], unknown[]] = [[], []];
    events.set(kind.name, received);
    for (const [at, side] of sides.entries()) {
      const list = received[at] ?? [];
      streams.push(
        side
          .follow(collectionOf(kind), FROM_OPENING, end.signal, (event) => {
            if (!MADE_BY_CONTROLLERS.has(nameIn(event)) && !isRepair(event)) list.push(event);
          })
          .catch(() => undefined),
      );
    }
  }
  return {
    async compare(mark) {
      for (const kind of kinds) {
        const [first, second] = events.get(kind.name) ?? [[], []];
        const [embeddedLast, realLast] = await Promise.all([
          sides[0].send(lastMove(kind, mark)),
          sides[1].send(lastMove(kind, mark)),
        ]);
        if (embeddedLast.code !== CREATED || realLast.code !== CREATED)
          return { embedded: embeddedLast, real: realLast, missing: `the last ${kind.name}` };
        const atEnd = (list: readonly unknown[]): boolean => list.some((event) => nameIn(event) === LAST);
        const ended = await becomesTrue(() => atEnd(first) && atEnd(second), { deadlineMs: WATCH_MS, everyMs: 5 });
        const embedded = first.map((event) => sides[0].masked(event));
        const real = second.map((event) => sides[1].masked(event));
        if (!isDeepStrictEqual(embedded, real)) return { embedded, real };
        if (!ended) return { embedded, real, missing: `the last event of the watch of ${kind.name}` };
      }
      return undefined;
    },
    async end() {
      end.abort();
      await Promise.all(streams);
    },
  };
}

/** Creates the last object of a sequence: a watch that reports it has reported everything before. */
function lastMove(kind: Kind, mark: string): RandomRequest {
  const identity = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name: LAST, labels: { mark, color: 'blue' } },
  };
  return { method: 'POST', path: collectionOf(kind), body: combined([kind.base(new Dice(1)), identity]) };
}
