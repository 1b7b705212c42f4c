import type { Placement } from '../../../api/generated/placement.js';
import type { PlacementDecision } from '../../../api/generated/placementdecision.js';
import { sameJson } from '../../../runtime/vocabulary/json.js';
import type { ObjectName } from '../../../runtime/vocabulary/meta.js';
import {
  PLACEMENT_LABEL,
  ADDITIONS_ANNOTATION,
  PLACEMENT_FIELD_MANAGER,
  REMOVALS_ANNOTATION,
} from '../../../api/names.js';
import { PlacementDecisions, Placements } from '../../../api/resources.js';
import { isDefinitionReplaced } from '../../../domain/placement/select/definitions.js';
import { isCounted, leaving, staying, countsAs } from '../../../domain/placement/select/decision.js';
import { isHold } from '../../../domain/placement/select/holders.js';
import {
  type DecisionOwner,
  decisionObject,
  isContradicted,
  readDecision,
  type DecisionObject,
} from '../../../domain/placement/stored/decision.js';
import type { Result } from '../../../runtime/controller/result.js';
import type { Decided, Outcome } from './decide.js';
import { CACHE_BEHIND, type Input, isStoredAs, readStoredDecision } from './gather.js';
import type { Scope, Nothing } from './scope.js';
import { keyOf } from '../../../runtime/vocabulary/names.js';
import { recordWindow } from '../../../domain/placement/select/budget.js';
import { collectionEnd } from '../../../domain/placement/select/waiting.js';
import { nextRecord, withRecord } from '../../../domain/placement/stored/record.js';
import { sameList } from '../../../domain/placement/stored/items.js';
import type { DecisionWrite } from '../../../domain/placement/publish/writeorder.js';
import { publishedBy } from '../../../domain/placement/publish/slices.js';
import { errorText, isFailure } from '../../../runtime/errors.js';
import { PassHistory } from './history.js';
import { announceHolds } from './report.js';

/** The input, what is carried out, and the counted clusters that have left and come in by its writes. */
interface Work extends Input {
  readonly decided: Decided;
  readonly left: Set<string>;
  readonly came: Set<string>;
  readonly history: PassHistory;
}

type Attempt = { readonly kind: 'stored' } | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Enters the decision in the index and, once the API confirms what it takes for granted, announces holds and publishes it; nothing
 * while changes that count are collected. Throws when the announcement is refused, or the API cannot be read.
 */
export async function apply(input: Input, decided: Decided, scope: Scope): Promise<Nothing | Outcome> {
  const { collection } = decided;
  input.state.collection = collection;
  if (collection !== undefined) {
    const afterMs = collectionEnd(collection, scope.collectionWindow) - input.at;
    return { kind: 'nothing', result: { ending: 'wait', reason: 'changes that count are collected', afterMs } };
  }
  const { isStale, delayed } = input.reading.commit(decided);
  if (isStale) scope.enqueue(scope.key);
  for (const other of delayed) scope.enqueueAfter(other.key, other.afterMs);
  const result = await confirm(input, decided, scope);
  if (result !== undefined) return { kind: 'nothing', result };
  return publish(await announceHolds(input, decided, scope), decided, scope);
}

/**
 * Carries out the writes of the decision in their order, up to the first that fails: each depends on those before it. What was
 * stored is remembered even when a later write fails.
 */
async function publish(input: Input, decided: Decided, scope: Scope): Promise<Outcome> {
  const { objects, state } = input;
  const { decision, changes } = decided;
  const outcome = { kind: 'published', input, decision } as const;
  const { carried } = state;
  const work: Work = {
    ...input,
    decided,
    left: new Set(),
    came: new Set(),
    history: new PassHistory(input, decided),
  };
  state.decisions.clear();
  for (const name of objects.keys()) state.decisions.add(name);
  let done = 0;
  for (const write of changes.writes) {
    const attempt = await carryOut(work, write, scope);
    if (attempt.kind === 'failed') {
      const { error } = attempt;
      const failure = { name: write.name, message: errorText(error) };
      // What was stored before the first decision of this process may not be in its caches: it begins as after a restart.
      const isFirst = decided.before === undefined;
      state.published = isFirst ? undefined : publishedBy(changes, done);
      // What seemed to be lost may be there.
      if (isFirst && isFailure(error, 'AlreadyExists')) state.carried = carried;
      const published = isFirst ? undefined : publishedBy(changes, done + 1);
      state.doubt = state.unconfirmed.has(write.name) ? { write, published } : undefined;
      return { ...outcome, publication: { changes, done, failure }, error };
    }
    done += 1;
  }
  state.published = decided.after;
  state.doubt = undefined;
  return { ...outcome, publication: { changes, done }, error: undefined };
}

