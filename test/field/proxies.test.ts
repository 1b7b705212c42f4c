/*
 * What people did: they ran the components in clusters whose platform sets HTTPS_PROXY and NO_PROXY in every pod, since nothing
 * leaves the network otherwise. client-go obeys these variables in every program; the agent did not reach its hub.
 * What is right: each connection to an API server is made as the variables say. The HTTPS interface is the exception: it passes
 * on tokens of other people, so it connects directly, whatever the variables say. It did not start at all with them.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startChild, freePorts } from '@multicluster-engine/kube-apiserver';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { connectHub } from '../../src/agent/hub.js';
import { loadKubeconfig } from '../../src/runtime/kubeconfig/kubeconfig.js';
import { createTransport } from '../../src/runtime/transport/transport.js';
import { issueServingCertificate } from '../../src/runtime/tls/serving.js';
import { systemClock, systemRandom } from '../../src/runtime/clock.js';
import { askOnce } from '../gateway/client.js';
import { joinData } from '../support/builders/joindata.js';
import { RecordingLog } from '../support/fakes/log.js';
import { authority } from '../runtime/transport/certificate.js';
import { Recorder } from './kubeconfig/recorder.js';

/** A proxy that resolves every name to the recorder. */
const PROXY = 'http://localhost:PROXY_PORT';
const recorder = new Recorder();
const tools = { clock: systemClock, random: systemRandom, log: new RecordingLog(), userAgent: 'test' };
const { signal } = new AbortController();
let words: Readonly<Record<string, string>>;
let mount: string;
beforeAll(async () => {
  words = await recorder.start();
  mount = mkdtempSync(path.join(tmpdir(), 'field-proxies-'));
  const account = path.join(mount, 'var/run/secrets/kubernetes.io/serviceaccount');
  mkdirSync(account, { recursive: true });
  writeFileSync(path.join(account, 'token'), 'own');
  writeFileSync(path.join(account, 'ca.crt'), recorder.ca.cert);
});
afterEach(() => void recorder.take());
afterAll(async () => {
  await recorder.stop();
  rmSync(mount, { recursive: true });
});

/** How many proxies a request passed; undefined: it did not arrive. */
function passed(): number | undefined {
  return recorder.take()[0]?.proxies.length;
}

/** A request of an agent to its hub. */
async function byAgent(server: string, variables: Readonly<Record<string, string>>): Promise<number | undefined> {
  const join = joinData({ hubUrl: server, hubCa: recorder.ca.cert });
  const hub = connectHub(join, () => 'own', { ...tools, env: variables });
  await hub.createLease({ holder: 'a', seconds: 60 }, signal).catch(() => undefined);
  await hub.close();
  return passed();
}

/** A request of a program in a pod: the operator and its components, the inventories, and an agent to its own cluster. */
async function byPod(server: string, variables: Readonly<Record<string, string>>): Promise<number | undefined> {
  const { hostname, port } = new URL(server);
  const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, ...variables };
  const transport = createTransport(loadKubeconfig({ caller: 'component', env, mountPrefix: mount }), tools);
  const target = { verb: 'create', resource: 'selfsubjectrulesreviews' };
  const call = { method: 'POST' as const, path: '/apis', target, body: '{"spec":{}}', idempotent: false, attempts: 1 };
  await transport.call(call).catch(() => undefined);
  await transport.close();
  return passed();
}

describe.each([
  ['an agent to its hub', byAgent],
  ['a program in a pod to the API server', byPod],
])('the connection of %s', (_, send) => {
  it.each([
    ['through HTTPS_PROXY', 'hub.example', { HTTPS_PROXY: PROXY }, 1],
    ['through https_proxy without a scheme', 'hub.example', { https_proxy: 'localhost:PROXY_PORT' }, 1],
    ['not through it to what NO_PROXY names', 'hub.example', { HTTPS_PROXY: PROXY, NO_PROXY: '.example' }, undefined],
    ['through it to what NO_PROXY does not name', 'hub.example', { HTTPS_PROXY: PROXY, NO_PROXY: 'a.example' }, 1],
    ['directly to this machine', '127.0.0.1', { HTTPS_PROXY: 'http://localhost:1' }, 0],
    ['to nowhere where the proxy is away', 'hub.example', { HTTPS_PROXY: 'http://localhost:1' }, undefined],
  ])('is made %s', async (_way, host, variables, proxies) => {
    const filled = Object.entries(variables).map(([name, value]) => {
      return [name, value.replace('PROXY_PORT', words['PROXY_PORT'] ?? '')];
    });

    expect(await send(`https://${host}:${words['HTTPS_PORT']}`, Object.fromEntries(filled))).toBe(proxies);
  });
});

