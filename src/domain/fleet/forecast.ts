import type { JsonRecord } from '../../runtime/vocabulary/json.js';
import { PlacementConditions, type PlacementPhase } from '../../api/placementreasons.js';
import type { ConditionState } from '../conditions.js';
import { schedule, type Schedule } from '../placement/select/schedule.js';
import { pieceOfEach, piecesOf, publishedAfter, sliceChanges, slotsAfter } from '../placement/publish/slices.js';
import type { PlacementSnapshot, Slots } from '../placement/select/snapshot.js';
import {
  decisionObject,
  isOwn,
  readDecision,
  type DecisionOwner,
  type StoredDecision,
} from '../placement/stored/decision.js';
import { contentOf, type Since } from '../placement/stored/items.js';
import type { Piece, Pieces } from '../placement/stored/piece.js';
import { placementReport } from '../placement/report/status.js';

/** What the controller makes of a Placement: the state once its decision is stored. */
export interface Forecast {
  readonly schedule: Schedule;
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
export interface PublishedState {
  /** The clusters by decision object, as the controller remembers them. */
  readonly slots: Slots;
  /** Since when they are selected, where its items have times. */
  readonly since: Since;
  /** The pieces of the objects; empty without groups. */
  readonly pieces: Pieces;
  /** How many removals and additions it recorded. */
  readonly removals: number;
  readonly additions: number;
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
  const removals = decided.dropped.filter(({ cluster }) => decided.counted.has(cluster)).length - decided.uncounted;
  return {
    schedule: decided,
    phase,
    satisfied: { status, reason, message },
    clusters: [...clusters].sort(),
    pieces: pieceOfEach(publishedAfter(changes)),
    published: {
      slots: slotsAfter(changes),
      since: changes.since,
      pieces: piecesOf(publishedAfter(changes)),
      removals: Math.max(removals, 0),
      additions: decided.countedAdditions.size,
      status: { phase, observedGeneration, numberOfSelectedClusters, conditions: states, ...(basis && { basis }) },
    },
  };
}

/** Whose decision it is, and when it is published (ms since the epoch). */
interface Publishing {
  readonly owner: DecisionOwner;
  readonly at: number;
}

/** The stored decision objects once this is published: the first of the Placement's own has the records. */
export function storedAfter(
  stored: readonly StoredDecision[],
  published: PublishedState | undefined,
  { owner, at }: Publishing,
): readonly StoredDecision[] {
  if (published === undefined) return stored;
  const content = contentOf(published.slots[0] ?? [], published.since, published.pieces.get(1));
  const all = stored.some(isOwn) ? stored : [...stored, readDecision(decisionObject(owner, 1, content), owner)];
  const first = all.find(isOwn);
  return all.map((one) => {
    if (one !== first) return one;
    return {
      ...one,
      removals: recorded(one.removals, published.removals, at),
      additions: recorded(one.additions, published.additions, at),
    };
  });
}

function recorded(before: StoredDecision['removals'], count: number, at: number): StoredDecision['removals'] {
  if (count === 0 || before?.kind === 'unreadable') return before;
  return { kind: 'entries', entries: [...(before?.entries ?? []), [at, count]] };
}
