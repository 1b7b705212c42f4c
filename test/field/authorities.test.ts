/**
 * What people did: the file of `--upstream-ca` was empty, or held no certificate, in a pod with a trust bundle
 * (NODE_EXTRA_CA_CERTS). The two were joined before they were read, so the process started and trusted every authority of the
 * bundle, and no other. An empty text of authorities is worse: to Node it means those that came with Node.
 * Right: each text of authorities is read by itself. One without a certificate is refused at the start; later the last good
 * one stays in use.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { ConsoleComponent, type ComponentOptions } from '../../src/console/hub/component.js';
import { createConsoleMetrics } from '../../src/console/hub/metrics.js';
import { joinSecretData, readHubToken } from '../../src/domain/agent/hubtoken.js';
import { Gateway, type GatewayOptions } from '../../src/gateway/gateway.js';
import { createGatewayMetrics } from '../../src/gateway/metrics.js';
import { loadKubeconfig } from '../../src/runtime/kubeconfig/kubeconfig.js';
import { CachedCredentials } from '../../src/runtime/transport/credentials.js';
import { PATIENT } from '../gateway/rig.js';
import { document, rules } from '../gateway/openapi/document.js';
import { authority, certificate } from '../runtime/transport/certificate.js';
import { joinData } from '../support/builders/joindata.js';
import { RecordingLog } from '../support/fakes/log.js';

const KEY = authority('another').key;
/** Texts without a certificate, and what is said of each. */
const WITHOUT: readonly (readonly [string, string, string])[] = [
  ['nothing', '', 'is empty'],
  ['a line break alone', '\n', 'is empty'],
  ['no PEM', 'hub', 'is not a certificate in PEM'],
  ['a key', KEY, 'has a block PRIVATE KEY and no certificate in PEM'],
  ['a certificate that is cut', `${authority('cut').cert.slice(0, 200)}\n`, 'cannot be read: it is cut or changed'],
];
const MOUNT = 'var/run/secrets/kubernetes.io/serviceaccount';
const IN_POD = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
const BYTES = Buffer.from('page');
const ASSET = { contentType: 'text/html', bytes: BYTES, brotli: BYTES, gzip: BYTES, isHashed: false };

