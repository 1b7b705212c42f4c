import type { PlacementStatus } from '../../../api/generated/placement.js';
import { asRecord, field, isRecord, recordsIn, type JsonRecord } from '../../../runtime/vocabulary/json.js';
import { conditionIn } from '../../conditions.js';
import { isList, parse } from '../../selectors.js';
import { limitValue, readBudget, type DisruptionBudget } from '../spec/budget.js';

type StoredBasis = NonNullable<PlacementStatus['basis']>;
type SameFields = Omit<StoredBasis, 'disruptionBudget' | 'numberOfClusters'>;

/**
 * `status.basis` of a Placement: what its stored decision was made with. A later pass, also of another process, sees by it what
 * has changed since, and that there was a decision.
 *
 * `clusterSets` are those that were eligible, where a budget may hold clusters of one that went. `releaseBefore`: the `id` of the
 * release that does not count against the hold for a replaced definition, empty for none; undefined where no such hold has begun, or
 * its end is stored. `specHash` is empty as long as that decision is not stored.
 */
export type Basis = { readonly [Name in keyof SameFields]: Readonly<SameFields[Name]> | undefined } & {
  /** The disruption budget that bounded it. */
  readonly budget?: DisruptionBudget | undefined;
  /** numberOfClusters up to which clusters come in uncounted; undefined for all matching clusters. */
  readonly wanted?: number | undefined;
};

/** The most sets that are remembered. Of a decision with more sets, none is. */
const MOST_SETS = 50;

/** Reads the basis of a status, whose fields the definition checks; undefined where an older definition has dropped it. */
export function readBasis(status: unknown): Basis | undefined {
  const basis = field(status, 'basis');
  if (!isRecord(basis)) return undefined;
  const { disruptionBudget, numberOfClusters: wanted, ...others } = basis as StoredBasis;
  return { ...others, wanted, budget: readStoredBudget(disruptionBudget) };
}

function readStoredBudget(value: unknown): DisruptionBudget | undefined {
  if (value === undefined) return undefined;
  const budget = parse(() => readBudget(value, 'status.basis.disruptionBudget'));
  return budget.ok ? budget.value : undefined;
}

/** The field as it is stored; undefined when there is nothing to store. */
export function basisToStore({ budget, wanted, definitions, clusterSets, ...others }: Basis): JsonRecord | undefined {
  const { heldDeletions = 0, releaseBefore, specHash } = others;
  const stored = defined({
    disruptionBudget: budget && budgetToStore(budget),
    numberOfClusters: wanted,
    definitions,
    clusterSets: clusterSets !== undefined && clusterSets.length <= MOST_SETS ? clusterSets : undefined,
    heldDeletions: heldDeletions > 0 ? heldDeletions : undefined,
    releaseBefore,
    specHash,
  });
  return Object.keys(stored).length === 0 ? undefined : stored;
}

function budgetToStore({ maxRemovals, maxAdditions, windowSeconds }: DisruptionBudget): JsonRecord {
  const [removals, additions] = [maxRemovals && limitValue(maxRemovals), maxAdditions && limitValue(maxAdditions)];
  return defined({ maxRemovals: removals, maxAdditions: additions, windowSeconds });
}

function defined(fields: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** A Placement as it is in the API. */
interface StoredPlacement {
  readonly generation: number;
  /** Unchecked. */
  readonly status: unknown;
}

/** A condition that is stored as True. */
export interface StoredHold {
  readonly reason: string;
  /** Whether it was written for the spec of now. */
  readonly isCurrent: boolean;
  /** When its text changed last: ms since the epoch; undefined where that cannot be read. */
  readonly since: number | undefined;
}

/** The condition of this type in the stored status; undefined unless it is True. */
export function storedHold({ status, generation }: StoredPlacement, type: string): StoredHold | undefined {
  const found = conditionIn(status, type);
  if (found?.['status'] !== 'True') return undefined;
  const time = Date.parse(String(found['lastUpdateTime']));
  const since = Number.isNaN(time) ? undefined : time;
  return { reason: String(found['reason']), isCurrent: found['observedGeneration'] === generation, since };
}

const DECIDED: readonly unknown[] = ['Held', 'Waiting', 'Unsatisfied', 'PartiallySatisfied', 'Satisfied'];

/**
 * Whether a stored status is that of a Placement that had its first decision, even if its objects do not exist any more. The
 * first is made with a valid spec, unpaused and from a cluster at least, and stored as a whole: it has a basis or, where
 * an older definition drops that, a cluster and no object that waits to be stored.
 */
export function hadDecision(stored: unknown): boolean {
  const { basis, conditions, decisions, numberOfSelectedClusters, phase } = asRecord(stored);
  if (isRecord(basis)) return true;
  const isPart = recordsIn(conditions).some(({ reason }) => reason === 'Publishing' || reason === 'PublishFailed');
  if (isPart || numberOfSelectedClusters === 0) return false;
  return (isList(decisions) && decisions.length > 0) || DECIDED.includes(phase);
}

/** The uids of the definitions of clusters, sets and bindings, by the names of these resources. */
export type Definitions = Readonly<Record<string, string>>;

/** The definitions as they are now. */
export interface DefinitionsNow {
  readonly uids: Definitions;
  /** Whether one of them is not older than the oldest object of the decision. */
  readonly newerThanDecision: boolean;
  /** In how many ms all caches are sure to have been listed with them; 0 when they are. */
  readonly trustedInMs: number;
}
