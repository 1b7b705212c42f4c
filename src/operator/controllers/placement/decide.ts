import { isRecord } from '../../../runtime/vocabulary/json.js';
import {
  collected,
  collectionEnd,
  type Collection,
  type CollectionWindow,
} from '../../../domain/placement/select/collection.js';
import { countsAs, type Decision as Decided, type Fate } from '../../../domain/placement/select/decision.js';
import { schedule } from '../../../domain/placement/select/schedule.js';
import { publishedBy, sliceChanges, type SliceChanges } from '../../../domain/placement/publish/slices.js';
import type { Publication } from '../../../domain/placement/report/status.js';
import type { Published } from '../../../domain/placement/stored/published.js';
import type { Input } from './gather.js';
import type { Scope } from './scope.js';

/** Which clusters are selected, and the writes that publish them. */
export interface Decision {
  readonly schedule: Decided;
  readonly changes: SliceChanges;
  /** What was published when it was made; undefined where that was not known. */
  readonly before: Published | undefined;
  /** What is published once all of it is stored. */
  readonly after: Published;
  /** What of it counts and waits for further changes of the same command; undefined when all of it is carried out now. */
  readonly collection: Collection | undefined;
}

/** What was decided, how far it was carried out, and the error that ended it; undefined for none. */
export interface Outcome {
  /** With the status as it was stored meanwhile. */
  readonly input: Input;
  readonly schedule: Decided;
  readonly publication: Publication;
  readonly error: unknown;
}

/** Pure. */
export function decide(input: Input, { collectionWindow }: Pick<Scope, 'collectionWindow'>): Decision {
  const { snapshot } = input;
  const selected = schedule(snapshot);
  const changes = sliceChanges(snapshot, selected);
  const collection = collectionOf(input, selected, collectionWindow);
  return { schedule: selected, changes, before: snapshot.published, after: publishedBy(changes), collection };
}

/**
 * Lets removals and additions that count wait until no further cluster has followed for a moment. Undefined when the decision
 * may be carried out: it changes nothing that counts, holds, or follows an edit of the Placement, which is one write.
 */
function collectionOf(
  { state, snapshot, at }: Input,
  { fates, move }: Decided,
  window: CollectionWindow,
): Collection | undefined {
  const { status, generation } = snapshot.placement;
  const counts = (fate: Fate): boolean => countsAs('leaves', fate) || countsAs('comesIn', fate);
  const all = new Set([...fates].flatMap(([name, fate]) => (counts(fate) ? [name] : [])));
  const isEdited = !isRecord(status) || status['observedGeneration'] !== generation;
  // A move is one change by itself, of no command.
  if (all.size === 0 || isEdited || move !== undefined) return undefined;
  const collection = collected(state.collection, all, at);
  return collectionEnd(collection, window) > at ? collection : undefined;
}
