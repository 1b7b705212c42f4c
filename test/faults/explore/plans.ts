import { Dice } from '@multicluster-engine/kube-apiserver/testing/random';

import type { Fault, Moment, Plan, Sort, What, Where } from '../plan.js';
import type { Reference } from '../run.js';

/** What may happen at each moment to a request of each sort. */
const ANSWERS: readonly What[] = [
  { kind: 'answer', status: 409 },
  { kind: 'answer', status: 429, retryAfter: '1' },
  { kind: 'answer', status: 429, retryAfter: '30' },
  { kind: 'answer', status: 429 },
  { kind: 'answer', status: 500 },
  { kind: 'answer', status: 503 },
  { kind: 'answer', status: 504, reason: 'Timeout' },
  { kind: 'answer', status: 403 },
  { kind: 'page' },
  { kind: 'reset' },
  { kind: 'silence' },
];
const CRASH: What = { kind: 'crash', ms: 1_000 };
/** For longer than a Lease. */
const STOP: What = { kind: 'stop', ms: 20_000 };
const ANYWHERE: readonly What[] = [
  CRASH,
  { kind: 'slow', ms: 2_000 },
  STOP,
  { kind: 'clock', ms: 7_200_000 },
  { kind: 'clock', ms: -7_200_000 },
  { kind: 'takeover', ms: 40_000 },
  { kind: 'outage', status: 500, ms: 20_000, all: true },
  { kind: 'outage', status: 429, ms: 5_000, all: true },
  { kind: 'outage', status: 403, ms: 30_000, all: false },
  { kind: 'outage', status: 404, ms: 30_000, all: false },
  { kind: 'definition', ms: 10_000 },
  { kind: 'behind', ms: 20_000 },
];
const EVENTS: readonly What[] = [
  { kind: 'end' },
  { kind: 'gone', ms: 0 },
  { kind: 'gone', ms: 2_500 },
  { kind: 'replay', count: 1 },
  { kind: 'replay', count: 20 },
  { kind: 'late', ms: 2_000 },
  { kind: 'late', ms: 30_000 },
  { kind: 'mute' },
  { kind: 'no-bookmarks' },
];
const FOREIGN: readonly What[] = [
  { kind: 'foreign', field: 'label' },
  { kind: 'foreign', field: 'content' },
];

/** Of the bytes of a client: before the end of its request, and beyond the time limits of a head. */
const BYTES: readonly What[] = [
  { kind: 'reset' },
  { kind: 'end' },
  { kind: 'silence' },
  { kind: 'slow', ms: 2_000 },
  { kind: 'slow', ms: 20_000 },
];
/** Of the requests that the gateway sends; the last arrives when nobody waits for it any more. */
const FOR_CLIENTS: readonly What[] = [{ kind: 'leave' }, { kind: 'torn' }, { kind: 'slow', ms: 20_000 }];

/** Every fault that applies to a request or an event of the sort, with the moment. `hasClients`: they are those of the gateway. */
export function faultsOf(of: Sort, hasClients = false): readonly Omit<Fault, 'where'>[] {
  const at = (when: Moment, what: readonly What[]): Omit<Fault, 'where'>[] => what.map((one) => ({ when, what: one }));
  if (of === 'event') return at('watch', EVENTS);
  if (of === 'client') return at('before', BYTES);
  const more = hasClients ? FOR_CLIENTS : [];
  const before = at('before', [...ANSWERS, ...ANYWHERE, ...more]);
  // Whether a read was carried out whose answer is lost makes no difference.
  if (of === 'read') return [...before, ...at('before', [{ kind: 'answer', status: 410 }]), ...at('applied', more)];
  const lost = ANSWERS.filter((one) => one.kind !== 'answer' || ![409, 429, 403].includes(one.status));
  const applied = at('applied', [...lost, ...more, CRASH, STOP, { kind: 'slow', ms: 20_000 }]);
  const write = [...before, ...applied, ...at('answered', [CRASH, STOP])];
  return of === 'lease' ? write : [...write, ...at('before', FOREIGN), ...at('answered', FOREIGN)];
}

/** The steps that a plan runs through. */
export interface Stretch {
  readonly scenario: string;
  readonly from: number;
  readonly to: number;
}

/** With what the run without faults has there. */
export interface Window extends Stretch {
  readonly reference: Reference;
}

/** A plan with one fault, in the order in which things are sent. */
function single({ scenario, from, to }: Window, fault: Fault): Plan {
  return { scenario, seed: 0, faults: [fault], from, to };
}

/**
 * Where faults of a sort can hit in the step of the window after its first; and in the first, for a start on an empty hub, and for one
 * where all is there.
 */
function placesOf({ from, reference: { counts } }: Window, of: Sort): Where[] {
  const steps = from <= 1 ? [0, 1] : [1];
  return steps.flatMap((step) =>
    Array.from({ length: counts[step]?.[of] ?? 0 }, (_, n) => ({ step: from + step, of, n: n + 1 })),
  );
}

