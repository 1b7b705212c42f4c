import { DONE, type Result } from '../../../runtime/controller/result.js';
import { keyOf } from '../../../runtime/vocabulary/names.js';
import type { Placement } from '../../../api/generated/placement.js';
import type { PlacementDecision } from '../../../api/generated/placementdecision.js';
import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { ALLOW_ADDITIONS_ANNOTATION, ALLOW_REMOVALS_ANNOTATION } from '../../../api/names.js';
import { PlacementDecisions, Placements } from '../../../api/resources.js';
import { hadDecision, type DefinitionsNow } from '../../../domain/placement/stored/basis.js';
import { readRelease } from '../../../domain/placement/spec/budget.js';
import { readDecision, type DecisionOwner } from '../../../domain/placement/stored/decision.js';
import { sameContent } from '../../../domain/placement/stored/items.js';
import type { DecisionWrite } from '../../../domain/placement/publish/writeorder.js';
import { NO_HISTORY } from '../../../domain/placement/stored/history.js';
import type { PlacementSnapshot } from '../../../domain/placement/select/snapshot.js';
import type { Reading } from '../../index/reading.js';
import { cachesNotCurrent, waitForCaches } from '../controller.js';
import { BY_PLACEMENT } from './caches.js';
import type { KnownDefinitions } from '../deletions.js';
import type { Nothing, PlacementState, Scope } from './scope.js';

/** Everything that a decision is based on, read at one moment. */
export interface Input {
  /** Spec as in the cache, status as last read or written. */
  readonly placement: Placement;
  readonly owner: DecisionOwner;
  readonly snapshot: PlacementSnapshot;
  /** What the index had when the snapshot was made. */
  readonly reading: Reading;
  /** When all of it was read: monotonic ms. */
  readonly at: number;
  /** The decision objects of the snapshot by name; `apply` updates them. */
  readonly objects: Map<string, PlacementDecision>;
  readonly state: PlacementState;
}

const NOT_CURRENT_RETRY_MS = 30_000;
/** What the watch delivers next starts the next pass; one that is silent delivers nothing for minutes. */
export const CACHE_BEHIND: Result = {
  ending: 'wait',
  reason: 'the cache is older than what was read',
  afterMs: 30_000,
};
/** What has changed first after a restart. */
export const UNKNOWN = 'unknown';

/**
 * Reads what the decision for the Placement needs: caches and index, and from the API the objects whose last write may or may
 * not be stored, which enter the mutation cache. Throws when the API cannot be read.
 */
export async function gather(scope: Scope): Promise<Nothing | { readonly kind: 'gathered'; readonly input: Input }> {
  const { key, namespace, name, caches, clock, earlier, index, states, mutations } = scope;
  const notCurrent = cachesNotCurrent(Object.values(caches));
  if (notCurrent.length > 0) {
    scope.postponed.add(key);
    return { kind: 'nothing', result: waitForCaches(notCurrent, NOT_CURRENT_RETRY_MS) };
  }
  await confirmWrites(scope);
  const known = await scope.deletions.definitions();
  // From here on without waiting: all values are of one moment.
  const cached = caches.placements.store.get(key);
  if (cached === undefined) return gone(scope);
  const { uid = '', generation = 0, deletionTimestamp } = cached.metadata;
  const placement = mutations.placements.newest(key, cached) ?? cached;
  if (placement.metadata.uid !== uid || (placement.metadata.generation ?? 0) > generation)
    return { kind: 'nothing', result: CACHE_BEHIND };
  if (deletionTimestamp !== undefined) return { kind: 'nothing', result: DONE };
  const reading = index.begin(key);
  if (reading === undefined) return gone(scope);
  const owner = { namespace, name, uid };
  const remembered = states.get(key);
  // A Placement that was recreated under the same name begins with an empty state.
  const state = remembered?.uid === uid ? remembered : freshState(uid);
  states.set(key, state);
  noteTrigger(state, placement, scope);
  const objects = decisionsOf(state, scope);
  const stored = [...objects.values()].map((object) => readDecision(object, owner));
  const { annotations = {} } = placement.metadata;
  const release = readRelease(annotations[ALLOW_REMOVALS_ANNOTATION]);
  const releasedAdditions = readRelease(annotations[ALLOW_ADDITIONS_ANNOTATION]);
  const snapshot: PlacementSnapshot = {
    placement: { ...owner, generation, rules: reading.rules, release, releasedAdditions, status: placement.status },
    bindings: reading.bindings,
    sets: reading.sets,
    timedSets: reading.timedSets,
    candidates: reading.candidates,
    selected: reading.clusters([
      ...stored.flatMap((object) => object.clusters),
      ...(state.published?.lists ?? []).flat(),
    ]),
    othersSelecting: reading.othersSelecting,
    stored,
    published: state.published,
    definitions: known && definitionsNow(known, [placement, ...objects.values()]),
    now: clock.now(),
    before: state.decided && { ...state.decided, cluster: (one) => earlier.get(one) },
  };
  return { kind: 'gathered', input: { placement, owner, snapshot, reading, at: clock.monotonic(), objects, state } };
}

