import type { JsonRecord } from '../../runtime/vocabulary/json.js';
import { PlacementConditions, type PlacementPhase } from '../../api/placementreasons.js';
import type { ConditionState } from '../../domain/conditions.js';
import { comingIn, countsAs, type Decision } from '../../domain/placement/select/decision.js';
import { schedule } from '../../domain/placement/select/schedule.js';
import {
  pieceOfEach,
  publishedAfter,
  publishedBy,
  sliceChanges,
  type SliceChanges,
} from '../../domain/placement/publish/slices.js';
import type { PlacementSnapshot } from '../../domain/placement/select/snapshot.js';
import {
  decisionObject,
  isOwn,
  readDecision,
  type StoredDecision,
  type Published,
} from '../../domain/placement/stored/decision.js';
import type { Piece } from '../../domain/placement/stored/items.js';
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
  /** The decision objects, computed at each call. */
  readonly stored: () => readonly StoredDecision[];
  /** The status of the Placement, as far as decisions read it. */
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
  return {
    decision: decided,
    phase,
    satisfied: { status, reason, message },
    clusters: [...clusters].sort(),
    pieces: pieceOfEach(publishedAfter(changes)),
    published: {
      ...publishedBy(changes),
      stored: () => storedAfter(snapshot, decided, changes),
      status: { phase, observedGeneration, numberOfSelectedClusters, conditions: states, ...(basis && { basis }) },
    },
  };
}

/**
 * The decision objects once the writes are carried out. What the decision records stands in the first of the Placement's own: records
 * of all of them count together.
 */
function storedAfter(
  snapshot: PlacementSnapshot,
  { fates, uncounted }: Decision,
  { writes }: SliceChanges,
): readonly StoredDecision[] {
  const { stored, placement, now } = snapshot;
  const objects = new Map(stored.map((one) => [one.name, one]));
  for (const write of writes) {
    const known = objects.get(write.name);
    if (write.kind === 'delete') {
      objects.delete(write.name);
      continue;
    }
    const object = readDecision(decisionObject(placement, write.ordinal, write), placement);
    const { removals, additions, deleting = false } = known ?? {};
    objects.set(write.name, { ...object, removals, additions, deleting });
  }
  const own = [...objects.values()].filter((one) => isOwn(one) && !one.deleting);
  const [first] = own.sort((a, b) => (a.ordinal ?? Infinity) - (b.ordinal ?? Infinity));
  if (first === undefined) return [...objects.values()];
  const counting = (kind: 'leaves' | 'comesIn'): number =>
    [...fates.values()].filter((fate) => countsAs(kind, fate)).length;
  const at = { windowSeconds: recordWindow(snapshot), now };
  const removals = recordAfter(first.removals, Math.max(counting('leaves') - uncounted, 0), at);
  const additions = recordAfter(first.additions, counting('comesIn'), at);
  objects.set(first.name, { ...first, removals, additions });
  return [...objects.values()];
}

/** What the next decision starts from at a later time, once this one of the snapshot is published. */
export function snapshotAfter(
  snapshot: PlacementSnapshot,
  { decision: decided, published }: Forecast,
  now: number,
): PlacementSnapshot {
  const { placement, candidates, selected } = snapshot;
  const added = comingIn(decided).flatMap((name) => {
    const view = candidates.view(name);
    return view === undefined ? [] : [[name, view] as const];
  });
  return {
    ...snapshot,
    placement: { ...placement, status: published.status },
    selected: new Map([...selected, ...added]),
    stored: published.stored(),
    published,
    now,
  };
}
