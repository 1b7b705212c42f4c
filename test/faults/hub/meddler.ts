import { AGENTS_NAMESPACE } from '../../../src/api/names.js';
import { Leases } from '../../../src/runtime/vocabulary/kinds.js';
import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import type { BaseHub } from './base.js';
import type { Hands } from './hands.js';
import type { Meddler } from './injector.js';

/** The label that somebody else writes. */
export const TOUCHED = 'example.com/touched';

/** Somebody else who writes to the same hub, at the worst moment. Refused requests are no matter. */
export function meddlerOf({ simulation, server }: BaseHub, hands: Hands): Meddler {
  const quietly = (work: Promise<unknown>): void => void work.catch(() => undefined);
  const setHolder = async (holder: string): Promise<void> => {
    for (const { metadata } of await hands.list(Leases))
      if (metadata.namespace !== undefined && !isOfCluster(metadata))
        await hands.patch(Leases, metadata, { spec: { holderIdentity: holder } });
  };
  return {
    write: (sent, field) => {
      const [path = ''] = sent.path.replace(/\/status$/, '').split('?');
      if (sent.method === 'POST' || sent.name === '') return;
      const patch =
        field === 'label' ? { metadata: { labels: { [TOUCHED]: sent.verb } } } : { status: { phase: 'Odd' } };
      quietly(hands.send('PATCH', path, patch, 'application/merge-patch+json'));
    },
    takeLeases: (ms) => {
      quietly(setHolder('somebody-else'));
      simulation.after(ms, () => quietly(setHolder('')));
    },
    version: () => BigInt(server.store.revision),
  };
}

/** The Lease of a cluster, or of a node: only its own renews it. */
function isOfCluster({ namespace }: KubeObject['metadata']): boolean {
  return namespace === AGENTS_NAMESPACE || namespace === 'kube-node-lease';
}
