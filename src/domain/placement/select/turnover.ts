import { hasNumbers, isCompared } from '../spec/predicates.js';
import { admit, budgetInForce } from './limits.js';
import { stayersAmong } from './budget.js';
import {
  aboveNumbers,
  choose as chooseAmong,
  lowestFirstOf,
  surplus,
  type Candidature,
  type Stayers,
  shortageOf,
} from './choice/choose.js';
import { orderedHolders, type Holder } from './holders.js';
import type { Draft } from './draft.js';
import { HELD_TIER, tierOfNew, tierOfSelected } from './judge.js';
import { askedOf, outByRules, predicateOf, type OutByRules } from './rules.js';
import { isElective, keepersIn } from './waiting.js';

/** Which clusters leave because they are not needed, which come in, and what taints leave open. */

/** Lets those go that are not needed, and others in. */
export function choose(draft: Draft): void {
  letSurplusGo(draft);
  letNewOnesIn(draft);
}

/**
 * Each predicate has at most its number then, and all together as many as are wanted: held ones leave first, then those that yield,
 * then those with a taint that is not tolerated for ever, and of equals those that rank lowest.
 */
function letSurplusGo(draft: Draft): void {
  const { fates, size, limit = Infinity, timedSets } = draft;
  const leaving = surplusOf(draft);
  if (leaving.length === 0) return;
  // A decision that is not too large has clusters which came to another predicate, by a change of theirs.
  const keepers = size <= limit ? keepersIn(draft) : (sets: readonly Holder[]) => orderedHolders(...sets);
  for (const name of leaving) {
    const fate = fates.get(name);
    const cause = fate?.kind === 'held' ? fate.cause : 'NotNeeded';
    const sets = isElective(draft, name, cause) ? timedSets.holding(name, cause) : [];
    const by = keepers(sets);
    if (by === undefined) draft.letGo(name, cause, fate === undefined && draft.counted.has(name));
    else draft.keep(name, cause, by);
  }
}

function surplusOf(draft: Draft): readonly string[] {
  const { snapshot, judged, scoreOf, limit = Infinity } = draft;
  if (draft.size <= limit && !hasNumbers(snapshot.placement.rules)) return [];
  const names = draft.clusters.filter((name) => !draft.leaves(name));
  const tierOf = (name: string): number => (draft.isHeld(name) ? HELD_TIER : tierOfSelected(judged.asked.get(name)));
  const isBudgeted = budgetInForce(snapshot.placement)?.maxRemovals !== undefined;
  return isBudgeted ? notHeld({ names, tierOf }, draft) : surplus({ names, tierOf }, limit, snapshot, scoreOf);
}

/** Those that leave where a budget holds clusters above the number of their predicate: released ones, and those above `limit`. */
function notHeld({ names, tierOf }: Stayers, draft: Draft): readonly string[] {
  const { snapshot, judged, scoreOf, limit = Infinity } = draft;
  const above = aboveNumbers(stayersAmong(judged, names), snapshot, scoreOf).filter((name) => !draft.isHeld(name));
  const left = new Set(above);
  const rest = names.filter((name) => !left.has(name));
  const lowest = rest.length > limit ? lowestFirstOf({ names: rest, tierOf }, snapshot, scoreOf) : [];
  return [...above, ...lowest.slice(0, rest.length - limit)];
}

/** The clusters that come in, one after the other, and those that yield their place to one of them: the lowest ranked first. */
function letNewOnesIn(draft: Draft): void {
  const { size, snapshot, judged, scoreOf, clusters, timedSets } = draft;
  const { placement, candidates } = snapshot;
  if (placement.rules.problem !== undefined) return;
  const yielding: string[] = [];
  for (const [name, { standing }] of judged.asked)
    if (standing.kind === 'yields' && draft.limit !== undefined && !draft.leaves(name)) yielding.push(name);
  const free = (draft.limit ?? Infinity) - size;
  if (free <= 0 && yielding.length === 0) return;
  const isAllIn = candidates.matched.size <= judged.passing - judged.keptOnly;
  if (isAllIn && !isCompared(placement.rules)) return;
  const known = new Set(clusters);
  const candidature: Candidature = {
    staying: clusters.filter((name) => !draft.leaves(name)),
    yielding,
    tierOf: (name) => tierOfNew(name, snapshot),
    isOut: (name) => known.has(name),
  };
  const choice = chooseAmong(candidature, free, snapshot, scoreOf);
  const replacing = choice.incoming.filter(({ replaces }) => replaces !== undefined).length;
  const best = choice.incoming.map(({ name }) => name);
  const { admitted, counted, heldBack, ...left } = admit(
    snapshot,
    best,
    { size, free, yielding, timedSets },
    replacing,
  );
  // What is held back is no reason for another to come in, and may have been the reason for one behind it.
  const isWhole = heldBack.size === 0 && left.free === free;
  const admits = new Set(isWhole ? [] : admitted);
  const isOut = (name: string): boolean => !admits.has(name) || known.has(name);
  const final = isWhole ? choice : chooseAmong({ ...candidature, isOut }, left.free, snapshot, scoreOf);
  for (const { name, replaces } of final.incoming) {
    draft.letIn(name, counted.has(name));
    if (replaces !== undefined) draft.letGo(replaces, 'Tainted', false);
  }
  for (const [name, by] of heldBack) draft.keepOut(name, by);
  if (draft.limit !== undefined && best.length < free + yielding.length) draft.shortage = shortageOf(choice);
}

/**
 * Notes what the rules leave open: who yields its place to nobody, what they keep out, and when that changes. In O(clusters with
 * taints).
 */
export function noteOpen(draft: Draft): void {
  const { judged, fates, snapshot, limit } = draft;
  let stuck = 0;
  let size = draft.size;
  for (const fate of fates.values()) if (fate.kind === 'comesIn') size += 1;
  for (const [cluster, { standing, until }] of judged.asked) {
    if (draft.leaves(cluster)) continue;
    draft.lookAt(until);
    if (standing.kind !== 'yields') continue;
    stuck += 1;
    const yields = standing.taint.key;
    const fate = fates.get(cluster);
    fates.set(cluster, fate?.kind === 'held' ? { ...fate, yields } : { kind: 'stays', yields });
  }
  const isValid = snapshot.placement.rules.problem === undefined;
  const isShort = isValid && (limit === undefined || size - stuck < limit);
  draft.hasRoom = isShort || stuck > 0;
  if (isShort) draft.outByRules = outOf(draft);
}

/** What keeps matching clusters out: where predicates have numbers, only clusters of one that lacks some could come in. */
function outOf({ snapshot, clusters, shortage, fates }: Draft): OutByRules {
  const { candidates, placement, now } = snapshot;
  const { rules } = placement;
  const stay = new Set(clusters.filter((name) => fates.get(name)?.kind !== 'leaves'));
  const lacking = new Set(shortage.predicates.map(({ index }) => index));
  const views = [...askedOf(snapshot).keys()].flatMap((name) => (stay.has(name) ? [] : (candidates.view(name) ?? [])));
  const wanted = hasNumbers(rules) ? views.filter((one) => lacking.has(predicateOf(rules, one) ?? -1)) : views;
  return outByRules(wanted, rules, now);
}
