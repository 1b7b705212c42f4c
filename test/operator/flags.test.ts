import { describe, expect, it } from '@jest/globals';
import type { OperatorConfig } from '../../src/operator/flags.js';
import { version } from '../../src/runtime/process/build.js';
import { readConfig, usage } from '../support/commandline.js';

const VARIABLES: Readonly<Record<string, string>> = {
  controllers: 'MULTICLUSTER_ENGINE_CONTROLLERS',
  kubeconfig: 'MULTICLUSTER_ENGINE_KUBECONFIG',
  'leader-election-namespace': 'MULTICLUSTER_ENGINE_LEADER_ELECTION_NAMESPACE',
  identity: 'MULTICLUSTER_ENGINE_IDENTITY',
  namespace: 'MULTICLUSTER_ENGINE_NAMESPACE',
  'component-image': 'MULTICLUSTER_ENGINE_IMAGE',
  'component-replicas': 'MULTICLUSTER_ENGINE_COMPONENT_REPLICAS',
  without: 'MULTICLUSTER_ENGINE_WITHOUT',
  'metrics-listen': 'MULTICLUSTER_ENGINE_METRICS_LISTEN',
  'health-listen': 'MULTICLUSTER_ENGINE_HEALTH_LISTEN',
  'log-level': 'MULTICLUSTER_ENGINE_LOG_LEVEL',
  workers: 'MULTICLUSTER_ENGINE_WORKERS',
  'kube-api-qps': 'MULTICLUSTER_ENGINE_KUBE_API_QPS',
  'kube-api-burst': 'MULTICLUSTER_ENGINE_KUBE_API_BURST',
  'settle-window': 'MULTICLUSTER_ENGINE_SETTLE_WINDOW',
};

function read(args: readonly string[], env: Readonly<Record<string, string>> = {}): OperatorConfig {
  const config = readConfig(['operator', ...args], env);
  if (config.command !== 'operator') throw new Error(config.command === 'usage' ? config.text : config.command);
  return config;
}

describe('without flags', () => {
  it('every setting has its default without flags', () => {
    const { identity, ...rest } = read([]);

    expect(rest).toEqual({
      command: 'operator',
      version: version(),
      controllers: ['engine', 'placement', 'clusters'],
      kubeconfig: undefined,
      leaderElectionNamespace: 'multicluster-engine-operator',
      namespace: undefined,
      componentImage: 'image-not-set.invalid/multicluster-engine',
      componentReplicas: 2,
      omitUserIds: false,
      without: [],
      metricsListen: { host: '', port: 8080 },
      metricsSecure: false,
      metricsTls: undefined,
      tracing: undefined,
      healthListen: { host: '', port: 8081 },
      logLevel: 'info',
      workers: 8,
      kubeApiQps: 100,
      kubeApiBurst: 200,
      settleWindowMs: 50,
      sigDecisions: false,
      multikueue: false,
      publishProfiles: undefined,
      inventories: { clusterProfiles: undefined, ocmClusters: false },
    });
    expect(identity).toMatch(/^.+_[0-9a-f]{8}$/);
    expect(read([]).identity).not.toBe(identity);
  });

  it('the configuration cannot be changed', () => {
    const config = read([]);

    expect([config, config.controllers, config.metricsListen].every(Object.isFrozen)).toBe(true);
  });
});

describe('the protection of the metrics', () => {
  it('the metrics are secure with the flag or its variable', () => {
    expect(read(['--metrics-secure']).metricsSecure).toBe(true);
    expect(read([], { MULTICLUSTER_ENGINE_METRICS_SECURE: 'true' }).metricsSecure).toBe(true);
  });

  const files = ['--metrics-tls-cert=/c', '--metrics-tls-key=/k'];

  it('the certificate of the metrics needs both files', () => {
    expect(read([...files, '--metrics-secure']).metricsTls).toEqual({ cert: '/c', key: '/k' });
    for (const file of files) {
      expect(readConfig(['operator', '--metrics-secure', file], {})).toMatchObject({
        exitCode: 2,
        text: 'multicluster-engine: --metrics-tls-cert and --metrics-tls-key need each other\n',
      });
    }
  });

  it('the certificate of the metrics is rejected where they are plain', () => {
    expect(readConfig(['operator', ...files], {})).toMatchObject({
      exitCode: 2,
      text: 'multicluster-engine: --metrics-tls-cert must be unset without --metrics-secure, got "/c"\n',
    });
  });
});

