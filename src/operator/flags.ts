import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

import { NO_IMAGE, releasedImage } from '../api/published.js';
import { FlagError, LOG_LEVELS, type FlagRows, type Flags, type FlagValue } from '../runtime/flags/flags.js';
import { OPTIONAL_COMPONENTS } from '../domain/engine/spec.js';
import { defineCommand, type ConfigOf, type Given } from '../runtime/flags/commands.js';
import { tracing } from '../runtime/flags/tracing.js';

const CONTROLLERS = ['engine', 'placement', 'clusters', 'inventories'] as const;
/** Those that run without the flag. */
const DEFAULT_CONTROLLERS = CONTROLLERS.filter((name) => name !== 'inventories');

export type ControllerName = (typeof CONTROLLERS)[number];

const OPERATOR_FLAGS: FlagRows = {
  controllers: {
    value: 'LIST',
    help: 'controllers to run, separated by commas',
    default: DEFAULT_CONTROLLERS.join(','),
  },
  kubeconfig: {
    value: 'FILE',
    help: 'kubeconfig of the API server',
    defaultText: 'in-cluster, else as for kubectl',
    completes: { files: true },
  },
  'leader-election-namespace': {
    value: 'NAMESPACE',
    help: 'namespace of the Leases',
    default: 'multicluster-engine-operator',
  },
  identity: { value: 'NAME', help: 'name of this process in the Leases', defaultText: '<hostname>_<random>' },
  namespace: {
    value: 'NAMESPACE',
    help: 'the only namespace that an engine may install into',
    defaultText: 'any',
    completes: { live: 'namespaces' },
  },
  'component-image': {
    value: 'IMAGE',
    help: 'image of the components',
    defaultText: 'that of this release, if it is one',
    variable: 'IMAGE',
  },
  'component-replicas': { value: 'N', help: 'replicas of each component, 1 to 100', default: '2' },
  without: {
    value: 'LIST',
    help: `optional components that no engine may turn on, separated by commas: ${OPTIONAL_COMPONENTS.join(', ')}`,
    defaultText: 'none: as each engine says',
    completes: { words: OPTIONAL_COMPONENTS },
  },
  'omit-user-ids': {
    help: 'name no user and no group in the pods of the components: the platform assigns them',
    default: 'false',
  },
  'metrics-listen': { value: 'HOST:PORT', help: 'address of /metrics', default: ':8080' },
  'metrics-secure': {
    help: 'serve /metrics of all processes over HTTPS, to users who may get this nonResourceURL',
    default: 'false',
  },
  'metrics-tls-cert': {
    value: 'FILE',
    help: 'certificate of /metrics with its chain, PEM; reloaded when it changes',
    defaultText: 'a self-signed one',
  },
  'metrics-tls-key': {
    value: 'FILE',
    help: 'private key of --metrics-tls-cert, PEM',
    defaultText: 'that of the self-signed one',
  },
  'health-listen': { value: 'HOST:PORT', help: 'address of /livez and /readyz', default: ':8081' },
  'log-level': { value: 'LEVEL', help: `one of ${LOG_LEVELS.join(', ')}`, default: 'info' },
  workers: { value: 'N', help: 'concurrent reconciles of each controller, 1 to 64', default: '8' },
  'kube-api-qps': { value: 'N', help: 'requests to the API server per second, up to 10000', default: '100' },
  'kube-api-burst': {
    value: 'N',
    help: 'burst of requests to the API server, at least --kube-api-qps, up to 20000',
    defaultText: 'twice --kube-api-qps',
  },
  'settle-window': {
    value: 'DURATION',
    help: 'how long changes are collected before Placements are decided, 0 to 10s',
    default: '50ms',
  },
  'sig-decisions': {
    help: 'also publish decisions as PlacementDecisions of SIG Multicluster',
    default: 'false',
  },
  multikueue: {
    help: 'let MultiKueueConfigs of Kueue follow the decisions of Placements',
    default: 'false',
  },
  'publish-profiles': {
    value: 'NAMESPACE',
    help: 'also publish the clusters as ClusterProfiles of SIG Multicluster, in this namespace',
    completes: { live: 'namespaces' },
  },
  'cluster-profiles': {
    value: 'NAMESPACE',
    help: 'controller inventories: create ManagedClusters from the ClusterProfiles of this namespace',
  },
  'ocm-clusters': {
    help: 'controller inventories: create ManagedClusters from those of Open Cluster Management',
    default: 'false',
  },
};

export type OperatorConfig = ConfigOf<typeof OPERATOR>;

export const OPERATOR = defineCommand({
  name: 'operator',
  summary: 'Runs the controllers against a Kubernetes API server.',
  flags: OPERATOR_FLAGS,
  build: (flags, given) => {
    const health = flags.get('health-listen');
    const config = {
      command: 'operator' as const,
      ...managerConfig(flags, given),
      controllers: controllers(flags.get('controllers')),
      /** File with the API server's address and credentials; undefined: in-cluster, else the usual kubeconfig rules. */
      kubeconfig: flags.find('kubeconfig')?.file(),
      metricsListen: flags.get('metrics-listen').listen(),
      metricsTls: metricsTls(flags),
      healthListen: health.listen(),
      logLevel: flags.get('log-level').oneOf(LOG_LEVELS),
    };
    checkInventories(config, flags);
    const { metricsListen, healthListen } = config;
    if (metricsListen.port !== 0 && metricsListen.port === healthListen.port) {
      health.refuse('an address with another port than the metrics');
    }
    return config;
  },
});

