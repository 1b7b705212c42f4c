import { readdirSync } from 'node:fs';
import path from 'node:path';

import { kubectl } from '../kubectl.js';
import { root } from '../root.js';
import type { ControlPlane } from './plane.js';

/** Applies every CRD of a folder (`crds/` when left out) and waits until all of them are served. */
export async function installCrds(server: ControlPlane, folder = path.join(root, 'crds')): Promise<void> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml');
  if (names.length === 0) return;
  const files = names.flatMap((name) => ['-f', path.join(folder, name)]);
  const options = { kubeconfig: server.adminKubeconfig };
  const applied = await kubectl(['apply', '--server-side', ...files], options);
  if (applied.code !== 0) throw new Error(`installing ${folder}: ${applied.stderr}`);
  const served = await kubectl(['wait', '--for=condition=Established', '--timeout=120s', ...files], options);
  if (served.code !== 0) throw new Error(`waiting for ${folder}: ${served.stderr}`);
}
