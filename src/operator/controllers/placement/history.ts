import { HISTORY_ANNOTATION } from '../../../api/names.js';
import { Placements } from '../../../api/resources.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';
import { causesOf, historyEntry, type Causes } from '../../../domain/placement/report/history.js';
import { hadDecision } from '../../../domain/placement/stored/basis.js';
import { readDecision, type DecisionObject } from '../../../domain/placement/stored/decision.js';
import { nextHistory, readHistory, type HistoryEntry } from '../../../domain/placement/stored/history.js';
import { withRecord } from '../../../domain/placement/stored/record.js';
import type { DecisionWrite } from '../../../domain/placement/publish/writeorder.js';
import type { Decision } from './decide.js';
import type { Input } from './gather.js';
import type { Scope } from './scope.js';

/** The history of a decision: each write of a decision object also says what it changes, and why. */
export class PassHistory {
  readonly #input: Input;
  readonly #decision: Decision;
  readonly #at: Pick<HistoryEntry, 'time' | 'trigger'>;
  readonly #added: ReadonlySet<string>;
  readonly #dropped: ReadonlySet<string>;
  /** Clusters that an entry of this pass names. */
  readonly #told = new Set<string>();
  #causes: Causes | undefined;

  constructor(input: Input, decision: Decision) {
    const { schedule } = decision;
    this.#input = input;
    this.#decision = decision;
    this.#at = { time: timestamp(input.snapshot.now), trigger: input.state.trigger ?? UNKNOWN };
    this.#added = new Set(schedule.added);
    this.#dropped = new Set(schedule.dropped.map(({ cluster }) => cluster));
    this.#carryOn();
  }

  /** The object with what this write changes. A cluster that only moves between objects is no change. */
  added(
    object: DecisionObject,
    { ordinal = 0, clusters }: DecisionWrite,
    published: readonly string[],
  ): DecisionObject {
    const staying = new Set(clusters);
    const known = [...(this.#decision.changes.base[ordinal - 1] ?? []), ...published];
    const removed = known.filter((one) => this.#dropped.has(one) && !staying.has(one));
    const added = clusters.filter((one) => this.#added.has(one) && !published.includes(one));
    const entry = this.#entry(added, removed);
    const entries = [...this.#input.state.carried, ...(entry === undefined ? [] : [entry])];
    if (entries.length === 0) return object;
    const text = nextHistory(HISTORY_ANNOTATION, object.metadata.annotations ?? {}, entries);
    return { ...object, metadata: withRecord(object.metadata, HISTORY_ANNOTATION, text) };
  }

  /** To be called when a write of an object is stored. */
  stored(): void {
    this.#input.state.carried = [];
  }

  /** What objects know that this pass deletes goes to the next one that is written, usually in this pass. */
  #carryOn(): void {
    const { state, objects, owner } = this.#input;
    for (const write of this.#decision.changes.writes) {
      const object = objects.get(write.name);
      if (write.kind !== 'delete' || write.cause !== 'Empty' || object === undefined) continue;
      const { clusters } = readDecision(object, owner);
      const entry = this.#entry(
        [],
        clusters.filter((one) => this.#dropped.has(one)),
      );
      const { entries } = readHistory(object.metadata.annotations?.[HISTORY_ANNOTATION]);
      state.carried.push(...entries, ...(entry === undefined ? [] : [entry]));
    }
  }

  #entry(added: readonly string[], removed: readonly string[]): HistoryEntry | undefined {
    const names = [added, removed].map((list) => [...new Set(list)].filter((one) => !this.#told.has(one)));
    for (const name of names.flat()) this.#told.add(name);
    const [came = [], left = []] = names;
    if (left.length > 0) this.#causes ??= causesOf(this.#input.snapshot, this.#decision.schedule);
    return historyEntry({ added: came, removed: left }, this.#causes ?? new Map(), this.#at);
  }
}

const UNKNOWN = 'unknown';

/**
 * Remembers which change was the first since the last decision. After a restart it is not known: the changes that are
 * delivered then are all that there is.
 */
export function rememberTrigger({ state, owner, snapshot }: Input, { key, triggers, clock }: Scope): void {
  const seen = triggers.get(key);
  triggers.delete(key);
  const first = hadDecision(snapshot.placement.status) ? UNKNOWN : `${Placements.kind}/${owner.name}`;
  const since = state.decided === undefined ? first : (seen ?? (clock.now() >= state.due ? 'time' : undefined));
  state.trigger ??= since;
}
