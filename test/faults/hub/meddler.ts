import { AGENTS_NAMESPACE, PLACEMENT_LABEL } from '../../../src/api/names.js';
import { MultiClusterEngines, PlacementDecisions, Placements } from '../../../src/api/resources.js';
import { resourceOf } from '../../../src/runtime/client/path.js';
import { field } from '../../../src/runtime/vocabulary/json.js';
import { Leases } from '../../../src/runtime/vocabulary/kinds.js';
import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import type { BaseHub } from './base.js';
import type { Hands } from './hands.js';
import type { Meddler } from './injector.js';
import type { SentRequest } from './request.js';

/** The label that somebody else writes. */
export const TOUCHED = 'example.com/touched';

/** Of what an engine has made. */
const COMPONENT_LABEL = 'app.kubernetes.io/component';
const PHASES: Readonly<Record<string, string>> = {
  [resourceOf(Placements)]: 'Pending',
  [resourceOf(MultiClusterEngines)]: 'Error',
};

/** Who takes all Leases. */
export const SOMEBODY = 'somebody-else';

/** Somebody else who writes to the same hub, at the worst moment. Refused requests are no matter. */
export function meddlerOf({ simulation, server }: BaseHub, hands: Hands): Meddler {
  const quietly = (work: Promise<unknown>): void => void work.catch(() => undefined);
  /** `from`: only those that this one holds. */
  const setHolder = async (holder: string, from?: string): Promise<void> => {
    for (const { metadata, ...rest } of await hands.list(Leases)) {
      const isTaken = from === undefined || field(field(rest, 'spec'), 'holderIdentity') === from;
      if (metadata.namespace !== undefined && !isOfCluster(metadata) && isTaken)
        await hands.patch(Leases, metadata, { spec: { holderIdentity: holder } });
    }
  };
  // Nobody puts right what is to be deleted.
  const isLabelled = ({ method, resource, key }: SentRequest): boolean =>
    method !== 'DELETE' && server.store.get(resource, key)?.object.metadata.labels?.[COMPONENT_LABEL] !== undefined;
  return {
    write: (sent, field) => {
      if (sent.method === 'POST' || sent.name === '') return;
      const [path = ''] = sent.path.split('?');
      const patch =
        field === 'label' ? { metadata: { labels: { [TOUCHED]: sent.verb } } } : contentOf(sent, isLabelled(sent));
      const target = field === 'label' ? path.replace(/\/status$/, '') : path;
      if (patch !== undefined) quietly(hands.send('PATCH', target, patch, 'application/merge-patch+json'));
    },
    takeLeases: (ms) => {
      quietly(setHolder(SOMEBODY));
      simulation.after(ms, () => quietly(setHolder('', SOMEBODY)));
    },
    version: () => BigInt(server.store.revision),
  };
}

/**
 * Another value of a field that a program owns, and writes again; undefined where nobody does so at once. Who is selected stays: else the
 * plan itself would break a rule.
 */
function contentOf({ resource }: SentRequest, isLabelled: boolean): object | undefined {
  const [collection = '', subresource] = resource.split('/');
  const phase = PHASES[collection];
  if (subresource === 'status') return phase === undefined ? undefined : { status: { phase } };
  if (collection === resourceOf(PlacementDecisions)) return { metadata: { labels: { [PLACEMENT_LABEL]: 'odd' } } };
  return isLabelled ? { metadata: { labels: { [COMPONENT_LABEL]: 'odd' } } } : undefined;
}

/** The Lease of a cluster, or of a node: only its own renews it. */
function isOfCluster({ namespace }: KubeObject['metadata']): boolean {
  return namespace === AGENTS_NAMESPACE || namespace === 'kube-node-lease';
}
