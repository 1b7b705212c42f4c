import { describe, expect, it } from '@jest/globals';

import { readConfig } from '../support/commandline.js';
import { version } from '../../src/runtime/process/build.js';
import { gateway, GATEWAY_FLAGS, type GatewayConfig } from '../../src/gateway/flags.js';
import { Flags } from '../../src/runtime/flags/flags.js';

const FILES = ['--tls-cert=/c', '--tls-key=/k'];
const IN_CLUSTER = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '6443' };

function read(args: readonly string[], env: Readonly<Record<string, string>> = IN_CLUSTER): GatewayConfig | string {
  const config = readConfig(['gateway', ...args], env);
  if (config.command === 'usage') return config.text;
  if (config.command === 'gateway') return config;
  throw new Error('another command');
}

describe('a gateway in a cluster', () => {
  it('a gateway in a cluster needs flags for its certificate and key only', () => {
    expect(read(FILES)).toEqual({
      command: 'gateway',
      version: version(),
      listen: { host: '', port: 8443 },
      tls: { cert: '/c', key: '/k' },
      upstream: 'https://10.0.0.1:6443',
      upstreamCa: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
      metricsListen: { host: '', port: 8080 },
      metricsSecure: false,
      healthListen: { host: '', port: 8081 },
      logLevel: 'info',
      strictStatusCodes: false,
      maxConnections: 1000,
      headerTimeoutMs: 10_000,
      requestTimeoutMs: 30_000,
      upstreamTimeoutMs: 15_000,
      shutdownDelayMs: 2_000,
      reloadIntervalMs: 5_000,
      tracing: undefined,
      unusedProxies: [],
    });
  });

  it.each<[string[], Partial<GatewayConfig>]>([
    [['--strict-status-codes'], { strictStatusCodes: true }],
    [['--strict-status-codes=true'], { strictStatusCodes: true }],
    [['--strict-status-codes=false'], { strictStatusCodes: false }],
    [['--upstream=https://api:6443'], { upstream: 'https://api:6443' }],
    [['--upstream=https://API:6443'], { upstream: 'https://api:6443' }],
    [['--upstream=https://api/'], { upstream: 'https://api' }],
    [['--upstream=https://api:443'], { upstream: 'https://api' }],
    [['--upstream=https://[::1]:1'], { upstream: 'https://[::1]:1' }],
    [['--listen=127.0.0.1:0'], { listen: { host: '127.0.0.1', port: 0 } }],
    [['--max-connections=10'], { maxConnections: 10 }],
    [['--upstream-timeout=500ms'], { upstreamTimeoutMs: 500 }],
    [['--shutdown-delay=0s'], { shutdownDelayMs: 0 }],
    [['--metrics-secure'], { metricsSecure: true }],
  ])('a gateway in a cluster takes %j', (args, expected) => {
    expect(read([...FILES, ...args])).toMatchObject(expected);
  });

  it('a gateway in a cluster takes every flag from the environment too', () => {
    expect(
      read([], {
        ...IN_CLUSTER,
        MULTICLUSTER_ENGINE_TLS_CERT: '/c',
        MULTICLUSTER_ENGINE_TLS_KEY: '/k',
        MULTICLUSTER_ENGINE_STRICT_STATUS_CODES: 'true',
        MULTICLUSTER_ENGINE_LISTEN: ':1',
      }),
    ).toMatchObject({ tls: { cert: '/c' }, strictStatusCodes: true, listen: { port: 1 } });
  });

  it('a gateway in a cluster finds an API server with an IPv6 address', () => {
    expect(read(FILES, { KUBERNETES_SERVICE_HOST: 'fd00::1' })).toMatchObject({ upstream: 'https://[fd00::1]' });
  });
});

