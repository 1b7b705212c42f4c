import { METRICS_PREFIX } from '../api/names.js';
import type { TokenServerMetrics } from '../runtime/endpoints/tokenserver.js';
import { Collectors } from '../runtime/metrics/collectors.js';
import { createProcessRegistry, expositionOf, type Exposition } from '../runtime/metrics/registry.js';
import type { Build } from '../runtime/process/build.js';

/** Metrics of the gateway. Label values come from the gateway's own tables, never from clients. Times in seconds. */
export interface GatewayMetrics extends TokenServerMetrics {
  /** A response was sent. `route`: a template of the table or `none`; `method`: one of the table or `other`. */
  answered(route: string, method: string, code: number, seconds: number): void;
  /** A call to the API server has ended: `code` of the response, or `<error>` without one. */
  upstream(method: string, code: string, seconds: number): void;
  /** A client closed the connection before the response. */
  abandoned(route: string): void;
  /** A connection was rejected: `tls`, `protocol`, `timeout` or `capacity`. */
  dropped(cause: string): void;
  /** Sets the function that returns the number of open connections. */
  connections(read: () => number): void;
}

const HELP = {
  multicluster_gateway_requests_total: 'Requests with a response',
  multicluster_gateway_request_duration_seconds: 'Time from the request headers to the end of the response',
  multicluster_gateway_abandoned_requests_total:
    'Requests whose client closed the connection before the end of the response',
  multicluster_gateway_upstream_requests_total: 'Calls to the Kubernetes API; code <error> without a usable response',
  multicluster_gateway_upstream_duration_seconds: 'Duration of calls to the Kubernetes API',
  multicluster_gateway_dropped_connections_total: 'Rejected connections by cause: tls, protocol, timeout, capacity',
  multicluster_gateway_reloads_total: 'Reloaded files; result: used or refused',
  multicluster_gateway_certificate_expiry_timestamp_seconds: 'Expiry time of the serving certificate',
  multicluster_gateway_connections: 'Open connections of clients',
};
const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

/** The gateway's metrics with their exposition. */
export type GatewayRegistry = GatewayMetrics & Exposition;

export function createGatewayMetrics(build?: Build): GatewayRegistry {
  const registry = createProcessRegistry(METRICS_PREFIX, build);
  const collectors = new Collectors(registry, HELP);
  const requests = requestCollectors(collectors);
  const dropped = collectors.counter('multicluster_gateway_dropped_connections_total', ['cause']);
  const reloads = collectors.counter('multicluster_gateway_reloads_total', ['file', 'result']);
  const expiry = collectors.gauge('multicluster_gateway_certificate_expiry_timestamp_seconds', []);
  let open = (): number => 0;
  collectors.collectedGauge('multicluster_gateway_connections', [], (gauge) => gauge.set(open()));
  return {
    ...requests,
    dropped: (cause) => dropped.inc({ cause }),
    reloaded: (file, usable) => reloads.inc({ file, result: usable ? 'used' : 'refused' }),
    certificateExpiry: (seconds) => expiry.set(seconds),
    connections: (read) => void (open = read),
    ...expositionOf(registry),
  };
}

function requestCollectors(
  collectors: Collectors<keyof typeof HELP>,
): Pick<GatewayRegistry, 'answered' | 'upstream' | 'abandoned'> {
  const answered = collectors.counter('multicluster_gateway_requests_total', ['route', 'method', 'code']);
  const time = collectors.histogram(
    'multicluster_gateway_request_duration_seconds',
    ['route', 'method'],
    LATENCY_BUCKETS,
  );
  const abandoned = collectors.counter('multicluster_gateway_abandoned_requests_total', ['route']);
  const upstream = collectors.counter('multicluster_gateway_upstream_requests_total', ['method', 'code']);
  const upstreamTime = collectors.histogram(
    'multicluster_gateway_upstream_duration_seconds',
    ['method'],
    LATENCY_BUCKETS,
  );
  return {
    answered: (route, method, code, seconds) => {
      answered.inc({ route, method, code: String(code) });
      time.observe({ route, method }, seconds);
    },
    abandoned: (route) => abandoned.inc({ route }),
    upstream: (method, code, seconds) => {
      upstream.inc({ method, code });
      upstreamTime.observe({ method }, seconds);
    },
  };
}
