import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { GatewayMetrics } from '../runtime/metrics.js';
import { createProcessRegistry } from './registry.js';

const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

/** The gateway's metrics with their exposition. Label values come from the gateway's tables, never from clients. */
export interface GatewayRegistry extends GatewayMetrics {
  readonly contentType: string;
  text(): Promise<string>;
}

/** The registry of a gateway process. */
export function createGatewayMetrics(): GatewayRegistry {
  const registry = createProcessRegistry();
  const registers = [registry];
  const requests = requestCollectors(registry);
  const dropped = new Counter({
    name: 'multicluster_gateway_dropped_connections_total',
    help: 'Rejected connections by cause: tls, protocol, timeout, capacity',
    labelNames: ['cause'],
    registers,
  });
  const reloads = new Counter({
    name: 'multicluster_gateway_reloads_total',
    help: 'Reloaded files',
    labelNames: ['file', 'result'],
    registers,
  });
  const expiry = new Gauge({
    name: 'multicluster_gateway_certificate_expiry_timestamp_seconds',
    help: 'Expiry time of the serving certificate',
    registers,
  });
  let open = (): number => 0;
  new Gauge({
    name: 'multicluster_gateway_connections',
    help: 'Open connections of clients',
    registers,
    collect() {
      this.set(open());
    },
  });
  return {
    ...requests,
    dropped: (cause) => dropped.inc({ cause }),
    reloaded: (file, usable) => reloads.inc({ file, result: usable ? 'used' : 'refused' }),
    certificateExpiry: (seconds) => expiry.set(seconds),
    connections: (read) => void (open = read),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

function requestCollectors(registry: Registry): Pick<GatewayRegistry, 'answered' | 'upstream' | 'abandoned'> {
  const registers = [registry];
  const answered = new Counter({
    name: 'multicluster_gateway_requests_total',
    help: 'Requests with a response',
    labelNames: ['route', 'method', 'code'],
    registers,
  });
  const time = new Histogram({
    name: 'multicluster_gateway_request_duration_seconds',
    help: 'Time from the request headers to the end of the response',
    labelNames: ['route', 'method'],
    registers,
    buckets: LATENCY_BUCKETS,
  });
  const abandoned = new Counter({
    name: 'multicluster_gateway_abandoned_requests_total',
    help: 'Requests whose client closed the connection before the end of the response',
    labelNames: ['route'],
    registers,
  });
  const upstream = new Counter({
    name: 'multicluster_gateway_upstream_requests_total',
    help: 'Calls to the Kubernetes API; code <error> without a usable response',
    labelNames: ['method', 'code'],
    registers,
  });
  const upstreamTime = new Histogram({
    name: 'multicluster_gateway_upstream_duration_seconds',
    help: 'Duration of calls to the Kubernetes API',
    labelNames: ['method'],
    registers,
    buckets: LATENCY_BUCKETS,
  });
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
