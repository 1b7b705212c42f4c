import type { KubeObject, ResourceType } from '../../../api/meta.js';
import { ENGINE_LABEL } from '../../../api/names.js';
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
} from '../../../api/resources.js';
import { at, itemsAt, textAt, titleOf } from '../../../domain/engine/manifest/manifest.js';
import { isOurNamespace } from '../../../domain/engine/plan/ownership.js';
import { finalizersOf, isTerminating, type StoredObject } from '../../../domain/engine/plan/plan.js';
import { enumerate } from '../../../domain/engine/status/input.js';
import { isFailure } from '../../../runtime/errors.js';
import type { ReconcileScope } from '../objects/applysteps.js';
import { classifyForbidden } from '../objects/forbidden.js';
import { going, judgeOf, type UninstallResult } from './progress.js';

/** What the operator can list in a namespace: one of these that somebody else made keeps the namespace. */
const CONTENTS: readonly ResourceType[] = [
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

/** What every namespace is given by the cluster: it holds nothing of anybody's. */
const FURNITURE: ReadonlySet<string> = new Set(['ServiceAccount default', 'ConfigMap kube-root-ca.crt']);

/**
 * The end of an uninstall, nothing else of ours being left: the namespace goes when the operator made it and it holds
 * nothing of anybody else's that can be listed; otherwise it stays, and the message says so. `namespace`: as just read.
 */
export async function leaveNamespace(
  namespace: KubeObject | undefined,
  hand: ReconcileScope,
): Promise<UninstallResult> {
  if (namespace === undefined) return { kind: 'gone', message: 'everything is removed', stays: false };
  const title = titleOf(Namespaces, namespace.metadata);
  if (!isOurNamespace(namespace, hand.identity)) return stays(`${title} was not made by the operator and stays`);
  const contents = await contentsOf(namespace.metadata.name, hand);
  if ('blind' in contents)
    return contents.wait ? goingWith(namespace, contents.blind) : stays(`${title} stays: ${contents.blind}`);
  const others = contents.objects.filter(({ object }) => !isTerminating(object));
  if (others.length > 0) return stays(`${title} stays, since it holds ${enumerate(others.map(titleOfStored))}`);
  if (contents.objects.length > 0) {
    return goingWith(
      namespace,
      enumerate(contents.objects.map((one) => `${titleOfStored(one)} is being deleted${finalizersOf(one.object)}`)),
    );
  }
  return removeNamespace(namespace, hand);
}

async function removeNamespace(namespace: KubeObject, hand: ReconcileScope): Promise<UninstallResult> {
  const { name, uid = '', resourceVersion = '' } = namespace.metadata;
  const title = titleOf(Namespaces, { name });
  try {
    const result = await hand.client.delete(
      Namespaces,
      { name },
      { preconditions: { uid, resourceVersion }, signal: hand.pass.signal },
    );
    hand.pass.log.info({ object: title, result }, 'object removed');
    if (result === 'gone') return { kind: 'gone', message: 'everything is removed', stays: false };
    return goingWith(namespace, `${title} is being deleted`);
  } catch (error) {
    if (isFailure(error, 'NotFound', 'Conflict'))
      return goingWith(namespace, `${title} has changed and is looked at again`);
    if (!isFailure(error, 'Forbidden')) throw error;
    const refusal = await classifyForbidden(
      error,
      { type: Namespaces, name: { name }, verbs: ['delete'] },
      judgeOf(hand),
    );
    if (refusal.kind !== 'denied') return stays(`${title} stays: it cannot be deleted: ${refusal.message}`);
    return { kind: 'going', progress: { message: refusal.message, denied: refusal.message } };
  }
}

type Contents = { readonly objects: readonly StoredObject[] } | { readonly blind: string; readonly wait: boolean };

/** Everything in the namespace that the operator may list, furniture apart; or which kind it may not list. */
async function contentsOf(namespace: string, hand: ReconcileScope): Promise<Contents> {
  const objects: StoredObject[] = [];
  for (const type of CONTENTS) {
    try {
      const found = await hand.client.list<KubeObject>(type, namespace, {
        metadataOnly: true,
        signal: hand.pass.signal,
      });
      objects.push(...found.map((object) => ({ type, object })));
    } catch (error) {
      // A server without Pods holds none: unlike custom kinds, built-in ones do not come and go.
      if (isFailure(error, 'ResourceMissing')) continue;
      if (!isFailure(error, 'Forbidden')) throw error;
      const refusal = await classifyForbidden(
        error,
        { type, name: { namespace, name: '' }, verbs: ['list'] },
        judgeOf(hand),
      );
      return { blind: refusal.message, wait: refusal.kind === 'wait' };
    }
  }
  return { objects: objects.filter(({ type, object }) => !FURNITURE.has(`${type.kind} ${object.metadata.name}`)) };
}

/** Pods that hold up the deletion of Deployments; empty where they cannot be listed. */
export async function podBlockers(objects: readonly StoredObject[], hand: ReconcileScope): Promise<readonly string[]> {
  const namespace = objects.find(({ type }) => type === Deployments)?.object.metadata.namespace;
  if (namespace === undefined) return [];
  const labelSelector = `${ENGINE_LABEL}=${hand.identity.name}`;
  try {
    const pods = await hand.client.list<KubeObject>(Pods, namespace, {
      metadataOnly: true,
      labelSelector,
      signal: hand.pass.signal,
    });
    return pods.map(
      (pod) => `${titleOf(Pods, pod.metadata)} ${isTerminating(pod) ? 'is being deleted' : 'runs'}${finalizersOf(pod)}`,
    );
  } catch (error) {
    if (isFailure(error, 'Fenced', 'Aborted')) throw error;
    return [];
  }
}

/** What a namespace's own conditions say of why it does not go. */
export function namespaceBlockers(namespace: KubeObject): string {
  const holding = itemsAt(at(namespace, 'status'), 'conditions').filter((one) => one['status'] === 'True');
  const texts = holding
    .map((one) => textAt(one, 'message'))
    .filter((text) => text !== '')
    .sort();
  return texts.length === 0 ? finalizersOf(namespace) : ` (${enumerate(texts)})`;
}

function goingWith(namespace: KubeObject, blocker: string): UninstallResult {
  return going([{ type: Namespaces, object: namespace }], [blocker]);
}

function stays(message: string): UninstallResult {
  return { kind: 'gone', message, stays: true };
}

function titleOfStored({ type, object }: StoredObject): string {
  return titleOf(type, object.metadata);
}
