import { readBudget, type DisruptionBudget } from './budget.js';
import { readTolerations, type Toleration } from './toleration.js';
import {
  quote,
  readClaimSelector,
  parse,
  readLabelSelector,
  readList,
  readObject,
  readString,
  reject,
  type Problem,
  type Requirement,
} from '../../selectors.js';

/** One predicate: labels AND claims. A predicate without requirements matches every cluster. */
export interface Predicate {
  readonly labels: readonly Requirement[];
  readonly claims: readonly Requirement[];
}

/**
 * The spec of a Placement, parsed once a generation. With a `problem` the other fields are empty and no cluster matches.
 * `wanted` is undefined when all matching clusters are wanted; `requested` (ClusterSets) is sorted, unique, and empty for
 * all bound sets; without a predicate every candidate matches.
 */
export interface PlacementRules {
  readonly wanted: number | undefined;
  readonly requested: readonly string[];
  readonly predicates: readonly Predicate[];
  readonly tolerations: readonly Toleration[];
  /** Undefined: clusters that fail a rule are removed at once. */
  readonly budget: DisruptionBudget | undefined;
  readonly problem: Problem | undefined;
}

const NOTHING = { wanted: undefined, requested: [], predicates: [], tolerations: [], budget: undefined };
const MOST_PREDICATES = 64;
const MOST_SETS = 256;
const LARGEST_NUMBER = 2 ** 31 - 1;

/** Parses `spec`; never throws: the first invalid field becomes the `problem`. */
export function compileSpec(spec: unknown): PlacementRules {
  const read = parse(() => readSpec(readObject(spec, 'spec')));
  if (read.ok) return read.value;
  return { ...NOTHING, problem: read.problem };
}

function readSpec(spec: Readonly<Record<string, unknown>>): PlacementRules {
  if (spec['clusterSets'] !== undefined && spec['clusterSets'] !== null) {
    reject('spec.clusterSets', 'is not a field: write ClusterSets');
  }
  const requested = readSets(spec['ClusterSets']);
  const wanted = readWanted(spec['numberOfClusters']);
  const predicates = readPredicates(spec['predicates']);
  const tolerations = readTolerations(spec['tolerations'], 'spec.tolerations');
  const budget = readBudget(spec['disruptionBudget'], 'spec.disruptionBudget');
  return { wanted, requested, predicates, tolerations, budget, problem: undefined };
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

function readWanted(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LARGEST_NUMBER) return value;
  return reject('spec.numberOfClusters', `${quote(value)} is not a whole number from 0 to ${LARGEST_NUMBER}`);
}

function readPredicates(value: unknown): readonly Predicate[] {
  const path = 'spec.predicates';
  const items = readList(value, path);
  if (items.length > MOST_PREDICATES) reject(path, `has ${items.length} items: at most ${MOST_PREDICATES} are allowed`);
  return items.map((item, index) => {
    const at = `${path}[${index}].requiredClusterSelector`;
    const selector = readObject(readObject(item, `${path}[${index}]`)['requiredClusterSelector'], at);
    return {
      labels: readLabelSelector(selector['labelSelector'], `${at}.labelSelector`),
      claims: readClaimSelector(selector['claimSelector'], `${at}.claimSelector`),
    };
  });
}
