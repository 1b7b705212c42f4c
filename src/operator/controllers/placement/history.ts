import { HISTORY_ANNOTATION } from '../../../api/names.js';
import type { PlacementDecision } from '../../../api/generated/placementdecision.js';
import {
  causesOf,
  historyEntries,
  repairsOf,
  repairsSeen,
  type Causes,
} from '../../../domain/placement/report/notes.js';
import { leaving } from '../../../domain/placement/select/decision.js';
import { historiesToKeep, historyOf } from '../../../domain/placement/publish/objectwrites.js';
import {
  isOwn,
  ownClusters,
  readDecision,
  type DecisionObject,
  type StoredDecision,
} from '../../../domain/placement/stored/decision.js';
import {
  NO_HISTORY,
  nextHistory,
  readHistory,
  type Departure,
  type History,
  type HistoryEntry,
} from '../../../domain/placement/stored/history.js';
import { withRecord } from '../../../domain/placement/stored/record.js';
import type { DecisionWrite } from '../../../domain/placement/publish/writeorder.js';
import type { Decided } from './decide.js';
import { UNKNOWN, type Input } from './gather.js';

/** The history of a decision: each write of a decision object also says what it changes, and why. */
export class PassHistory {
  readonly #input: Input;
  readonly #decided: Decided;
  readonly #at: Pick<HistoryEntry, 'time' | 'trigger'>;
  /** The objects that this pass deletes: nothing is recorded there. */
  readonly #deleted: ReadonlySet<string>;
  /** Likewise, as `historyOf` names them. */
  readonly #lost: readonly string[];
  /** Clusters that an entry of this pass names. */
  readonly #told = new Set<string>();
  #causes: Causes | undefined;
  /** What the objects have recorded that this pass deletes. */
  #leaving: History;

  constructor(input: Input, decided: Decided) {
    const { changes } = decided;
    this.#input = input;
    this.#decided = decided;
    this.#at = { time: new Date(input.snapshot.now).toISOString(), trigger: input.state.trigger ?? UNKNOWN };
    const { deleted, lost, untold } = historiesToKeep(changes.writes, input.snapshot.stored);
    this.#deleted = deleted;
    this.#lost = lost.map(historyOf).slice(0, MOST_LOST);
    this.#noteRepairs();
    // A process that ended before it deleted them has told what left with these.
    for (const one of lost.filter((each) => !untold.includes(each))) {
      const staying = new Set(ownClusters(input.snapshot.stored.filter(({ name }) => !deleted.has(name))));
      for (const name of one.clusters) if (!staying.has(name)) this.#told.add(name);
    }
    this.#leaving = together(...untold.flatMap((one) => [readHistory(one.history), this.#telling([], one.clusters)]));
  }

  /**
   * The object with what this write changes, and with what no other object keeps. A cluster that only moves between objects is no
   * change.
   */
  added(
    object: DecisionObject,
    { name, ordinal = 0, clusters }: DecisionWrite,
    published: readonly string[],
  ): DecisionObject {
    if (this.#deleted.has(name)) return object;
    const staying = new Set(clusters);
    const known = [...(this.#decided.changes.base[ordinal - 1] ?? []), ...published];
    const removed = known.filter((one) => !staying.has(one));
    const further = together(this.#input.state.carried, this.#leaving, this.#telling(clusters, removed));
    if (further.entries.length + further.dropped + this.#lost.length === 0) return object;
    const of = this.#lost.length === 0 ? {} : { of: this.#lost };
    const text = nextHistory(HISTORY_ANNOTATION, object.metadata.annotations ?? {}, { ...further, ...of });
    return { ...object, metadata: withRecord(object.metadata, HISTORY_ANNOTATION, text) };
  }

  /** To be called when a write of an object is stored. */
  stored(name: string): void {
    if (this.#deleted.has(name)) return;
    this.#input.state.carried = NO_HISTORY;
    this.#leaving = NO_HISTORY;
  }

  /** To be called when an object is deleted: where no other was stored before it, the next one that is keeps what it knew. */
  deleted(): void {
    const { state } = this.#input;
    state.carried = together(state.carried, this.#leaving);
    this.#leaving = NO_HISTORY;
  }

  /** What others have done to decision objects, and what these had recorded, waits for the next write: usually of this pass. */
  #noteRepairs(): void {
    const { state, objects, owner, snapshot } = this.#input;
    const repaired: Departure[] = [];
    // As long as nothing was stored by this process, what a late watch delivers is what was there before.
    if (snapshot.published === undefined) state.edited.clear();
    const read = (one: PlacementDecision | undefined): StoredDecision | undefined => one && readDecision(one, owner);
    for (const [name, before] of state.edited) {
      const now = objects.get(name);
      // A change after the reading is for the next pass.
      if (now !== undefined && now.metadata.resourceVersion === before?.metadata.resourceVersion) continue;
      state.edited.delete(name);
      // One that came and went between two passes leaves nothing to put right.
      const [was, is] = [read(before), read(now)];
      repaired.push(...repairsOf(name, was, is));
      if (isOwn(was) && was.history !== is?.history) state.carried = together(state.carried, readHistory(was.history));
    }
    if (state.decided === undefined && state.carried === NO_HISTORY) {
      const made = this.#decided.changes.writes.filter(({ kind }) => kind === 'create').map(({ name }) => name);
      repaired.push(...repairsSeen(snapshot, made));
    }
    // Of an object that somebody else has deleted no write takes them out.
    const dropped = leaving(this.#decided.decision).map(({ cluster }) => cluster);
    const stored = new Set(dropped.length === 0 ? [] : ownClusters(snapshot.stored));
    const gone = dropped.filter((one) => !stored.has(one));
    state.carried = together(state.carried, this.#telling([], gone, repaired));
  }

  /** One entry about those of the clusters that come in or leave, or none where there is nothing to tell. */
  #telling(added: readonly string[], removed: readonly string[], repaired: readonly Departure[] = []): History {
    const { fates } = this.#decided.decision;
    const untold = (list: readonly string[], kind: 'comesIn' | 'leaves'): readonly string[] =>
      [...new Set(list)].filter((one) => fates.get(one)?.kind === kind && !this.#told.has(one));
    const [came, left] = [untold(added, 'comesIn'), untold(removed, 'leaves')];
    for (const name of [...came, ...left]) this.#told.add(name);
    if (left.length > 0) this.#causes ??= causesOf(this.#input.snapshot, this.#decided.decision);
    const changed = { added: came, removed: left, repaired };
    return { entries: historyEntries(changed, this.#causes ?? new Map(), this.#at), dropped: 0 };
  }
}

function together(...all: readonly History[]): History {
  const some = all.filter(({ entries, dropped }) => entries.length + dropped > 0);
  if (some.length < 2) return some[0] ?? NO_HISTORY;
  return {
    entries: some.flatMap(({ entries }) => entries),
    dropped: some.reduce((sum, { dropped }) => sum + dropped, 0),
  };
}

/**
 * The most lost objects whose history is kept. If more are lost in a pass that ends in a crash, removals may be reported twice.
 */
const MOST_LOST = 20;
