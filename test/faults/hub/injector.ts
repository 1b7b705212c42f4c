import { SORTS, type Fault, type Plan, type Sort, type What } from '../plan.js';
import type { SentRequest } from './request.js';
import type { Simulation } from './time.js';

/** What a fault may do beside answering: to the process, or to the hub. */
interface Struck {
  readonly clock: { stop(ms: number): void; aheadMs: number };
  readonly clockCorrectedAfterMs?: number;
  readonly crash: (ms: number) => void;
  /** Lets the client for which the request is sent close its connection. */
  readonly leave?: ((sent: SentRequest) => void) | undefined;
}

/** What the faults do to the hub itself. */
export interface Meddler {
  /** Writes to the object of a request, as somebody else. */
  write(sent: SentRequest, field: 'label' | 'content'): void;
  /** Holds all Leases for `ms`. */
  takeLeases(ms: number): void;
  /** The newest version that is stored. */
  version(): bigint;
}

/** A watch on its way. */
interface Watched {
  readonly resource: string;
  readonly process: string;
  /** Ends it. */
  cut(): void;
  /** Delivers nothing for `ms`. */
  hold(ms: number): void;
}

/** Answers for a while what falls under it. */
interface Outage {
  readonly until: number;
  readonly answers: (sent: SentRequest) => boolean;
  readonly status: number;
  /** The body; absent: a Status. */
  readonly text?: string;
}

export const EVENTS = 'events.events.k8s.io';
/** A watch that delivers nothing for so long is ended by its process. */
const SILENT_MS = 150_000;

/** Counts requests and events of each step, and says which meets a fault of the plan. */
export class Injector {
  readonly #simulation: Simulation;
  readonly #meddler: Meddler;
  /** The faults that were reached, in order. */
  readonly reached: Fault[] = [];
  /** Monotonic ms at which the effect of the last fault ends. */
  calmAt = 0;
  /** The same without events that are late: a step may end before they come, as people wait for no watch. */
  awaitedUntil = 0;
  /** Monotonic ms by which a process has noticed that the last watch which fell silent did so. */
  noticedAt = 0;
  #waiting: readonly Fault[];
  #outages: Outage[] = [];
  /** The open watches of all processes. */
  readonly streams = new Set<Watched>();
  /** Requests that meet a fault when their answer is there. */
  readonly #atAnswer = new Map<SentRequest, Fault>();
  #step = 0;
  #counts: Record<Sort, number> = emptyCounts();
  /** By `sort name`. */
  readonly #countsOfNames = new Map<string, number>();
  /** The counts of the steps that are over. */
  readonly trace: Readonly<Record<Sort, number>>[] = [];
  /** What each request and event of the run was: `step sort n process verb resource name`. */
  readonly named: string[] = [];

  constructor(simulation: Simulation, meddler: Meddler, plan: Plan) {
    this.#simulation = simulation;
    this.#meddler = meddler;
    this.#waiting = plan.faults;
  }

  /** Until when who was told to wait may not ask the same again, monotonic ms, by connection, method and path. */
  readonly #refusedUntil = new WeakMap<object, Map<string, number>>();
  /** Requests that were sent before that. */
  readonly early: SentRequest[] = [];

  /** What was written so far but for Leases, Events included. */
  readonly writes: SentRequest[] = [];

  /** No fault hits from now on. */
  close(): void {
    this.#waiting = [];
  }

