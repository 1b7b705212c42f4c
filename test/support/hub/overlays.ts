import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { root } from '../repository/root.js';

/** The kinds of deploy/limits, which the embedded server does not serve. */
const LIMITS = [
  { apiVersion: 'v1', kind: 'ResourceQuota' },
  { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema' },
  { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'PriorityLevelConfiguration' },
];

/** The folder of an overlay. */
export function overlayFolder(overlay: string): string {
  return path.join(root, 'deploy', 'overlays', overlay);
}

/** What an installation applies before an overlay. */
export const definitionsFolder = path.join(root, 'deploy', 'definitions');

/** Applies the definitions and an overlay as documented, and returns what kubectl prints. */
export async function applyOverlay(server: ControlPlane, overlay: string): Promise<string> {
  return applyFolder(server, await servedFolder(server, overlay));
}

/** Applies the definitions and the folder of an overlay, and returns what kubectl prints. */
export async function applyFolder(server: ControlPlane, folder: string): Promise<string> {
  const options = { kubeconfig: server.adminKubeconfig };
  const before = await kubectlOk(['apply', '--server-side', '-k', definitionsFolder], options);
  return before + (await kubectlOk(['apply', '--server-side', '-k', folder], options));
}

/** The folder of an overlay; for a server without the kinds of deploy/limits one that leaves them out. */
export async function servedFolder(server: ControlPlane, overlay: string): Promise<string> {
  if ((await server.call({ path: '/apis/flowcontrol.apiserver.k8s.io/v1' })).status === 200)
    return overlayFolder(overlay);
  const folder = path.join(server.folder, `overlay-${overlay}`);
  const patches = LIMITS.map((one) => ({
    target: { kind: one.kind },
    patch: JSON.stringify({ ...one, metadata: { name: 'any' }, $patch: 'delete' }),
  }));
  await mkdir(folder, { recursive: true });
  const kustomization = { resources: [path.relative(folder, overlayFolder(overlay))], patches };
  await writeFile(path.join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
  return folder;
}

/** A folder with an overlay, as {@link servedFolder}, and these optional components of `deploy/`. */
export async function withComponents(
  server: ControlPlane,
  overlay: string,
  components: readonly string[],
): Promise<string> {
  const folder = path.join(server.folder, `overlay-${overlay}-${components.join('-')}`);
  await mkdir(folder, { recursive: true });
  const kustomization = {
    resources: [path.relative(folder, await servedFolder(server, overlay))],
    components: components.map((name) => path.relative(folder, path.join(root, 'deploy', name))),
  };
  await writeFile(path.join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
  return folder;
}
