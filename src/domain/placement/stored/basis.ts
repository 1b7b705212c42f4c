import { asRecord, field, isRecord, recordsIn, type JsonRecord } from '../../../runtime/vocabulary/json.js';
import { conditionIn } from '../../conditions.js';
import { isList, parse } from '../../selectors.js';
import { limitValue, readBudget, type DisruptionBudget } from '../spec/budget.js';

/**
 * `status.basis` of a Placement: what its stored decision was made with. A later pass, also of another process, sees by it what
 * has changed since, and that there was a decision.
 */
export interface Basis {
  /** The disruption budget that bounded it. */
  readonly budget: DisruptionBudget | undefined;
  /** numberOfClusters up to which clusters come in uncounted; undefined for all matching clusters. */
  readonly wanted: number | undefined;
  /** The uids of the definitions of clusters, sets and bindings, by the names of these resources. */
  readonly definitions: Definitions | undefined;
  /** The sets that were eligible, where a budget may hold clusters of one that went; undefined where they are not known. */
  readonly clusterSets: readonly string[] | undefined;
  /** How many deleted clusters were held without a budget when the condition RemovalsHeld was written last. */
  readonly heldDeletions: number;
  /**
   * The `id` of the release that does not count against the hold for a replaced definition, empty for none; undefined where no
   * such hold has begun, or its end is stored.
   */
  readonly releaseBefore: string | undefined;
  /** `specHash` of the rules that it was made for, with change windows; empty as long as that decision is not stored. */
  readonly specHash: string | undefined;
}

/** The most sets that are remembered. Of a decision with more sets, none is. */
const MOST_SETS = 50;

/**
 * Reads the basis of a status; undefined where an older definition has dropped it. Fields that cannot be read count as absent.
 */
export function readBasis(status: unknown): Basis | undefined {
  const basis = field(status, 'basis');
  if (!isRecord(basis)) return undefined;
  return {
    budget: readStoredBudget(basis['disruptionBudget']),
    wanted: readCount(basis['numberOfClusters']),
    definitions: readDefinitions(basis['definitions']),
    clusterSets: readSets(basis['clusterSets']),
    heldDeletions: readCount(basis['heldDeletions']) ?? 0,
    releaseBefore: readText(basis['releaseBefore']),
    specHash: readText(basis['specHash']),
  };
}

function readStoredBudget(value: unknown): DisruptionBudget | undefined {
  if (value === undefined) return undefined;
  const budget = parse(() => readBudget(value, 'status.basis.disruptionBudget'));
  return budget.ok ? budget.value : undefined;
}

function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readSets(value: unknown): readonly string[] | undefined {
  return isList(value) ? value.filter((one) => typeof one === 'string') : undefined;
}

function readDefinitions(value: unknown): Definitions | undefined {
  if (!isRecord(value)) return undefined;
  const uids = Object.entries(value).filter((one): one is [string, string] => typeof one[1] === 'string');
  return uids.length === 0 ? undefined : Object.fromEntries(uids);
}

/** The field as it is stored; undefined when there is nothing to store. */
export function basisToStore({
  budget,
  wanted,
  definitions,
  clusterSets,
  heldDeletions,
  releaseBefore,
  specHash,
}: Basis): JsonRecord | undefined {
  const stored = {
    ...(budget !== undefined && { disruptionBudget: budgetToStore(budget) }),
    ...(wanted !== undefined && { numberOfClusters: wanted }),
    ...(definitions !== undefined && { definitions }),
    ...(clusterSets !== undefined && clusterSets.length <= MOST_SETS && { clusterSets: [...clusterSets] }),
    ...(heldDeletions > 0 && { heldDeletions }),
    ...(releaseBefore !== undefined && { releaseBefore }),
    ...(specHash !== undefined && { specHash }),
  };
  return Object.keys(stored).length === 0 ? undefined : stored;
}

function budgetToStore({ maxRemovals, maxAdditions, windowSeconds }: DisruptionBudget): JsonRecord {
  return {
    ...(maxRemovals !== undefined && { maxRemovals: limitValue(maxRemovals) }),
    ...(maxAdditions !== undefined && { maxAdditions: limitValue(maxAdditions) }),
    windowSeconds,
  };
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
