import { DECISION_SIZE } from '../../../../src/api/names.js';
import {
  sorted,
  unionOf,
  type Frame,
  type Observed,
  type Outlook,
  type SeenDecision,
  type SeenPlacement,
  type Violation,
} from './history.js';

/** A placement as the history so far shows it. */
interface Live {
  readonly key: string;
  seen: SeenPlacement;
  /** The numbers of clusters wanted by the generations that are not published yet, and by the last that was. */
  counts: { readonly generation: number; readonly count: number }[];
  /** Its decision objects, by key. */
  readonly objects: Map<string, SeenDecision>;
}

const NOBODY: ReadonlySet<string> = new Set();

/**
 * Checks the guarantees about decisions, event by event:
 * - `too many`: the union of the objects holds more clusters than any number in force since the last published one;
 * - `doubled`: a cluster is listed twice; `oversized`: an object holds more than 100;
 * - `vanished`: a cluster that is selected before and after a step, and matches all the while, is missing in between;
 * - `created empty`: an object is made without clusters and filled later, or without a list at all;
 * - `ahead`: a status names an object or a revision that is not stored, or counts other than what those objects hold;
 * - `unexplained`: a cluster is selected that matches in no state of the step, or is not there.
 * Objects whose owner is no existing placement are left out.
 */
export function check(events: readonly Observed[], frames: readonly Frame[]): Violation[] {
  const ordered = sorted(events);
  const ends = unionsAtEnds(ordered, frames);
  return new Pass(frames, ends).run(ordered);
}

/** The union of each placement (by uid) at the end of each frame. */
function unionsAtEnds(events: readonly Observed[], frames: readonly Frame[]): Map<string, ReadonlySet<string>>[] {
  const pass = new Pass(frames, []);
  pass.run(events);
  return pass.ends;
}

class Pass {
  readonly ends: Map<string, ReadonlySet<string>>[] = [];
  readonly #frames: readonly Frame[];
  readonly #final: readonly ReadonlyMap<string, ReadonlySet<string>>[];
  readonly #placements = new Map<string, Live>();
  readonly #clusters = new Map<string, { lastAlive: number }>();
  readonly #violations: Violation[] = [];
  #frame = 0;

  constructor(frames: readonly Frame[], final: readonly ReadonlyMap<string, ReadonlySet<string>>[]) {
    this.#frames = frames;
    this.#final = final;
  }

  run(events: readonly Observed[]): Violation[] {
    for (const event of events) {
      while (event.at > (this.#frames[this.#frame + 1]?.from ?? Infinity)) this.#turn();
      this.#take(event);
    }
    while (this.#frame < this.#frames.length) this.#turn();
    return this.#violations;
  }

  #turn(): void {
    const unions = new Map<string, ReadonlySet<string>>();
    for (const [uid, live] of this.#placements) unions.set(uid, unionOf(live.objects));
    this.ends.push(unions);
    this.#frame += 1;
  }

  #take(event: Observed): void {
    const { seen } = event;
    if (seen.kind === 'ManagedCluster') this.#takeCluster(event, event.type !== 'DELETED' && !seen.deleting);
    else if (seen.kind === 'Placement') this.#takePlacement(event, seen);
    else this.#takeDecision(event, seen);
  }

  #takeCluster({ key, at }: Observed, alive: boolean): void {
    const known = this.#clusters.get(key) ?? { lastAlive: alive ? Infinity : at };
    if (alive) known.lastAlive = Infinity;
    else if (known.lastAlive === Infinity) known.lastAlive = at;
    this.#clusters.set(key, known);
  }

  #takePlacement(event: Observed, seen: SeenPlacement): void {
    if (event.type === 'DELETED') {
      this.#placements.delete(seen.uid);
      return;
    }
    const live: Live = this.#placements.get(seen.uid) ?? { key: event.key, seen, counts: [], objects: new Map() };
    const known = this.#placements.has(seen.uid) ? live.seen : undefined;
    this.#placements.set(seen.uid, live);
    live.seen = seen;
    if (live.counts.every(({ generation }) => generation !== seen.generation)) {
      live.counts.push({ generation: seen.generation, count: seen.count ?? Infinity });
    }
    if (seen.published) live.counts = live.counts.filter(({ generation }) => generation >= seen.observedGeneration);
    if (event.gap === true) return;
    if (known === undefined || JSON.stringify(claims(known)) !== JSON.stringify(claims(seen)))
      this.#checkClaims(event, live);
    this.#checkCount(event, live);
  }

