import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { startTestRun } from '@multicluster-engine/kube-apiserver/testing/controlplane/coordinator';

import { root } from '../repository/root.js';

/** Jest's global set-up: what servers of this project's tests have beyond those of the package, for all workers. */
export default async function setup(): Promise<void> {
  process.env['CONTROL_PLANE_CRDS'] = path.join(root, 'crds');
  process.env['CONTROL_PLANE_EMBEDDED_PROGRAM'] = fileURLToPath(new URL('embeddedserver.js', import.meta.url));
  await startTestRun();
}
