import type { KubeObject, ObjectName } from '../../api/meta.js';
import { Leases, apiVersionOf } from '../../api/resources.js';
import type { Clock } from '../../runtime/clock.js';
import type { GuardRow, GuardedWrite } from '../guard/guard.js';
import { field } from '../json.js';
import { isOlder } from '../../runtime/resourceversion.js';

/** A coordination.k8s.io Lease; times are RFC 3339 with six decimals. */
export interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** Of renewals and of taking over. */
export const LEASE_FIELD_MANAGER = 'multicluster-engine-lease';

/** A Lease whose duration is longer than this was not written by us, and is not waited for longer. */
const LONGEST_DURATION_MS = 60_000;
const FIELD_MANAGER_LIMIT = 128;

/**
 * The field manager that creates the Lease, one for each identity: when two standbys create it at the same moment, the
 * second apply conflicts with the first in place of overwriting it.
 */
export function creationFieldManager(identity: string): string {
  const printable = identity.replace(/[^\x21-\x7e]/g, '-');
  return `${LEASE_FIELD_MANAGER}_${printable}`.slice(0, FIELD_MANAGER_LIMIT);
}

/** `2026-01-01T00:00:00.000000Z`: a time as Kubernetes writes a MicroTime. `ms`: since the epoch. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/** A Lease nobody has made yet, held by `identity`. */
export function newLease(name: ObjectName, identity: string, durationMs: number, now: number): Lease {
  const time = microTime(now);
  return {
    apiVersion: apiVersionOf(Leases),
    kind: Leases.kind,
    metadata: { ...name },
    spec: {
      holderIdentity: identity,
      leaseDurationSeconds: durationMs / 1000,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: 0,
    },
  };
}

/** The Lease taken over by `identity`. A transition is counted when the holder changes, not when it comes back. */
export function takenLease(lease: Lease, identity: string, durationMs: number, now: number): Lease {
  const before = lease.spec?.leaseTransitions ?? 0;
  const leaseTransitions = lease.spec?.holderIdentity === identity ? before : before + 1;
  const time = microTime(now);
  return {
    ...lease,
    spec: {
      ...lease.spec,
      holderIdentity: identity,
      leaseDurationSeconds: durationMs / 1000,
      acquireTime: time,
      renewTime: time,
      leaseTransitions,
    },
  };
}

export function renewedLease(lease: Lease, now: number): Lease {
  return { ...lease, spec: { ...lease.spec, renewTime: microTime(now) } };
}

/** Given up by its holder: free to be taken at once. */
export function releasedLease(lease: Lease, now: number): Lease {
  return { ...lease, spec: { ...lease.spec, holderIdentity: '', renewTime: microTime(now) } };
}

/** What a standby has seen of a Lease, and since when on its own monotonic clock: no other clock is believed. */
export class LeaseObserver {
  readonly #clock: Clock;
  #newest: Lease | undefined;
  #since = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The Lease as it was last seen. */
  get lease(): Lease | undefined {
    return this.#newest;
  }

  /** Takes note of a look at the Lease. One that is older than what was seen before comes from a copy that lags, and is passed over. */
  observe(lease: Lease | undefined): void {
    const { uid, resourceVersion = '' } = this.#newest?.metadata ?? {};
    if (
      lease !== undefined &&
      lease.metadata.uid === uid &&
      isOlder(lease.metadata.resourceVersion ?? '', resourceVersion)
    )
      return;
    const isRenewed = lease?.metadata.uid !== uid || JSON.stringify(lease?.spec) !== JSON.stringify(this.#newest?.spec);
    if (isRenewed) this.#since = this.#clock.monotonic();
    this.#newest = lease;
  }

  /**
   * Ms until the Lease may be taken by `identity`, zero when at once: it is not there, nobody holds it, `identity` holds
   * it, or its holder has not renewed it for its duration (at least `durationMs`), counted from when the last renewal was seen here.
   */
  msUntilFree(identity: string, durationMs: number): number {
    const spec = this.#newest?.spec;
    const holder = spec?.holderIdentity ?? '';
    if (holder === '' || holder === identity) return 0;
    const stated = (spec?.leaseDurationSeconds ?? 0) * 1000;
    const duration = Math.max(durationMs, Math.min(stated, LONGEST_DURATION_MS));
    return Math.max(0, this.#since + duration - this.#clock.monotonic());
  }
}

/** What may be written for the sake of a lease: this one Lease, by `identity`, held or given up. */
export function leaseRights(lease: ObjectName, identity: string): readonly GuardRow[] {
  return [
    {
      verbs: ['apply', 'update'],
      type: Leases,
      namespace: (namespace) => namespace === lease.namespace,
      name: (name) => name === lease.name,
      check: (write) => holderObjection(write, identity),
    },
  ];
}

function holderObjection(write: GuardedWrite, identity: string): string | undefined {
  const holder = field(field(write.object, 'spec'), 'holderIdentity');
  return holder === identity || (holder === '' && write.verb === 'update')
    ? undefined
    : 'it would be held by somebody else';
}