  #takeDecision(event: Observed, seen: SeenDecision): void {
    for (const [uid, other] of this.#placements) {
      if (uid !== seen.owner) other.objects.delete(event.key);
    }
    const live = this.#placements.get(seen.owner);
    if (live === undefined) return;
    const before = unionOf(live.objects);
    if (event.type === 'DELETED') live.objects.delete(event.key);
    else live.objects.set(event.key, seen);
    if (event.gap === true) return;
    if (event.type !== 'DELETED') this.#checkObject(event, live, seen);
    this.#checkCount(event, live);
    this.#checkDoubled(event, live);
    this.#checkStaying(event, live);
    this.#checkExplained(event, live, before);
  }

  #checkClaims(event: Observed, live: Live): void {
    const { decisions, selected } = live.seen;
    const namespace = live.key.slice(0, live.key.indexOf('/'));
    const named = new Set<string>();
    for (const { name, revision } of decisions) {
      const stored = live.objects.get(`${namespace}/${name}`);
      for (const cluster of stored?.clusters ?? []) named.add(cluster);
      if (stored?.revision !== revision) {
        this.#report(
          'ahead',
          event,
          live,
          `status names ${name} at revision ${revision}, stored is ${stored?.revision ?? 'nothing'}`,
        );
      }
    }
    if (selected !== named.size)
      this.#report('ahead', event, live, `status counts ${selected}, the objects that it names hold ${named.size}`);
  }

  #checkCount(event: Observed, live: Live): void {
    const allowed = Math.max(...live.counts.map(({ count }) => count));
    const union = unionOf(live.objects).size;
    if (union > allowed) this.#report('too many', event, live, `${union} clusters selected, at most ${allowed} wanted`);
  }

  #checkDoubled(event: Observed, live: Live): void {
    const seen = new Set<string>();
    for (const object of live.objects.values()) {
      for (const name of object.clusters ?? []) {
        if (seen.has(name)) this.#report('doubled', event, live, `${name} stands twice`);
        seen.add(name);
      }
    }
  }

  #checkObject(event: Observed, live: Live, { clusters }: SeenDecision): void {
    if (clusters === undefined) this.#report('created empty', event, live, `${event.key} has no list of decisions`);
    if ((clusters ?? []).length > DECISION_SIZE)
      this.#report('oversized', event, live, `${event.key} holds ${clusters?.length} clusters`);
    if (event.type !== 'ADDED' || clusters?.length !== 0) return;
    const matched = (this.#outlook(live)?.always ?? NOBODY).size > 0;
    const filled = (this.#final[this.#frame]?.get(live.seen.uid) ?? NOBODY).size > 0;
    if (!event.key.endsWith('-decision-1'))
      this.#report('created empty', event, live, `${event.key} was made empty, and is not the first`);
    else if (matched && filled)
      this.#report('created empty', event, live, `${event.key} was made empty and filled later`);
  }

  #checkStaying(event: Observed, live: Live): void {
    const first = this.#final[this.#frame - 1]?.get(live.seen.uid);
    const last = this.#final[this.#frame]?.get(live.seen.uid);
    const always = this.#outlook(live)?.always;
    if (first === undefined || last === undefined || always === undefined) return;
    const now = unionOf(live.objects);
    const gone = [...first].filter((name) => last.has(name) && always.has(name) && !now.has(name));
    if (gone.length > 0)
      this.#report('vanished', event, live, `missing for a moment: ${gone.slice(0, 5).join(', ')} (${gone.length})`);
  }

  #checkExplained(event: Observed, live: Live, before: ReadonlySet<string>): void {
    const frame = this.#frames[this.#frame];
    const ever = this.#outlook(live)?.ever;
    if (ever === undefined || frame === undefined) return;
    for (const name of unionOf(live.objects)) {
      if (before.has(name)) continue;
      if (!ever.has(name))
        this.#report('unexplained', event, live, `${name} is selected and matches in no state of the step`);
      else if ((this.#clusters.get(name)?.lastAlive ?? -1) < frame.from)
        this.#report('unexplained', event, live, `${name} is selected and is not there`);
    }
  }

  #outlook(live: Live): Outlook | undefined {
    return this.#frames[this.#frame]?.outlook.get(live.key);
  }

  #report(rule: string, event: Observed, live: Live, detail: string): void {
    const step = this.#frames[this.#frame]?.step ?? 0;
    this.#violations.push({ rule, step, at: event.at, placement: live.key, detail });
  }
}

function claims({ decisions, selected }: SeenPlacement): object {
  return { decisions, selected };
}
