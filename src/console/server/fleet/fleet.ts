import { selectorsOf, versionOf } from '../../../answers/cluster.js';
import {
  brakeText,
  fleetSummary,
  healthByName,
  namesIn,
  type ClusterHealth,
  type Health,
} from '../../../answers/fleetsummary.js';
import type { PlacementSummary } from '../../../answers/status.js';
import { unreadText } from '../../../answers/undecided.js';
import { setsOf } from '../../../answers/world/clustertable.js';
import { grouped, type World } from '../../../answers/world/world.js';
import { byNumbers, keyOf } from '../../../runtime/vocabulary/names.js';
import {
  HEALTHS,
  type ClusterRow,
  type FacetValue,
  type Fleet,
  type Key,
  type Sort,
  type Trouble,
} from '../../wire/fleet.js';
import { shownPhase, WORST_FIRST } from '../../wire/placement.js';
import { placementsOf } from '../placements.js';
import { matchesAll, parseQuery, type QueryCluster, type Term } from './query.js';
import type { Snapshot } from '../snapshot.js';

/** The fleet as rows, as a map, and the keys of its labels and claims. */

export type FleetCluster = ClusterRow & QueryCluster;

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
  const sorted = snapshot.answer(`sorted ${sort} ${descending} ${query}`, () => sortedBy(matched, sort, descending));
  const summary = snapshot.once('summary', () => fleetSummary(snapshot.world.objects.managedclusters));
  return {
    total: clusters.length,
    matched: matched.length,
    ...(summary.brake.length === 0 ? {} : { brake: brakeText(summary.brake) }),
    trouble: snapshot.once('trouble', () => troubleOf(clusters, placementsOf(snapshot), summary.maintenance)),
    placements: snapshot.world.objects.placements.length,
    after,
    rows: sorted.slice(after, after + limit).map(({ labels: _labels, claims: _claims, ...row }) => row),
    ...(fault === undefined ? {} : { queryFault: fault }),
    ...(matched.length > 0 || terms.length === 0 ? {} : { without: withoutEach(clusters, terms) }),
  };
}

/** Of each list of what is in trouble, so many are named. */
const MOST_NAMED = 5;
/** What somebody has to look at, the worst first; a cluster without an agent is as somebody wants it. */
const TROUBLED_HEALTHS = ['unavailable', 'silent', 'notJoined'] as const;

/** The clusters and Placements that somebody has to look at. One that holds clusters is held, whatever else it is. */
export function troubleOf(
  clusters: readonly Pick<ClusterRow, 'name' | 'health'>[],
  placements: readonly PlacementSummary[],
  maintenance: Readonly<Record<string, readonly string[]>> = {},
): readonly Trouble[] {
  const of = <Kind extends object>(kind: Kind, names: readonly string[]): (Kind & Named)[] =>
    names.length === 0 ? [] : [{ ...kind, count: names.length, some: names.slice(0, MOST_NAMED) }];
  return [
    ...TROUBLED_HEALTHS.flatMap((word) => {
      const names = clusters.flatMap(({ name, health }) => (health === word ? [name] : []));
      return of({ kind: 'health' as const, word }, names);
    }),
    ...Object.entries(maintenance).flatMap(([word, names]) => of({ kind: 'maintenance' as const, word }, names)),
    ...WORST_FIRST.flatMap((word) => {
      const names = placements.flatMap((one) => (shownPhase(one) === word ? [keyOf(one)] : []));
      return of({ kind: 'phase' as const, word }, names);
    }),
  ];
}

type Named = Pick<Trouble, 'count' | 'some'>;

/** The sets that have clusters. */
export function setFacets(snapshot: Snapshot): readonly FacetValue[] {
  return snapshot.once('sets', () => facets(fleetClusters(snapshot).flatMap(({ sets }) => sets)));
}

/** A query with a fault filters nothing, and says why. */
export function matchedBy(
  snapshot: Snapshot,
  query: string,
): { readonly terms: readonly Term[]; readonly fault: string | undefined; readonly matched: readonly FleetCluster[] } {
  return snapshot.answer(`matched ${query}`, () => {
    const clusters = fleetClusters(snapshot);
    const parsed = parseQuery(query);
    if (parsed.kind === 'fault') return { terms: [], fault: parsed.fault, matched: clusters };
    const { terms } = parsed;
    const unread = unreadTerm(snapshot, terms);
    if (unread !== undefined) return { terms: [], fault: unread, matched: clusters };
    return { terms, fault: undefined, matched: clusters.filter((one) => matchesAll(terms, one)) };
  });
}

/** That it is not known which clusters match a term. */
function unreadTerm({ world }: Snapshot, terms: readonly Term[]): string | undefined {
  const sets = world.withheld.find(({ resource }) => resource === 'managedclustersets');
  const term = sets && terms.find(({ text }) => text.startsWith('set:'));
  return sets && term && `${term.text}: not known: ${unreadText(sets)}`;
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

/** The most frequent first, and some of the values of each. */
export function fleetKeys(snapshot: Snapshot): readonly Key[] {
  return snapshot.once('keys', () =>
    allKeys(snapshot)
      .slice(0, MOST_KEYS)
      .map((one) => ({ ...one, values: one.values.slice(0, MOST_VALUES) })),
  );
}

/** With all values of each. */
export function allKeys(snapshot: Snapshot): readonly Key[] {
  return snapshot.once('all keys', () => {
    const clusters = fleetClusters(snapshot);
    const keys = (['label', 'claim'] as const).flatMap((source) => {
      const values = grouped(
        clusters.flatMap((one) => Object.entries(one[`${source}s`])),
        ([key]) => [key],
        ([, value]) => value,
      );
      return Array.from(values, ([key, list]): Key => ({ source, key, clusters: list.length, values: facets(list) }));
    });
    return keys.sort((a, b) => b.clusters - a.clusters || byNumbers(a.key, b.key));
  });
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

export function countsOf(clusters: readonly FleetCluster[]): Readonly<Record<Health, number>> {
  const counts = Object.fromEntries(HEALTHS.map((health) => [health, 0])) as Record<Health, number>;
  for (const { health } of clusters) counts[health] += 1;
  return counts;
}

/** How many decisions name each cluster; of several objects of one Placement each cluster is in one. */
function holderCounts({ objects }: World): ReadonlyMap<string, number> {
  return counted(objects.placementdecisions.flatMap(namesIn));
}
