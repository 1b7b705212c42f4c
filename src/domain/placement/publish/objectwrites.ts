import { DECISION_SIZE } from '../../../api/names.js';
import { recordsEnd } from '../select/budget.js';
import { countsAs, type Decision } from '../select/decision.js';
import type { PlacementSnapshot } from '../select/snapshot.js';
import { decisionName, isOwn, revisionOf, type StoredDecision } from '../stored/decision.js';
import { contentOf, sameContent, type DecisionContent, isSameCut } from '../stored/items.js';
import { readHistory } from '../stored/history.js';
import type { Layout } from './layout.js';
import {
  allOrdinals,
  obstacle,
  type Objects,
  type CreateDecision,
  type DecisionWrite,
  type DeleteDecision,
  type UnorderedWrite,
  type UpdateDecision,
} from './writeorder.js';

/** The writes by which single decision objects get what a layout has for them. */

/** Deletes that do not depend on the selection: objects of a predecessor, and ours with an unused name. */
export function unconditionalDeletes(stored: readonly StoredDecision[]): DeleteDecision[] {
  const writes: DeleteDecision[] = [];
  for (const object of stored) {
    const { ownership, ordinal, deleting } = object;
    if (deleting) continue;
    if (ownership === 'predecessor' && ordinal !== undefined) writes.push(deleteWrite(object, 'Predecessor'));
    if (ownership === 'ours' && ordinal === undefined) writes.push(deleteWrite(object, 'Misnamed'));
  }
  return writes.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function deleteWrite(
  { name, ordinal, uid, resourceVersion }: StoredDecision,
  cause: DeleteDecision['cause'],
): DeleteDecision {
  return { kind: 'delete', name, ordinal, ...contentOf([]), revision: revisionOf([]), uid, resourceVersion, cause };
}

/** What the writes of a layout depend on, beside it. */
interface WriteInput {
  readonly snapshot: PlacementSnapshot;
  readonly decision: Decision;
  /** What the items say of their clusters. */
  readonly said: Pick<DecisionContent, 'since' | 'details'>;
  /** The selected clusters that are published; only where they may change their object. */
  readonly staying?: ReadonlySet<string>;
}

/** The writes of a layout. Those of `second` take clusters away from objects, once all of `first` have added them to others. */
export interface LayoutWrites {
  readonly first: readonly UnorderedWrite[];
  readonly second: readonly (UpdateDecision | DeleteDecision)[];
}

/** A write for each object that differs from what it is to hold, and a second one where clusters leave it for another. */
export function layoutWrites(layout: Layout, objects: Objects, decided: WriteInput): LayoutWrites {
  const first: UnorderedWrite[] = [];
  const second: (UpdateDecision | DeleteDecision)[] = [];
  const placement = decided.snapshot.placement.name;
  for (const ordinal of allOrdinals(layout.slots, objects, layout.pieces)) {
    const object = objects.get(ordinal);
    if (obstacle(object) !== undefined) continue;
    const own = isOwn(object) ? object : undefined;
    const wanted = wantedContent(layout, ordinal, own, decided);
    const crowded = own && withLeaving(layout, wanted, own, decided.said);
    const content = crowded ?? wanted;
    const write = own ? updateWrite(own, ordinal, content) : createWrite(placement, ordinal, content);
    if (write !== undefined) first.push({ write, ordinal, growth: growthOf(write.clusters, own, decided) });
    if (own === undefined || crowded === undefined) continue;
    const then = updateWrite({ ...own, intact: false }, ordinal, wanted);
    if (then !== undefined) second.push(then);
  }
  return { first, second };
}

/** What the object is to hold in the end; undefined for no object. */
function wantedContent(
  { slots, pieces, spare }: Layout,
  ordinal: number,
  own: StoredDecision | undefined,
  decided: WriteInput,
): DecisionContent | undefined {
  const clusters = slots[ordinal - 1] ?? [];
  const piece = pieces.get(ordinal);
  const isNeeded = ordinal === 1 || clusters.length > 0 || piece !== undefined;
  if (!isNeeded && !keepsRecord(own, ordinal, decided)) return undefined;
  return contentOf(clusters, decided.said, piece ?? spare);
}

/** The content with the clusters that leave for another object, in the order of now; undefined where none does. */
function withLeaving(
  { leaving }: Layout,
  wanted: DecisionContent | undefined,
  own: StoredDecision,
  said: WriteInput['said'],
): DecisionContent | undefined {
  const going = leaving.get(own.ordinal ?? 0);
  const staying = new Set(wanted?.clusters);
  const still = own.clusters.filter((name) => staying.has(name) || going?.has(name) === true);
  if (going === undefined || still.every((name) => staying.has(name))) return undefined;
  const there = new Set(own.clusters);
  const [now, then] = [own.piece, wanted?.piece];
  // Until these have left, the object belongs to its piece of now: a later decision would else count them to the next one.
  const piece = isSameCut(now, then) && then?.selected !== 0 ? then : now;
  return contentOf([...still, ...[...staying].filter((name) => !there.has(name))], said, piece);
}

/** By how many clusters the decision grows: those that come from another object of it, or leave for one, do not count. */
function growthOf(clusters: readonly string[], own: StoredDecision | undefined, { staying }: WriteInput): number {
  const count = (names: readonly string[]): number => names.filter((name) => staying?.has(name) !== true).length;
  return count(clusters) - count(own?.clusters ?? []);
}

/**
 * The writes; before the first that deletes an object, one that stores another: it keeps what the deleted one has recorded, and no
 * crash comes between.
 */
export function withKeeper(
  writes: readonly DecisionWrite[],
  stored: readonly StoredDecision[],
): readonly DecisionWrite[] {
  const { deleted, untold } = historiesToKeep(writes, stored);
  const first = writes.findIndex(({ name }) => untold.some((one) => one.name === name));
  if (first < 0 || writes.slice(0, first).some(({ name }) => !deleted.has(name))) return writes;
  const [keeper] = stored
    .filter((one) => isOwn(one) && one.ordinal !== undefined && !one.deleting && !deleted.has(one.name))
    .sort((a, b) => (a.ordinal ?? 0) - (b.ordinal ?? 0));
  if (keeper?.ordinal === undefined) return writes;
  const content = contentOf(keeper.clusters.slice(0, DECISION_SIZE), keeper, keeper.piece);
  const write = updateWrite({ ...keeper, intact: false }, keeper.ordinal, content);
  return write === undefined ? writes : writes.toSpliced(first, 0, write);
}

/** The names of this Placement's objects that are deleted, those with a history, and those whose history no object that stays has yet. */
export function historiesToKeep(
  writes: readonly DecisionWrite[],
  stored: readonly StoredDecision[],
): {
  readonly deleted: ReadonlySet<string>;
  readonly lost: readonly StoredDecision[];
  readonly untold: readonly StoredDecision[];
} {
  const deletes = writes.filter((write) => write.kind === 'delete' && write.cause !== 'Predecessor');
  const deleted = new Set(deletes.map(({ name }) => name));
  const hasSomething = ({ history, clusters }: StoredDecision): boolean => history !== undefined || clusters.length > 0;
  const lost = deleted.size === 0 ? [] : stored.filter((one) => deleted.has(one.name) && hasSomething(one));
  const staying = lost.length === 0 ? [] : stored.filter((one) => isOwn(one) && !deleted.has(one.name));
  const told = new Set(staying.flatMap(({ history }) => readHistory(history).of ?? []));
  return { deleted, lost, untold: lost.filter((one) => !told.has(historyOf(one))) };
}

/** Names an object as it was when another took over its history. */
export function historyOf({ name, resourceVersion }: StoredDecision): string {
  return `${name}/${resourceVersion}`;
}

/** Whether an object has to stay although it may be empty: an annotation records changes that still count. */
function keepsRecord(
  object: StoredDecision | undefined,
  ordinal: number,
  { snapshot, decision: { current, fates } }: WriteInput,
): boolean {
  const leaving = [...(current[ordinal - 1] ?? []), ...(object?.clusters ?? [])];
  if (leaving.some((name) => countsAs('leaves', fates.get(name)))) return true;
  const end = object && recordsEnd(object, snapshot);
  return end === 'never' || (end !== undefined && end > snapshot.now);
}

/** The write that creates a decision object. `wanted`: its content; undefined for no object. */
function createWrite(
  placement: string,
  ordinal: number,
  wanted: DecisionContent | undefined,
): CreateDecision | undefined {
  if (wanted === undefined) return undefined;
  const revision = revisionOf(wanted.clusters);
  return { kind: 'create', name: decisionName(placement, ordinal), ordinal, ...wanted, revision };
}

function updateWrite(
  object: StoredDecision,
  ordinal: number,
  wanted: DecisionContent | undefined,
): UpdateDecision | DeleteDecision | undefined {
  if (wanted === undefined && !object.deleting) return deleteWrite(object, 'Empty');
  const content = wanted ?? contentOf([]);
  const revision = revisionOf(content.clusters);
  if (object.intact && object.revision === revision && sameContent(object, content)) return undefined;
  const { name, uid, resourceVersion } = object;
  return { kind: 'update', name, ordinal, ...content, revision, uid, resourceVersion };
}
