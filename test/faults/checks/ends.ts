import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../../src/api/resources.js';
import { explained } from '../../../src/answers/explain/explain.js';
import { decisionHistory, type DecisionHistory } from '../../../src/answers/history.js';
import { worldOf, type World } from '../../../src/answers/world/world.js';
import type { RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { keyOf } from '../../../src/runtime/vocabulary/names.js';
import { fields, items, number } from '../../support/scenario/checks/reading.js';
import { isPaused } from './rules.js';
import { byTheBook, decisionOf, type Stored } from './thebook.js';
import type { View } from '../hub/view.js';

const RESOURCES = { Placements, PlacementDecisions, ManagedClusters, ManagedClusterSets, ManagedClusterSetBindings };

/**
 * Reads what is stored at the end of each step, and says what may not be:
 * - `piece`: a piece of a group has more clusters than its Placement says;
 * - `by the book`: the decision is not that of the second model;
 * - `explain`: an explanation says that other clusters are selected than the decision names;
 * - `history`: the changes that are recorded, from the first to the last, do not lead to the decision, or one comes in twice.
 */
export class EndCheck {
  readonly #server: View;
  readonly #violations: (rule: string, detail: string) => void;
  /** The decisions at the end of the step before, by the uid of the Placement. */
  #before: ReadonlyMap<string, readonly string[]> = new Map();
  /** The versions of what was read last. */
  #versions = '';
  #repairs = 0;

  constructor(server: View, violations: (rule: string, detail: string) => void) {
    this.#server = server;
    this.#violations = violations;
  }

  /** To be called before the programs start. */
  begin(): void {
    this.#before = decisionsOf(this.#read());
  }

  /**
   * `at`: the time at which it is explained, ms. `isDated`: whether no clock was wrong, by whose times the history is sorted.
   * `isWhole`: whether it is explained.
   */
  check(at: number, isDated: boolean, isWhole = true): void {
    const stored = this.#read();
    const versions = Object.values(stored).flatMap((list: readonly RawObject[]) =>
      list.map(({ metadata }) => metadata.resourceVersion),
    );
    const key = versions.join(' ');
    if (key === this.#versions) return;
    this.#versions = key;
    const world = worldOf({ ...stored }, [], at);
    const decisions = decisionsOf(stored);
    this.#repairs = 0;
    for (const placement of stored.placements) {
      const { uid = '', deletionTimestamp } = placement.metadata;
      const history = decisionHistory(world, placement, () => true);
      this.#repairs += history.changes.reduce((sum, { repaired }) => sum + repaired.length, 0);
      if (deletionTimestamp !== undefined) continue;
      const decision = decisions.get(uid) ?? [];
      const book = byTheBook(stored, placement, this.#before.get(uid) ?? []);
      if ('selected' in book) this.#compare('by the book', placement, decision, book.selected);
      this.#checkPieces(placement);
      if (isWhole) this.#compare('explain', placement, decision, explainedIn(world, placement));
      const replayed = isDated ? replayedIn(history) : undefined;
      if (replayed !== undefined) this.#compare('history', placement, decision, replayed);
    }
    this.#before = decisions;
  }

  /** Not for percentages: these are of what was selected when the piece was begun. A pause keeps the pieces of before. */
  #checkPieces({ metadata, spec, status }: RawObject): void {
    if (isPaused(fields(spec))) return;
    const strategy = fields(fields(fields(spec)['decisionStrategy'])['groupStrategy']);
    const most = number(strategy['clustersPerDecisionGroup'], Infinity);
    for (const one of items(fields(status)['decisionGroups'])) {
      const [index, count] = ['decisionGroupIndex', 'clusterCount'].map((name) => number(one[name], 0));
      if ((count ?? 0) > most)
        this.#violations('piece', `${keyOf(metadata)}: piece ${index} has ${count}, ${most} may be`);
    }
  }

  /** How many edits of decisions by others the histories tell of, as the last check has read them. */
  get repairs(): number {
    return this.#repairs;
  }

  /** The decisions of all Placements as the last check has read them: names of clusters, sorted. */
  decisions(): ReadonlyMap<string, string> {
    const { placements } = this.#read();
    return new Map(
      placements.map(({ metadata }) => [keyOf(metadata), (this.#before.get(metadata.uid ?? '') ?? []).join(' ')]),
    );
  }

  #compare(rule: string, { metadata }: RawObject, decision: readonly string[], other: readonly string[]): void {
    const [found, wanted] = [decision.join(' '), [...other].sort().join(' ')];
    if (found !== wanted)
      this.#violations(rule, `${keyOf(metadata)} has ${found || 'none'}, and not ${wanted || 'none'}`);
  }

  #read(): Stored {
    const lists = Object.values(RESOURCES).map(({ plural, group }) => {
      const entries = this.#server.store.list(`${plural}.${group}`, '');
      return [plural, entries.map(({ object }) => object as unknown as RawObject)] as const;
    });
    return Object.fromEntries(lists) as unknown as Stored;
  }
}

function decisionsOf(stored: Stored): ReadonlyMap<string, readonly string[]> {
  return new Map(stored.placements.map((one) => [one.metadata.uid ?? '', decisionOf(stored, one)]));
}

/** Who is selected, as `explain` says it. */
function explainedIn(world: World, { metadata: { namespace, name: placement } }: RawObject): readonly string[] {
  const [found] = explained(world, { namespace, placement, cluster: undefined, nearest: 0 });
  return (found?.clusters ?? [])
    .filter(({ verdict, inDecision }) => verdict === 'Selected' || (verdict === 'Held' && inDecision))
    .map(({ name }) => name);
}

/** Who is selected after all that `history` says; undefined where it says that something is missing. */
function replayedIn({ notKept, changes }: DecisionHistory): readonly string[] | undefined {
  if (notKept > 0) return undefined;
  const selected = new Set<string>();
  let mayRepeat = false;
  for (const { added, removed, repaired, more } of [...changes].reverse()) {
    // What was recorded in an object is lost with it, when nobody has seen it since.
    const isLost = repaired.some(({ why }) => why.endsWith('is lost'));
    if (isLost || more.added + more.removed + more.repaired > 0) return undefined;
    // A process that was started meanwhile does not know whom somebody has taken out.
    mayRepeat ||= repaired.some(({ clusters }) => clusters.length === 0);
    for (const { clusters } of removed) for (const one of clusters) selected.delete(one);
    for (const one of added)
      if (selected.has(one) && !mayRepeat) return [...selected, `${one} once more`];
      else selected.add(one);
  }
  return [...selected];
}
