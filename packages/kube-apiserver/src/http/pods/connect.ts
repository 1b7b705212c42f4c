import { logResponse } from './log.js';
import type { Clock } from '../../clock.js';
import type { Exchange } from '../exchange.js';
import type { PodLogs } from '../../podlogs.js';
import type { ObjectReader } from '../../registry/reader.js';
import type { ApiResponse } from '../../request.js';
import { notFound, StatusError } from '../../status.js';
import type { Target } from '../../verbs/verbs.js';

/** Responds to a request on a subresource that a kubelet or a scheduler serves. */
export type Connect = (target: Target, exchange: Exchange) => ApiResponse;

export interface ConnectDeps {
  readonly reader: ObjectReader;
  readonly clock: Clock;
  readonly logs: PodLogs | undefined;
}

/** Serves the logs of Pods, and refuses the rest (exec, attach, portforward, proxy, binding) with 405. */
export function createConnect({ reader, clock, logs }: ConnectDeps): Connect {
  return (target, exchange) => {
    const { resource, namespace, name, subresource } = target;
    const pod = reader.get(resource.collection, namespace, name);
    if (pod === undefined) throw notFound(resource, name);
    const log = subresource === 'log' ? logResponse(logs, { pod, exchange, now: clock.now() }) : undefined;
    if (log !== undefined) return log;
    throw new StatusError(
      405,
      `${subresource} is not supported: this API server has no connection to the containers of pod "${name}"`,
      { reason: 'MethodNotAllowed', details: { name, kind: resource.plural } },
    );
  };
}
