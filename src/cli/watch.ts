import { delay, systemClock, systemRandom, waitingClock } from '../runtime/clock.js';
import { createCache } from '../runtime/cache/reflector.js';
import type { Cache } from '../runtime/cache/cache.js';
import { errorText, isFailure } from '../runtime/errors.js';
import { serverVersion } from '../runtime/client/serverversion.js';
import { timestamp, type RawObject } from '../runtime/vocabulary/meta.js';
import type { Call } from '../runtime/transport/call.js';
import { createLogger } from '../runtime/log/pinologger.js';
import type { WorldResource } from '../answers/world/world.js';
import type { Hub } from './hub.js';
import { durationText } from '../answers/output.js';
import { printNote } from './terminal/print.js';
import { isTorn, readAt, TYPES, worldOfLists, type FleetReading, type Listed } from '../answers/world/worlds.js';

/** So long changes are collected before the answer is made again. */
const COLLECT_MS = 200;
/** A watch that is silent does not tell whether the hub is still there: it is asked, and answers soon. */
const ASK_MS = 1_000;
const ANSWER_MS = 3_500;

interface WatchedHub {
  readonly hub: Pick<Hub, 'transport' | 'now' | 'clock'>;
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
  const { reading, resources, program, hub } = watched;
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
    return [[resource, createCache<RawObject>(hub.transport, collection, tools)]];
  });
  const signal = changeSignal();
  for (const [, cache] of caches) {
    cache.onChange(signal.fire);
    cache.onState(signal.fire);
    cache.start();
  }
  const note = failureNotes(program);
  const contact = keepContact(hub, signal.fire);
  try {
    for (;;) {
      await signal.fired();
      await delay(waitingClock, COLLECT_MS);
      signal.reset();
      const failure = caches.map(([, cache]) => cache.failure()).find((one) => one !== undefined);
      note(contact.failure() ?? failure, contact.ageText);
      if (!caches.every(([, cache]) => cache.current())) continue;
      const lists = caches.map(([resource, { store }]): Listed => ({
        resource,
        items: sorted(store.values()),
        withheld: [],
      }));
      // While a decision is being written, another change follows.
      if (isTorn(lists)) continue;
      show(await readAt({ ...reading, world: { ...worldOfLists(lists), withheld } }, hub.now));
    }
  } finally {
    contact.end();
    await Promise.all(caches.map(([, cache]) => cache.stop()));
  }
}

/** As a list of the API server is. */
function sorted(objects: Iterable<RawObject>): readonly RawObject[] {
  const keyOf = ({ metadata }: RawObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;
  return [...objects].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** `fired` resolves when it has fired since the last reset. */
function changeSignal() {
  let isFired = false;
  let wake: (() => void) | undefined;
  return {
    fire: () => {
      isFired = true;
      wake?.();
    },
    reset: () => void (isFired = false),
    fired: (): Promise<void> => (isFired ? Promise.resolve() : new Promise((resolve) => (wake = resolve))),
  };
}

/** Asks the hub for its version, again and again. Calls `onChange` when it stops to answer, and when it answers again. */
function keepContact({ transport, clock }: WatchedHub['hub'], onChange: () => void) {
  const ended = new AbortController();
  const asked = { call: (call: Call) => transport.call({ ...call, attempts: 1, deadlineMs: ANSWER_MS }) };
  let failure: Error | undefined;
  let answered = clock.monotonic();
  const ask = async (): Promise<void> => {
    for (;;) {
      await delay(waitingClock, ASK_MS, ended.signal);
      const before = failure;
      failure = await serverVersion(asked, ended.signal).then(
        () => undefined,
        (error: unknown) => (isFailure(error, 'Transport', 'Unavailable') ? error : undefined),
      );
      if (failure === undefined) answered = clock.monotonic();
      if ((failure === undefined) !== (before === undefined)) onChange();
    }
  };
  ask().catch(() => undefined);
  return {
    /** Why the hub did not answer when it was asked last; undefined when it did. */
    failure: () => failure,
    /** How old what is shown is: it was current when the hub answered last. */
    ageText: () => {
      const age = clock.monotonic() - answered;
      return `${durationText(age)} old (${timestamp(clock.now() - age)})`;
    },
    end: () => ended.abort(),
  };
}

/** Says once that the hub cannot be read, and how old what is shown is; and once that it can be again. */
function failureNotes(program: string): (failure: Error | undefined, ageText: () => string) => void {
  let isFailing = false;
  return (failure, ageText) => {
    if (failure !== undefined && !isFailing)
      printNote(`${program}: waiting for the hub: ${errorText(failure)}; what is shown is ${ageText()}\n`);
    if (failure === undefined && isFailing) printNote(`${program}: the hub can be read again\n`);
    isFailing = failure !== undefined;
  };
}
