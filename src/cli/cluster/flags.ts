import { releasedImage } from '../../api/published.js';
import {
  apiSource,
  durationMs,
  nameIn,
  namespaceIn,
  outputConfig,
  refuseArguments,
  rowsOf,
  type CliConfig,
  type CliEnvironment,
  type ObjectSource,
} from '../flags.js';
import { FlagError, type FlagRows, type Flags, type FlagValue } from '../../runtime/flags/flags.js';

/** The commands that let clusters join and leave, and that keep Placements away from them. */

/** The API server that a command writes to. */
interface WriteConfig extends Pick<CliConfig, 'version' | 'namespace'> {
  readonly source: Extract<ObjectSource, { kind: 'api' }>;
}

/** The configuration of `multicluster-engine cluster add`. */
export interface ClusterAddConfig extends WriteConfig {
  readonly command: 'cluster add';
  readonly cluster: string;
  readonly clusterSet: string | undefined;
  /** The hub's address for the agent; undefined: that of the kubeconfig. */
  readonly hubUrl: string | undefined;
  /** How long the token for joining is valid. */
  readonly validSeconds: number;
  readonly renew: boolean;
  /** Of the agent. */
  readonly image: string;
  /** The cluster's own address that its agent reports; undefined: the agent finds it. */
  readonly apiEndpoint: string | undefined;
}

/** The configuration of `multicluster-engine cluster remove`. */
export interface ClusterRemoveConfig extends WriteConfig {
  readonly command: 'cluster remove';
  readonly cluster: string;
  readonly force: boolean;
}

/** The configuration of `multicluster-engine cluster list`. */
export interface ClusterListConfig extends WriteConfig, Pick<CliConfig, 'output' | 'color'> {
  readonly command: 'cluster list';
}

/** The configuration of `multicluster-engine clusterset bind`. */
export interface ClusterSetBindConfig extends WriteConfig {
  readonly command: 'clusterset bind';
  readonly clusterSet: string;
}

/** The configuration of `multicluster-engine cordon` and `uncordon`. */
export interface CordonConfig extends WriteConfig {
  readonly command: 'cordon' | 'uncordon';
  readonly cluster: string;
}

/** The configuration of `multicluster-engine drain`. */
export interface DrainConfig extends WriteConfig {
  readonly command: 'drain';
  readonly cluster: string;
  /** Show what would happen, and change nothing. */
  readonly dryRun: boolean;
  /** Do not ask. */
  readonly yes: boolean;
  readonly timeoutMs: number;
}

export type FleetConfig =
  | ClusterAddConfig
  | ClusterRemoveConfig
  | ClusterListConfig
  | ClusterSetBindConfig
  | CordonConfig
  | DrainConfig;

const FLEET_CONFIGS: readonly string[] = [
  'cluster add',
  'cluster remove',
  'cluster list',
  'clusterset bind',
  'cordon',
  'uncordon',
  'drain',
] satisfies readonly FleetConfig['command'][];

export function isFleetConfig<T extends { readonly command: string }>(config: T): config is Extract<T, FleetConfig> {
  return FLEET_CONFIGS.includes(config.command);
}

/** A command of this file; `build` throws FlagError with the flag or argument, its value and the rule. */
interface FleetCommand {
  readonly name: string;
  readonly summary: string;
  readonly arguments: string;
  readonly flags: FlagRows;
  /** The flags that only some of the actions in `arguments` have, by the name of the action. */
  readonly actionFlags?: Readonly<Record<string, readonly string[]>>;
  readonly build: (flags: Flags, environment: CliEnvironment) => FleetConfig;
}

const HUB = rowsOf('kubeconfig', 'context', 'as');
const CLUSTER_ARGUMENTS = 'add NAME, remove NAME or list';
const SET_ARGUMENTS = 'bind SET';
const CLUSTER_NAME = /^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL_VALUE = /^(?=.{1,63}$)[A-Za-z0-9]([-\w.]*[A-Za-z0-9])?$/;
const HTTPS_URL = /^https:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/;
/** The name of a ServiceAccount that every namespace has: no agent is called so. */
const NO_CLUSTER = 'default';
/** The flags of each action of `cluster`, besides {@link HUB}. */
const ACTION_FLAGS: Readonly<Record<string, readonly string[]>> = {
  add: ['set', 'hub-url', 'valid', 'renew', 'image', 'api-endpoint'],
  remove: ['force'],
  list: ['output', 'color'],
};

