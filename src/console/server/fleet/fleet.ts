import { selectorsOf, versionOf } from '../../../answers/cluster.js';
import {
  brakeText,
  fleetSummary,
  healthByName,
  type ClusterHealth,
  type Health,
} from '../../../answers/fleetsummary.js';
import { setsOf } from '../../../answers/world/clustertable.js';
import { grouped, type World } from '../../../answers/world/world.js';
import { field, recordsIn, textField } from '../../../runtime/vocabulary/json.js';
import { byNumbers } from '../../../runtime/vocabulary/names.js';
import {
  HEALTHS,
  type ClusterRow,
  type FacetValue,
  type Fleet,
  type FleetMap,
  type Key,
  type MapGroup,
  type Sort,
} from '../../wire/fleet.js';
import { matchesAll, parseQuery, termText, type QueryCluster, type Term } from './query.js';
import type { Snapshot } from '../snapshot.js';

/** The fleet as rows, as a map, and the keys of its labels and claims. */

type FleetCluster = ClusterRow & QueryCluster;

/** The most values that are listed for each key. */
const MOST_VALUES = 20;
const MOST_KEYS = 200;

/** It does not exist any more. */
const GONE: ClusterHealth = { health: 'deleting' };

export function fleetClusters(snapshot: Snapshot): readonly FleetCluster[] {
  return snapshot.once('clusters', () => {
    const { world, inputs } = snapshot;
    const healths = healthByName(world);
    const selectors = selectorsOf(world);
    const holders = holderCounts(world);
    const statuses = new Map(world.objects.managedclusters.map(({ metadata, status }) => [metadata.name, status]));
    const clusters = inputs.clusters.clusters.map((view): FleetCluster => {
      const { name, labels, claims } = view;
      const of = healths.get(name) ?? GONE;
      const sets = setsOf(view, selectors);
      const taints = [...new Set(view.taints.map(({ key }) => key))];
      const version = versionOf(statuses.get(name), claims);
      const known = { name, ...of, sets, ...(version === undefined ? {} : { version }) };
      return { ...known, placements: holders.get(name) ?? 0, taints, labels, claims };
    });
    return clusters.sort((a, b) => byNumbers(a.name, b.name));
  });
}

export interface FleetRequest {
  readonly query: string;
  readonly sort: Sort;
  readonly descending: boolean;
  readonly after: number;
  readonly limit: number;
}

export function fleetAnswer(snapshot: Snapshot, { query, sort, descending, after, limit }: FleetRequest): Fleet {
  const clusters = fleetClusters(snapshot);
  const { terms, fault, matched } = matchedBy(snapshot, query);
  const sorted = snapshot.once(`sorted ${sort} ${descending} ${query}`, () => sortedBy(matched, sort, descending));
  const summary = snapshot.once('summary', () => fleetSummary(snapshot.world.objects.managedclusters));
  return {
    total: clusters.length,
    counts: snapshot.once('counts', () => countsOf(clusters)),
    matched: matched.length,
    sets: setFacets(snapshot),
    ...(summary.brake.length === 0 ? {} : { brake: brakeText(summary.brake) }),
    after,
    rows: sorted.slice(after, after + limit).map(({ labels: _labels, claims: _claims, ...row }) => row),
    ...(fault === undefined ? {} : { queryFault: fault }),
    ...(matched.length > 0 || terms.length === 0 ? {} : { without: withoutEach(clusters, terms) }),
  };
}

/** The sets that have clusters. */
export function setFacets(snapshot: Snapshot): readonly FacetValue[] {
  return snapshot.once('sets', () => facets(fleetClusters(snapshot).flatMap(({ sets }) => sets)));
}

/** A query with a fault filters nothing, and says why. */
export function matchedBy(
  snapshot: Snapshot,
  query: string,
): { readonly terms: readonly Term[]; readonly fault: string | undefined; readonly matched: readonly FleetCluster[] } {
  return snapshot.once(`matched ${query}`, () => {
    const clusters = fleetClusters(snapshot);
    const parsed = parseQuery(query);
    if (parsed.kind === 'fault') return { terms: [], fault: parsed.fault, matched: clusters };
    const { terms } = parsed;
    return { terms, fault: undefined, matched: clusters.filter((one) => matchesAll(terms, one)) };
  });
}

function withoutEach(clusters: readonly FleetCluster[], terms: readonly Term[]): NonNullable<Fleet['without']> {
  return terms.map((term) => {
    const others = terms.filter((one) => one !== term);
    return { term: term.text, matched: clusters.filter((one) => matchesAll(others, one)).length };
  });
}