/** The configuration of the controllers, in any process. */
export type ManagerConfig = Readonly<ReturnType<typeof managerConfig>>;

function managerConfig(flags: Flags, { env, version }: Given) {
  const namespace = flags.find('namespace');
  const identity = flags.find('identity');
  const qps = flags.get('kube-api-qps').number(10_000);
  return {
    version,
    leaderElectionNamespace: flags.get('leader-election-namespace').namespace(),
    /** Holder identity in the Lease. */
    identity: identity ? holder(identity) : `${hostname()}_${randomBytes(4).toString('hex')}`,
    /** The only target namespace that an engine may have; undefined: any. */
    namespace: namespace && targetName(namespace),
    componentImage: flags.find('component-image')?.image() ?? releasedImage(version) ?? NO_IMAGE,
    componentReplicas: flags.get('component-replicas').integer(1, 100),
    /** Optional components that no engine may turn on. */
    without: without(flags.find('without')),
    /** Name no user and no group in the pods of the components. */
    omitUserIds: flags.get('omit-user-ids').bool(),
    /** Serve the metrics of this process and of the components over HTTPS, to clients with a permitted token. */
    metricsSecure: flags.get('metrics-secure').bool(),
    tracing: tracing(env),
    /** Concurrent reconciles of each controller. */
    workers: flags.get('workers').integer(1, 64),
    /** Requests to the API server a second, on average, and those that may be sent at once. */
    kubeApiQps: qps,
    kubeApiBurst: flags.find('kube-api-burst')?.integer(Math.ceil(qps), 20_000) ?? Math.ceil(2 * qps),
    settleWindowMs: flags.get('settle-window').duration('0s', '10s'),
    /** The inventories of other projects that ManagedClusters are made from. */
    inventories: {
      /** The namespace whose ClusterProfiles of SIG Multicluster are read; undefined: none. */
      clusterProfiles: flags.find('cluster-profiles')?.namespace(),
      /** Whether the ManagedClusters of Open Cluster Management are read. */
      ocmClusters: flags.get('ocm-clusters').bool(),
    },
    /** Publish decisions also as PlacementDecisions of SIG Multicluster. */
    sigDecisions: flags.get('sig-decisions').bool(),
    /** Whether MultiKueueConfigs of Kueue follow decisions. */
    multikueue: flags.get('multikueue').bool(),
    /** The namespace that clusters are published in as ClusterProfiles of SIG Multicluster; undefined: they are not. */
    publishProfiles: flags.find('publish-profiles')?.namespace(),
  };
}

/** PEM files of the certificate of the metrics with its chain, and of its key; undefined: a self-signed one. */
function metricsTls(flags: Flags): { readonly cert: string; readonly key: string } | undefined {
  const [cert, key] = [flags.find('metrics-tls-cert'), flags.find('metrics-tls-key')];
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new FlagError('--metrics-tls-cert and --metrics-tls-key need each other');
  if (!flags.get('metrics-secure').bool()) cert.refuse('unset without --metrics-secure');
  return { cert: cert.file(), key: key.file() };
}

/** The controller `inventories` and the flags that enable an inventory need each other. */
function checkInventories(
  {
    controllers: names,
    inventories: on,
  }: Pick<ManagerConfig, 'inventories'> & { readonly controllers: readonly string[] },
  flags: Flags,
): void {
  const runs = names.includes('inventories');
  if (runs && on.clusterProfiles === undefined && !on.ocmClusters)
    throw new FlagError('--controllers=inventories needs --cluster-profiles or --ocm-clusters');
  const rule = 'unset without inventories in --controllers';
  if (!runs && on.clusterProfiles !== undefined) flags.get('cluster-profiles').refuse(rule);
  if (!runs && on.ocmClusters) flags.get('ocm-clusters').refuse(rule);
}

function controllers(given: FlagValue): readonly ControllerName[] {
  const names = given.text.split(',').map((text) => given.with(text).oneOf(CONTROLLERS));
  if (new Set(names).size < names.length) given.refuse('a list without duplicates');
  return Object.freeze(CONTROLLERS.filter((name) => names.includes(name)));
}

function without(given: FlagValue | undefined): readonly string[] {
  if (given === undefined) return [];
  return given.text.split(',').map((text) => given.with(text).oneOf(OPTIONAL_COMPONENTS));
}

/** The rule of the engine's CRD for spec.targetNamespace. */
function targetName(given: FlagValue): string {
  if (given.text === 'default' || given.text.startsWith('kube-')) given.refuse('neither default nor kube-*');
  return given.namespace();
}

function holder(given: FlagValue): string {
  return given.matching(/^[A-Za-z0-9._-]{1,253}$/, '1 to 253 letters, digits, ".", "_" or "-"');
}
