import { keyOf } from '../../../runtime/vocabulary/names.js';
import type { PlacementDecision } from '../../../api/generated/placementdecision.js';
import { ADDITIONS_ANNOTATION, PLACEMENT_FIELD_MANAGER, REMOVALS_ANNOTATION } from '../../../api/names.js';
import { PlacementDecisions } from '../../../api/resources.js';
import { recordWindow } from '../../../domain/placement/select/budget.js';
import { countsAs } from '../../../domain/placement/select/decision.js';
import { nextRecord, withRecord } from '../../../domain/placement/stored/record.js';
import { decisionObject, readDecision, type DecisionObject } from '../../../domain/placement/stored/decision.js';
import { sameContent, sameList } from '../../../domain/placement/stored/items.js';
import type { DecisionWrite } from '../../../domain/placement/publish/writeorder.js';
import { publishedBy } from '../../../domain/placement/publish/slices.js';
import { errorText, isFailure } from '../../../runtime/errors.js';
import type { Decision, Outcome } from './decide.js';
import { readStoredDecision, type Input } from './gather.js';
import { PassHistory } from './history.js';
import { announceHolds } from './hold.js';
import type { Scope } from './scope.js';

/** The input, the decision that is carried out, and the counted clusters that have left and come in by its writes. */
interface Work extends Input {
  readonly decision: Decision;
  readonly left: Set<string>;
  readonly came: Set<string>;
  readonly history: PassHistory;
}

type Attempt = { readonly kind: 'stored' } | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Announces holds, and carries out the writes of the decision in their order, up to the first that fails: each depends on those
 * before it. What was stored is remembered even when a later write fails. Throws when the announcement is refused.
 */
export async function apply(gathered: Input, decision: Decision, scope: Scope): Promise<Outcome> {
  const input = await announceHolds(gathered, decision, scope);
  const { objects, state } = input;
  const { schedule, changes } = decision;
  const work: Work = {
    ...input,
    decision,
    left: new Set(),
    came: new Set(),
    history: new PassHistory(input, decision),
  };
  state.decisions.clear();
  for (const name of objects.keys()) state.decisions.add(name);
  let done = 0;
  for (const write of changes.writes) {
    const attempt = await carryOut(work, write, scope);
    if (attempt.kind === 'failed') {
      const { error } = attempt;
      const failure = { name: write.name, message: errorText(error) };
      state.published = publishedBy(changes, done, state.unconfirmed.size === 0);
      return { input, schedule, publication: { changes, done, failure }, error };
    }
    done += 1;
  }
  state.published = decision.after;
  return { input, schedule, publication: { changes, done }, error: undefined };
}

async function carryOut(work: Work, write: DecisionWrite, scope: Scope): Promise<Attempt> {
  try {
    if (write.kind === 'delete') await remove(work, write, scope);
    else await store(work, write, scope);
    return { kind: 'stored' };
  } catch (error) {
    const found = await readAfter(error, work, write, scope);
    if (!isFailure(error, 'Conflict') || !isStored(work, write, found)) return { kind: 'failed', error };
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
  const { schedule, changes } = work.decision;
  const existing = work.objects.get(write.name);
  const published = existing === undefined ? [] : readDecision(existing, work.owner).clusters;
  const staying = new Set(clusters);
  const known = [...(changes.base[ordinal - 1] ?? []), ...published];
  const left = known.filter((one) => countsAs('leaves', schedule.fates.get(one)) && !staying.has(one));
  const came = clusters.filter((one) => countsAs('comesIn', schedule.fates.get(one)) && !published.includes(one));
  const removed = newlyCounted(work.left, left, schedule.uncounted);
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
  if (isFailure(error, 'Transport', 'Malformed', 'Unavailable', 'Aborted')) state.unconfirmed.add(name);
  if (!isFailure(error, 'Conflict', 'AlreadyExists', 'NotFound')) return undefined;
  try {
    return await readStoredDecision({ name, known: objects.get(name), state }, scope);
  } catch {
    state.unconfirmed.add(name);
    return undefined;
  }
}

/**
 * Whether `found` is what a write with a conflict was to store: the client repeats an update whose answer was lost, and
 * the repetition conflicts with the first try. No other client edited such an object.
 */
function isStored({ owner, objects }: Input, write: DecisionWrite, found: PlacementDecision | undefined): boolean {
  if (write.kind !== 'update' || found === undefined) return false;
  const stored = readDecision(found, owner);
  if (!stored.intact || stored.deleting || stored.revision !== write.revision) return false;
  if (!sameContent(stored, write)) return false;
  objects.set(write.name, found);
  return true;
}
