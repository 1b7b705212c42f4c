import type { Call } from '../../../src/runtime/transport/call.js';
import { keyOf } from '../../../src/runtime/vocabulary/names.js';
import type { Sort } from '../plan.js';

/** A request of a program. */
export interface SentRequest {
  readonly process: string;
  readonly method: Call['method'];
  readonly path: string;
  /** `plural.group`, with `/subresource`. */
  readonly resource: string;
  readonly verb: string;
  readonly name: string;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  /** Absent for a watch: its events are counted, and the request that opens it as a read. */
  readonly sort: Sort;
  /** Of a watch that goes on: the version from which it does. */
  readonly watchedFrom: bigint | undefined;
}

export function sentOf(call: Call, process: string): SentRequest {
  const { verb, resource, namespace, name = '' } = call.target;
  const key = keyOf({ ...(namespace !== undefined && { namespace }), name });
  // An agent renews by a patch, and does so all the time; it creates its Lease once.
  const isLease = resource === 'leases.coordination.k8s.io' && (call.bucket === 'leases' || call.method === 'PATCH');
  const sort = isLease ? 'lease' : call.method === 'GET' ? 'read' : 'write';
  const version = verb === 'watch' ? call.query?.['resourceVersion'] : undefined;
  const watchedFrom = version === undefined ? undefined : BigInt(version);
  return { process, method: call.method, path: call.path, resource, verb, name, key, sort, watchedFrom };
}
