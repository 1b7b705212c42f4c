import { grouped } from '../../../answers/world/world.js';
import { byNumbers } from '../../../runtime/vocabulary/names.js';
import { HEALTHS, type FleetMap, type MapGroup } from '../../wire/fleet.js';
import { counted, matchedBy, troubleOf, fleetClusters, type FleetCluster } from './fleet.js';
import { isWaiting, type ClusterExplanation } from '../../../domain/placement/explain/verdict.js';
import { isWithheld } from '../../../answers/world/worlds.js';
import { isIn, nearOf } from '../../../answers/explain/funnel.js';
import { placementsOf } from '../placements.js';
import { termText } from './query.js';
import type { Snapshot } from '../snapshot.js';

/** The fleet as cells: in groups, and colored by health or by what a Placement or a plan does with each cluster. */

/** What becomes of clusters by a plan; who is not in it stays as it is. */
export type PlanMarks = Readonly<Record<string, (typeof PLAN_KEYS)[number]>>;

const PLAN_KEYS = ['lost', 'leaves', 'comesIn', 'held', 'waiting', 'same'] as const;
/** `matches`: and is not selected, for whatever reason; `near`: lacks one requirement; `unknown`: it could not be read. */
const PLACEMENT_KEYS = ['selected', 'held', 'waiting', 'matches', 'near', 'out', 'notBound', 'unknown'] as const;
/** So many shades are told apart. */
const SHADES = 5;
const NONE = 'none';
/** So many Placements are offered to color by. */
const MOST_COLORS = 40;

/** What the cells can be, in their order, and what a cluster is of it. */
export interface Coloring {
  readonly keys: readonly string[];
  /** The groups with most cells of the first so many keys come first; absent: the largest. */
  readonly loud?: number;
  readonly keyOf: (cluster: FleetCluster) => string;
}

export interface MapRequest {
  readonly query: string;
  readonly group: string;
  readonly color: string;
}

/** `coloring`: of a plan, which the snapshot does not know. Undefined where there is no such Placement. */
export function fleetMap(
  snapshot: Snapshot,
  { query, group, color }: MapRequest,
  coloring = coloringOf(snapshot, color),
): FleetMap | undefined {
  if (coloring === undefined) return undefined;
  const { matched } = matchedBy(snapshot, query);
  const { keys, keyOf, loud = 0 } = coloring;
  const places = new Map(keys.map((key, index) => [key, index]));
  const cells = matched.map((cluster) => ({ cluster, mark: places.get(keyOf(cluster)) ?? keys.length - 1 }));
  const groups = grouped(
    cells,
    ({ cluster }) => [groupOf(cluster, group)],
    (one) => one,
  );
  const loudIn = (of: readonly (typeof cells)[number][]): number => of.filter(({ mark }) => mark < loud).length;
  // Numbers are read in their order, and a group is no more than a number of them.
  const isByNumber = [...groups.keys()].every((value) => /^(\d[\w.]*)?$/.test(value)) && groups.size > SHADES;
  const sorted = [...groups].sort(([a, x], [b, y]) =>
    isByNumber ? byNumbers(a, b) : loudIn(y) - loudIn(x) || y.length - x.length || byNumbers(a, b),
  );
  // The clusters of one mark stay in the order of their names.
  const inOrder = sorted.map(([value, members]) => [value, [...members].sort((a, b) => a.mark - b.mark)] as const);
  const all = inOrder.flatMap(([, members]) => members);
  const countsOf = (of: readonly (typeof cells)[number][]): readonly number[] => {
    const counts = counted(of.map(({ mark }) => String(mark)));
    return keys.map((_, index) => counts.get(String(index)) ?? 0);
  };
  const totals = countsOf(all);
  return {
    group,
    ...(isWithheld(snapshot, 'managedclustersets') && { setsUnread: true }),
    color,
    matched: matched.length,
    names: all.map(({ cluster }) => cluster.name),
    marks: all.map(({ mark }) => mark).join(''),
    legend: keys.map((key, index) => ({ key, count: totals[index] ?? 0 })),
    groups: inOrder.map(([value, members]) => mapGroup(group, value, countsOf(members))),
    colors: snapshot.once('colors', () => colorsOf(snapshot)),
  };
}

