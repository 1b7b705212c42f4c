import { isFactName, type FactNames } from '../../clusters/facts.js';
import { isRecord, type JsonRecord } from '../../../runtime/vocabulary/json.js';
import { hash64, hex64 } from '../../hash.js';
import { readBudget, type DisruptionBudget } from './budget.js';
import { readDetails } from './details.js';
import { readChangeWindows, readPaused, type ChangeWindow } from './changewindows.js';
import { Expressions, readExpressions, type ExpressionRequirement } from './expression.js';
import { readGroups, type GroupStrategy } from './groups.js';
import { readRebalance, type Rebalance, readPrioritizers, type Prioritizer } from './prioritizers.js';
import { readSpread, type SpreadConstraint, type TopologyKey } from './spread.js';
import { readTolerations, type Toleration } from './taint.js';
import {
  parse,
  readList,
  readObject,
  readRequirements,
  readString,
  readWhole,
  reject,
  type LabelsAndClaims,
  type Problem,
} from '../../selectors.js';

/** One predicate: labels AND claims AND expressions. A predicate without requirements matches every cluster. */
export interface Predicate extends LabelsAndClaims {
  readonly expressions: readonly ExpressionRequirement[];
  /** How many clusters it may bring in; either all predicates of a Placement have a number, or none has. */
  readonly wanted: number | undefined;
}

/**
 * The spec of a Placement, parsed once a generation. With a `problem` the other fields are empty and no cluster matches.
 * `wanted` is undefined when all matching clusters are wanted, and at most the sum of the predicates' numbers; `requested`
 * (ClusterSets) is sorted, unique, and empty for all bound sets; without a predicate every candidate matches.
 */
export interface PlacementRules {
  readonly wanted: number | undefined;
  readonly requested: readonly string[];
  readonly predicates: readonly Predicate[];
  /** What makes one cluster better than another; none: all are alike. */
  readonly prioritizers: readonly Prioritizer[];
  readonly tolerations: readonly Toleration[];
  /** How clusters spread over the values of claims and labels; the first counts more than the next. */
  readonly spread: readonly SpreadConstraint[];
  /** Undefined: clusters that fail a rule are removed at once. */
  readonly budget: DisruptionBudget | undefined;
  /** Undefined: no cluster makes room for a better one. */
  readonly rebalance: Rebalance | undefined;
  /** The decision stays as it is, also with a `problem`. */
  readonly paused: boolean;
  /** Empty: changes are made at any time. */
  readonly changeWindows: readonly ChangeWindow[];
  /** With change windows: of the spec without `paused`, the same for the same fields in any order. */
  readonly specHash: string | undefined;
  /** The waves of a rollout; undefined: decision objects belong to no group. */
  readonly groups: GroupStrategy | undefined;
  /** The labels and claims whose values the items of the decision have. */
  readonly details: readonly TopologyKey[];
  readonly problem: Problem | undefined;
}

const NOTHING = {
  wanted: undefined,
  requested: [],
  predicates: [],
  prioritizers: [],
  tolerations: [],
  spread: [],
  budget: undefined,
  rebalance: undefined,
  changeWindows: [],
  specHash: undefined,
  groups: undefined,
  details: [],
};
const MOST_PREDICATES = 64;
const MOST_SETS = 256;
const LARGEST_NUMBER = 2 ** 31 - 1;

/**
 * Parses `spec`; never throws: the first invalid field becomes the `problem`. `expressions`: of who compiles many specs, so that
 * equal expressions are compiled once.
 */
export function compileSpec(spec: unknown, expressions = new Expressions()): PlacementRules {
  const read = parse(() => readSpec(readObject(spec, 'spec'), expressions));
  if (read.ok) return read.value;
  // What is neither true nor false pauses: the last decision stays with the problem, and deleted clusters with it.
  const paused = isRecord(spec) && (spec['paused'] ?? false) !== false;
  return { ...NOTHING, paused, problem: read.problem };
}

/** Whether the rules read more of a matching candidate than its taints. */
export function readsViews(rules: PlacementRules): boolean {
  return isCompared(rules) || rules.groups !== undefined || rules.details.length > 0;
}

/** Whether the clusters that come in, and those that are not needed any more, are chosen one after the other. */
export function isCompared(rules: PlacementRules): boolean {
  return hasNumbers(rules) || rules.spread.length > 0 || rules.prioritizers.length > 0;
}

/** Whether each predicate says how many clusters it may bring in. */
export function hasNumbers({ predicates }: Pick<PlacementRules, 'predicates'>): boolean {
  return predicates[0]?.wanted !== undefined;
}

