import { delay, systemClock, systemRandom, waitingClock } from '../../runtime/clock.js';
import { createCache } from '../../runtime/cache/reflector.js';
import type { Cache } from '../../runtime/cache/cache.js';
import { errorText } from '../../runtime/errors.js';
import { createLogger } from '../../runtime/log/pinologger.js';
import type { RawObject, WorldResource } from '../../domain/fleet/world.js';
import type { Hub } from '../hub.js';
import { printNote } from '../terminal/print.js';
import { isTorn, TYPES, worldOfLists, type FleetReading, type Listed } from './worlds.js';

/** So long changes are collected before the answer is made again. */
const COLLECT_MS = 200;

interface WatchedHub extends Pick<Hub, 'transport'> {
  /** Begins the notes on standard error. */
  readonly program: string;
  /** What was read first: only what could be read is watched. */
  readonly reading: FleetReading;
  readonly resources: readonly WorldResource[];
}

/**
 * Calls `show` with the objects of the hub after each change, by watches of the API server, until that throws. A hub that cannot
 * be reached is noted on standard error and awaited, as a reconnecting client does.
 */
export async function watchFleetWorld(watched: WatchedHub, show: (reading: FleetReading) => void): Promise<never> {
  const { reading, resources, program, transport } = watched;
  const { withheld } = reading.world;
  const tools = {
    clock: waitingClock,
    random: systemRandom,
    log: createLogger({ level: 'fatal', clock: systemClock }),
  };
  const caches = resources.flatMap((resource): [WorldResource, Cache<RawObject>][] => {
    if (withheld.some((one) => one.resource === resource)) return [];
    const namespace = TYPES[resource].namespaced ? reading.namespace : undefined;
    const collection = { type: TYPES[resource], ...(namespace !== undefined && { namespace }) };
    return [[resource, createCache<RawObject>(transport, collection, tools)]];
  });
  const signal = changeSignal();
  for (const [, cache] of caches) {
    cache.onChange(signal.fire);
    cache.onState(signal.fire);
    cache.start();
  }
  const note = failureNotes(program);
  try {
    for (;;) {
      await signal.fired();
      await delay(waitingClock, COLLECT_MS);
      signal.reset();
      note(caches.map(([, cache]) => cache.failure()).find((one) => one !== undefined));
      if (!caches.every(([, cache]) => cache.current())) continue;
      const lists = caches.map(([resource, { store }]): Listed => ({
        resource,
        items: sorted(store.values()),
        withheld: [],
      }));
      // While a decision is being written, another change follows.
      if (isTorn(lists)) continue;
      const world = { ...worldOfLists(lists), withheld, at: systemClock.now() };
      show({ ...reading, world });
    }
  } finally {
    await Promise.all(caches.map(([, cache]) => cache.stop()));
  }
}

/** As a list of the API server is. */
function sorted(objects: Iterable<RawObject>): readonly RawObject[] {
  const keyOf = ({ metadata }: RawObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;
  return [...objects].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

interface ChangeSignal {
  readonly fire: () => void;
  readonly reset: () => void;
  /** Resolves when it has fired since the last reset. */
  readonly fired: () => Promise<void>;
}

function changeSignal(): ChangeSignal {
  let isFired = false;
  let wake: (() => void) | undefined;
  return {
    fire: () => {
      isFired = true;
      wake?.();
    },
    reset: () => void (isFired = false),
    fired: () => (isFired ? Promise.resolve() : new Promise((resolve) => (wake = resolve))),
  };
}

/** Says once that the hub cannot be read, and once that it can be again. */
function failureNotes(program: string): (failure: Error | undefined) => void {
  let isFailing = false;
  return (failure) => {
    if (failure !== undefined && !isFailing) printNote(`${program}: waiting for the hub: ${errorText(failure)}\n`);
    if (failure === undefined && isFailing) printNote(`${program}: the hub can be read again\n`);
    isFailing = failure !== undefined;
  };
}
