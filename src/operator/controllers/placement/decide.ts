import { isRecord } from '../../../runtime/vocabulary/json.js';
import { collected, collectionEnd, type Collection } from '../../../domain/placement/select/waiting.js';
import { countsAs, type Decision, type Fate } from '../../../domain/placement/select/decision.js';
import { schedule } from '../../../domain/placement/select/schedule.js';
import { publishedBy, sliceChanges, type SliceChanges } from '../../../domain/placement/publish/slices.js';
import type { Publication } from '../../../domain/placement/report/status.js';
import type { IndexedDecision } from '../../index/reading.js';
import type { Input } from './gather.js';
import type { Scope } from './scope.js';

/** Which clusters are selected, and the writes that publish them. */
export interface Decided extends IndexedDecision {
  readonly changes: SliceChanges;
  /** What of it counts and waits for further changes of the same command; undefined when all of it is carried out now. */
  readonly collection: Collection | undefined;
}

/** What was decided, how far it was carried out, and the error that ended it; undefined for none. */
export interface Outcome {
  readonly kind: 'published';
  /** With the status as it was stored meanwhile. */
  readonly input: Input;
  readonly decision: Decision;
  readonly publication: Publication;
  readonly error: unknown;
}

/** Pure. */
export function decide(input: Input, { collectionWindow }: Pick<Scope, 'collectionWindow'>): Decided {
  const { snapshot } = input;
  const decision = schedule(snapshot);
  const changes = sliceChanges(snapshot, decision);
  const collection = collectionOf(input, decision);
  const waits = collection !== undefined && collectionEnd(collection, collectionWindow) > input.at;
  return {
    decision,
    changes,
    before: snapshot.published,
    after: publishedBy(changes),
    collection: waits ? collection : undefined,
  };
}

/**
 * Changes that count against a bound wait together until none has followed for a moment. Undefined where the decision does not
 * wait: nothing of it counts, it follows an edit of the Placement, which is one write, or it is a move.
 */
function collectionOf({ state, snapshot, at }: Input, { fates, move }: Decision): Collection | undefined {
  const { status, generation } = snapshot.placement;
  const counts = (fate: Fate): boolean => countsAs('leaves', fate) || countsAs('comesIn', fate);
  const counting = new Set([...fates].flatMap(([name, fate]) => (counts(fate) ? [name] : [])));
  const isNewGeneration = !isRecord(status) || status['observedGeneration'] !== generation;
  // A move is one change by itself, of no command.
  if (counting.size === 0 || isNewGeneration || move !== undefined) return undefined;
  return collected(state.collection, counting, at);
}