function sortedBy(clusters: readonly FleetCluster[], sort: Sort, descending: boolean): readonly FleetCluster[] {
  // They are in the order of their names, which is kept among equals.
  const order = ORDERS[sort];
  if (order === undefined) return descending ? [...clusters].reverse() : clusters;
  const sign = descending ? -1 : 1;
  return [...clusters].sort((a, b) => sign * order(a, b));
}

const ORDERS: Readonly<Record<Sort, ((a: FleetCluster, b: FleetCluster) => number) | undefined>> = {
  name: undefined,
  health: (a, b) => HEALTHS.indexOf(a.health) - HEALTHS.indexOf(b.health),
  set: (a, b) => byNumbers(a.sets.join(), b.sets.join()),
  placements: (a, b) => b.placements - a.placements,
  version: (a, b) => byNumbers(a.version ?? '', b.version ?? ''),
};

export function fleetMap(snapshot: Snapshot, query: string, group: string): FleetMap {
  const { matched } = matchedBy(snapshot, query);
  return snapshot.once(`map ${group} ${query}`, () => {
    const groups = grouped(
      matched,
      (one) => [groupOf(one, group)],
      (one) => one,
    );
    const sorted = [...groups].sort(([a, x], [b, y]) => y.length - x.length || byNumbers(a, b));
    const inOrder = sorted.flatMap(([, members]) => sortedBy(members, 'health', false));
    return {
      group,
      matched: matched.length,
      names: inOrder.map(({ name }) => name),
      health: inOrder.map(({ health }) => HEALTHS.indexOf(health)).join(''),
      groups: sorted.map(([value, members]) => mapGroup(group, value, members)),
    };
  });
}

function mapGroup(group: string, value: string, members: readonly FleetCluster[]): MapGroup {
  const [name, key] = split(group);
  const term = key === undefined ? termText(name, value) : termText(name, `${key}=${value}`);
  return { value, count: members.length, counts: countsOf(members), ...(value === '' ? {} : { term }) };
}

/** The group of a cluster on the map. A cluster of several sets is in that of the first by name, so that it is drawn once. */
function groupOf({ sets, labels, claims, health }: FleetCluster, group: string): string {
  const [name, key = ''] = split(group);
  if (name === 'set') return sets[0] ?? '';
  if (name === 'health') return health;
  const pairs = name === 'claim' ? claims : labels;
  return Object.hasOwn(pairs, key) ? (pairs[key] ?? '') : '';
}

/** `label:tier` → label, tier; `set` → set. */
function split(group: string): readonly [name: string, key?: string] {
  const at = group.indexOf(':');
  return at < 0 ? [group] : [group.slice(0, at), group.slice(at + 1)];
}

/** The most frequent first. */
export function fleetKeys(snapshot: Snapshot): readonly Key[] {
  return snapshot.once('keys', () => {
    const clusters = fleetClusters(snapshot);
    return [
      ...keysOf(
        'label',
        clusters.map(({ labels }) => labels),
      ),
      ...keysOf(
        'claim',
        clusters.map(({ claims }) => claims),
      ),
    ]
      .sort((a, b) => b.clusters - a.clusters || byNumbers(a.key, b.key))
      .slice(0, MOST_KEYS);
  });
}

function keysOf(source: Key['source'], all: readonly Readonly<Record<string, string>>[]): readonly Key[] {
  const pairs = all.flatMap((one) => Object.entries(one));
  const values = grouped(
    pairs,
    ([key]) => [key],
    ([, value]) => value,
  );
  return [...values].map(([key, list]) => ({
    source,
    key,
    clusters: list.length,
    values: facets(list).slice(0, MOST_VALUES),
  }));
}

function facets(values: readonly string[]): readonly FacetValue[] {
  return [...counted(values)]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || byNumbers(a.value, b.value));
}

/** How often each text is there. */
export function counted(texts: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

export function countsOf(clusters: readonly FleetCluster[]): Fleet['counts'] {
  const counts = Object.fromEntries(HEALTHS.map((health) => [health, 0])) as Record<Health, number>;
  for (const { health } of clusters) counts[health] += 1;
  return counts;
}

/** How many decisions name each cluster; of several objects of one Placement each cluster is in one. */
function holderCounts({ objects }: World): ReadonlyMap<string, number> {
  const named = objects.placementdecisions.flatMap(({ status }) => recordsIn(field(status, 'decisions')));
  return counted(named.map((one) => textField(one, 'clusterName')));
}
