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

/** @throws Error that names the field, the value and the rule */
export function readPlan(text: string): Plan {
  const value = JSON.parse(text) as Partial<Plan>;
  const refuse = (field: string, found: unknown, rule: string): never => {
    throw new Error(`${field}: ${JSON.stringify(found)} is not ${rule}`);
  };
  if (typeof value.scenario !== 'string') refuse('scenario', value.scenario, 'the name of a scenario');
  if (!Number.isInteger(value.seed)) refuse('seed', value.seed, 'an integer');
  if (!Array.isArray(value.faults)) refuse('faults', value.faults, 'a list of faults');
  for (const field of ['from', 'to'] as const)
    if (value[field] !== undefined && !Number.isInteger(value[field])) refuse(field, value[field], 'an integer');
  for (const [index, fault] of (value.faults ?? []).entries()) {
    const field = `faults[${index}]`;
    if (!SORTS.includes(fault.where?.of)) refuse(`${field}.where.of`, fault.where?.of, `one of ${SORTS.join(', ')}`);
    if (!MOMENTS.includes(fault.when)) refuse(`${field}.when`, fault.when, `one of ${MOMENTS.join(', ')}`);
  }
  return value as Plan;
}

/** `step 3, write 2, applied: crash 1000` */
export function faultText({ where, when, what }: Fault): string {
  const { kind, ...rest } = what;
  return `step ${where.step}, ${where.of} ${where.n}, ${when}: ${[kind, ...Object.values(rest)].join(' ')}`;
}
