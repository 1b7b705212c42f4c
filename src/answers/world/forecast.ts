import type { JsonRecord } from '../../runtime/vocabulary/json.js';
import { PlacementConditions, type PlacementPhase } from '../../api/placementreasons.js';
import type { ConditionState } from '../../domain/conditions.js';
import { comingIn, countsAs, type Decision } from '../../domain/placement/select/decision.js';
import { schedule } from '../../domain/placement/select/schedule.js';
import { pieceOfEach, publishedAfter, publishedBy, sliceChanges } from '../../domain/placement/publish/slices.js';
import type { PlacementSnapshot } from '../../domain/placement/select/snapshot.js';
import {
  decisionObject,
  isOwn,
  readDecision,
  type DecisionOwner,
  type StoredDecision,
  type Published,
} from '../../domain/placement/stored/decision.js';
import { contentOf, type Piece } from '../../domain/placement/stored/items.js';
import { recordAfter } from '../../domain/placement/stored/record.js';
import { recordWindow } from '../../domain/placement/select/budget.js';
import { placementReport } from '../../domain/placement/report/status.js';

/** What the controller makes of a Placement: the state once its decision is stored. */
export interface Forecast {
  readonly decision: Decision;
  readonly phase: PlacementPhase;
  /** The condition PlacementSatisfied, without its type. */
  readonly satisfied: Pick<ConditionState, 'status' | 'reason' | 'message'>;
  /** The clusters of its decision objects, sorted by name. */
  readonly clusters: readonly string[];
  /** The pieces of groups that they belong to; empty without groups. */
  readonly pieces: ReadonlyMap<string, Piece>;
  readonly published: PublishedState;
}

/** What the next decision of the controller starts from, once a decision is stored. */
export interface PublishedState extends Published {
  /** How many removals and additions it recorded. */
  readonly removals: number;
  readonly additions: number;
  /** For how many seconds they count. */
  readonly windowSeconds: number;
  /** Its status, as far as decisions read it. */
  readonly status: JsonRecord;
}

export function forecastOf(snapshot: PlacementSnapshot): Forecast {
  const decided = schedule(snapshot);
  const changes = sliceChanges(snapshot, decided);
  const { phase, states, basis, observedGeneration, numberOfSelectedClusters } = placementReport(snapshot, decided, {
    changes,
    done: changes.writes.length,
  });
  const found = states.find(({ type }) => type === PlacementConditions.PlacementSatisfied);
  const { status = 'Unknown', reason = '', message = '' } = found ?? {};
  const clusters = new Set(publishedAfter(changes).flatMap((slice) => slice.clusters));
  const counting = (kind: 'leaves' | 'comesIn'): number =>
    [...decided.fates.values()].filter((fate) => countsAs(kind, fate)).length;
  return {
    decision: decided,
    phase,
    satisfied: { status, reason, message },
    clusters: [...clusters].sort(),
    pieces: pieceOfEach(publishedAfter(changes)),
    published: {
      ...publishedBy(changes),
      removals: Math.max(counting('leaves') - decided.uncounted, 0),
      additions: counting('comesIn'),
      windowSeconds: recordWindow(snapshot),
      status: { phase, observedGeneration, numberOfSelectedClusters, conditions: states, ...(basis && { basis }) },
    },
  };
}

/** Whose decision it is, and when it is published (ms since the epoch). */
interface Publishing {
  readonly owner: DecisionOwner;
  readonly at: number;
}

/**
 * The stored decision objects once this is published. What it recorded stands in the first of the Placement's own: records of
 * all of them count together.
 */
export function storedAfter(
  stored: readonly StoredDecision[],
  published: PublishedState | undefined,
  { owner, at }: Publishing,
): readonly StoredDecision[] {
  if (published === undefined) return stored;
  const { lists, since, pieces, removals, additions, windowSeconds } = published;
  const isKept = (one: StoredDecision): boolean => !isOwn(one) || one.deleting || one.ordinal === undefined;
  const kept = stored.filter(isKept);
  const own = new Map(stored.flatMap((one) => (isKept(one) ? [] : [[one.ordinal, one] as const])));
  const taken = new Set(kept.map(({ ordinal }) => ordinal));
  const ordinals = Array.from({ length: Math.max(lists.length, 1) }, (_, index) => index + 1);
  const written = [...new Set([...ordinals, ...own.keys()])]
    .filter((ordinal) => ordinal !== undefined)
    .flatMap((ordinal) => {
      const [known, clusters] = [own.get(ordinal), lists[ordinal - 1] ?? []];
      const isNeeded = clusters.length > 0 || ordinal === 1 || pieces.has(ordinal) || known?.removals !== undefined;
      if (taken.has(ordinal) || !isNeeded) return [];
      const object = readDecision(
        decisionObject(owner, ordinal, contentOf(clusters, { since }, pieces.get(ordinal))),
        owner,
      );
      return [{ ...object, removals: known?.removals, additions: known?.additions }];
    });
  const [first, ...others] = written;
  if (first === undefined) return kept;
  const recorded = (before: StoredDecision['removals'], count: number): StoredDecision['removals'] =>
    recordAfter(before, count, { windowSeconds, now: at });
  const records = { removals: recorded(first.removals, removals), additions: recorded(first.additions, additions) };
  return [...kept, { ...first, ...records }, ...others];
}

/** What the next decision starts from at a later time, once this one of the snapshot is published. */
export function snapshotAfter(
  snapshot: PlacementSnapshot,
  { decision: decided, published }: Forecast,
  now: number,
): PlacementSnapshot {
  const { placement, candidates, selected, stored, now: at } = snapshot;
  const added = comingIn(decided).flatMap((name) => {
    const view = candidates.view(name);
    return view === undefined ? [] : [[name, view] as const];
  });
  return {
    ...snapshot,
    placement: { ...placement, status: published.status },
    selected: new Map([...selected, ...added]),
    stored: storedAfter(stored, published, { owner: placement, at }),
    published,
    now,
  };
}
