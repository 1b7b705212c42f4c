import { isTree, itemsAt, treeAt, type Manifest, type Tree } from './manifest.js';
import type { EffectiveSpec } from '../spec.js';

/** The environment variable of a component's containers whose value is set here. */
const LEASE_NAMESPACE_VARIABLE = 'MULTICLUSTER_ENGINE_LEADER_ELECTION_NAMESPACE';

export interface PodRendering {
  readonly spec: EffectiveSpec;
  /** Added to the pods' labels. */
  readonly labels: Readonly<Record<string, string>>;
  readonly image: string;
  readonly replicas: number;
  /** The namespace of the replicas' Lease; undefined without leader election. */
  readonly leaseNamespace: string | undefined;
}

/** A Deployment with the pod settings of the engine's spec and the operator's flags. */
export function renderPods(deployment: Manifest, rendering: PodRendering): Manifest {
  const spec = treeAt(deployment, 'spec');
  const template = treeAt(spec, 'template');
  const metadata = treeAt(template, 'metadata');
  const labels = { ...treeAt(metadata, 'labels'), ...rendering.labels };
  const podSpec = renderPodSpec(treeAt(template, 'spec'), rendering);
  const pods = { ...template, metadata: { ...metadata, labels }, spec: podSpec };
  return { ...deployment, spec: { ...spec, replicas: rendering.replicas, template: pods } };
}

function renderPodSpec(pod: Tree, rendering: PodRendering): Tree {
  const { imagePullSecret, nodeSelector, tolerations } = rendering.spec;
  const initContainers = itemsAt(pod, 'initContainers').map((one) => renderContainer(one, rendering));
  const allTolerations = [...itemsAt(pod, 'tolerations'), ...tolerations];
  const allSelectors = { ...treeAt(pod, 'nodeSelector'), ...nodeSelector };
  return {
    ...pod,
    ...(initContainers.length === 0 ? {} : { initContainers }),
    containers: itemsAt(pod, 'containers').map((one) => renderContainer(one, rendering)),
    // The API server drops empty ones, which would then count as drift.
    ...(imagePullSecret === undefined ? {} : { imagePullSecrets: [{ name: imagePullSecret }] }),
    ...(Object.keys(allSelectors).length === 0 ? {} : { nodeSelector: allSelectors }),
    ...(allTolerations.length === 0 ? {} : { tolerations: allTolerations }),
  };
}

function renderContainer(container: Tree, rendering: PodRendering): Tree {
  const { image, leaseNamespace } = rendering;
  const env = itemsAt(container, 'env').map((one) =>
    one['name'] === LEASE_NAMESPACE_VARIABLE && leaseNamespace !== undefined ? { ...one, value: leaseNamespace } : one,
  );
  return { ...container, image, ...(env.length === 0 ? {} : { env }) };
}

/** A binding with its subjects in `namespace`. */
export function renderSubjects(binding: Manifest, namespace: string): Manifest {
  const subjects: readonly unknown[] = Array.isArray(binding['subjects']) ? binding['subjects'] : [];
  return { ...binding, subjects: subjects.map((one) => (isTree(one) ? { ...one, namespace } : one)) };
}
