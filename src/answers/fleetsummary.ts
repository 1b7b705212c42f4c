import type { RawObject } from '../runtime/vocabulary/meta.js';
import { AGENT_DEGRADED_CONDITION, AVAILABLE_CONDITION, JOINED_CONDITION } from '../api/clusterreasons.js';
import { PLACEMENT_LABEL } from '../api/names.js';
import { asRecord, field, recordsIn, textField } from '../runtime/vocabulary/json.js';
import { standingMaintenance } from '../domain/clusters/maintenance.js';
import { conditionIn, nameList } from '../domain/conditions.js';
import { isSilentScope } from '../domain/health/brake.js';
import { brakedScopeIn } from '../domain/health/conditions.js';
import { grouped, once, type World } from './world/world.js';

/** The health of the clusters of a hub, as the hub has written it into their conditions. */
export interface FleetSummary {
  /** All ManagedClusters. */
  readonly total: number;
  /** Those that the hub accepts and that have joined: the available, the silent and the unavailable ones. */
  readonly joined: number;
  readonly available: number;
  /** Joined clusters of which the hub sees no renewal. */
  readonly silent: number;
  /** Joined clusters whose agent reports that the cluster does not work. */
  readonly unavailable: number;
  /** Clusters that the hub accepts and that have never joined. */
  readonly notJoined: number;
  /** Clusters without an agent that the hub accepts, whose condition all the same says that they do not work. */
  readonly reportedUnavailable: number;
  /** Whether most of the joined clusters are silent or unavailable, by the rule of the brake. */
  readonly mostSilent: boolean;
  /** What the brake keeps from taints: `fleet`, and `set NAME`, sorted. */
  readonly brake: readonly string[];
  /** The joined clusters that are not available, by name. */
  readonly others: readonly ClusterSummary[];
  /** The clusters whose agent lacks something in its cluster, by name. */
  readonly degraded: readonly ClusterSummary[];
  /** The clusters that Placements keep away from, by name: a drained one is not among the cordoned. */
  readonly maintenance: { readonly draining: readonly string[]; readonly cordoned: readonly string[] };
}

export interface ClusterSummary {
  readonly name: string;
  readonly state: 'Silent' | 'Unavailable' | 'Degraded';
  /** The message of the condition ManagedClusterConditionAvailable or AgentDegraded; empty without one. */
  readonly message: string;
}

/** `noAgent`: the hub has no agent of it to expect. */
export type Health = 'unavailable' | 'silent' | 'notJoined' | 'deleting' | 'noAgent' | 'available';

export interface ClusterHealth {
  readonly health: Health;
  /** RFC 3339; absent where that is not known. */
  readonly since?: string;
  /** False: so the condition says, and the hub judges only clusters whose agent it accepts. */
  readonly isJudged?: false;
}

export function fleetSummary(clusters: readonly RawObject[]): FleetSummary {
  const states = clusters.map((one) => ({ name: one.metadata.name, ...stateOf(one) }));
  const count = (state: State): number => states.filter((one) => one.state === state).length;
  const [available, silent, unavailable] = [count('available'), count('silent'), count('unavailable')];
  const joined = available + silent + unavailable;
  const others = states.flatMap(({ name, state, message }): ClusterSummary[] => {
    if (state !== 'silent' && state !== 'unavailable') return [];
    return [{ name, state: state === 'silent' ? 'Silent' : 'Unavailable', message }];
  });
  const braked = others.flatMap(({ message }) => brakedScopeIn(message) ?? []);
  return {
    total: clusters.length,
    joined,
    available,
    silent,
    unavailable,
    notJoined: count('notJoined'),
    reportedUnavailable: count('reportedUnavailable'),
    mostSilent: isSilentScope({ joined, silent: silent + unavailable }),
    brake: [...new Set(braked)].sort(),
    others: others.sort(byName),
    degraded: clusters.flatMap(degradedOf).sort(byName),
    maintenance: maintenanceIn(clusters),
  };
}

function degradedOf({ metadata: { name }, status }: RawObject): readonly ClusterSummary[] {
  const found = conditionIn(status, AGENT_DEGRADED_CONDITION);
  return found?.['status'] === 'True' ? [{ name, state: 'Degraded', message: textField(found, 'message') }] : [];
}

function byName(a: ClusterSummary, b: ClusterSummary): number {
  return a.name < b.name ? -1 : 1;
}

function maintenanceIn(clusters: readonly RawObject[]): FleetSummary['maintenance'] {
  const [draining, cordoned]: [string[], string[]] = [[], []];
  for (const { metadata, spec } of clusters) {
    const standing = standingMaintenance(asRecord(spec));
    if (standing.includes('Draining')) draining.push(metadata.name);
    else if (standing.includes('Cordoned')) cordoned.push(metadata.name);
  }
  return { draining: draining.sort(), cordoned: cordoned.sort() };
}