function freshState(uid: string): PlacementState {
  return {
    uid,
    published: undefined,
    decisions: new Set(),
    unconfirmed: new Set(),
    doubt: undefined,
    withoutDefinitions: 0,
    decided: undefined,
    collection: undefined,
    trigger: undefined,
    due: undefined,
    carried: NO_HISTORY,
    edited: new Map(),
  };
}

function gone({ key, states }: Scope): Nothing {
  states.delete(key);
  return { kind: 'nothing', result: DONE };
}

/**
 * Remembers which change was the first since the last decision. After a restart it is not known: the changes that are
 * delivered then are all that there is.
 */
function noteTrigger(state: PlacementState, { status }: Placement, { key, name, triggers, clock }: Scope): void {
  const seen = triggers.get(key);
  triggers.delete(key);
  const first = hadDecision(status) ? UNKNOWN : `${Placements.kind}/${name}`;
  state.trigger ??=
    state.decided === undefined ? first : (seen ?? (clock.now() >= (state.due ?? Infinity) ? 'time' : undefined));
}

/** The definitions, and whether one is newer than all of `made`, the objects of the decision. An unknown time is older than any. */
function definitionsNow(
  { uids, createdAt, trustedInMs }: KnownDefinitions,
  made: readonly KubeObject[],
): DefinitionsNow {
  const oldest = Math.min(...made.map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '')));
  return { uids, trustedInMs, newerThanDecision: !(oldest > createdAt) };
}

/** Reads the decision objects whose last write may or may not be stored. */
async function confirmWrites(scope: Scope): Promise<void> {
  const { key, namespace, caches, states, mutations } = scope;
  const state = states.get(key);
  if (state === undefined) return;
  for (const name of state.unconfirmed) {
    const at = keyOf({ namespace, name });
    const known = mutations.decisions.newest(at, caches.decisions.store.get(at));
    const found = await readStoredDecision({ name, known, state }, scope);
    state.unconfirmed.delete(name);
    const { doubt } = state;
    if (doubt?.write.name !== name) continue;
    if (isStoredAs(doubt.write, found, { namespace, name: scope.name, uid: state.uid })) {
      state.published = doubt.published;
      // Its event had no answer to be told by from an edit by others.
      state.edited.delete(name);
    }
    state.doubt = undefined;
  }
}

/** Whether `found` has what the write was to store, whatever else others have written; for a deletion, whether there is nothing. */
export function isStoredAs(write: DecisionWrite, found: PlacementDecision | undefined, owner: DecisionOwner): boolean {
  if (write.kind === 'delete' || found === undefined) return write.kind === 'delete' && found === undefined;
  const stored = readDecision(found, owner);
  const isOurs = stored.ownership === 'ours' && !stored.deleting;
  return isOurs && stored.revision === write.revision && sameContent(stored, write);
}

/** Reads a decision object from the API into the mutation cache. `known`: the object as it was before. */
export async function readStoredDecision(
  { name, known, state }: { name: string; known: PlacementDecision | undefined; state: PlacementState },
  { client, namespace, mutations }: Scope,
): Promise<PlacementDecision | undefined> {
  const at = keyOf({ namespace, name });
  const found = await client.get<PlacementDecision>(PlacementDecisions, { namespace, name });
  if (found === undefined) {
    if (known !== undefined) mutations.decisions.deleted(at, known.metadata.uid ?? '');
    state.decisions.delete(name);
  } else {
    mutations.decisions.mutated(at, found);
    state.decisions.add(name);
  }
  return found;
}

/** The decision objects in the cache, and those written that it does not show yet. */
function decisionsOf(
  state: PlacementState,
  { key, namespace, caches, mutations }: Scope,
): Map<string, PlacementDecision> {
  const { store } = caches.decisions;
  const names = new Set(state.decisions);
  for (const object of store.byIndex(BY_PLACEMENT, key)) names.add(object.metadata.name);
  const objects = new Map<string, PlacementDecision>();
  for (const name of [...names].sort()) {
    const at = keyOf({ namespace, name });
    const object = mutations.decisions.newest(at, store.get(at));
    if (object !== undefined) objects.set(name, object);
  }
  return objects;
}