describe('the inventories', () => {
  const runs = '--controllers=inventories';

  it('an inventory is read with its flag or variable', () => {
    expect(read([runs, '--cluster-profiles=fleet']).inventories).toEqual({
      clusterProfiles: 'fleet',
      ocmClusters: false,
    });
    expect(read([runs], { MULTICLUSTER_ENGINE_OCM_CLUSTERS: 'true' }).inventories).toEqual({
      clusterProfiles: undefined,
      ocmClusters: true,
    });
  });

  it.each([
    [[runs], '--controllers=inventories needs --cluster-profiles or --ocm-clusters'],
    [['--ocm-clusters'], '--ocm-clusters must be unset without inventories in --controllers, got "true"'],
    [
      ['--cluster-profiles=fleet'],
      '--cluster-profiles must be unset without inventories in --controllers, got "fleet"',
    ],
    [
      [runs, '--cluster-profiles=Fleet'],
      '--cluster-profiles must be a namespace name (at most 63 lower-case letters, digits and inner dashes), got "Fleet"',
    ],
  ])('the flags %j are refused: %s', (args, text) => {
    expect(usage(['operator', ...args])).toMatchObject({ exitCode: 2, text: `multicluster-engine: ${text}\n` });
  });
});

it('decisions are published for SIG Multicluster with the flag or its variable', () => {
  expect(read(['--sig-decisions']).sigDecisions).toBe(true);
  expect(read([], { MULTICLUSTER_ENGINE_SIG_DECISIONS: 'true' }).sigDecisions).toBe(true);
});

it('MultiKueue is served with the flag or its variable', () => {
  expect(read(['--multikueue']).multikueue).toBe(true);
  expect(read([], { MULTICLUSTER_ENGINE_MULTIKUEUE: 'true' }).multikueue).toBe(true);
});

it('clusters are published for SIG Multicluster in the namespace of the flag or its variable', () => {
  expect(read(['--publish-profiles=cluster-inventory']).publishProfiles).toBe('cluster-inventory');
  expect(read([], { MULTICLUSTER_ENGINE_PUBLISH_PROFILES: 'fleet' }).publishProfiles).toBe('fleet');
  expect(usage(['operator', '--publish-profiles=Fleet'])).toMatchObject({ exitCode: 2 });
});

it('user ids are left out with the flag or its variable', () => {
  expect(read(['--omit-user-ids']).omitUserIds).toBe(true);
  expect(read([], { MULTICLUSTER_ENGINE_OMIT_USER_IDS: 'true' }).omitUserIds).toBe(true);
});

const DIGESTED = `host:5000/a/b@sha256:${'0'.repeat(64)}`;

describe('a valid flag value', () => {
  it.each<[string, string, Partial<OperatorConfig>]>([
    ['controllers', 'placement', { controllers: ['placement'] }],
    ['controllers', 'placement,engine', { controllers: ['engine', 'placement'] }],
    ['kubeconfig', '/etc/k c/config', { kubeconfig: '/etc/k c/config' }],
    ['leader-election-namespace', 'ns', { leaderElectionNamespace: 'ns' }],
    ['identity', 'pod-7f.x_1', { identity: 'pod-7f.x_1' }],
    ['namespace', 'a'.repeat(63), { namespace: 'a'.repeat(63) }],
    ['component-image', DIGESTED, { componentImage: DIGESTED }],
    ['component-image', 'multicluster-engine:0.1.0', { componentImage: 'multicluster-engine:0.1.0' }],
    ['component-replicas', '1', { componentReplicas: 1 }],
    ['component-replicas', '100', { componentReplicas: 100 }],
    ['without', 'console', { without: ['console'] }],
    ['metrics-listen', '127.0.0.1:0', { metricsListen: { host: '127.0.0.1', port: 0 } }],
    ['metrics-listen', ':9000', { metricsListen: { host: '', port: 9000 } }],
    ['health-listen', '[::1]:65535', { healthListen: { host: '::1', port: 65535 } }],
    ['health-listen', 'localhost:1', { healthListen: { host: 'localhost', port: 1 } }],
    ['log-level', 'trace', { logLevel: 'trace' }],
    ['workers', '64', { workers: 64 }],
    ['kube-api-qps', '0.5', { kubeApiQps: 0.5, kubeApiBurst: 1 }],
    ['kube-api-qps', '500', { kubeApiQps: 500, kubeApiBurst: 1000 }],
    ['kube-api-burst', '100', { kubeApiQps: 100, kubeApiBurst: 100 }],
    ['settle-window', '0s', { settleWindowMs: 0 }],
    ['settle-window', '1.5s', { settleWindowMs: 1500 }],
    ['settle-window', '10000ms', { settleWindowMs: 10_000 }],
  ])('a valid flag value of --%s, %s, is taken from the flag and from the environment', (flag, value, expected) => {
    const variable = VARIABLES[flag] ?? '';

    expect(read([`--${flag}=${value}`])).toMatchObject(expected);
    expect(read([`--${flag}`, value])).toMatchObject(expected);
    expect(read([], { [variable]: value })).toMatchObject(expected);
  });

  it('a valid flag value on the command line wins over the environment', () => {
    expect(read(['--workers=3'], { MULTICLUSTER_ENGINE_WORKERS: 'many' }).workers).toBe(3);
  });

  it('a valid flag value that is empty in the environment counts as not set', () => {
    expect(read([], { MULTICLUSTER_ENGINE_WORKERS: '', MULTICLUSTER_ENGINE_NAMESPACE: '' })).toMatchObject({
      workers: 8,
      namespace: undefined,
    });
  });

  it('a flag value is not read from variables without the prefix', () => {
    expect(read([], { WORKERS: '3', MULTICLUSTER_ENGINE_PORT: 'tcp://10.0.0.1:443' }).workers).toBe(8);
  });
});

