import { isArray, isObject, type Json, type JsonObject } from '../../json.js';

/** What is left of a namespace after its objects were deleted. */
export interface RemainingContent {
  /** Objects left, by resource as conditions name it: `configmaps.`, `things.example.com`. */
  readonly resources: ReadonlyMap<string, number>;
  /** Objects left, by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** What went wrong with deleting. */
  readonly errors: readonly string[];
}

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/**
 * The conditions of a namespace that is being deleted, worded and ordered as kube-controller-manager does.
 * @returns the same array where nothing changed; `time` is for those whose status did
 */
export function namespaceConditions(conditions: Json | undefined, remains: RemainingContent, time: string): Json {
  const before = isArray(conditions) ? conditions : [];
  let after = before;
  for (const condition of deletionConditions(remains)) {
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
  const failed = `Failed to delete all resource types, ${errors.length} remaining: ${[...errors].sort().join(', ')}`;
  const remaining = `Some resources are remaining: ${countsText(resources, 'has')}`;
  const held = `Some content in the namespace has finalizers remaining: ${countsText(finalizers, 'in')}`;
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
      errors.length === 0 ? undefined : ['ContentDeletionFailed', failed],
      ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    ),
    conditionOf('NamespaceContentRemaining', resources.size === 0 ? undefined : ['SomeResourcesRemain', remaining], [
      'ContentRemoved',
      'All content successfully removed',
    ]),
    conditionOf('NamespaceFinalizersRemaining', finalizers.size === 0 ? undefined : ['SomeFinalizersRemain', held], [
      'ContentHasNoFinalizers',
      'All content-preserving finalizers finished',
    ]),
  ];
}

type ReasonAndMessage = readonly [reason: string, message: string];

/** The condition is true when something is wrong. */
function conditionOf(type: string, wrong: ReasonAndMessage | undefined, fine: ReasonAndMessage): Condition {
  const [reason, message] = wrong ?? fine;
  return { type, status: wrong === undefined ? 'False' : 'True', reason, message };
}

function countsText(counts: ReadonlyMap<string, number>, word: string): string {
  return [...counts]
    .map(([name, count]) => `${name} ${word} ${count} resource instances`)
    .sort()
    .join(', ');
}
