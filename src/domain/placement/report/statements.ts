import { hasNumbers, type PlacementRules } from '../spec/predicates.js';
import { requirementText } from '../explain/requirementtext.js';
import { sourcedRequirements } from '../select/rules.js';
import type { Shortage } from '../select/choice/choose.js';
import type { Eligibility } from '../select/eligible.js';
import { absentSets, type AbsentSet } from '../explain/membership.js';
import {
  holdOf,
  isKeptOutByPause,
  keptOut,
  selectedClusters,
  staying,
  stuck,
  type Decision,
  type StuckCluster,
} from '../select/decision.js';
import { keepingOut, opensIn, type SetText } from '../select/holders.js';
import { hadDecision } from '../stored/basis.js';
import { publishedSetText } from './holds.js';
import type { PlacementSnapshot } from '../select/snapshot.js';
import type { UnmatchedPredicate } from '../select/unmatched.js';

/**
 * What the conditions of a Placement say about its selection: statements about what it names, its bindings and its decision.
 * Nothing here counts clusters of the fleet, so a change of the fleet that changes no statement writes no status. The only numbers
 * are `wanted`, `scheduled`, `stored` and `keptAbove`, a part of these, and those of the predicates: their index, their number and
 * what is missing of it.
 */
export interface Statements
  extends
    Pick<Decision, 'problem' | 'wanted' | 'outByRules' | 'shortage'>,
    Pick<Eligibility, 'bound' | 'eligible' | 'unreadable' | 'ignored'> {
  readonly namespace: string;
  /** The sets that ClusterSets (or, where it is empty, a binding) names and that bring in no cluster. */
  readonly absent: readonly AbsentSet[];
  readonly someCandidate: boolean;
  readonly someMatch: boolean;
  /** Only while fewer clusters match than are wanted, or predicates have numbers. */
  readonly unmatched: readonly UnmatchedPredicate[];
  /** The selected clusters that would yield their place, which no other cluster can take; sorted. */
  readonly stuck: readonly StuckCluster[];
  /** Whether a pause keeps clusters out, which may be one that would take the place of one of these. */
  readonly isPlaceKept: boolean;
  /** Clusters match, and rules keep all of them out. */
  readonly isAllOut: boolean;
  /** Every selected cluster is stored. */
  readonly allStored: boolean;
  /** What keeps stored clusters that are not selected any more; undefined without such. */
  readonly keptBy: 'Hold' | 'Window' | 'Pause' | 'SetPause' | undefined;
  /** How many of these match, and are above the number of their predicate or of the Placement. */
  readonly keptAbove: number;
  /** Which field, of the spec or of a set, keeps some clusters out that match; undefined for none. */
  readonly keptOutBy: string | undefined;
  /** Whether predicates have numbers, and whether each is 0, which is why none is wanted. */
  readonly numbers: 'none' | 'some' | 'zero';
  /** The number of clusters that are selected and stored. */
  readonly scheduled: number;
  /** The number of clusters that are stored, selected or not. */
  readonly stored: number;
  /** Whether there is a decision, also one without clusters. */
  readonly isDecided: boolean;
}

/** A cluster counts for the first predicate that it matches: one whose requirements an earlier one has a part of gets none. */
function withShadows({ predicates, spread }: Shortage, { predicates: all }: PlacementRules): Shortage {
  const texts = predicates.length === 0 ? [] : all.map((one) => new Set(sourcedRequirements(one).map(requirementText)));
  return {
    spread,
    predicates: predicates.map((one) => {
      const own = texts[one.index];
      const shadow = texts.findIndex((other, at) => at < one.index && [...other].every((text) => own?.has(text)));
      return shadow < 0 ? one : { ...one, shadowedBy: shadow };
    }),
  };
}

function numbersOf(rules: PlacementRules): Statements['numbers'] {
  if (!hasNumbers(rules)) return 'none';
  return rules.predicates.every((one) => one.wanted === 0) ? 'zero' : 'some';
}

function keptBy(decision: Decision, { paused }: PlacementRules): Statements['keptBy'] {
  if (holdOf(decision) !== undefined) return 'Hold';
  if (paused) return 'Pause';
  return staying(decision, (by) => opensIn(by) !== undefined).length > 0 ? 'Window' : 'SetPause';
}

/** Nothing is missing where a move waits. */
function keptOutBy({ fates, move }: Decision, textOf: SetText): Statements['keptOutBy'] {
  const fields = new Set(fates.of('keptOut').map(([, { by }]) => keepingOut(by, textOf)));
  const bySets = move === undefined ? [...fields].sort() : [];
  return ['spec.paused', 'spec.disruptionBudget.maxAdditions', ...bySets].find((one) => fields.has(one));
}

/** The statements after a pass; `stored`: the names in the decision objects as they are stored. */
export function statementsOf(snapshot: PlacementSnapshot, decision: Decision, stored: ReadonlySet<string>): Statements {
  const { placement, candidates } = snapshot;
  const { problem, wanted, outByRules } = decision;
  const { bound, eligible, unreadable, ignored } = decision.eligibility;
  const chosen = selectedClusters(decision);
  const scheduled = chosen.filter((name) => stored.has(name)).length;
  const unselected = staying(decision).filter(({ cause }) => cause !== 'Moved');
  const someHeld = unselected.length > 0;
  return {
    namespace: placement.namespace,
    problem,
    bound,
    eligible,
    unreadable,
    ignored,
    absent: problem === undefined ? absentSets(placement.rules.requested, decision.eligibility) : [],
    someCandidate: decision.candidates > 0,
    someMatch: decision.matched > 0,
    unmatched: decision.matched < (wanted ?? 1) || hasNumbers(placement.rules) ? candidates.unmatched : [],
    shortage: withShadows(decision.shortage, placement.rules),
    outByRules,
    stuck: stuck(decision),
    isPlaceKept: isKeptOutByPause(decision),
    isAllOut: outByRules.length > 0 && chosen.length === 0 && !someHeld && keptOut(decision).length === 0,
    allStored: scheduled === chosen.length,
    keptBy: someHeld ? keptBy(decision, placement.rules) : undefined,
    keptAbove: unselected.filter(({ cause }) => cause === 'NotNeeded').length,
    keptOutBy: keptOutBy(decision, publishedSetText(snapshot)),
    wanted,
    numbers: numbersOf(placement.rules),
    scheduled,
    stored: stored.size,
    isDecided: stored.size > 0 || hadDecision(placement.status),
  };
}