function mapGroup(group: string, value: string, counts: readonly number[]): MapGroup {
  const [name, key] = split(group);
  const term = key === undefined ? termText(name, value) : termText(name, `${key}=${value}`);
  const count = counts.reduce((sum, one) => sum + one, 0);
  return { value, count, counts, ...(value === '' ? {} : { term }) };
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
function split(text: string): readonly [name: string, key?: string] {
  const at = text.indexOf(':');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Those in trouble first: one looks for the reason. */
function colorsOf(snapshot: Snapshot): readonly string[] {
  const placements = placementsOf(snapshot);
  const bad = troubleOf([], placements).flatMap(({ some }) => some);
  const names = [...new Set([...bad, ...placements.map(({ namespace, name }) => `${namespace}/${name}`)])];
  return ['health', 'version', ...names.slice(0, MOST_COLORS).map((name) => `placement:${name}`)];
}

function coloringOf(snapshot: Snapshot, color: string): Coloring | undefined {
  const [kind, of = ''] = split(color);
  if (kind === 'health') return { keys: HEALTHS, keyOf: ({ health }) => health };
  if (kind === 'version')
    return snapshot.once('versions', () => {
      return versionColoring(fleetClusters(snapshot).map(({ version }) => version));
    });
  const [namespace = '', name = ''] = of.split('/');
  const coloring = kind === 'score' ? scoreColoring : placementColoring;
  return snapshot.answer(`coloring ${color}`, () => ({ found: coloring(snapshot, namespace, name) })).found;
}

/** The newest first; the oldest share a shade. */
export function versionColoring(versions: readonly (string | undefined)[]): Coloring {
  const known = [...new Set(versions.filter((one) => one !== undefined))].sort((a, b) => byNumbers(b, a));
  const [shown, older] = known.length > SHADES ? [known.slice(0, SHADES - 1), ['older']] : [known, []];
  const own = new Set(shown);
  return {
    keys: [...shown, ...older, NONE],
    keyOf: ({ version }) => (version === undefined ? NONE : own.has(version) ? version : 'older'),
  };
}

function placementColoring(snapshot: Snapshot, namespace: string, name: string): Coloring | undefined {
  const report = snapshot.report(namespace, name);
  if (report === undefined) return undefined;
  const near = new Set(nearOf(report));
  const keyOf = (one: ClusterExplanation): (typeof PLACEMENT_KEYS)[number] => {
    if (one.verdict === 'Held') return isWaiting(one, report.explanation) ? 'waiting' : 'held';
    if (isIn(one)) return 'selected';
    if (near.has(one)) return 'near';
    return one.causes.includes('NotMatched') || one.causes.includes('NotMember') ? 'out' : 'matches';
  };
  const keys = new Map(report.explanation.clusters.map((one) => [one.name, keyOf(one)]));
  const others = report.explanation.decision === undefined ? 'unknown' : 'notBound';
  return { keys: PLACEMENT_KEYS, keyOf: ({ name: cluster }) => keys.get(cluster) ?? others };
}

/** Shades of equal width between the least and the highest score; the highest first. */
function scoreColoring(snapshot: Snapshot, namespace: string, name: string): Coloring | undefined {
  const report = snapshot.report(namespace, name);
  const totals = report?.explanation.scorer?.totals();
  return report && scoreShades(totals ?? new Map());
}

/** `scores`: in hundredths, by cluster. */
export function scoreShades(scores: ReadonlyMap<string, number>): Coloring {
  const [least, most] = [Math.min(...scores.values()), Math.max(...scores.values())];
  const width = Math.max((most - least) / SHADES, 1);
  const textOf = (shade: number): string =>
    [least + shade * width, least + (shade + 1) * width].map((one) => Math.round(one / 100)).join('–');
  const shades = scores.size === 0 ? [] : Array.from({ length: SHADES }, (_, index) => SHADES - 1 - index);
  return {
    keys: [...shades.map((shade) => `${shade}: ${textOf(shade)}`), NONE],
    keyOf: (cluster) => {
      const score = scores.get(cluster.name);
      const shade = score === undefined ? undefined : Math.min(Math.floor((score - least) / width), SHADES - 1);
      return shade === undefined ? NONE : `${shade}: ${textOf(shade)}`;
    },
  };
}

/** The whole fleet, colored by what a plan does with each cluster. */
export function planMap(snapshot: Snapshot, group: string, marks: PlanMarks): FleetMap | undefined {
  return fleetMap(snapshot, { query: '', group, color: 'plan' }, planColoring(marks));
}

/** By what a plan does with each cluster. */
export function planColoring(marks: PlanMarks): Coloring {
  const loud = PLAN_KEYS.length - 1;
  return {
    keys: PLAN_KEYS,
    loud,
    keyOf: ({ name }) => (Object.hasOwn(marks, name) ? (marks[name] ?? 'same') : 'same'),
  };
}