/** As in: `draining: edge-1; cordoned: edge-2, edge-3`; undefined without such clusters. */
export function maintenanceText({ maintenance: { draining, cordoned } }: FleetSummary): string | undefined {
  const parts = [
    ...(draining.length === 0 ? [] : [`draining: ${nameList(draining)}`]),
    ...(cordoned.length === 0 ? [] : [`cordoned: ${nameList(cordoned)}`]),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}

/** Of a cluster whose health the hub does not judge. */
const UNJUDGED = 'reported unavailable, not judged by the hub';

/** As in: `5 available, 25 silent, 0 unavailable of 30 joined; 2 not joined`. */
export function fleetText({ total, joined, available, silent, unavailable, notJoined, ...rest }: FleetSummary): string {
  if (total === 0) return 'there is no ManagedCluster';
  const { reportedUnavailable: reported } = rest;
  const notAccepted = total - joined - notJoined;
  const parts = [
    ...(joined === 0
      ? []
      : [`${available} available, ${silent} silent, ${unavailable} unavailable of ${joined} joined`]),
    ...(notJoined === 0 ? [] : [`${notJoined} not joined`]),
    ...(notAccepted === 0 ? [] : [`${notAccepted} without an agent that the hub accepts`]),
    ...(reported === 0 ? [] : [`${reported} of them ${UNJUDGED}`]),
  ];
  return parts.join('; ');
}

/** As in: `it holds the fleet: silent clusters are not tainted, and stay in their decisions`. */
export function brakeText(brake: readonly string[]): string {
  const scopes = brake.map((one) => (one === 'fleet' ? 'the fleet' : one));
  return `it holds ${scopes.join(', ')}: silent clusters are not tainted, and stay in their decisions`;
}

/** `2 silent and 1 unavailable`; empty where no cluster is. */
export function goneText({ silent, unavailable }: Pick<FleetSummary, 'silent' | 'unavailable'>): string {
  const parts = [
    [silent, 'silent'],
    [unavailable, 'unavailable'],
  ] as const;
  return parts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])).join(' and ');
}

/** The clusters that a stored decision object names. */
export function namesIn({ status }: RawObject): readonly string[] {
  return recordsIn(field(status, 'decisions')).map((one) => textField(one, 'clusterName'));
}

/** What of the clusters in its stored decision does not answer, as {@link goneText}, by `namespace/name` of the Placement. */
export function goneByPlacement(world: World): ReadonlyMap<string, string> {
  const healths = healthByName(world);
  const named = grouped(
    world.objects.placementdecisions,
    ({ metadata }) => [`${metadata.namespace}/${metadata.labels?.[PLACEMENT_LABEL]}`],
    namesIn,
  );
  return new Map(
    Array.from(named, ([key, lists]) => {
      const counts = { silent: 0, unavailable: 0 };
      for (const name of new Set(lists.flat())) {
        const { health } = healths.get(name) ?? {};
        if (health === 'silent' || health === 'unavailable') counts[health] += 1;
      }
      return [key, goneText(counts)];
    }),
  );
}

/** The health of each cluster by name. One that is being deleted is counted as what it is besides, by {@link fleetSummary} alone. */
export function healthByName(world: World): ReadonlyMap<string, ClusterHealth> {
  return once(
    world,
    'health',
    () => new Map(world.objects.managedclusters.map((one) => [one.metadata.name, healthOf(one)])),
  );
}

function healthOf(cluster: RawObject): ClusterHealth {
  const { deletionTimestamp } = cluster.metadata;
  if (deletionTimestamp !== undefined) return { health: 'deleting', since: deletionTimestamp };
  const { state: found } = stateOf(cluster);
  const state = found === 'reportedUnavailable' ? 'unavailable' : found;
  if (state === 'noAgent' || state === 'notJoined') return { health: state };
  const since = textField(conditionIn(cluster.status, AVAILABLE_CONDITION), 'lastTransitionTime');
  return { health: state, ...(since === '' ? {} : { since }), ...(found === state ? {} : { isJudged: false }) };
}

type State = Health | 'reportedUnavailable';

/** A joined cluster without condition Available was not judged yet. It counts as silent, as with status Unknown. */
function stateOf({ spec, status }: RawObject): { readonly state: State; readonly message: string } {
  const available = conditionIn(status, AVAILABLE_CONDITION);
  const message = textField(available, 'message');
  const word = textField(available, 'status');
  if (field(spec, 'hubAcceptsClient') !== true)
    return { state: word === 'False' ? 'reportedUnavailable' : 'noAgent', message };
  if (textField(conditionIn(status, JOINED_CONDITION), 'status') !== 'True') return { state: 'notJoined', message };
  const states: Readonly<Record<string, Health>> = { True: 'available', False: 'unavailable' };
  return { state: states[word] ?? 'silent', message };
}
