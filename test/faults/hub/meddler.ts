import { AGENTS_NAMESPACE, PLACEMENT_LABEL } from '../../../src/api/names.js';
import { PlacementDecisions } from '../../../src/api/resources.js';
import { resourceOf } from '../../../src/runtime/client/path.js';
import { Leases } from '../../../src/runtime/vocabulary/kinds.js';
import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import type { BaseHub } from './base.js';
import type { Hands } from './hands.js';
import type { Meddler } from './injector.js';

/** The label that somebody else writes. */
export const TOUCHED = 'example.com/touched';

/** Who takes all Leases. */
export const SOMEBODY = 'somebody-else';

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
      // Who is selected stays: else the plan itself would break a rule.
      const owned = { metadata: { labels: { [PLACEMENT_LABEL]: 'odd' } } };
      const isDecision = field === 'content' && sent.resource.startsWith(resourceOf(PlacementDecisions));
      quietly(hands.send('PATCH', path, isDecision ? owned : patch, 'application/merge-patch+json'));
    },
    takeLeases: (ms) => {
      quietly(setHolder(SOMEBODY));
      simulation.after(ms, () => quietly(setHolder('')));
    },
    version: () => BigInt(server.store.revision),
  };
}

/** The Lease of a cluster, or of a node: only its own renews it. */
function isOfCluster({ namespace }: KubeObject['metadata']): boolean {
  return namespace === AGENTS_NAMESPACE || namespace === 'kube-node-lease';
}
