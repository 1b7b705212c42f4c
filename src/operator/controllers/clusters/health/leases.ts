import type { V1Lease } from '@kubernetes/client-node';
import type { BuiltIn, KubeObject } from '../../../../runtime/vocabulary/meta.js';
import { AGENTS_NAMESPACE } from '../../../../api/names.js';
import { Leases } from '../../../../runtime/vocabulary/kinds.js';
import { clockState } from '../../../../domain/health/observation.js';
import { leaseDurationMs } from '../../../../domain/health/view.js';
import { field, recordsIn, textField } from '../../../../runtime/vocabulary/json.js';
import type { ObservedLease } from '../../../index/agents.js';
import type { Cache, CacheOptions } from '../../../../runtime/cache/cache.js';

/** The Lease of an agent as the cache keeps it, small: a large fleet has ten thousand in memory. */
export interface AgentLease extends KubeObject {
  /** Undefined for a Lease that no agent has renewed yet. */
  readonly observed?: ObservedLease;
}

interface LeaseCacheDeps {
  /** The monotonic clock of this process, ms. */
  readonly monotonic: () => number;
  /** The wall clock of this process, for a Lease of which the API server keeps no time: ms since the epoch. */
  readonly wall: () => number;
  /** Whether the cluster is known to have joined: the holder of its Lease is not needed then. */
  readonly isJoined: (cluster: string) => boolean;
}

/**
 * A cache of the agents' Leases that remembers when each was observed to change, so that silence is measured without
 * the clocks of clusters. It needs the verbs list and watch. `transform` gets a Lease as it is read, whatever its type
 * says.
 */
export function openLeaseCache(
  openCache: (options: CacheOptions<AgentLease>) => Cache<AgentLease>,
  deps: LeaseCacheDeps,
): Cache<AgentLease> {
  const cache: Cache<AgentLease> = openCache({
    type: Leases,
    namespace: AGENTS_NAMESPACE,
    watchList: true,
    managedFields: true,
    transform: (lease) => keptLease(lease, cache.store.get(`${AGENTS_NAMESPACE}/${lease.metadata.name}`), deps),
  });
  return cache;
}

/** A relist delivers unchanged Leases, too: the one that is kept stays then, so that a relist is no renewal. */
function keptLease(lease: BuiltIn<V1Lease>, before: AgentLease | undefined, deps: LeaseCacheDeps): AgentLease {
  const { name, resourceVersion = '' } = lease.metadata;
  if (before !== undefined && before.metadata.resourceVersion === resourceVersion) return before;
  const metadata = { namespace: AGENTS_NAMESPACE, name, resourceVersion };
  const { holderIdentity: holder = '', renewTime, leaseDurationSeconds } = lease.spec ?? {};
  if (holder === '' || renewTime === undefined) return { metadata };
  const storedAt = storedTime(lease.metadata) ?? deps.wall();
  const clock = clockState(Date.parse(renewTime) - storedAt, before?.observed?.clock);
  const durationMs = leaseDurationSeconds === undefined ? 0 : leaseDurationMs(leaseDurationSeconds);
  // Rounded down: a Lease that was read at once before the observation began would else count as renewed since.
  const observed = { at: Math.floor(deps.monotonic()), clock, durationMs };
  return { metadata, observed: deps.isJoined(name) ? observed : { ...observed, holder } };
}

/** When the API server has stored `renewTime`: it may be seen minutes later, after a watch was silent. */
function storedTime(metadata: object): number | undefined {
  const entries = recordsIn((metadata as { readonly managedFields?: unknown }).managedFields);
  const renewal = entries.find(({ fieldsV1 }) => field(field(fieldsV1, 'f:spec'), 'f:renewTime') !== undefined);
  const at = Date.parse(textField(renewal, 'time'));
  return Number.isNaN(at) ? undefined : at;
}
