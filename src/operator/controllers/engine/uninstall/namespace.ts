import type { KubeObject, ResourceType } from '../../../../runtime/vocabulary/meta.js';
import { ENGINE_LABEL } from '../../../../api/names.js';
import {
  ConfigMaps,
  Deployments,
  Namespaces,
  NetworkPolicies,
  PersistentVolumeClaims,
  PodDisruptionBudgets,
  Pods,
  Secrets,
  ServiceAccounts,
  Services,
} from '../../../../runtime/vocabulary/kinds.js';
import type { EngineIdentity } from '../../../../domain/engine/manifest/desired.js';
import { enumerate, titleOf, finalizersOf, isTerminating } from '../../../../domain/engine/manifest/manifest.js';
import { isOurNamespace } from '../../../../domain/engine/steps/ownership.js';
import type { StoredObject } from '../../../../domain/engine/steps/steps.js';
import { isFailure } from '../../../../runtime/errors.js';
import type { Input } from '../gather.js';
import { classifyForbidden, type ForbiddenCause } from '../failure.js';
import type { Scope } from '../scope.js';
import { obstructed, waitsFor, type UninstallResult } from './remaining.js';

/** The kinds that the operator can list. An object of one of them that it did not create keeps the namespace. */
const LISTED_TYPES: readonly ResourceType[] = [
  ServiceAccounts,
  ConfigMaps,
  Secrets,
  Services,
  PersistentVolumeClaims,
  PodDisruptionBudgets,
  NetworkPolicies,
  Deployments,
  Pods,
];

/** The objects that Kubernetes creates in every namespace. */
const CREATED_BY_KUBERNETES: ReadonlySet<string> = new Set(['ServiceAccount default', 'ConfigMap kube-root-ca.crt']);

/**
 * The last step of an uninstall, after all other objects. The namespace is deleted when the operator made it and it
 * holds nothing else that can be listed; otherwise it is kept, and the message says why. `namespace` must come from a
 * read of the API server in this pass: its resourceVersion is a precondition of the deletion.
 */
export async function removeNamespace(
  namespace: KubeObject | undefined,
  input: Input,
  scope: Scope,
): Promise<UninstallResult> {
  if (namespace === undefined) return { kind: 'complete', message: 'everything is removed', namespaceKept: false };
  const title = titleOf(Namespaces, namespace.metadata);
  if (!isOurNamespace(namespace, input.identity)) return kept(`${title} was not made by the operator and stays`);
  const contents = await listContents(namespace.metadata.name, scope);
  if (contents.kind === 'forbidden') {
    const { cause } = contents;
    if (cause.kind === 'wait' || (cause.kind === 'refused' && isAskedAgain(scope)))
      return waits(namespace, cause.message);
    return kept(`${title} stays: ${cause.message}`);
  }
  const remaining = contents.objects.filter(({ object }) => !isTerminating(object));
  if (remaining.length > 0) return kept(`${title} stays, since it holds ${enumerate(remaining.map(titleOfStored))}`);
  if (contents.objects.length > 0) {
    const blockers = contents.objects.map(
      (stored) => `${titleOfStored(stored)} is being deleted${finalizersOf(stored.object)}`,
    );
    return waits(namespace, enumerate(blockers));
  }
  return deleteNamespace(namespace, scope);
}

async function deleteNamespace(namespace: KubeObject, scope: Scope): Promise<UninstallResult> {
  const { client, pass } = scope;
  const { name, uid = '', resourceVersion = '' } = namespace.metadata;
  const title = titleOf(Namespaces, { name });
  try {
    const options = { preconditions: { uid, resourceVersion }, signal: pass.signal };
    const result = await client.delete(Namespaces, { name }, options);
    pass.log.info({ object: title, result }, 'object removed');
    if (result === 'gone') return { kind: 'complete', message: 'everything is removed', namespaceKept: false };
    return waits(namespace, `${title} is being deleted`);
  } catch (error) {
    if (isFailure(error, 'NotFound', 'Conflict')) return waits(namespace, `${title} has changed and is read again`);
    if (!isFailure(error, 'Forbidden')) throw error;
    const call = { type: Namespaces, name: { name }, verbs: ['delete'] };
    const cause = await classifyForbidden(error, call, scope);
    if (cause.kind === 'denied') return obstructed(cause);
    const isDecided = error.causes.length > 0 || !isAskedAgain(scope);
    const why = `it cannot be deleted: ${cause.message}`;
    return isDecided ? kept(`${title} stays: ${why}`) : waits(namespace, `${title}: ${why}`);
  }
}

/**
 * Whether a refusal may end by itself, although the operator has the right and no policy is named: an API server may not know
 * the right yet. One that lasts is that of a webhook.
 */
function isAskedAgain({ memory, clock }: Scope): boolean {
  return memory.mayRefusalEnd('namespace', clock.monotonic());
}

type Contents =
  | { readonly kind: 'listed'; readonly objects: readonly StoredObject[] }
  | { readonly kind: 'forbidden'; readonly cause: ForbiddenCause };

/** Everything in the namespace that the operator can list and that Kubernetes did not create. */
async function listContents(namespace: string, scope: Scope): Promise<Contents> {
  const { client, pass } = scope;
  const objects: StoredObject[] = [];
  for (const type of LISTED_TYPES) {
    try {
      const found = await client.list<KubeObject>(type, namespace, { metadataOnly: true, signal: pass.signal });
      objects.push(...found.map((object) => ({ type, object })));
    } catch (error) {
      // A built-in kind that is not served has no objects. Unlike a custom kind, it is not served again later.
      if (isFailure(error, 'ResourceMissing')) continue;
      if (!isFailure(error, 'Forbidden')) throw error;
      const call = { type, name: { namespace, name: '' }, verbs: ['list'] };
      return { kind: 'forbidden', cause: await classifyForbidden(error, call, scope) };
    }
  }
  const isOther = ({ type, object }: StoredObject) =>
    !CREATED_BY_KUBERNETES.has(`${type.kind} ${object.metadata.name}`);
  return { kind: 'listed', objects: objects.filter(isOther) };
}

/** The Pods that delay the deletion of Deployments; empty where they cannot be listed. */
export async function podBlockers(
  objects: readonly StoredObject[],
  engine: EngineIdentity,
  { client, pass }: Scope,
): Promise<readonly string[]> {
  const namespace = objects.find(({ type }) => type === Deployments)?.object.metadata.namespace;
  if (namespace === undefined) return [];
  const options = { metadataOnly: true, labelSelector: `${ENGINE_LABEL}=${engine.name}`, signal: pass.signal };
  try {
    const pods = await client.list<KubeObject>(Pods, namespace, options);
    return pods.map(
      (pod) => `${titleOf(Pods, pod.metadata)} ${isTerminating(pod) ? 'is being deleted' : 'runs'}${finalizersOf(pod)}`,
    );
  } catch (error) {
    if (isFailure(error, 'Fenced', 'Aborted')) throw error;
    return [];
  }
}

function waits(namespace: KubeObject, blocker: string): UninstallResult {
  return waitsFor([{ type: Namespaces, object: namespace }], [blocker]);
}

function kept(message: string): UninstallResult {
  return { kind: 'complete', message, namespaceKept: true };
}

function titleOfStored({ type, object }: StoredObject): string {
  return titleOf(type, object.metadata);
}
