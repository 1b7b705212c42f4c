import { METRICS_PREFIX } from '../../api/names.js';
import { Collectors } from '../../runtime/metrics/collectors.js';
import type { TokenServerMetrics } from '../../runtime/endpoints/tokenserver.js';
import { createProcessRegistry, expositionOf, type Exposition } from '../../runtime/metrics/registry.js';
import type { Build } from '../../runtime/process/build.js';

/** Metrics of the console on a hub. No label value comes from a client. */
export interface ConsoleMetrics extends TokenServerMetrics, Exposition {
  answered(code: number): void;
  /** Sets the function that returns the number of tokens in use. */
  people(read: () => number): void;
}

const HELP = {
  multicluster_console_requests_total: 'Requests with a response',
  multicluster_console_people: 'Tokens that were used within the last minute',
  multicluster_console_reloads_total: 'Reloaded files; result: used or refused',
  multicluster_console_certificate_expiry_timestamp_seconds: 'Expiry time of the serving certificate',
};

export function createConsoleMetrics(build?: Build): ConsoleMetrics {
  const registry = createProcessRegistry(METRICS_PREFIX, build);
  const collectors = new Collectors(registry, HELP);
  const requests = collectors.counter('multicluster_console_requests_total', ['code']);
  const reloads = collectors.counter('multicluster_console_reloads_total', ['file', 'result']);
  const expiry = collectors.gauge('multicluster_console_certificate_expiry_timestamp_seconds', []);
  let count = (): number => 0;
  collectors.collectedGauge('multicluster_console_people', [], (gauge) => gauge.set(count()));
  return {
    answered: (code) => requests.inc({ code: String(code) }),
    reloaded: (file, usable) => reloads.inc({ file, result: usable ? 'used' : 'refused' }),
    certificateExpiry: (seconds) => expiry.set(seconds),
    people: (read) => void (count = read),
    ...expositionOf(registry),
  };
}
