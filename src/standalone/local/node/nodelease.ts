import { Leases, Nodes, apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import type { KubeClient, WriteOptions } from '../../../runtime/client/client.js';
import { microTime, type Lease } from '../../../runtime/lease/leaserecord.js';
import type { Node } from '../workload.js';

/** The namespace of the Leases of Nodes. */
const NAMESPACE = 'kube-node-lease';

/** As a kubelet whose status does not change (nodeStatusReportFrequency). */
export const HEARTBEAT_MS = 300_000;
/** The Node counts as lost when the Lease is not renewed for so long: four heartbeats, as a kubelet. */
const LEASE_SECONDS = (4 * HEARTBEAT_MS) / 1000;

/**
 * Creates or renews the Lease that is the heartbeat of a Node. The Node owns it, so it is deleted with the Node.
 * `now`: ms since the epoch. Errors: ApiError.
 */
export async function renewNodeLease(client: KubeClient, node: Node, now: number, write: WriteOptions): Promise<void> {
  const { name, uid = '' } = node.metadata;
  const owner = { apiVersion: 'v1', kind: Nodes.kind, name, uid };
  const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime: microTime(now) };
  const found = await client.get<Lease>(Leases, { namespace: NAMESPACE, name });
  if (found !== undefined) {
    const metadata = { ...found.metadata, ownerReferences: [owner] };
    await client.update<Lease>(Leases, { ...found, metadata, spec: { ...found.spec, ...spec } }, write);
    return;
  }
  const metadata = { name, namespace: NAMESPACE, ownerReferences: [owner] };
  await client.create<Lease>(Leases, { apiVersion: apiVersionOf(Leases), kind: Leases.kind, metadata, spec }, write);
}