async function carryOut(work: Work, write: DecisionWrite, scope: Scope): Promise<Attempt> {
  try {
    if (write.kind === 'delete') await remove(work, write, scope);
    else await store(work, write, scope);
    return { kind: 'stored' };
  } catch (error) {
    const found = await readAfter(error, work, write, scope);
    if (!isFailure(error, 'Conflict') || !isStored(work, write, found)) {
      // Somebody has changed what an attempt before this one may have stored: the next pass begins with what was published by it.
      if (found !== undefined && isStoredAs(write, found, work.owner)) work.state.unconfirmed.add(write.name);
      return { kind: 'failed', error };
    }
    work.history.stored(write.name);
    return { kind: 'stored' };
  }
}

type StoringWrite = Exclude<DecisionWrite, { kind: 'delete' }>;

async function store(
  work: Work,
  write: StoringWrite,
  { client, clock, mutations, pass: { signal } }: Scope,
): Promise<void> {
  const { owner, objects, state } = work;
  const { name, ordinal } = write;
  const options = { fieldManager: PLACEMENT_FIELD_MANAGER, signal };
  const existing = write.kind === 'update' ? objects.get(name) : undefined;
  const wanted = withRecords(decisionObject(owner, ordinal, write, existing), write, work, clock.now());
  const stored: PlacementDecision =
    write.kind === 'create'
      ? await client.create(PlacementDecisions, wanted, options)
      : await client.update(PlacementDecisions, wanted, options);
  objects.set(name, stored);
  work.history.stored(name);
  state.decisions.add(name);
  mutations.decisions.mutated(keyOf({ namespace: owner.namespace, name }), stored);
}

/**
 * The object with the records of the clusters that leave it or come into it by this write and count: no crash can separate the
 * two. A cluster that leaves an object which others have deleted is recorded there, too.
 */
function withRecords(object: DecisionObject, write: StoringWrite, work: Work, now: number): DecisionObject {
  const { ordinal, clusters } = write;
  const { decision, changes } = work.decided;
  const published = publishedIn(work, write.name);
  const listed = new Set(clusters);
  const known = [...(changes.base[ordinal - 1] ?? []), ...published];
  const left = known.filter((one) => countsAs('leaves', decision.fates.get(one)) && !listed.has(one));
  const came = clusters.filter((one) => countsAs('comesIn', decision.fates.get(one)) && !published.includes(one));
  const removed = newlyCounted(work.left, left, decision.uncounted);
  const added = newlyCounted(work.came, came, 0);
  const at = { windowSeconds: recordWindow(work.snapshot), now };
  // A write for the history alone leaves the records as they are.
  const isSame = removed + added === 0 && sameList(published, clusters);
  const recorded = (key: string, count: number): string | undefined => {
    const before = object.metadata.annotations?.[key];
    return isSame ? before : nextRecord(before, count, at);
  };
  const metadata = withRecord(object.metadata, REMOVALS_ANNOTATION, recorded(REMOVALS_ANNOTATION, removed));
  const counted = withRecord(metadata, ADDITIONS_ANNOTATION, recorded(ADDITIONS_ANNOTATION, added));
  return work.history.added({ ...object, metadata: counted }, write, published);
}

/** The clusters in the object as it is now: as it was read, unless this pass has written it. */
function publishedIn({ objects, owner, snapshot }: Work, name: string): readonly string[] {
  const existing = objects.get(name);
  const { resourceVersion } = existing?.metadata ?? {};
  const read = snapshot.stored.find((one) => one.name === name && one.resourceVersion === resourceVersion);
  return (read ?? (existing && readDecision(existing, owner)))?.clusters ?? [];
}

/** Adds `names` to `known`; returns how many more count then, without the first `uncounted` of all. */
function newlyCounted(known: Set<string>, names: readonly string[], uncounted: number): number {
  const counts = (): number => Math.max(known.size - uncounted, 0);
  const before = counts();
  for (const name of names) known.add(name);
  return counts() - before;
}

async function remove(
  { owner, objects, state, history }: Work,
  { name, uid, resourceVersion }: Extract<DecisionWrite, { kind: 'delete' }>,
  { client, mutations, pass: { signal } }: Scope,
): Promise<void> {
  const { namespace } = owner;
  const preconditions = { uid, resourceVersion: objects.get(name)?.metadata.resourceVersion ?? resourceVersion };
  const options = { preconditions, propagation: 'Background', signal } as const;
  const deletion = await client.delete(PlacementDecisions, { namespace, name }, options);
  history.deleted();
  if (deletion === 'deleting') return;
  objects.delete(name);
  state.decisions.delete(name);
  mutations.decisions.deleted(keyOf({ namespace, name }), uid);
}

/**
 * After a failed write. A conflict means that the cache is behind: the object is read and returned. When it is not known whether
 * the write is stored, or the read fails, the object is unconfirmed: the next reconcile reads it first.
 */