/** A crash at each write, and the loss of each reply. */
export function crashPlans(window: Window): Plan[] {
  const faults = [
    { when: 'before', what: CRASH },
    { when: 'applied', what: CRASH },
    { when: 'answered', what: CRASH },
    { when: 'applied', what: { kind: 'silence' } },
    { when: 'applied', what: { kind: 'reset' } },
  ] as const;
  return placesOf(window, 'write').flatMap((where) => faults.map((fault) => single(window, { where, ...fault })));
}

/** At one of so many bytes a client does what is less likely than to be cut. */
const BYTES_APART = 25;
/** How often a client that asks again is cut in one plan, each time a byte later. */
const CUTS = 20;
const REQUEST = /^step (\d+) client (\d+) to (\d+), whole at (\d+): (\S+)/;

/** Each request of a client of the gateway, cut before each of its bytes and after the last; at some of them, also late or silent. */
export function bytePlans(window: Window): Plan[] {
  const one = { ...window, to: window.from + 1 };
  const requests = window.reference.named.flatMap((text) => {
    const [, step, ...numbers] = REQUEST.exec(text) ?? [];
    const [first = 0, last = 0, whole = 0] = numbers.map(Number);
    return Number(step) === one.to ? [{ first, size: last - first + 1, whole, client: numbers.at(-1) }] : [];
  });
  const isAlone = new Set(requests.map(({ client }) => client)).size === 1;
  const at = (n: number, what: What): Fault => ({ where: { step: one.to, of: 'client', n }, when: 'before', what });
  const [cut, ...others] = BYTES as readonly [What, ...What[]];
  const plans: Plan[] = [];
  for (const { first, size, whole } of requests)
    for (let byte = 0, many = 1; byte < size; byte += many) {
      // Where it may be carried out, or others ask in between, the next attempt is not the next request.
      many = isAlone ? Math.max(Math.min(CUTS, whole - byte), 1) : 1;
      const faults = Array.from({ length: many }, (_, k) => at(first + k * size + byte + k, cut));
      plans.push({ ...single(one, at(first, cut)), faults });
      if (byte % BYTES_APART < many) plans.push(...others.map((what) => single(one, at(first + byte, what))));
    }
  return plans;
}

/** Each window of events, lost in a gap of some length, or delivered twice, up to 20 of them. */
export function eventPlans(window: Window): Plan[] {
  const lost = [0, 10, 100, 2_500].map((ms): What => ({ kind: 'gone', ms }));
  const again = [1, 2, 5, 20].map((count): What => ({ kind: 'replay', count }));
  return placesOf(window, 'event').flatMap((where) =>
    [...lost, ...again].map((what) => single(window, { where, when: 'watch', what })),
  );
}

/** Every request with every fault that applies. */
export function requestPlans(window: Window): Plan[] {
  return (['write', 'read', 'lease', 'event'] as const).flatMap((of) =>
    placesOf(window, of).flatMap((where) =>
      faultsOf(of, hasClients(window)).map((fault) => single(window, { where, ...fault })),
    ),
  );
}

function hasClients({ reference: { counts } }: Window): boolean {
  return counts.some(({ client }) => client > 0);
}

/** As often as faults of a random plan are of them. */
const SORTS_WITHOUT: readonly Sort[] = ['write', 'write', 'write', 'read', 'lease', 'event', 'event'];
const SORTS_WITH_CLIENTS: readonly Sort[] = ['write', 'write', 'read', 'client', 'client'];
const FEWEST = 3;
const TRIES = 10;
const MOST = 30;

/** A random plan: 3 to 30 faults, most often few, and an order of events of its own. */
export function randomPlan(seed: number, window: Window): Plan {
  const { scenario, from, to, reference } = window;
  const sorts = hasClients(window) ? SORTS_WITH_CLIENTS : SORTS_WITHOUT;
  const dice = new Dice(seed);
  const size = Math.min(FEWEST + Math.floor(-Math.log(1 - dice.next()) * 4), MOST);
  const faults: Fault[] = [];
  // A step may have no place of a sort, and a place may be drawn twice.
  for (let tries = 0; faults.length < size && tries < TRIES * size; tries++) {
    const of = dice.pick(sorts);
    const step = dice.between(0, reference.counts.length - 1);
    const most = reference.counts[step]?.[of] ?? 0;
    if (most === 0) continue;
    // Beyond the requests of the reference, too: a fault makes more of them.
    const where = { step: from + step, of, n: dice.between(1, most + 2) };
    if (faults.some((one) => JSON.stringify(one.where) === JSON.stringify(where))) continue;
    faults.push({ where, ...dice.pick(faultsOf(of, hasClients(window))) });
  }
  return { scenario, seed: dice.between(1, 1_000_000_000), faults, from, to };
}