describe('an invalid flag value', () => {
  const NAMESPACE = 'a namespace name (at most 63 lower-case letters, digits and inner dashes)';
  const LISTEN = 'HOST:PORT, [IPV6]:PORT or :PORT with a port from 0 to 65535';
  const DURATION = 'a duration such as 50ms or 1s, from 0s to 10s';
  const IMAGE = 'an image name: [host[:port]/]path[:tag][@digest]';

  it.each<[string, string, string, string?]>([
    ['controllers', 'engine,gateway', 'one of engine, placement, clusters, inventories', 'gateway'],
    ['controllers', 'engine,engine', 'a list without duplicates'],
    ['controllers', 'engine,', 'one of engine, placement, clusters, inventories', ''],
    ['leader-election-namespace', 'A', NAMESPACE],
    ['namespace', '-a', NAMESPACE],
    ['namespace', 'a'.repeat(64), NAMESPACE],
    ['namespace', 'a.b', NAMESPACE],
    ['identity', 'a b', '1 to 253 letters, digits, ".", "_" or "-"'],
    ['namespace', 'default', 'neither default nor kube-*'],
    ['namespace', 'kube-system', 'neither default nor kube-*'],
    ['component-image', 'a b', IMAGE],
    ['component-image', 'A^B', IMAGE],
    ['component-image', 'a/b:', IMAGE],
    ['component-image', 'a//b', IMAGE],
    ['component-image', 'a@sha256:12', IMAGE],
    ['component-image', `a@sha512:${'0'.repeat(64)}`, IMAGE],
    ['without', 'gateway', 'one of console'],
    ['component-replicas', '0', 'a whole number from 1 to 100'],
    ['component-replicas', '101', 'a whole number from 1 to 100'],
    ['component-replicas', '1.5', 'a whole number from 1 to 100'],
    ['component-replicas', '-1', 'a whole number from 1 to 100'],
    ['component-replicas', '0x2', 'a whole number from 1 to 100'],
    ['metrics-listen', '8080', LISTEN],
    ['metrics-listen', 'host:65536', LISTEN],
    ['health-listen', '::1:8080', LISTEN],
    ['health-listen', 'a b:1', LISTEN],
    ['health-listen', ':8080', 'an address with another port than the metrics'],
    ['log-level', 'INFO', 'one of trace, debug, info, warn, error, fatal'],
    ['workers', '65', 'a whole number from 1 to 64'],
    ['workers', '1e1', 'a whole number from 1 to 64'],
    ['kube-api-qps', '0', 'a number above 0, up to 10000'],
    ['kube-api-qps', 'NaN', 'a number above 0, up to 10000'],
    ['kube-api-qps', '10001', 'a number above 0, up to 10000'],
    ['kube-api-burst', '99', 'a whole number from 100 to 20000'],
    ['settle-window', '50', DURATION],
    ['settle-window', '10.1s', DURATION],
    ['settle-window', '1m', DURATION],
    ['settle-window', 'a\nb', DURATION],
  ])(
    'an invalid flag value of --%s, %j, is refused in one line that names flag, rule and value',
    (flag, value, rule, shown = value) => {
      const variable = VARIABLES[flag] ?? '';
      const line = (origin: string): string =>
        `multicluster-engine: ${origin} must be ${rule}, got ${JSON.stringify(shown)}\n`;

      expect(usage(['operator', `--${flag}=${value}`])).toEqual({
        command: 'usage',
        exitCode: 2,
        text: line(`--${flag}`),
      });
      expect(usage(['operator'], { [variable]: value })).toEqual({
        command: 'usage',
        exitCode: 2,
        text: line(variable),
      });
    },
  );

  it.each(Object.keys(VARIABLES))('an invalid flag value that is empty is refused for --%s', (flag) => {
    expect(usage(['operator', `--${flag}=`])).toMatchObject({
      exitCode: 2,
      text: expect.stringMatching(new RegExp(`^multicluster-engine: --${flag} must be .*, got ""\n$`)),
    });
  });
});

describe('the help of the operator', () => {
  it.each([[['operator', '--help']], [['operator', '-h']], [['operator', '--workers=3', '--help']]])(
    'the help of %j lists the flags that take a value, with variable and default',
    (argv) => {
      const { exitCode, text } = usage(argv);

      expect(exitCode).toBe(0);
      for (const [flag, variable] of Object.entries(VARIABLES)) {
        expect(text).toMatch(new RegExp(`--${flag}=[A-Z:]+ +\\S.*\n +${variable} +default: \\S`));
      }
      expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(140);
    },
  );
});
