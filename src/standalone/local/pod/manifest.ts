import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import {
  Deployments,
  Pods,
  ReplicaSets,
  apiVersionOf,
  controllerReference,
} from '../../../runtime/vocabulary/kinds.js';
import type { Deployment } from '../workload.js';

/** The label of the Deployment controller that distinguishes the ReplicaSets of one Deployment. */
const TEMPLATE_HASH = 'pod-template-hash';

/** The ReplicaSet of the current template of a Deployment, with its name. */
export function replicaSetOf(deployment: Deployment, name: string): KubeObject & { readonly spec: object } {
  const { namespace = '' } = deployment.metadata;
  const labels = templateLabels(deployment, name);
  const { selector, template, minReadySeconds } = deployment.spec ?? {};
  return {
    apiVersion: apiVersionOf(ReplicaSets),
    kind: ReplicaSets.kind,
    metadata: {
      name,
      namespace,
      labels,
      ownerReferences: [controllerReference(deployment, Deployments)],
    },
    spec: {
      replicas: 1,
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, ...hashLabel(deployment, name) } },
      template: { ...template, metadata: { ...template?.metadata, labels } },
    },
  };
}

/** A Pod of a ReplicaSet, assigned to the node. */
export function podOf(
  deployment: Deployment,
  replicaSet: KubeObject,
  { name, nodeName }: { readonly name: string; readonly nodeName: string },
): KubeObject & { readonly spec: object } {
  const { namespace = '' } = deployment.metadata;
  const { annotations } = deployment.spec?.template?.metadata ?? {};
  return {
    apiVersion: apiVersionOf(Pods),
    kind: Pods.kind,
    metadata: {
      name,
      namespace,
      labels: templateLabels(deployment, replicaSet.metadata.name),
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ownerReferences: [controllerReference(replicaSet, ReplicaSets)],
    },
    spec: { ...deployment.spec?.template?.spec, nodeName },
  };
}

function templateLabels(deployment: Deployment, replicaSet: string): Record<string, string> {
  return { ...deployment.spec?.template?.metadata?.labels, ...hashLabel(deployment, replicaSet) };
}

function hashLabel({ metadata }: Deployment, replicaSet: string): Record<string, string> {
  return { [TEMPLATE_HASH]: replicaSet.slice(metadata.name.length + 1) };
}
