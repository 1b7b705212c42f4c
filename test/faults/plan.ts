import { isRecord, type JsonRecord } from '../../src/runtime/vocabulary/json.js';
import { SCENARIOS, scenarioNamed } from './scenarios/all.js';

/**
 * A plan is data: a scenario, a seed of the order of events, and the faults. `npm run faults -- --plan JSON` runs one.
 */
export interface Plan {
  readonly scenario: string;
  /** Of the order of events; 0: everything in the order in which it was sent. */
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** The programs start on what is stored after this step; absent: 0, before the first. */
  readonly from?: number;
  /** The last step; absent: that of the scenario. */
  readonly to?: number;
}

/**
 * Where a fault hits: at the n-th request of a sort (from 1) since the step began, the n-th event of a watch, or the n-th place in the
 * requests of clients of the gateway: before each byte of a request, and after its last.
 */
export interface Where {
  /** From 0: the start of the programs is that of `from`. */
  readonly step: number;
  readonly of: Sort;
  readonly n: number;
  /** Only those of this name are counted, as `--log` prints it: what else is sent may change. Not for clients. */
  readonly name?: string;
}

export const SORTS = ['write', 'read', 'lease', 'event', 'client'] as const;
export type Sort = (typeof SORTS)[number];

/**
 * `before`: the server does not get the request; `applied`: it has carried the request out, and the client gets no answer, or
 * another one; `answered`: right after the client has the answer; `watch`: to the stream of an event, after it is delivered. Of a client
 * of the gateway: always `before`.
 */
const MOMENTS = ['before', 'applied', 'answered', 'watch'] as const;
export type Moment = (typeof MOMENTS)[number];

export interface Fault {
  readonly where: Where;
  readonly when: Moment;
  readonly what: What;
}

export type What =
  /** The process is killed, and started again after `ms`. */
  | { readonly kind: 'crash'; readonly ms: number }
  /** The process is stopped for `ms`. */
  | { readonly kind: 'stop'; readonly ms: number }
  /** The client gets this answer instead of the server's. */
  | { readonly kind: 'answer'; readonly status: number; readonly reason?: string; readonly retryAfter?: string }
  /** No answer at all, or no further byte; the connection stays open. */
  | { readonly kind: 'silence' }
  /** The connection breaks. */
  | { readonly kind: 'reset' }
  /** A page of HTML, with code 200. */
  | { readonly kind: 'page' }
  /** The request, the rest of it, or its answer, arrives `ms` later. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** From this request on, every one of its resource (`all`: of any) gets this status, for `ms`. */
  | { readonly kind: 'outage'; readonly status: number; readonly ms: number; readonly all: boolean }
  /** The definition of the request's resource is gone for `ms`: nothing of it is served, and its watches end. */
  | { readonly kind: 'definition'; readonly ms: number }
  /**
   * The process speaks with another replica of the API server, which hears of no change for `ms`: its watches deliver nothing, and
   * it knows no newer version. Reads that name none, and writes, are answered from the store, as ever.
   */
  | { readonly kind: 'behind'; readonly ms: number }
  /** Somebody else writes to the object of this write: a label, or, where a program puts it right at once, a field of its own. */
  | { readonly kind: 'foreign'; readonly field: 'label' | 'content' }
  /** The wall clock of the process is set by `ms`. */
  | { readonly kind: 'clock'; readonly ms: number }
  /** Another process holds all Leases from now on, and lets them go after `ms`. */
  | { readonly kind: 'takeover'; readonly ms: number }
  /** The stream ends, or what the client sends. */
  | { readonly kind: 'end' }
  /** After `ms` the stream ends with an event that says 410; what happens until then is not delivered as events. */
  | { readonly kind: 'gone'; readonly ms: number }
  /** The last `count` events are delivered again, in their order. */
  | { readonly kind: 'replay'; readonly count: number }
  /** The stream delivers nothing for `ms`, and then everything. */
  | { readonly kind: 'late'; readonly ms: number }
  /** The stream delivers nothing more, and does not end. */
  | { readonly kind: 'mute' }
  /** The answer ends in the middle of its body. */
  | { readonly kind: 'torn' }
  /** The client for which the gateway sends this request closes its connection. */
  | { readonly kind: 'leave' }
  /** The stream delivers no bookmarks from here on. */
  | { readonly kind: 'no-bookmarks' };

/** One line: `{"scenario":…}`. */
export function planText(plan: Plan): string {
  return JSON.stringify(plan);
}

/** What the value of a field has to be, in words and as a test. */
type Rule = readonly [words: string, holds: (value: unknown) => boolean];