const folder = mkdtempSync(path.join(tmpdir(), 'authorities-'));
const at = (name: string): string => path.join(folder, name);
const [ca, bundle] = [authority('hub'), authority('bundle')];
beforeAll(() => {
  const leaf = certificate({ name: 'localhost', issuer: ca });
  mkdirSync(at(MOUNT), { recursive: true });
  writeFileSync(at('tls.crt'), leaf.cert);
  writeFileSync(at('tls.key'), leaf.key);
  writeFileSync(at('bundle.crt'), bundle.cert);
  writeFileSync(at(`${MOUNT}/token`), 't');
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Rig {
  readonly server: { start(): Promise<number>; stop(): Promise<void> };
  readonly log: RecordingLog;
  readonly clock: ManualClock;
}

/** What both servers of tokens take. Their clock never comes to a try to reach the hub. */
type Common = Pick<ComponentOptions, keyof ComponentOptions & keyof GatewayOptions> & { readonly extraCa: string };
function common(log: RecordingLog, clock: ManualClock): Omit<Common, 'metrics'> {
  return {
    listen: { host: '127.0.0.1', port: 0 },
    tls: { cert: at('tls.crt'), key: at('tls.key') },
    upstream: 'https://127.0.0.1:1',
    upstreamCa: at('ca.crt'),
    extraCa: at('bundle.crt'),
    userAgent: 'test',
    reloadEveryMs: 5_000,
    clock,
    log,
  };
}

const SERVERS: readonly (readonly [string, () => Rig])[] = [
  [
    'gateway',
    () => {
      const [log, clock] = [new RecordingLog(), new ManualClock()];
      const server = new Gateway({
        ...common(log, clock),
        upstreamTimeoutMs: 1_000,
        limits: PATIENT,
        strict: false,
        openapi: JSON.stringify(document),
        rules,
        shutdownDelayMs: 0,
        metrics: createGatewayMetrics(),
      });
      return { server, log, clock };
    },
  ],
  [
    'console',
    () => {
      const [log, clock] = [new RecordingLog(), new ManualClock()];
      const assets = { shell: ASSET, find: () => undefined, build: 'b' };
      const metrics = createConsoleMetrics({ version: 'v', commit: 'c', date: '' });
      const server = new ConsoleComponent({ ...common(log, clock), assets, metrics });
      return { server, log, clock };
    },
  ],
];

describe.each(SERVERS)('the %s with a trust bundle', (name, create) => {
  it.each(WITHOUT)(
    `the ${name} does not start on the trust bundle alone where --upstream-ca holds %s`,
    async (...row) => {
      const [, text, problem] = row;
      writeFileSync(at('ca.crt'), text);

      await expect(create().server.start()).rejects.toThrow(`${at('ca.crt')}: the file of authorities ${problem}`);
    },
  );

  it.each(WITHOUT)(
    `the ${name} keeps its authorities where --upstream-ca later holds %s, and says so`,
    async (...row) => {
      const [, text, problem] = row;
      writeFileSync(at('ca.crt'), ca.cert);
      const { server, log, clock } = create();
      await server.start();
      try {
        writeFileSync(at('ca.crt'), text);
        await clock.advance(5_000);

        expect(log.lines).toContainEqual({
          level: 'warn',
          message: 'changed files cannot be used; the previous ones stay in use',
          fields: { files: 'upstream-ca', reason: `${at('ca.crt')}: the file of authorities ${problem}` },
        });
      } finally {
        const stopped = server.stop();
        await clock.advance(10_000);
        await stopped;
      }
    },
  );
});

function kubeconfig(cluster: object): string {
  const file = at('kubeconfig');
  const content = {
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server: 'https://hub.example:6443', ...cluster } }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

describe.each<[string, boolean]>([
  ['', false],
  [' with a trust bundle', true],
])('the ServiceAccount of a pod%s', (words, hasBundle) => {
  const env = { ...IN_POD, ...(hasBundle ? { NODE_EXTRA_CA_CERTS: at('bundle.crt') } : {}) };

  it.each(WITHOUT)(`a pod${words} trusts no other authorities where its ca.crt holds %s`, async (...row) => {
    const [, text, problem] = row;
    const file = at(`${MOUNT}/ca.crt`);
    writeFileSync(file, text);

    await expect(loadKubeconfig({ env, mountPrefix: folder }).load(false)).rejects.toThrow(
      `the certificate authority ${file} ${problem}`,
    );
  });

  it(`a pod${words} keeps the authorities that it has read where its ca.crt becomes empty`, async () => {
    const [clock, file] = [new ManualClock(), at(`${MOUNT}/ca.crt`)];
    writeFileSync(file, ca.cert);
    const credentials = new CachedCredentials(loadKubeconfig({ env, mountPrefix: folder }), clock, new RecordingLog());
    const { tls } = await credentials.current();
    writeFileSync(file, '');
    await clock.advance(60_000);

    expect(tls.ca).toBe(hasBundle ? `${ca.cert}\n${bundle.cert}` : ca.cert);
    expect((await credentials.current()).tls).toBe(tls);
  });
});

describe('a kubeconfig', () => {
  it.each(WITHOUT)('a kubeconfig whose certificate-authority is a file with %s is refused', async (...row) => {
    const [, text, problem] = row;
    writeFileSync(at('ca.crt'), text);
    const file = kubeconfig({ 'certificate-authority': at('ca.crt') });

    await expect(loadKubeconfig({ path: file, env: {} }).load(false)).rejects.toThrow(
      `context "c" of ${file}: certificate-authority ${at('ca.crt')} ${problem}`,
    );
  });

  it.each(WITHOUT.slice(1))('a kubeconfig whose certificate-authority-data is %s is refused', async (...row) => {
    const [, text, problem] = row;
    const file = kubeconfig({ 'certificate-authority-data': Buffer.from(text).toString('base64') });

    await expect(loadKubeconfig({ path: file, env: {} }).load(false)).rejects.toThrow(
      `context "c" of ${file}: certificate-authority-data ${problem}`,
    );
  });

  it('a kubeconfig without certificate-authority trusts the authorities of the system, as kubectl does', async () => {
    const { tls } = await loadKubeconfig({ path: kubeconfig({}), env: {} }).load(false);

    expect(tls).toEqual({ rejectUnauthorized: true });
  });
});

describe('the Secret of an agent', () => {
  it.each(WITHOUT)('an agent does not join with a ca.crt that holds %s', (...row) => {
    const [, text, problem] = row;

    expect(readHubToken({ data: joinSecretData(joinData({ hubCa: text })) })).toEqual({
      kind: 'unusable',
      problem: `ca.crt ${problem}`,
    });
  });
});
