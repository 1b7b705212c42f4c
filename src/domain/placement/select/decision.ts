import type { Problem } from '../../selectors.js';
import type { Slots } from '../stored/decision.js';
import type { SpreadConstraint } from '../spec/spread.js';
import type { Shortage } from './choice/choose.js';
import type { Eligibility } from './eligible.js';
import { holdIn, isHold, waitsFor, waitsForSet, type Hold, type Holders, type WaitField } from './holders.js';
import type { FailedRule, OutByRules } from './rules.js';

/** What is decided for a Placement: each cluster stands in one place of one value, and everything else is derived from it. */

/**
 * Why a selected cluster leaves: the first rule that it fails; or it is not needed any more, since there are more than wanted, of
 * all or of its predicate; or `spec.rebalance` lets it go for a better one. For `Gone` and `NotMember` some object is missing, and
 * its deletion has to be confirmed before the cluster leaves. `Tainted` also for one that yields its place to another.
 */
export type Cause = FailedRule | 'NotNeeded' | 'Moved';

/** What becomes of one cluster, where something does. */
export type Fate =
  /** It is selected, and would yield its place for this taint, which no other cluster can take. */
  | { readonly kind: 'stays'; readonly yields: string }
  /** It is selected, and would leave. `yields`: it stays in its place for want of another one, too. */
  | { readonly kind: 'held'; readonly cause: Cause; readonly by: Holders; readonly yields?: string }
  /** `counts`: against a bound. */
  | { readonly kind: 'leaves'; readonly cause: Cause; readonly counts: boolean }
  | { readonly kind: 'comesIn'; readonly counts: boolean }
  /** It would come in. */
  | { readonly kind: 'keptOut'; readonly by: Holders };

/** A pair of a selected cluster and a better one, for `spec.rebalance`. */
export interface Move {
  readonly leaves: string;
  readonly comes: string;
  /** In hundredths. */
  readonly scores: { readonly leaves: number; readonly comes: number };
  /** The constraint that the move brings closer to its `maxSkew`; undefined when it is made for the score. */
  readonly constraint: SpreadConstraint | undefined;
}

/** What the next move waits for: a field of the spec. */
export interface MoveWait {
  readonly field: 'minSelectedSeconds' | 'disruptionBudget' | WaitField;
  /** The move for which the disruption budget has no removal left. */
  readonly move?: Move;
}

type OfKind<K extends Fate['kind']> = Extract<Fate, { readonly kind: K }>;

/** Cluster → what becomes of it. */
export class Fates extends Map<string, Fate> {
  #byKind: ReadonlyMap<string, readonly (readonly [cluster: string, fate: Fate])[]> | undefined;

  /** Those of one kind, in their order, once all fates are known: they are grouped once, since ten thousand may come in. */
  of<K extends Fate['kind']>(kind: K): readonly (readonly [cluster: string, fate: OfKind<K>])[] {
    const groups = (this.#byKind ??= this.#grouped());
    return (groups.get(kind) ?? []) as (readonly [string, OfKind<K>])[];
  }

  #grouped(): ReadonlyMap<string, (readonly [cluster: string, fate: Fate])[]> {
    const groups = new Map<string, (readonly [cluster: string, fate: Fate])[]>();
    for (const entry of this) {
      const group = groups.get(entry[1].kind);
      if (group === undefined) groups.set(entry[1].kind, [entry]);
      else group.push(entry);
    }
    return groups;
  }
}

/** What a Placement selects. */
export interface Decision {
  readonly eligibility: Eligibility;
  /** The invalid field; the last decision then stays published, without clusters that are deleted. */
  readonly problem: Problem | undefined;
  /** numberOfClusters; undefined for all matching clusters. */
  readonly wanted: number | undefined;
  /** Number of candidates, including clusters kept because a set is unreadable. This and `matched`: 0 with a `problem`. */
  readonly candidates: number;
  readonly matched: number;
  /** The clusters selected before, each once, by decision object; `kept`: without those that leave. */
  readonly current: Slots;
  readonly kept: Slots;
  /**
   * What becomes of each cluster; those that come in or are kept out, the best first. One of `current` that has none stays: that
   * ten thousand stay needs no value for each of them.
   */
  readonly fates: ReadonlyMap<string, Fate> & Pick<Fates, 'of'>;
  /** How many of those that leave and count do so first, without being counted: by so many there are more than wanted. */
  readonly uncounted: number;
  /** Why fewer are selected than wanted, where numbers of predicates or spread have to do with it. */
  readonly shortage: Shortage;
  /** Whether another matching cluster would be selected if there were one, or could take the place of one. */
  readonly hasRoom: boolean;
  /** While too few are selected, or some cannot be replaced: what keeps matching clusters out. */
  readonly outByRules: OutByRules;
  /** The move of `spec.rebalance`, which is all that such a decision changes, or what waits for a window; undefined without one. */
  readonly move: Move | undefined;
  /** What the next move after it waits for beside the interval; undefined for nothing else. */
  readonly moveWaits: MoveWait | undefined;
  /** When time alone may change the decision: ms since the epoch; undefined for never. */
  readonly lookAgain: number | undefined;
}

