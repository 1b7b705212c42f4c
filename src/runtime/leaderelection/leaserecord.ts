import type { V1Lease } from '@kubernetes/client-node';
import { isOlder, type BuiltIn, type ObjectMeta, type ObjectName } from '../vocabulary/meta.js';
import { Leases, apiVersionOf } from '../vocabulary/kinds.js';
import type { Clock } from '../clock.js';
import type { GuardRow, GuardedWrite } from '../client/guard.js';
import { field } from '../vocabulary/json.js';

/** The coordination.k8s.io Lease that candidates elect a leader by; times are RFC 3339 with six decimals. */
export type Lease = BuiltIn<V1Lease>;

/** A candidate waits at most this long: a longer leaseDurationSeconds is not from this program. */
const LONGEST_DURATION_MS = 60_000;
/** The API server rejects a longer field manager. */
const FIELD_MANAGER_LIMIT = 128;

/**
 * The field manager that creates the Lease, one for each identity: when two candidates create it at the same time, the
 * second apply gets a conflict and does not overwrite the first.
 */
export function creationFieldManager(fieldManager: string, identity: string): string {
  const printable = identity.replace(/[^\x21-\x7e]/g, '-');
  return `${fieldManager}_${printable}`.slice(0, FIELD_MANAGER_LIMIT);
}

/** Ms since the epoch as Kubernetes writes a MicroTime: `2026-01-01T00:00:00.000000Z`. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/** Who takes a Lease. */
export interface LeaseTaker {
  /** Unique among processes that run at the same time: a Lease held by this identity counts as held by this process. */
  readonly identity: string;
  /** In ms. */
  readonly times: { readonly duration: number };
  /** What the holder says of itself in the Lease; a candidate warns where the holder says otherwise. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

export function newLease(name: ObjectName, taker: LeaseTaker, now: number): Lease {
  const spec = { ...acquiredBy(taker, now), leaseTransitions: 0 };
  return { apiVersion: apiVersionOf(Leases), kind: Leases.kind, metadata: annotated({ ...name }, taker), spec };
}

/** The Lease acquired by the taker. leaseTransitions counts changes of the holder only. */
export function takenLease(lease: Lease, taker: LeaseTaker, now: number): Lease {
  const before = lease.spec?.leaseTransitions ?? 0;
  const leaseTransitions = lease.spec?.holderIdentity === taker.identity ? before : before + 1;
  const spec = { ...lease.spec, ...acquiredBy(taker, now), leaseTransitions };
  return { ...lease, metadata: annotated(lease.metadata, taker), spec };
}

function annotated(metadata: ObjectMeta, { annotations }: LeaseTaker): ObjectMeta {
  return annotations === undefined
    ? metadata
    : { ...metadata, annotations: { ...metadata.annotations, ...annotations } };
}

function acquiredBy({ identity, times }: LeaseTaker, now: number): NonNullable<Lease['spec']> {
  const time = microTime(now);
  return { holderIdentity: identity, leaseDurationSeconds: times.duration / 1000, acquireTime: time, renewTime: time };
}

export function renewedLease(lease: Lease, now: number): Lease {
  return { ...lease, spec: { ...lease.spec, renewTime: microTime(now) } };
}

/** The Lease without a holder, which a candidate may take at once. */
export function releasedLease(lease: Lease, now: number): Lease {
  return { ...lease, spec: { ...lease.spec, holderIdentity: '', renewTime: microTime(now) } };
}

/** The Lease as a candidate has observed it, with the time of the last renewal on the local monotonic clock. */
export class LeaseObserver {
  readonly #clock: Clock;
  #observed: Lease | undefined;
  /** Monotonic ms at which the last renewal was observed. */
  #renewedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The Lease as last observed. */
  get lease(): Lease | undefined {
    return this.#observed;
  }

  /** Records the Lease. One that is older than the last is ignored: it comes from a cache that lags. */
  observe(lease: Lease | undefined): void {
    const { uid, resourceVersion = '' } = this.#observed?.metadata ?? {};
    const isSame = lease?.metadata.uid === uid;
    if (isSame && isOlder(lease?.metadata.resourceVersion ?? '', resourceVersion)) return;
    const isRenewed = !isSame || JSON.stringify(lease?.spec) !== JSON.stringify(this.#observed?.spec);
    if (isRenewed) this.#renewedAt = this.#clock.monotonic();
    this.#observed = lease;
  }

  /**
   * Ms until `identity` may take the Lease. Zero when it does not exist, has no holder or is held by `identity`, or
   * when no renewal was observed for its duration, which counts as `durationMs` at least.
   */
  msUntilFree(identity: string, durationMs: number): number {
    const spec = this.#observed?.spec;
    const holder = spec?.holderIdentity ?? '';
    if (holder === '' || holder === identity) return 0;
    const declared = (spec?.leaseDurationSeconds ?? 0) * 1000;
    const duration = Math.max(durationMs, Math.min(declared, LONGEST_DURATION_MS));
    return Math.max(0, this.#renewedAt + duration - this.#clock.monotonic());
  }
}

/** The rows of the write guard for an elector: this Lease with `identity` as holder, or an update that releases it. */
export function leaseRights(lease: ObjectName, identity: string): readonly GuardRow[] {
  return [
    {
      verbs: ['apply', 'update'],
      type: Leases,
      namespace: (namespace) => namespace === lease.namespace,
      name: (name) => name === lease.name,
      check: (write) => holderViolation(write, identity),
    },
  ];
}

function holderViolation(write: GuardedWrite, identity: string): string | undefined {
  const holder = field(field(write.object, 'spec'), 'holderIdentity');
  return holder === identity || (holder === '' && write.verb === 'update')
    ? undefined
    : 'its holder would be another identity';
}
