import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Gateway, type GatewayOptions } from '../../src/gateway/gateway.js';
import type { ServerLimits } from '../../src/gateway/server/server.js';
import { createGatewayMetrics, type GatewayRegistry } from '../../src/gateway/metrics.js';
import { issueServingCertificate, type ServingCertificate } from '../../src/runtime/tls/serving.js';
import { systemClock } from '../../src/runtime/clock.js';
import { RecordingLog } from '../support/fakes/log.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { askOnce, type Ask } from './client.js';
import { mustConform, type Reply } from './openapi/conformance.js';
import { document, rules } from './openapi/document.js';
import { RecordingUpstream } from './upstream.js';
import type { RawClientOptions } from './rawclient.js';

/** A gateway in this process with a recording upstream. */
export interface Rig {
  readonly gateway: Gateway;
  readonly upstream: RecordingUpstream;
  /** The origin of the upstream. */
  readonly origin: string;
  readonly log: RecordingLog;
  readonly metrics: GatewayRegistry;
  readonly folder: string;
  readonly certificate: ServingCertificate;
  /** For raw connections. */
  readonly wire: RawClientOptions;
  /** Sends a request and checks its response against the OpenAPI document. */
  ask(what: Ask): Promise<Reply>;
  stop(): Promise<void>;
}

export async function pairFor(...names: string[]): Promise<ServingCertificate> {
  return issueServingCertificate({
    names: names.length === 0 ? ['localhost'] : names,
    addresses: ['127.0.0.1'],
    now: Date.now(),
  });
}

/** Limits that no request reaches, not even on a busy machine. */
export const PATIENT: ServerLimits = { maxConnections: 1_000, headerTimeoutMs: 120_000, requestTimeoutMs: 120_000 };

/** Starts a gateway with the limits of PATIENT; `options` override. */
export async function startRig(options: Partial<GatewayOptions> = {}): Promise<Rig> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-'));
  const [certificate, behind] = await Promise.all([pairFor(), pairFor()]);
  const upstream = new RecordingUpstream(behind);
  const origin = await upstream.start();
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text, { mode: 0o600 });
    return path.join(folder, name);
  };
  const log = new RecordingLog();
  const metrics = createGatewayMetrics();
  const gateway = new Gateway({
    listen: { host: '127.0.0.1', port: 0 },
    tls: { cert: file('tls.crt', certificate.certificate), key: file('tls.key', certificate.privateKey) },
    upstream: origin,
    upstreamCa: file('ca.crt', behind.certificate),
    upstreamTimeoutMs: 120_000,
    limits: PATIENT,
    strict: false,
    userAgent: 'multicluster-engine-gateway/test',
    openapi: JSON.stringify(document),
    rules,
    shutdownDelayMs: 0,
    reloadEveryMs: 20,
    clock: systemClock,
    log,
    metrics,
    ...options,
  });
  const port = await gateway.start();
  const met = (): boolean =>
    log.lines.some(({ message }) => message.includes('reached and verified')) &&
    upstream.connections > 0 &&
    upstream.sockets.size === 0;
  if (options.upstream === undefined) await waitFor('contact with the upstream', met, { everyMs: 2 });
  upstream.connections = 0;
  const agent = new Agent({ keepAlive: true, ca: certificate.certificate });
  return {
    gateway,
    upstream,
    origin,
    log,
    metrics,
    folder,
    certificate,
    wire: { port, ca: certificate.certificate },
    async ask(what) {
      const answer = await askOnce(port, what, agent);
      mustConform(what.method ?? 'GET', what.path, answer, options.strict ?? false);
      return answer;
    },
    async stop() {
      agent.destroy();
      await gateway.stop();
      await upstream.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** All log lines and metrics of the gateway, as text. */
export async function outputOf(rig: Rig): Promise<string> {
  return `${JSON.stringify(rig.log.lines)}\n${String(await rig.metrics.text())}`;
}

export const ENGINES = '/platform/apis/multicluster.platform.io/v1alpha1/multiclusterengines';
export const PLACEMENTS = '/platform/cluster.fleetmgmt.io/v1alpha1/namespaces/shop/placements';
export const PLACEMENTS_APIS = '/platform/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/shop/placements';
export const ENGINE_YAML = 'metadata:\n  name: engine\n';
export const PLACEMENT_YAML = 'metadata:\n  name: web\nspec:\n  numberOfClusters: 2\n';
