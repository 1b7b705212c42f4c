import { LOG_LEVELS, type FlagRows, type Flags, type Listen, type LogLevel } from '../runtime/flags/flags.js';
import type { Command, Given } from '../runtime/flags/commands.js';

/** The configuration of `multicluster-engine agent`. */
export interface AgentConfig {
  readonly command: 'agent';
  /** Version of this program. */
  readonly version: string;
  /** File with the address and credentials of the managed cluster; undefined: in-cluster, else the usual kubeconfig rules. */
  readonly kubeconfig: string | undefined;
  /** The agent's namespace, which holds the Secret `hub-token` and the ConfigMaps with claims. */
  readonly namespace: string;
  /** Published as the URL of the managed cluster; undefined: that of kube-public/cluster-info. */
  readonly apiEndpoint: string | undefined;
  /** The namespace of Argo CD on the hub, to which tokens of this cluster are handed over; undefined: none are. */
  readonly argoCdNamespace: string | undefined;
  /** Requested for each token of the hub. */
  readonly tokenLifetimeSeconds: number;
  readonly metricsListen: Listen;
  readonly healthListen: Listen;
  readonly logLevel: LogLevel;
}

/** The shortest lifetime that Kubernetes gives, and the longest that the hub's policy permits. */
const LIFETIME_SECONDS = { from: 600, to: 604_800 };

const AGENT_FLAGS: FlagRows = {
  kubeconfig: {
    value: 'FILE',
    help: 'kubeconfig of the managed cluster',
    defaultText: 'in-cluster, else as for kubectl',
    completes: { files: true },
  },
  namespace: {
    value: 'NAMESPACE',
    help: 'namespace of the Secret hub-token and of the ConfigMaps with claims',
    default: 'multicluster-engine-agent',
    completes: { live: 'namespaces' },
  },
  'api-endpoint': {
    value: 'URL',
    help: 'https URL of the managed cluster, to be published',
    defaultText: 'that of kube-public/cluster-info',
  },
  'argo-cd-namespace': {
    value: 'NAMESPACE',
    help: 'namespace of Argo CD on the hub, to hand over tokens of this cluster',
    defaultText: 'hand over none',
  },
  'token-lifetime': {
    value: 'SECONDS',
    help: 'lifetime to request for tokens of the hub, 600 to 604800',
    default: '604800',
  },
  'metrics-listen': { value: 'HOST:PORT', help: 'address of /metrics', default: ':8080' },
  'health-listen': { value: 'HOST:PORT', help: 'address of /livez and /readyz', default: ':8081' },
  'log-level': { value: 'LEVEL', help: `one of ${LOG_LEVELS.join(', ')}`, default: 'info' },
};

export const AGENT: Command<AgentConfig> = {
  name: 'agent',
  summary: 'Runs in a managed cluster: joins the hub, renews its Lease there and reports its status.',
  flags: AGENT_FLAGS,
  build: agent,
};

/** The configuration of the agent. @throws FlagError with the flag or variable, its value and the rule */
function agent(flags: Flags, { version }: Pick<Given, 'version'>): AgentConfig {
  const health = flags.get('health-listen');
  const config: AgentConfig = {
    command: 'agent',
    version,
    kubeconfig: flags.find('kubeconfig')?.file(),
    namespace: flags.get('namespace').namespace(),
    apiEndpoint: flags.find('api-endpoint')?.httpsUrl(),
    argoCdNamespace: flags.find('argo-cd-namespace')?.namespace(),
    tokenLifetimeSeconds: flags.get('token-lifetime').integer(LIFETIME_SECONDS.from, LIFETIME_SECONDS.to),
    metricsListen: flags.get('metrics-listen').listen(),
    healthListen: health.listen(),
    logLevel: flags.get('log-level').oneOf(LOG_LEVELS),
  };
  const { metricsListen, healthListen } = config;
  if (metricsListen.port !== 0 && metricsListen.port === healthListen.port)
    health.refuse('an address with another port than the metrics');
  return config;
}