async function readAfter(
  error: unknown,
  { objects, state }: Input,
  { name }: DecisionWrite,
  scope: Scope,
): Promise<PlacementDecision | undefined> {
  if (!isFailure(error, 'Conflict', 'AlreadyExists', 'NotFound')) {
    // Whatever the last answer says: an attempt before it, whose answer was lost, may have been carried out.
    if (!isFailure(error, 'Fenced', 'Guarded')) state.unconfirmed.add(name);
    return undefined;
  }
  try {
    return await readStoredDecision({ name, known: objects.get(name), state }, scope);
  } catch {
    state.unconfirmed.add(name);
    return undefined;
  }
}

/**
 * Whether `found` is what a write with a conflict was to store: the client repeats an update whose answer was lost, and
 * the repetition conflicts with the first try. No other client edited such an object. Of a write for the history alone the clusters
 * do not tell.
 */
function isStored(work: Work, write: DecisionWrite, found: PlacementDecision | undefined): boolean {
  if (write.kind !== 'update' || found === undefined || !isStoredAs(write, found, work.owner)) return false;
  if (!readDecision(found, work.owner).intact || sameList(publishedIn(work, write.name), write.clusters)) return false;
  work.objects.set(write.name, found);
  return true;
}

const READ_AGAIN: Result = { ending: 'wait', reason: 'the API server has it otherwise', afterMs: 100 };
const DEFINITIONS_BEHIND: Result = { ending: 'wait', reason: 'a definition was made anew meanwhile', afterMs: 100 };

/**
 * Confirms by reads of the API what a decision takes for granted and the caches alone do not prove: only the decision shows which of
 * them are needed. Returns what to wait for, or undefined when it may be carried out. Throws when the API cannot be read.
 */
export async function confirm(input: Input, { decision, changes }: Decided, scope: Scope): Promise<Result | undefined> {
  const { owner, snapshot, state } = input;
  const { client, deletions } = scope;
  const dropped = leaving(decision);
  if ([...dropped, ...staying(decision, isHold)].some(({ cause }) => cause === 'Gone' || cause === 'NotMember')) {
    // A new definition holds every cluster by itself. Those that somebody released leave once the caches are sure to show what was
    // created again with it: the release was meant for what is missing then.
    const isReleasedEarly = dropped.length > 0 && isDefinitionReplaced(snapshot);
    const result = await deletions.check(!isReleasedEarly);
    if (result.kind === 'unconfirmed') return { ending: 'wait', reason: result.reason, afterMs: result.afterMs };
    const known = await deletions.definitions();
    if (!sameJson(known?.uids, snapshot.definitions?.uids)) return DEFINITIONS_BEHIND;
  }
  // Objects of an earlier Placement are deleted, and one that somebody deleted is made again, only when the API server has the same
  // Placement as the cache: the garbage collector deletes those of a Placement that is gone, again and again.
  const published = state.published?.lists ?? [];
  const isOfWhatWas = (write: DecisionWrite): boolean =>
    (write.kind === 'delete' && write.cause === 'Predecessor') ||
    (write.kind === 'create' && (published[write.ordinal - 1] ?? []).length > 0);
  if (changes.writes.some(isOfWhatWas)) {
    const found = await client.get<Placement>(Placements, nameOf(owner), { metadataOnly: true });
    if (found?.metadata.uid !== owner.uid) return CACHE_BEHIND;
  }
  // What another process decided or recorded last, or which hold it announced, may not be in the caches of this one yet.
  const isDoubtful = isCounted(decision) || isContradicted(input.placement.status, snapshot.stored);
  return isDoubtful && state.published === undefined ? readWhatDiffers(input, scope) : undefined;
}

/**
 * Reads, for the next pass, what of the Placement and its decision objects the API server has otherwise than it is known here: a
 * watch that is silent does not deliver it for minutes. Undefined where nothing is.
 */
async function readWhatDiffers({ placement, owner, objects, state }: Input, scope: Scope): Promise<Result | undefined> {
  const { client, key, mutations } = scope;
  const found = await client.get<Placement>(Placements, nameOf(owner));
  if (found?.metadata.uid !== owner.uid) return CACHE_BEHIND;
  if (found.metadata.resourceVersion !== placement.metadata.resourceVersion) {
    mutations.placements.mutated(key, found);
    return READ_AGAIN;
  }
  const labelSelector = `${PLACEMENT_LABEL}=${owner.name}`;
  const stored = await client.list<PlacementDecision>(PlacementDecisions, owner.namespace, {
    metadataOnly: true,
    labelSelector,
  });
  const versions = new Map(stored.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
  const known = [...objects.values()].filter(({ metadata }) => metadata.labels?.[PLACEMENT_LABEL] === owner.name);
  const names = new Set([...versions.keys(), ...known.map(({ metadata }) => metadata.name)]);
  const others = [...names].filter((name) => versions.get(name) !== objects.get(name)?.metadata.resourceVersion);
  for (const name of others) await readStoredDecision({ name, known: objects.get(name), state }, scope);
  return others.length === 0 ? undefined : READ_AGAIN;
}

function nameOf({ namespace, name }: DecisionOwner): ObjectName {
  return { namespace, name };
}
