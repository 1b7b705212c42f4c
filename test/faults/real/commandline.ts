import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { nameOf } from '../../../src/runtime/vocabulary/names.js';

const MAIN = fileURLToPath(new URL('../../../src/main.js', import.meta.url));

interface Explained {
  readonly clusters: readonly { readonly name: string; readonly verdict: string; readonly inDecision: boolean }[];
}

/** The clusters that are selected, as the command `explain` says it: their names, sorted. */
export async function explainedBy({ adminKubeconfig }: ControlPlane, placement: string): Promise<string> {
  const { namespace = '', name } = nameOf(placement);
  const flags = ['-n', namespace, '-o', 'json', '--kubeconfig', adminKubeconfig];
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'explain', 'placement', name, ...flags]);
  const { clusters } = JSON.parse(stdout) as Explained;
  return clusters
    .filter(({ verdict, inDecision }) => verdict === 'Selected' || (verdict === 'Held' && inDecision))
    .map((one) => one.name)
    .sort()
    .join(' ');
}
