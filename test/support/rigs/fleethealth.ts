import { AVAILABLE_CONDITION } from '../../../src/api/clusterreasons.js';
import { healthConditions } from '../../../src/domain/health/conditions.js';
import type { HealthTaintKey } from '../../../src/domain/health/judge.js';
import type { WatchState } from '../../../src/domain/health/observation.js';
import type { Judgement } from '../../../src/domain/health/status.js';
import type { HealthView } from '../../../src/domain/health/view.js';
import { FleetHealth, type Evaluation } from '../../../src/operator/index/fleethealth.js';
import type { ObservedLease } from '../../../src/operator/index/agents.js';

export const SECOND = 1_000;
export const MINUTE = 60_000;
const RENEW_MS = 50 * SECOND;

export interface MemberOptions {
  readonly accepts?: boolean | undefined;
  readonly leaseDurationMs?: number;
  readonly joined?: boolean;
  readonly unhealthy?: string | undefined;
  readonly tainted?: HealthTaintKey | undefined;
  readonly uid?: string;
}

/** A FleetHealth in virtual time: one evaluation a second, Leases that renew themselves, and an outage of the watch. */
export class VirtualFleet {
  readonly leases = new Map<string, ObservedLease>();
  readonly sets = new Map<string, readonly string[]>();
  /** Every cluster that was granted a taint, with when, in ms. */
  readonly granted: (readonly [name: string, at: number])[] = [];
  readonly silent: string[] = [];
  readonly recovered: string[] = [];
  health = this.#start();
  now = 0;
  /** Whether the watch of the Leases delivers. */
  watching = true;
  /** Whether this replica grants taints. */
  leads = true;
  #receivedAt = 0;
  readonly #views = new Map<string, HealthView>();
  readonly #renewing = new Set<string>();

  /** A new process on the same hub: it lists what is stored. */
  restart(): void {
    this.health = this.#start();
    for (const [name, observed] of this.leases) this.leases.set(name, { ...observed, at: this.now });
    for (const view of this.#views.values()) this.health.upsertCluster(view, this.now);
  }

  /** Adds or changes a cluster, which is accepted and has joined by default. */
  cluster(name: string, options: MemberOptions = {}): void {
    const { accepts = true, leaseDurationMs = MINUTE, joined = true, unhealthy, tainted, uid = name } = options;
    const view: HealthView = {
      name,
      uid,
      accepts: 'accepts' in options ? options.accepts : accepts,
      leaseDurationMs,
      joined,
      unhealthy,
      tainted,
      stored: { conditions: [], taints: [], taintTimes: [] },
    };
    this.#views.set(name, view);
    this.health.upsertCluster(view, this.now);
  }

  /** These clusters renew their Leases every 50 s from now on. */
  renewing(names: readonly string[]): void {
    for (const name of names) this.#renewing.add(name);
  }

  /** These clusters renew no more. */
  silencing(names: readonly string[]): void {
    for (const name of names) this.#renewing.delete(name);
  }

  /** `durationMs`: what the agent writes as the duration of the lease; 0: nothing. */
  renew(name: string, durationMs = 0): void {
    if (!this.watching) return;
    this.leases.set(name, { at: this.now, clock: 'synced', durationMs, holder: `id-${name}` });
    this.health.leaseRenewed(name, this.now);
  }

  /** Runs until `ms` later; returns the last evaluation. */
  run(ms: number): Evaluation {
    let evaluation: Evaluation = { changed: [], silent: [], recovered: [] };
    for (const end = this.now + ms; this.now < end;) {
      this.now += SECOND;
      if (this.watching) this.#receivedAt = this.now;
      if (this.now % RENEW_MS === 0) for (const name of this.#renewing) this.renew(name);
      evaluation = this.health.evaluate(this.watch);
      this.silent.push(...evaluation.silent);
      this.recovered.push(...evaluation.recovered);
      if (this.leads) for (const name of this.health.grantTaints(this.watch)) this.granted.push([name, this.now]);
    }
    return evaluation;
  }

  get watch(): WatchState {
    return { now: this.now, current: true, receivedAt: this.#receivedAt };
  }

  judge(name: string): Judgement {
    const view = this.#views.get(name);
    if (view === undefined) throw new Error(`no cluster ${name}`);
    return this.health.judge(view, this.watch, this.now);
  }

  /** The message of the condition Available of a judged cluster. */
  message(name: string): string | undefined {
    const judgement = this.judge(name);
    if (judgement.kind !== 'judged') return undefined;
    const conditions = healthConditions([], judgement.conditions, '2026-01-01T00:00:00Z');
    return conditions.find(({ type }) => type === AVAILABLE_CONDITION)?.message;
  }

  /** `availability taint effect hold` of a judged cluster, else the kind of its judgement. */
  verdict(name: string): string {
    const judgement = this.judge(name);
    if (judgement.kind !== 'judged') return judgement.kind;
    const { conditions, taint } = judgement;
    const brake = conditions.brake?.scope === 'set' ? `set ${conditions.brake.set}` : conditions.brake?.scope;
    const [, key = ''] = taint?.key.split('/') ?? [];
    const parts = [conditions.availability ?? 'kept', key, taint?.effect, brake && `braked by ${brake}`];
    return parts.filter((part) => part !== undefined && part !== '').join(' ');
  }

  #start(): FleetHealth {
    return new FleetHealth(
      (name) => this.leases.get(name),
      (name) => this.sets.get(name) ?? [],
    );
  }
}

/** `count` names with this prefix. */
export function namesOf(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}