/** A selected cluster that leaves, or would leave. */
export interface Leaving {
  readonly cluster: string;
  readonly cause: Cause;
}

export interface HeldCluster extends Leaving {
  readonly by: Holders;
}

/** Whether the cluster leaves, or comes in, and that counts against a bound. */
export function countsAs(kind: 'leaves' | 'comesIn', fate: Fate | undefined): boolean {
  return fate?.kind === kind && fate.counts;
}

/** Whether something of the decision counts against a bound. */
export function isCounted({ fates }: Pick<Decision, 'fates'>): boolean {
  return [...fates.of('leaves'), ...fates.of('comesIn')].some(([, { counts }]) => counts);
}

function byName(a: { readonly cluster: string }, b: { readonly cluster: string }): number {
  return a.cluster < b.cluster ? -1 : 1;
}

/** The clusters that come in, the best first. */
export function comingIn(decision: Pick<Decision, 'fates'>): readonly string[] {
  return decision.fates.of('comesIn').map(([name]) => name);
}

/** The clusters that leave, sorted by name. */
export function leaving(decision: Pick<Decision, 'fates'>): readonly Leaving[] {
  return decision.fates
    .of('leaves')
    .map(([cluster, { cause }]) => ({ cluster, cause }))
    .sort(byName);
}

/** The clusters that would leave and stay, sorted by name: all, or those that are kept by such. */
export function staying(
  decision: Pick<Decision, 'fates'>,
  isSuch: (by: Holders) => boolean = () => true,
): readonly HeldCluster[] {
  return decision.fates
    .of('held')
    .flatMap(([cluster, { cause, by }]) => (isSuch(by) ? [{ cluster, cause, by }] : []))
    .sort(byName);
}

/** The clusters that would come in and stay out, the best first: all, or those that are kept by such. */
export function keptOut(
  decision: Pick<Decision, 'fates'>,
  isSuch: (by: Holders) => boolean = () => true,
): readonly string[] {
  return decision.fates.of('keptOut').flatMap(([name, { by }]) => (isSuch(by) ? [name] : []));
}

/**
 * The clusters that are kept in the decision or out of it, without those of a move that waits for a window: nothing keeps them, the
 * move follows.
 */
export function keptNow({
  fates,
  move,
}: Pick<Decision, 'fates' | 'move'>): readonly (readonly [cluster: string, fate: OfKind<'held' | 'keptOut'>])[] {
  const all = [...fates.of('held'), ...fates.of('keptOut')];
  return move === undefined ? all : all.filter(([, { by }]) => waitsFor(by) !== 'changeWindows');
}

/** The hold that keeps removals; undefined while none does. */
export function holdOf(decision: Pick<Decision, 'fates'>): Hold | undefined {
  for (const [, { by }] of decision.fates.of('held')) {
    const hold = holdIn(by);
    if (hold !== undefined) return hold;
  }
  return undefined;
}

/** Whether a bound keeps some cluster in the decision, or out of it. */
export function hasHold(decision: Decision): boolean {
  return staying(decision, isHold).length + keptOut(decision, isHold).length > 0;
}

/** Whether the pause of the Placement keeps clusters out that no hold keeps out. */
export function isKeptOutByPause(decision: Pick<Decision, 'fates'>): boolean {
  return keptOut(decision, (by) => waitsFor(by) === 'paused' && waitsForSet(by) === undefined).length > 0;
}

/** The clusters that stay although they would yield their place, with the key of the taint, sorted by name. */
export function stuck({ fates }: Pick<Decision, 'fates'>): readonly StuckCluster[] {
  const found: StuckCluster[] = [];
  for (const [cluster, { yields }] of [...fates.of('stays'), ...fates.of('held')])
    if (yields !== undefined) found.push({ cluster, key: yields });
  return found.sort(byName);
}

/** A selected cluster that would leave because of a taint if another cluster could take its place. */
export interface StuckCluster {
  readonly cluster: string;
  readonly key: string;
}

/** The clusters of the decision once it is made, held ones included: in no particular order. */
export function chosen(decision: Pick<Decision, 'kept' | 'fates'>): readonly string[] {
  return [...decision.kept.flat(), ...comingIn(decision)];
}

/** Whether the cluster is in the decision although it is not selected any more: one that a move would let go still is. */
export function isUnselected(fate: Fate | undefined): fate is OfKind<'held'> {
  return fate?.kind === 'held' && fate.cause !== 'Moved';
}

/** The clusters that are selected: {@link chosen} without those that only stay because something keeps them. */
export function selectedClusters(decision: Pick<Decision, 'kept' | 'fates'>): readonly string[] {
  if (decision.fates.of('held').length === 0) return chosen(decision);
  return chosen(decision).filter((name) => !isUnselected(decision.fates.get(name)));
}
