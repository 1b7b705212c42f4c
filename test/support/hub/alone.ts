import { readFileSync } from 'node:fs';
import path from 'node:path';

import { load } from 'js-yaml';

import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { root } from '../repository/root.js';
import { deploy } from './deployed.js';
import { isDeployment } from './deployment.js';
import { startPod, type Pod } from './pod.js';

/** Applies `deploy/overlays/default`, and of the placement controller what an operator would, for a server that runs none. */
export function deployAlone(server: ControlPlane): Promise<void> {
  return deploy(server);
}

/** Starts the placement controller with the arguments of its Deployment, under its own ServiceAccount, and waits until it is ready. */
export async function startAlone(server: ControlPlane, name = 'placement-controller-0'): Promise<Pod> {
  const file = path.join(root, 'deploy', 'components', 'placement-controller', 'deployment.yaml');
  const deployment = load(readFileSync(file, 'utf8'));
  if (!isDeployment(deployment)) throw new Error(`${file} is no Deployment`);
  const pod = await startPod(server, deployment, { name });
  await pod.ready({ deadlineMs: 120_000 });
  return pod;
}