function readSpec(spec: Readonly<Record<string, unknown>>, expressions: Expressions): PlacementRules {
  if (spec['clusterSets'] !== undefined && spec['clusterSets'] !== null) {
    reject('spec.clusterSets', 'is not a field: write ClusterSets');
  }
  const requested = readSets(spec['ClusterSets']);
  const limit = readWhole(spec['numberOfClusters'], 'spec.numberOfClusters', 0, LARGEST_NUMBER);
  const predicates = readPredicates(spec['predicates'], expressions);
  const wanted = wantedOf(limit, predicates);
  const prioritizers = readPrioritizers(spec['prioritizerPolicy'], 'spec.prioritizerPolicy');
  const tolerations = readTolerations(spec['tolerations'], 'spec.tolerations');
  const spread = readSpread(spec['spreadPolicy'], 'spec.spreadPolicy', wanted);
  const budget = readBudget(spec['disruptionBudget'], 'spec.disruptionBudget');
  const rebalance = readRebalance(spec['rebalance'], 'spec.rebalance');
  const paused = readPaused(spec['paused']);
  const changeWindows = readChangeWindows(spec['changeWindows'], 'spec.changeWindows');
  const specHash = changeWindows.length === 0 ? undefined : hashOf(spec);
  const windows = { paused, changeWindows, specHash };
  const groups = readGroups(spec['decisionStrategy'], 'spec.decisionStrategy');
  const details = readDetails(spec['decisionDetails'], 'spec.decisionDetails');
  const preferences = { prioritizers, spread, rebalance, groups, details };
  return { wanted, requested, predicates, ...preferences, tolerations, budget, ...windows, problem: undefined };
}

function hashOf({ paused: _paused, ...spec }: JsonRecord): string {
  const sorted = JSON.stringify(spec, (_key, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return hex64(hash64(sorted));
}

function readSets(value: unknown): readonly string[] {
  const path = 'spec.ClusterSets';
  const names = readList(value, path);
  if (names.length > MOST_SETS) reject(path, `has ${names.length} names: at most ${MOST_SETS} are allowed`);
  const unique = new Set<string>();
  names.forEach((name, index) => {
    const set = readString(name, `${path}[${index}]`);
    if (set === '') reject(`${path}[${index}]`, 'is empty: the name of a cluster set is needed');
    unique.add(set);
  });
  return [...unique].sort();
}

function readPredicates(value: unknown, expressions: Expressions): readonly Predicate[] {
  const path = 'spec.predicates';
  const predicates = readList(value, path, MOST_PREDICATES).map((item, index) =>
    readPredicate(item, `${path}[${index}]`, expressions),
  );
  const missing = predicates.findIndex(({ wanted }) => wanted === undefined);
  if (missing >= 0 && predicates.some(({ wanted }) => wanted !== undefined))
    reject(
      `${path}[${missing}].numberOfClusters`,
      'is missing: either every predicate has numberOfClusters or none has',
    );
  return predicates;
}

function readPredicate(item: unknown, path: string, expressions: Expressions): Predicate {
  const at = `${path}.requiredClusterSelector`;
  const predicate = readObject(item, path);
  const selector = readObject(predicate['requiredClusterSelector'], at);
  return {
    ...readRequirements(selector, at),
    expressions: readExpressions(selector['celSelector'], `${at}.celSelector`, expressions),
    wanted: readWhole(predicate['numberOfClusters'], `${path}.numberOfClusters`, 0, LARGEST_NUMBER),
  };
}

/** The limit for all together, at most what the predicates bring in; undefined for all matching clusters. */
function wantedOf(limit: number | undefined, predicates: readonly Predicate[]): number | undefined {
  if (predicates[0]?.wanted === undefined) return limit;
  const sum = predicates.reduce((total, { wanted = 0 }) => total + wanted, 0);
  return Math.min(limit ?? LARGEST_NUMBER, sum);
}

/**
 * The names of the claims that the decision for a Placement, or its messages, may depend on. Those of labels count too: a
 * message says so when clusters have a claim of that name instead.
 */
function* namedClaims({ predicates, spread, prioritizers, groups, details }: PlacementRules): Generator<string> {
  for (const { labels, claims } of predicates) {
    for (const { key } of labels) yield key;
    for (const { key } of claims) yield key;
  }
  for (const { source, key } of [...spread, ...details]) if (source === 'claim') yield key;
  for (const { coordinate } of prioritizers) {
    if (coordinate.kind === 'Value' && coordinate.source === 'claim') yield coordinate.key;
    if (coordinate.kind === 'Selector') for (const { key } of coordinate.claims) yield key;
  }
  for (const { claims } of groups?.groups ?? []) for (const { key } of claims) yield key;
}

/** Those of {@link namedClaims} that are facts of a cluster; all for an expression, which may read any. */
export function namedFacts(rules: PlacementRules): FactNames {
  if (rules.predicates.some(({ expressions }) => expressions.length > 0)) return 'all';
  const facts = new Set<string>();
  for (const name of namedClaims(rules)) if (isFactName(name)) facts.add(name);
  return facts;
}