  begin(step: number): void {
    this.trace.push(this.#counts);
    this.#step = step;
    this.#counts = emptyCounts();
    this.#countsOfNames.clear();
  }

  /** The fault of a request that is about to be sent. */
  next(sent: SentRequest): Fault | undefined {
    if (sent.sort === 'write') this.writes.push(sent);
    // A probe is sent every few seconds, and only all probes of half a minute together matter.
    if (sent.resource === 'readyz') return undefined;
    const fault = this.#count(sent.sort, textOf(sent));
    if (fault?.when !== 'answered') return fault;
    this.#atAnswer.set(sent, fault);
    return undefined;
  }

  /** An answer on this connection tells its process to wait so long with requests for the same. */
  refused(sent: SentRequest, connection: object, ms: number): void {
    const all = this.#refusedUntil.get(connection) ?? new Map<string, number>();
    this.#refusedUntil.set(connection, all.set(askedFor(sent), this.#simulation.monotonic() + ms));
  }

  /** To be called for each request on a connection. */
  sending(sent: SentRequest, connection: object): void {
    const until = this.#refusedUntil.get(connection)?.get(askedFor(sent)) ?? 0;
    if (this.#simulation.monotonic() < until) this.early.push(sent);
  }

  /** The fault of the event that a watch has just delivered. */
  nextEvent(resource: string, process: string): What | undefined {
    const fault = this.#count('event', `${process} event ${resource}`);
    if (fault === undefined) return undefined;
    const { what } = fault;
    if (what.kind === 'mute' || what.kind === 'no-bookmarks') this.noticedAt = this.#simulation.monotonic() + SILENT_MS;
    if (what.kind === 'late') this.calmAt = Math.max(this.calmAt, this.#simulation.monotonic() + what.ms);
    if (what.kind === 'gone') {
      this.#disturb(what.ms);
      this.#simulation.after(what.ms, () => this.#compact(resource, process));
    }
    return what;
  }

  /** What has happened so far is forgotten: no watch of the process can go on from there. */
  #compact(resource: string, process: string): void {
    const newest = this.#meddler.version();
    const answers = (sent: SentRequest): boolean =>
      sent.process === process &&
      sent.resource === resource &&
      sent.watchedFrom !== undefined &&
      sent.watchedFrom < newest;
    this.#outages.push({ until: Infinity, answers, status: 410 });
  }

  /**
   * The places of a request of a client with so many bytes, after `whole` of which it can be carried out. The function that it
   * returns meets the first fault that is after `from` bytes and before `to`, or after the last.
   */
  placesIn(
    bytes: number,
    whole: number,
    name: string,
  ): (from: number, to: number) => { readonly after: number; readonly what: What } | undefined {
    const [step, before] = [this.#step, this.#counts.client + 1];
    this.#counts.client += bytes + 1;
    this.named.push(`step ${step} client ${before} to ${before + bytes}, whole at ${whole}: ${name}`);
    return (from, to) => {
      const [fault] = this.#waiting
        .filter(
          ({ where: { of, n, step: at } }) =>
            of === 'client' && at === step && n >= before + from && n < before + to + (to === bytes ? 1 : 0),
        )
        .sort((a, b) => a.where.n - b.where.n);
      if (fault === undefined) return undefined;
      this.#meet(fault);
      if (fault.what.kind === 'slow') this.#disturb(fault.what.ms);
      return { after: fault.where.n - before, what: fault.what };
    };
  }

  /** The outage that the request falls under. */
  outageOf(sent: SentRequest): Pick<Outage, 'status' | 'text'> | undefined {
    const now = this.#simulation.monotonic();
    this.#outages = this.#outages.filter(({ until }) => until > now);
    return this.#outages.find(({ answers }) => answers(sent));
  }

  /** Lets what is no answer happen: to the process that sent the request, or to the hub. */
  strike(what: What, sent: SentRequest, struck: Struck): void {
    if (what.kind === 'crash') {
      this.#disturb(what.ms);
      struck.crash(what.ms);
    } else if (what.kind === 'stop') {
      this.#disturb(what.ms);
      struck.clock.stop(what.ms);
    } else if (what.kind === 'slow') this.#disturb(what.ms);
    else if (what.kind === 'leave') struck.leave?.(sent);
    else if (what.kind === 'clock') this.#setClock(what.ms, struck);
    else if (what.kind === 'foreign') this.#meddler.write(sent, what.field);
    else if (what.kind === 'takeover') {
      this.#disturb(what.ms);
      this.#meddler.takeLeases(what.ms);
    } else this.#breakDown(what, sent);
  }

  #breakDown(what: What, { resource, process }: SentRequest): void {
    if (what.kind !== 'outage' && what.kind !== 'definition' && what.kind !== 'behind') return;
    this.#disturb(what.ms);
    const until = this.#simulation.monotonic() + what.ms;
    if (what.kind === 'outage') {
      const answers = (other: SentRequest): boolean => what.all || other.resource === resource;
      this.#outages.push({ until, answers, status: what.status });
    } else if (what.kind === 'definition') {
      const answers = (other: SentRequest): boolean => kindOf(other.resource) === kindOf(resource);
      this.#outages.push({ until, answers, status: 404, text: '404 page not found\n' });
      for (const stream of this.streams) if (stream.resource === kindOf(resource)) stream.cut();
    } else {
      const newest = this.#meddler.version();
      const answers = (other: SentRequest): boolean =>
        other.process === process && other.watchedFrom !== undefined && other.watchedFrom > newest;
      this.#outages.push({ until, answers, status: 504 });
      for (const stream of this.streams) if (stream.process === process) stream.hold(what.ms);
    }
  }

  /** To be called when a process has the answer to a request: faults of the moment `answered` happen now. */
  answered(sent: SentRequest, struck: Struck): void {
    const fault = this.#atAnswer.get(sent);
    if (fault === undefined) return;
    this.#atAnswer.delete(sent);
    this.strike(fault.what, sent, struck);
  }

  #count(sort: Sort, name: string): Fault | undefined {
    this.#counts[sort] += 1;
    const n = this.#counts[sort];
    this.named.push(`step ${this.#step} ${sort} ${n}: ${name}`);
    const key = `${sort} ${name}`;
    const ofName = (this.#countsOfNames.get(key) ?? 0) + 1;
    this.#countsOfNames.set(key, ofName);
    const fault = this.#waiting.find(
      ({ where }) =>
        where.step === this.#step &&
        where.of === sort &&
        (where.name === undefined ? where.n === n : where.name === name && where.n === ofName),
    );
    if (fault !== undefined) this.#meet(fault);
    return fault;
  }

  #meet(fault: Fault): void {
    this.#waiting = this.#waiting.filter((one) => one !== fault);
    this.reached.push(fault);
    const { what } = fault;
    // Who is told to wait does so.
    this.#disturb(what.kind === 'answer' ? Number(what.retryAfter ?? 0) * 1_000 : 0);
  }

  #setClock(ms: number, { clock, clockCorrectedAfterMs: correctedAfterMs }: Struck): void {
    clock.aheadMs += ms;
    if (correctedAfterMs === undefined) return;
    this.#disturb(correctedAfterMs);
    this.#simulation.after(correctedAfterMs, () => (clock.aheadMs -= ms));
  }

  #disturb(ms: number): void {
    const until = this.#simulation.monotonic() + ms;
    this.calmAt = Math.max(this.calmAt, until);
    this.awaitedUntil = Math.max(this.awaitedUntil, until);
  }
}

function askedFor({ method, path }: SentRequest): string {
  return `${method} ${path}`;
}

/** Without the subresource. */
function kindOf(resource: string): string {
  return resource.split('/')[0] ?? '';
}

/** `process verb resource name`, without the names of Events, which are random. */
export function textOf({ process, verb, resource, name }: SentRequest): string {
  return `${process} ${verb} ${resource} ${resource === EVENTS ? '' : name}`.trimEnd();
}

function emptyCounts(): Record<Sort, number> {
  return Object.fromEntries(SORTS.map((sort) => [sort, 0])) as Record<Sort, number>;
}
