import { DECISION_SIZE } from '../../../src/api/names.js';
import { PlacementDecisions, Placements } from '../../../src/api/resources.js';
import { revisionOf } from '../../../src/domain/placement/stored/decision.js';
import { resourceOf } from '../../../src/runtime/client/path.js';
import type { RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { condition, number } from '../../support/scenario/checks/reading.js';
import type { View } from '../hub/view.js';
import { readDecision, readPlacement, unionOf, type SeenDecision, type SeenPlacement } from './seen.js';

/** How the decision of a Placement moved within one step. */
interface Movement {
  /** Selected at every moment. */
  readonly always: Set<string>;
  /** Selected at any moment. */
  readonly ever: Set<string>;
  /** The most that were selected at once. */
  most: number;
}

/** By `namespace/name`. */
export type Movements = ReadonlyMap<string, Movement>;

interface Live {
  readonly key: string;
  seen: SeenPlacement;
  hasGroups: boolean;
  readonly objects: Map<string, SeenDecision>;
}

/**
 * Sees every write of a Placement and of a decision object when it is stored, and says at once what may not be:
 * - `doubled`: a cluster stands twice (but for groups, where it may change its piece so);
 * - `oversized`: more than 100 in one object; `empty`: an object without a list;
 * - `ahead`: a status names an object or a revision that is not stored, or counts other than what these hold; or it says
 *   Ready for a generation that is not observed;
 * - `moved`: beside what the run without faults does in the same step, a cluster leaves that stayed there, comes in that never
 *   was there, or there are more at once: so no budget, number or window is broken either.
 */
export class DecisionCheck {
  readonly #violations: (rule: string, detail: string) => void;
  readonly #reference: readonly Movements[];
  readonly #placements = new Map<string, Live>();
  readonly #subscriptions: { end(): void }[];
  /** The movements of the steps so far. */
  readonly movements: Map<string, Movement>[] = [new Map()];

  constructor(server: View, reference: readonly Movements[], violations: (rule: string, detail: string) => void) {
    this.#reference = reference;
    this.#violations = violations;
    for (const { object } of server.store.list(resourceOf(Placements), '')) this.#know(object as unknown as RawObject);
    for (const { key, object } of server.store.list(resourceOf(PlacementDecisions), '')) {
      const seen = readDecision(object as unknown as RawObject);
      this.#placements.get(seen.owner)?.objects.set(key, seen);
    }
    this.#subscriptions = [
      server.observe(resourceOf(Placements), ({ type, entry }) =>
        this.#placement(type, entry.object as unknown as RawObject),
      ),
      server.observe(resourceOf(PlacementDecisions), ({ type, entry }) =>
        this.#decision(type, entry.key, entry.object as unknown as RawObject),
      ),
    ];
  }

  beginStep(): void {
    const next = new Map<string, Movement>();
    for (const live of this.#placements.values()) {
      const now = unionOf(live.objects);
      next.set(live.key, { always: new Set(now), ever: new Set(now), most: now.size });
    }
    this.movements.push(next);
  }

  /** A Placement whose status names another revision than is stored: it will be written again. Undefined when there is none. */
  outdated(): string | undefined {
    for (const { key, seen, objects } of this.#placements.values()) {
      const namespace = key.slice(0, key.indexOf('/'));
      const isStored = seen.decisions.every(
        (one) => objects.get(`${namespace}/${one.name}`)?.revision === one.revision,
      );
      if (!isStored) return `the status of ${key} names a revision that is not stored`;
    }
    return undefined;
  }

  /** The clusters that the Placement, by `namespace/name`, has in its objects: sorted. */
  selected(placement: string): readonly string[] {
    return [...this.#placements.values()].flatMap(({ key, objects }) =>
      key === placement ? [...unionOf(objects)].sort() : [],
    );
  }

  end(): void {
    for (const one of this.#subscriptions) one.end();
  }

  #placement(type: 'put' | 'remove', object: RawObject): void {
    const seen = readPlacement(object);
    if (type === 'remove') {
      this.#placements.delete(seen.uid);
      return;
    }
    const before = this.#placements.get(seen.uid)?.seen;
    const live = this.#know(object);
    if (JSON.stringify([before?.decisions, before?.selected]) !== JSON.stringify([seen.decisions, seen.selected]))
      this.#checkStatus(live);
    const ready = condition(object as never, 'Ready');
    const observed = number(ready['observedGeneration'], seen.observedGeneration);
    if (ready['status'] === 'True' && observed > seen.generation)
      this.#violations('ahead', `${live.key}: Ready for generation ${observed} of ${seen.generation}`);
  }

  #know(object: RawObject): Live {
    const seen = readPlacement(object);
    const { namespace = '', name } = object.metadata;
    const spec = object.spec as { readonly decisionStrategy?: unknown } | undefined;
    const hasGroups = spec?.decisionStrategy !== undefined;
    const live = this.#placements.get(seen.uid) ?? { key: `${namespace}/${name}`, seen, hasGroups, objects: new Map() };
    live.hasGroups ||= hasGroups;
    live.seen = seen;
    this.#placements.set(seen.uid, live);
    return live;
  }

  #checkStatus({ key, seen, objects }: Live): void {
    const namespace = key.slice(0, key.indexOf('/'));
    const named = new Set<string>();
    for (const { name, revision } of seen.decisions) {
      const stored = objects.get(`${namespace}/${name}`);
      for (const cluster of stored?.clusters ?? []) named.add(cluster);
      // What somebody else wrote into an object has another revision than the object says.
      const isOfContent = stored?.clusters !== undefined && revisionOf(stored.clusters) === revision;
      if (stored?.revision !== revision && !isOfContent)
        this.#violations(
          'ahead',
          `${key}: status names ${name} at ${revision}, stored is ${stored?.revision ?? 'none'}`,
        );
    }
    if (seen.selected !== named.size)
      this.#violations('ahead', `${key}: status counts ${seen.selected}, the objects that it names hold ${named.size}`);
  }

  #decision(type: 'put' | 'remove', key: string, object: RawObject): void {
    const seen = readDecision(object);
    for (const [uid, other] of this.#placements) if (uid !== seen.owner) other.objects.delete(key);
    const live = this.#placements.get(seen.owner);
    if (live === undefined) return;
    if (type === 'remove') live.objects.delete(key);
    else live.objects.set(key, seen);
    if (type === 'put' && seen.clusters === undefined) this.#violations('empty', `${key} has no list of decisions`);
    if ((seen.clusters ?? []).length > DECISION_SIZE)
      this.#violations('oversized', `${key} holds ${seen.clusters?.length} clusters`);
    this.#checkDoubled(live);
    this.#move(live);
  }

  #checkDoubled(live: Live): void {
    if (live.hasGroups) return;
    const seen = new Set<string>();
    for (const { clusters = [] } of live.objects.values())
      for (const name of clusters) {
        if (seen.has(name)) this.#violations('doubled', `${live.key}: ${name} stands twice`);
        seen.add(name);
      }
  }

  #move(live: Live): void {
    const now = unionOf(live.objects);
    const step = this.movements.length - 1;
    const movements = this.movements[step] ?? new Map<string, Movement>();
    const movement = movements.get(live.key) ?? { always: new Set(), ever: new Set(), most: 0 };
    movements.set(live.key, movement);
    for (const name of movement.always) if (!now.has(name)) movement.always.delete(name);
    for (const name of now) movement.ever.add(name);
    movement.most = Math.max(movement.most, now.size);
    const allowed = this.#reference[step]?.get(live.key);
    if (allowed === undefined) return;
    const gone = [...allowed.always].filter((name) => !now.has(name));
    const come = [...now].filter((name) => !allowed.ever.has(name));
    if (gone.length > 0) this.#violations('moved', `${live.key}: ${gone.join(', ')} missing, which stay in this step`);
    if (come.length > 0)
      this.#violations('moved', `${live.key}: ${come.join(', ')} selected, which never are in this step`);
    if (now.size > allowed.most)
      this.#violations(
        'moved',
        `${live.key}: ${now.size} selected at once, never more than ${allowed.most} in this step`,
      );
  }
}