/** Starts a gateway in front of `hub.example`, sends it a request with a token, and ends it. */
async function throughGateway(
  variables: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly log: readonly string[] }> {
  const { certificate, privateKey } = await issueServingCertificate({
    names: ['localhost'],
    addresses: [],
    now: Date.now(),
  });
  const files = { 'tls-cert': certificate, 'tls-key': privateKey, 'upstream-ca': recorder.ca.cert };
  const [port = 0, metrics = 0, health = 0] = await freePorts(3);
  const ports = { listen: port, 'metrics-listen': metrics, 'health-listen': health };
  const flags = [
    ...Object.entries(files).map(([flag, pem]) => {
      const file = path.join(mount, flag);
      writeFileSync(file, pem, { mode: 0o600 });
      return `--${flag}=${file}`;
    }),
    ...Object.entries(ports).map(([flag, at]) => `--${flag}=127.0.0.1:${at}`),
    `--upstream=https://hub.example:${words['HTTPS_PORT']}`,
    '--shutdown-delay=0s',
  ];
  const main = fileURLToPath(new URL('../../src/main.js', import.meta.url));
  const command = [process.execPath, main, 'gateway', ...flags] as const;
  const child = await startChild({ command, env: { PATH: process.env['PATH'] ?? '', ...variables }, output: 'pipe' });
  const output = text(child.output);
  const agent = new Agent({ ca: certificate });
  const isLive = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${health}/livez`)).ok;
  await waitFor('the gateway to run or to end', async () => child.exit() !== undefined || isLive());
  if (child.exit() !== undefined) throw new Error(await output);
  const engines = '/platform/apis/multicluster.platform.io/v1alpha1/multiclusterengines';
  const body = 'apiVersion: multicluster.platform.io/v1alpha1\nkind: MultiClusterEngine\nmetadata: {name: a}\n';
  const headers = { 'content-type': 'application/yaml' };
  const { status } = await askOnce(port, { method: 'POST', path: engines, body, headers }, agent);
  await child.stop();
  return { status, log: (await output).trim().split('\n') };
}

/** A file with an authority in a pod. */
function authorityFile(name: string, pem: string): string {
  const file = path.join(mount, name);
  writeFileSync(file, pem);
  return file;
}

describe('a program whose trust bundle has the authority of the API server', () => {
  const other = authority('another').cert;
  const inPod = async (extra: Readonly<Record<string, string>>): Promise<number | undefined> => {
    const ca = path.join(mount, 'var/run/secrets/kubernetes.io/serviceaccount/ca.crt');
    writeFileSync(ca, other);
    const answered = await byPod(`https://localhost:${words['HTTPS_PORT']}`, extra);
    writeFileSync(ca, recorder.ca.cert);
    return answered;
  };

  it('is answered where the bundle is mounted, and not without it', async () => {
    expect(await inPod({ NODE_EXTRA_CA_CERTS: authorityFile('bundle.crt', recorder.ca.cert) })).toBe(0);
    expect(await inPod({})).toBeUndefined();
  });

  it('goes on with its own authority where the bundle is missing or is no certificate', async () => {
    const server = `https://localhost:${words['HTTPS_PORT']}`;
    const wrong = authorityFile('wrong.crt', 'no certificate');
    for (const file of [wrong, path.join(mount, 'missing.crt')])
      expect(await byPod(server, { NODE_EXTRA_CA_CERTS: file })).toBe(0);
  });
});

describe('a gateway in a pod with a proxy', () => {
  it('starts, says once that it does not use the proxy, and takes no token there', async () => {
    const proxy = PROXY.replace('PROXY_PORT', words['PROXY_PORT'] ?? '');

    const { status, log } = await throughGateway({ HTTPS_PROXY: proxy, http_proxy: proxy, NO_PROXY: '.svc' });

    expect(log.filter((line) => line.includes('PROXY'))).toEqual([
      expect.stringContaining('"variables":"http_proxy, HTTPS_PROXY"'),
    ]);
    expect(log.join('\n')).not.toContain(proxy);
    // Only the proxy knows the name.
    expect({ status, arrived: passed() }).toEqual({ status: 503, arrived: undefined });
  });
});