export const FLEET_COMMANDS: readonly FleetCommand[] = [
  {
    name: 'cluster',
    summary: 'Lets a cluster join (prints the manifest for it) or leave, or lists all clusters.',
    arguments: 'add NAME|remove NAME|list',
    flags: {
      set: { value: 'SET', help: 'add: value of the cluster set label', excludes: ['renew'] },
      'hub-url': { value: 'URL', help: 'add: address of the hub for the agent', defaultText: 'that of the kubeconfig' },
      valid: { value: 'DURATION', help: 'add: how long the cluster may join, 10m to 24h', default: '1h' },
      renew: {
        help: 'add: invalidate all tokens of a cluster that has joined, and let it join again',
        default: 'false',
      },
      image: { value: 'IMAGE', help: 'add: image of the agent', defaultText: 'that of this release, if it is one' },
      'api-endpoint': { value: 'URL', help: 'add: address that the cluster reports as its own' },
      force: { help: 'remove: even while decisions name the cluster', default: 'false' },
      ...rowsOf('output', 'color'),
      ...HUB,
    },
    actionFlags: ACTION_FLAGS,
    build: cluster,
  },
  {
    name: 'clusterset',
    summary: 'Lets the Placements of a namespace select from a cluster set.',
    arguments: SET_ARGUMENTS,
    flags: { ...rowsOf('namespace'), ...HUB },
    build: clusterSet,
  },
  {
    name: 'cordon',
    summary: 'Keeps Placements from newly selecting a cluster; Placements that have selected it keep it.',
    arguments: 'CLUSTER',
    flags: HUB,
    build: (flags, environment) => cordon('cordon', flags, environment),
  },
  {
    name: 'uncordon',
    summary: 'Ends cordon and drain: Placements may select the cluster again.',
    arguments: 'CLUSTER',
    flags: HUB,
    build: (flags, environment) => cordon('uncordon', flags, environment),
  },
  {
    name: 'drain',
    summary: 'Moves a cluster out of all decisions: shows its replacements, asks, and waits.',
    arguments: 'CLUSTER',
    flags: {
      'dry-run': { help: 'show what would happen, and change nothing', default: 'false' },
      yes: { short: 'y', help: 'do not ask', default: 'false' },
      timeout: { value: 'DURATION', help: 'how long to wait until no decision names it, 1s to 7d', default: '10m' },
      ...HUB,
    },
    build: drain,
  },
];

function drain(flags: Flags, environment: CliEnvironment): DrainConfig {
  return {
    command: 'drain',
    ...writeConfig(flags, environment),
    cluster: nameIn(environment.positional, 'CLUSTER'),
    dryRun: flags.get('dry-run').bool(),
    yes: flags.get('yes').bool(),
    timeoutMs: durationMs(flags.get('timeout'), '7d'),
  };
}

function cluster(flags: Flags, environment: CliEnvironment): FleetConfig {
  const [action = '', ...rest] = environment.positional;
  const allowed = ACTION_FLAGS[action];
  if (allowed === undefined || rest.length !== (action === 'list' ? 0 : 1))
    return refuseArguments(environment.positional, CLUSTER_ARGUMENTS);
  const others = Object.values(ACTION_FLAGS).flat();
  const other = others.find((name) => flags.isSet(name) && !allowed.includes(name));
  if (other !== undefined) throw new FlagError(`--${other} cannot be used with cluster ${action}`);
  const base = writeConfig(flags, environment);
  if (action === 'add') return clusterAdd(flags, base, rest[0] ?? '');
  if (action === 'list') return { command: 'cluster list', ...base, ...outputConfig(flags, environment.env) };
  const name = nameIn(rest, 'remove NAME');
  return { command: 'cluster remove', ...base, cluster: name, force: flags.get('force').bool() };
}

function clusterAdd(flags: Flags, base: WriteConfig, name: string): ClusterAddConfig {
  if (!CLUSTER_NAME.test(name) || name === NO_CLUSTER)
    throw new FlagError(
      `the name of a cluster must be a DNS name of at most 63 characters other than ${NO_CLUSTER}, got ${JSON.stringify(name)}`,
    );
  return {
    command: 'cluster add',
    ...base,
    cluster: name,
    clusterSet: flags.find('set')?.matching(LABEL_VALUE, 'the name of a cluster set'),
    hubUrl: flags.find('hub-url')?.matching(HTTPS_URL, 'an https URL'),
    validSeconds: validSeconds(flags.get('valid')),
    renew: flags.get('renew').bool(),
    image: requiredImage(flags, 'image', base.version),
    apiEndpoint: flags.find('api-endpoint')?.matching(HTTPS_URL, 'an https URL'),
  };
}

/** In minutes or hours: some API servers turn 3607 seconds, which clients in pods ask for, into a year. */
function validSeconds(given: FlagValue): number {
  const [, count = '', unit] = /^(\d{1,4})([mh])$/.exec(given.text) ?? [];
  const seconds = unit === undefined ? 0 : Number(count) * (unit === 'h' ? 3_600 : 60);
  return seconds >= 600 && seconds <= 86_400
    ? seconds
    : given.refuse('a duration in minutes or hours such as 30m or 1h, from 10m to 24h');
}

function clusterSet(flags: Flags, environment: CliEnvironment): ClusterSetBindConfig {
  const [action, name = '', ...more] = environment.positional;
  if (action !== 'bind' || !LABEL_VALUE.test(name) || more.length > 0)
    return refuseArguments(environment.positional, SET_ARGUMENTS);
  const namespace = namespaceIn(flags);
  return { command: 'clusterset bind', ...writeConfig(flags, environment), namespace, clusterSet: name };
}

function cordon(command: CordonConfig['command'], flags: Flags, environment: CliEnvironment): CordonConfig {
  const name = nameIn(environment.positional, 'CLUSTER');
  return { command, ...writeConfig(flags, environment), cluster: name };
}

function writeConfig(flags: Flags, { version }: CliEnvironment): WriteConfig {
  return { version, namespace: undefined, source: apiSource(flags) };
}

/** The image of the flag, else that of this release. */
function requiredImage(flags: Flags, name: string, version: string): string {
  const image = flags.find(name)?.image() ?? releasedImage(version);
  if (image !== undefined) return image;
  throw new FlagError(
    `--${name} is required, since no image of version ${version} is published: ` +
      'name the one that you have built and pushed, such as registry.example.com/multicluster-engine:TAG',
  );
}