describe('the gateway does not start', () => {
  it.each<[string[], string]>([
    [[], '--tls-cert is required'],
    [['--tls-cert=/c'], '--tls-key is required'],
    [[...FILES, '--upstream-ca='], '--upstream-ca must be a file, got ""'],
    [[...FILES, '--upstream=http://api'], '--upstream must be an https URL with host and port only, got "http://api"'],
    [[...FILES, '--upstream=api'], '--upstream must be an https URL with host and port only, got "api"'],
    [
      [...FILES, '--upstream=https://api/path'],
      '--upstream must be an https URL with host and port only, got "https://api/path"',
    ],
    ...['https://user:secret@api', 'https://user:sec/ret@api', 'HTTPS://user:se@cret@api', 'https://secret@api'].map(
      (url): [string[], string] => [
        [...FILES, `--upstream=${url}`],
        `--upstream must be an https URL with host and port only, got "${url.slice(0, 8)}…@api"`,
      ],
    ),
    [[...FILES, '--upstream=user:secret@api'], '--upstream must be an https URL with host and port only, got "…@api"'],
    [
      [...FILES, '--upstream=https://api?x'],
      '--upstream must be an https URL with host and port only, got "https://api?x"',
    ],
    [[...FILES, '--strict-status-codes=yes'], '--strict-status-codes must be one of true, false, got "yes"'],
    [[...FILES, '--request-timeout=5s'], '--request-timeout must be at least as long as the header timeout, got "5s"'],
    [
      [...FILES, '--header-timeout=0s'],
      '--header-timeout must be a duration such as 50ms or 1s, from 1ms to 60s, got "0s"',
    ],
    [
      [...FILES, '--metrics-listen=:8443'],
      '--metrics-listen must be an address with another port than --listen, got ":8443"',
    ],
    [
      [...FILES, '--health-listen=:8080'],
      '--health-listen must be an address with another port than --listen and the metrics, got ":8080"',
    ],
    [[...FILES, '--max-connections=9'], '--max-connections must be a whole number from 10 to 100000, got "9"'],
  ])('the gateway does not start with %j', (args, line) => {
    expect(read(args)).toBe(`multicluster-engine: ${line}\n`);
  });

  it('the gateway does not start outside a cluster without an upstream', () => {
    expect(read(FILES, {})).toBe(
      'multicluster-engine: --upstream is required outside a cluster (KUBERNETES_SERVICE_HOST is not set)\n',
    );
  });

  it.each<[string, string]>([
    ['NODE_TLS_REJECT_UNAUTHORIZED', '0'],
    ['NODE_TLS_REJECT_UNAUTHORIZED', '1'],
    ['NODE_OPTIONS', '--inspect'],
    ['NODE_OPTIONS', '--require=/x.js'],
    ['SSLKEYLOGFILE', '/tmp/keys'],
    ['NODE_USE_ENV_PROXY', '1'],
    ['node_use_env_proxy', '1'],
  ])('the gateway does not start with %s=%s in its environment, and prints one line that names it', (name, value) => {
    expect(read(FILES, { ...IN_CLUSTER, [name]: value })).toMatch(
      new RegExp(`^multicluster-engine: the variable ${name} must not be set for a gateway: [^\n]+\n$`),
    );
  });

  it.each([
    '--inspect',
    '--inspect-brk=0.0.0.0:9229',
    '--tls-keylog=/x',
    '--insecure-http-parser',
    '--heapsnapshot-signal=SIGUSR2',
    '--heapsnapshot-near-heap-limit=3',
    '--heap-prof',
    '--tls-min-v1.0',
    '--require=/x.js',
    '-r',
    '--trace-tls',
    '--security-revert=x',
  ])('the gateway does not start when Node was started with %s', (option) => {
    const given = new Map([
      ['tls-cert', '/c'],
      ['tls-key', '/k'],
    ]);

    expect(() =>
      gateway(new Flags(GATEWAY_FLAGS, given), { env: IN_CLUSTER, version: '1', execArgv: [option] }),
    ).toThrow(`node must not be started with ${option} for a gateway`);
  });
});
