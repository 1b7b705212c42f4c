import { isArray, isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';

/** What remains in a namespace after its content was deleted. */
export interface RemainingContent {
  /** Number of objects by resource, as conditions name it: `configmaps.`, `things.example.com`. */
  readonly resources: ReadonlyMap<string, number>;
  /** Number of objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Messages of failed deletions. */
  readonly errors: readonly string[];
}

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/**
 * The conditions of a terminating namespace, with the texts and the order of kube-controller-manager.
 * @param time the lastTransitionTime of conditions whose status changed
 * @returns the same array where nothing changed
 */
export function namespaceConditions(conditions: Json | undefined, remaining: RemainingContent, time: string): Json {
  const before = isArray(conditions) ? conditions : [];
  let after = before;
  for (const condition of deletionConditions(remaining)) {
    const old = after.find((one) => isObject(one) && one.type === condition.type);
    if (!isObject(old)) after = [...after, withTransitionTime(condition, time)];
    else if (old.status !== condition.status || old.reason !== condition.reason || old.message !== condition.message) {
      const since = old.status === condition.status ? (old.lastTransitionTime ?? time) : time;
      after = after.map((one) => (one === old ? { ...old, ...withTransitionTime(condition, since) } : one));
    }
  }
  return after;
}

function withTransitionTime({ type, ...rest }: Condition, time: Json): JsonObject {
  return { type, status: rest.status, lastTransitionTime: time, reason: rest.reason, message: rest.message };
}

function deletionConditions({ resources, finalizers, errors }: RemainingContent): Condition[] {
  const errorsMessage = `Failed to delete all resource types, ${errors.length} remaining: ${[...errors].sort().join(', ')}`;
  const resourcesMessage = `Some resources are remaining: ${countsText(resources, 'has')}`;
  const finalizersMessage = `Some content in the namespace has finalizers remaining: ${countsText(finalizers, 'in')}`;
  return [
    conditionOf('NamespaceDeletionDiscoveryFailure', undefined, [
      'ResourcesDiscovered',
      'All resources successfully discovered',
    ]),
    conditionOf('NamespaceDeletionGroupVersionParsingFailure', undefined, [
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ]),
    conditionOf(
      'NamespaceDeletionContentFailure',
      errors.length === 0 ? undefined : ['ContentDeletionFailed', errorsMessage],
      ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    ),
    conditionOf(
      'NamespaceContentRemaining',
      resources.size === 0 ? undefined : ['SomeResourcesRemain', resourcesMessage],
      ['ContentRemoved', 'All content successfully removed'],
    ),
    conditionOf(
      'NamespaceFinalizersRemaining',
      finalizers.size === 0 ? undefined : ['SomeFinalizersRemain', finalizersMessage],
      ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    ),
  ];
}

type ReasonAndMessage = readonly [reason: string, message: string];

/** The condition is True where there is a problem. */
function conditionOf(type: string, problem: ReasonAndMessage | undefined, success: ReasonAndMessage): Condition {
  const [reason, message] = problem ?? success;
  return { type, status: problem === undefined ? 'False' : 'True', reason, message };
}

function countsText(counts: ReadonlyMap<string, number>, word: string): string {
  return [...counts]
    .map(([name, count]) => `${name} ${word} ${count} resource instances`)
    .sort()
    .join(', ');
}
