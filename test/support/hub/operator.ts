import { loadAll } from 'js-yaml';

import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { isDeployment, type Deployment } from './deployment.js';
import { applyOverlay, overlayFolder } from './overlays.js';
import { startPod, type Pod, type PodOptions } from './pod.js';

export interface OperatorOptions extends Partial<PodOptions> {
  /** Folder under `deploy/overlays`; `default` when left out. */
  readonly overlay?: string;
}

const NAME = 'multicluster-engine-operator';

/** `kubectl apply --server-side -k` of an overlay, and waits until its CRDs are served. */
export async function deploy(server: ControlPlane, overlay = 'default'): Promise<void> {
  const admin = { kubeconfig: server.adminKubeconfig };
  await applyOverlay(server, overlay);
  await kubectlOk(
    [
      'wait',
      '--for=condition=Established',
      '--timeout=120s',
      'crd',
      '-l',
      'app.kubernetes.io/part-of=multicluster-engine',
    ],
    admin,
  );
  await kindsServed(server);
}

/** The operator's Deployment as an overlay renders it. */
export async function operatorDeployment(server: ControlPlane, overlay = 'default'): Promise<Deployment> {
  const text = await kubectlOk(['kustomize', overlayFolder(overlay)], { kubeconfig: server.adminKubeconfig });
  const found = loadAll(text)
    .filter(isDeployment)
    .find(({ metadata }) => metadata.name === NAME);
  if (found === undefined) throw new Error(`deploy/overlays/${overlay} holds no Deployment ${NAME}`);
  return found;
}

/**
 * Starts the operator as `deploy/overlays/<overlay>` renders it, under its own ServiceAccount's token. The overlay has
 * to be applied before ({@link deploy}). Two operators need two names.
 */
export async function startOperator(server: ControlPlane, options: OperatorOptions = {}): Promise<Pod> {
  const { overlay = 'default', name = `${NAME}-0` } = options;
  const deployment = await operatorDeployment(server, overlay);
  return startPod(server, deployment, { ...options, name });
}
