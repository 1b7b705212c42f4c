import { candidatesAmong, type FleetMember } from './candidates.js';
import {
  type StoredDecision,
  decisionName,
  decisionOrdinal,
  revisionOf,
  type Published,
} from '../../../src/domain/placement/stored/decision.js';
import { NO_DETAILS, NO_TIMES, NO_PIECES } from '../../../src/domain/placement/stored/items.js';
import type { DefinitionsNow } from '../../../src/domain/placement/stored/basis.js';
import type { Release } from '../../../src/domain/placement/spec/budget.js';
import { eligibleSets } from '../../../src/domain/placement/select/eligible.js';
import { compileSpec } from '../../../src/domain/placement/spec/predicates.js';
import {
  noOthers,
  type BindingView,
  type ClusterView,
  type PlacementSnapshot,
  type SetView,
  type Slots,
} from '../../../src/domain/placement/select/snapshot.js';
import type { DecisionWrite } from '../../../src/domain/placement/publish/slices.js';

/** Defaults for everything that selection reads: one set `fleet`, bound to namespace `team`, and Placement `web`. */

export const UID = '0b1a5a0e-0000-4000-8000-000000000001';

export function cluster(name: string, over: Partial<ClusterView> = {}): ClusterView {
  return { name, deleting: false, labels: {}, claims: {}, taints: [], ...over };
}

/** A cluster in set `fleet`, or in `sets`. */
export function member(
  name: string,
  over: Partial<ClusterView> = {},
  sets: readonly string[] = ['fleet'],
): FleetMember {
  return { cluster: cluster(name, over), sets };
}

export function members(...names: readonly string[]): readonly FleetMember[] {
  return names.map((name) => member(name));
}

/** `count` names in alphabetical order: c000, c001, … */
export function names(count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, index) => `c${String(from + index).padStart(3, '0')}`);
}

export function binding(name: string, over: Partial<BindingView> = {}): BindingView {
  return { name, clusterSet: name, deleting: false, ...over };
}

export function clusterSet(name: string, over: Partial<SetView> = {}): SetView {
  return { name, deleting: false, selector: { kind: 'exclusive' }, ...over };
}

/** Decision object n of Placement `web`, as the controller writes it. */
export function decision(
  ordinal: number,
  clusters: readonly string[],
  over: Partial<StoredDecision> = {},
): StoredDecision {
  return {
    name: decisionName('web', ordinal),
    uid: `uid-${ordinal}`,
    resourceVersion: '1',
    ordinal,
    ownership: 'ours',
    deleting: false,
    clusters,
    since: NO_TIMES,
    details: NO_DETAILS,
    piece: undefined,
    revision: revisionOf(clusters),
    removals: undefined,
    additions: undefined,
    intact: true,
    ...over,
  };
}

export interface World {
  readonly spec: unknown;
  readonly fleet: readonly FleetMember[];
  readonly bindings: readonly BindingView[];
  readonly sets: readonly SetView[];
  readonly stored: readonly StoredDecision[];
  /** The lists that were published last. */
  readonly remembered: Slots | undefined;
  readonly generation: number;
  readonly name: string;
  readonly status: unknown;
  readonly release: Release | undefined;
  readonly releasedAdditions: Release | undefined;
  readonly definitions: DefinitionsNow | undefined;
  readonly now: number;
}

/** The time of a snapshot. */
export const NOW = Date.parse('2026-11-22T10:00:30Z');

/** These lists as published, without times, details and pieces. */
export function publishedLists(lists: Slots): Published {
  return { lists, since: NO_TIMES, details: NO_DETAILS, pieces: NO_PIECES };
}

/** The snapshot of a world; members of unreadable sets are unknown, as in production. */
export function snapshot(over: Partial<World> = {}): PlacementSnapshot {
  const world: World = {
    spec: {},
    fleet: [],
    bindings: [binding('fleet')],
    sets: [clusterSet('fleet')],
    stored: [],
    remembered: undefined,
    generation: 1,
    name: 'web',
    status: { observedGeneration: -1 },
    release: undefined,
    releasedAdditions: undefined,
    definitions: undefined,
    now: NOW,
    ...over,
  };
  const rules = compileSpec(world.spec);
  const sets = new Map(world.sets.map((one) => [one.name, one]));
  const { eligible } = eligibleSets(rules, world.bindings, sets);
  const fleet = knownMembers(world.fleet, sets);
  const { name, generation, bindings, stored, remembered, release, releasedAdditions, status, definitions, now } =
    world;
  return {
    placement: { namespace: 'team', name, uid: UID, generation, rules, release, releasedAdditions, status },
    bindings,
    sets,
    timedSets: world.sets.filter(({ times }) => times !== undefined),
    candidates: candidatesAmong(fleet, eligible, rules),
    selected: new Map(world.fleet.map((one) => [one.cluster.name, one.cluster])),
    othersSelecting: noOthers,
    stored,
    published: remembered && publishedLists(remembered),
    definitions,
    now,
  };
}

/** The fleet without the memberships of unreadable sets. */
export function knownMembers(
  fleet: readonly FleetMember[],
  sets: ReadonlyMap<string, SetView>,
): readonly FleetMember[] {
  return fleet.map((one) => ({
    ...one,
    sets: one.sets.filter((name) => (sets.get(name)?.selector.kind ?? 'unreadable') !== 'unreadable'),
  }));
}

/** The stored objects after `write`. Throws for a wrong UID or resourceVersion. */
export function accept(
  stored: readonly StoredDecision[],
  write: DecisionWrite,
  chained = false,
): readonly StoredDecision[] {
  const there = stored.find((one) => one.name === write.name);
  if (write.kind === 'create') {
    if (there !== undefined) throw new Error(`${write.name} already exists`);
    return [
      ...stored,
      decision(write.ordinal, write.clusters, { ...saidOf(write), name: write.name, uid: `new-${write.name}` }),
    ];
  }
  if (there === undefined) throw new Error(`${write.name} does not exist`);
  if (there.uid !== write.uid) throw new Error(`${write.name} has another UID`);
  if (!chained && there.resourceVersion !== write.resourceVersion) throw new Error(`${write.name} has changed`);
  const others = stored.filter((one) => one !== there);
  if (write.kind === 'delete') return others;
  const resourceVersion = String(Number(there.resourceVersion) + 1);
  const { deleting, uid } = there;
  const ordinal = decisionOrdinal('web', write.name);
  if (ordinal !== write.ordinal) throw new Error(`${write.name} is not object ${write.ordinal}`);
  return [...others, decision(write.ordinal, write.clusters, { ...saidOf(write), uid, resourceVersion, deleting })];
}

/** What the items of a write say of their clusters. */
function saidOf({
  clusters,
  since = NO_TIMES,
  details = NO_DETAILS,
  piece,
}: DecisionWrite): Pick<StoredDecision, 'since' | 'details' | 'piece'> {
  const own = <T>(all: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
    new Map([...all].filter(([name]) => clusters.includes(name)));
  return { piece, since: own(since), details: own(details) };
}

/** The stored objects after each prefix of `writes`, beginning with the empty one. */
export function prefixes(
  stored: readonly StoredDecision[],
  writes: readonly DecisionWrite[],
): (readonly StoredDecision[])[] {
  const states = [stored];
  const written = new Set<string>();
  for (const write of writes) {
    states.push(accept(states.at(-1) ?? stored, write, written.has(write.name)));
    written.add(write.name);
  }
  return states;
}

/** A selector that admission should have refused. */
export const UNREADABLE: SetView['selector'] = { kind: 'unreadable', problem: { field: 'spec', message: 'is odd' } };