const oneOf = (values: readonly string[]): Rule => [
  `one of ${values.join(', ')}`,
  (value) => values.includes(value as string),
];
const integer = (least: number, most = Infinity): Rule => [
  `an integer ${most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`}`,
  (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
];
const optional = ([words, holds]: Rule): Rule => [words, (value) => value === undefined || holds(value)];
const ANY: Rule = ['anything', () => true];
const TEXT: Rule = ['a text', (value) => typeof value === 'string'];
const MS = { ms: integer(0) };
const STATUS = { status: integer(400, 599) };

/** The fields of each kind of fault. */
const FIELDS: Readonly<Record<What['kind'], Readonly<Record<string, Rule>>>> = {
  crash: MS,
  stop: MS,
  answer: { ...STATUS, reason: optional(TEXT), retryAfter: optional(TEXT) },
  silence: {},
  reset: {},
  page: {},
  slow: MS,
  outage: { ...STATUS, ...MS, all: ['true or false', (value) => typeof value === 'boolean'] },
  definition: MS,
  behind: MS,
  foreign: { field: oneOf(['label', 'content']) },
  clock: { ms: ['an integer', Number.isSafeInteger] },
  takeover: MS,
  end: {},
  gone: MS,
  replay: { count: integer(1) },
  late: MS,
  mute: {},
  torn: {},
  leave: {},
  'no-bookmarks': {},
};
const OF_EVENTS = ['end', 'gone', 'replay', 'late', 'mute', 'no-bookmarks'];
const OF_CLIENTS = ['reset', 'end', 'silence', 'slow'];
const OF_REQUESTS = Object.keys(FIELDS).filter((kind) => !OF_EVENTS.includes(kind));

/** When a fault of each sort can be, and what it can be. */
function choicesOf(of: Sort): readonly [moments: readonly string[], kinds: readonly string[]] {
  if (of === 'event') return [['watch'], OF_EVENTS];
  if (of === 'client') return [['before'], OF_CLIENTS];
  return [MOMENTS.filter((when) => when !== 'watch'), OF_REQUESTS];
}

/** @throws Error that names the field, the value and the rule */
export function readPlan(text: string): Plan {
  const plan = fieldsIn('plan', parsed(text), {
    scenario: [
      `one of ${SCENARIOS.map(({ name }) => name).join(', ')}, drawn/SEED-N`,
      (name) => scenarioNamed(String(name)) !== undefined,
    ],
    seed: integer(0),
    faults: ['a list of faults', Array.isArray],
    from: ANY,
    to: ANY,
  }) as unknown as Plan;
  const { steps = [] } = scenarioNamed(plan.scenario) ?? {};
  const { from = 0, to = steps.length } = plan;
  fieldsIn(
    'plan',
    { from, to },
    { from: integer(0, steps.length), to: integer(Math.min(from, steps.length), steps.length) },
  );
  // What time alone brings after the last step counts as a step.
  const last = steps.slice(from, to).at(-1)?.pendingMinutes === undefined ? to : to + 1;
  for (const [index, fault] of plan.faults.entries()) readFault(`faults[${index}]`, fault, [from, last]);
  return plan;
}

function readFault(at: string, value: unknown, steps: readonly [number, number]): void {
  const { where, when, what } = fieldsIn(at, value, { where: ANY, when: oneOf(MOMENTS), what: ANY });
  const place = { step: integer(...steps), of: oneOf(SORTS), n: integer(1), name: optional(TEXT) };
  const { of, name } = fieldsIn(`${at}.where`, where, place);
  if (of === 'client') check(`${at}.where.name`, name, ['absent', (found) => found === undefined], ' for client');
  const [moments, kinds] = choicesOf(of as Sort);
  check(`${at}.when`, when, oneOf(moments), ` for ${String(of)}`);
  const kind = isRecord(what) ? what['kind'] : undefined;
  if (isRecord(what)) check(`${at}.what.kind`, kind, oneOf(kinds), ` for ${String(of)}`);
  fieldsIn(`${at}.what`, what, { kind: ANY, ...FIELDS[kind as What['kind']] });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse('plan', text, 'JSON');
  }
}

/** The fields of an object that has these and no others. */
function fieldsIn(at: string, value: unknown, rules: Readonly<Record<string, Rule>>): JsonRecord {
  if (!isRecord(value)) return refuse(at, value, 'an object');
  const nameOf = (field: string): string => (at === 'plan' ? field : `${at}.${field}`);
  for (const [field, found] of Object.entries(value))
    if (!Object.hasOwn(rules, field))
      refuse(nameOf(field), found, `known: the fields are ${Object.keys(rules).join(', ')}`);
  for (const [field, rule] of Object.entries(rules)) check(nameOf(field), value[field], rule);
  return value;
}

function check(field: string, found: unknown, [words, holds]: Rule, where = ''): void {
  if (!holds(found)) refuse(field, found, `${words}${where}`);
}

function refuse(field: string, found: unknown, rule: string): never {
  throw new Error(`${field}: ${JSON.stringify(found)} is not ${rule}`);
}

/** `step 3, write 2, applied: crash 1000`, `step 3, write 1 of operator update placements web, applied: crash 1000` */
export function faultText({ where: { step, of, n, name }, when, what }: Fault): string {
  const { kind, ...rest } = what;
  const among = name === undefined ? '' : ` of ${name}`;
  return `step ${step}, ${of} ${n}${among}, ${when}: ${[kind, ...Object.values(rest)].join(' ')}`;
}
