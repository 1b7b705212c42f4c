import path from 'node:path';

import { argoCdObjects, argoCdSecret } from '../../../domain/agent/argocd.js';
import { AGENT_NAMESPACE, JOIN_FIELD_MANAGER } from '../../../api/names.js';
import { ManagedClusters } from '../../../api/resources.js';
import { RefusedError } from '../../../answers/output.js';
import type { ReadClient, WriteClient } from '../../../runtime/client/client.js';
import { isFailure } from '../../../runtime/errors.js';
import { readKustomization } from '../../../runtime/manifests.js';
import { packageRoot } from '../../../runtime/process/build.js';
import { apiVersionOf, RoleBindings, Roles, Secrets } from '../../../runtime/vocabulary/kinds.js';
import type { KubeObject } from '../../../runtime/vocabulary/meta.js';

/** What `cluster add` says of Argo CD. */
export interface ArgoCdAccess {
  /** Namespaces of the cluster that Argo CD may deploy to. */
  readonly namespaces: readonly string[];
  /** The namespace of Argo CD on the hub. */
  readonly argoCdNamespace: string;
  /** The context of the kubeconfig for the cluster. */
  readonly context: string;
}

/** Who controls one of these namespaces controls the cluster, or its agent. */
const RESERVED = /^kube-/;

/** @throws RefusedError for a namespace that Argo CD must not write to. */
export function checkNamespaces({ namespaces }: ArgoCdAccess): void {
  const reserved = namespaces.find((one) => RESERVED.test(one) || one === AGENT_NAMESPACE);
  if (reserved !== undefined)
    throw new RefusedError(`--argo-cd: whoever may write to namespace ${reserved} controls the cluster or its agent`);
}

interface ClusterAddress {
  readonly cluster: string;
  /** The uid of the ManagedCluster. */
  readonly clusterUid: string;
  readonly server: string;
  readonly ca: string | undefined;
}

/**
 * Writes the cluster into the namespace of Argo CD, without a token. Garbage collection takes the objects with the ManagedCluster.
 * @throws RefusedError where the Secret is not of this cluster; ApiError.
 */
export async function addToArgoCd(
  client: Pick<ReadClient, 'get'> & Pick<WriteClient, 'apply'>,
  access: ArgoCdAccess,
  address: ClusterAddress,
): Promise<void> {
  const { cluster: name, clusterUid: uid } = address;
  const { argoCdNamespace: namespace } = access;
  const secret = await client.get<KubeObject>(Secrets, { namespace, name: argoCdSecret(name) }, { metadataOnly: true });
  const owners = secret?.metadata.ownerReferences ?? [];
  if (secret !== undefined && !owners.some((owner) => owner.uid === uid))
    throw new RefusedError(
      `Secret ${namespace}/${secret.metadata.name} exists, and is not of this cluster: delete it first`,
    );
  const owner = { apiVersion: apiVersionOf(ManagedClusters), kind: ManagedClusters.kind, name, uid };
  const [wanted, role, binding] = argoCdObjects({ ...access, ...address }, owner);
  const options = { fieldManager: JOIN_FIELD_MANAGER, force: false, metadataOnly: true };
  const { uid: secretUid } = secret?.metadata ?? {};
  try {
    // One that is there by force: the agent has put a token in, and puts another one in when it has joined again.
    const metadata = secretUid === undefined ? wanted.metadata : { ...wanted.metadata, uid: secretUid };
    await client.apply<KubeObject>(Secrets, { ...wanted, metadata }, { ...options, force: secretUid !== undefined });
    await client.apply<KubeObject>(Roles, role, options);
    await client.apply<KubeObject>(RoleBindings, binding, options);
  } catch (error) {
    if (!isFailure(error, 'NotFound')) throw error;
    throw new RefusedError(`namespace ${namespace} was not found: name that of Argo CD with --argo-cd-namespace`, {
      cause: error,
    });
  }
}

/** What the manifest of the agent has beside the agent: access to each of the namespaces. */
export function argoCdManifest({ namespaces }: ArgoCdAccess): readonly KubeObject[] {
  const templates = readKustomization(path.join(packageRoot(), 'deploy', 'agent', 'argo-cd'));
  const isShared = ({ metadata }: KubeObject): boolean => metadata.namespace === AGENT_NAMESPACE;
  return [
    ...templates.filter(isShared),
    ...namespaces.flatMap((name) => templates.filter((one) => !isShared(one)).map((one) => inNamespace(one, name))),
  ];
}

/** An object of the namespace, or the namespace itself. */
function inNamespace(template: KubeObject, namespace: string): KubeObject {
  const { metadata } = template;
  const place = metadata.namespace === undefined ? { name: namespace } : { namespace };
  return { ...template, metadata: { ...metadata, ...place } };
}
