import {
  apiSource,
  checkNoArguments,
  NAMESPACE_NAMES,
  NAMESPACE_RULE,
  TARGET_FLAGS,
  targetConfig,
} from '../../runtime/flags/target.js';
import { defineCommand, type ConfigOf } from '../../runtime/flags/commands.js';
import { PATH_NAME } from '../../runtime/vocabulary/names.js';
import type { FlagRows } from '../../runtime/flags/flags.js';
import {
  CLI_FLAGS,
  cliConfig,
  CLUSTER_NAMES,
  clusterIn,
  HUB_FLAGS,
  nameIn,
  OF_CLUSTER,
  OF_PLACEMENT,
  placementIn,
  READING_CODES,
  topologyIn,
} from '../flags.js';

/** The commands that only read, and what each takes. */

/** For a command that can show its answer again. */
const WATCH_FLAG: FlagRows = {
  watch: {
    short: 'w',
    help: 'print the answer again whenever it changes, until Ctrl-C',
    default: 'false',
    excludes: ['offline'],
  },
};

export type ExplainConfig = ConfigOf<typeof EXPLAIN>;

export const EXPLAIN = defineCommand({
  name: 'explain',
  summary: 'Explains why each cluster is selected by a Placement or not. Read-only.',
  ...OF_PLACEMENT,
  flags: {
    cluster: { value: 'NAME', help: 'explain only this cluster', defaultText: 'all', completes: CLUSTER_NAMES },
    nearest: {
      value: 'K',
      help: 'show this many of the clusters that match no predicate, 0 to 10000',
      default: '10',
      excludes: ['cluster', 'output=name'],
    },
    scores: { help: 'show the score of each coordinate', default: 'false', excludes: ['output=name'] },
    ...CLI_FLAGS,
  },
  exitCodes: READING_CODES,
  build: (flags, given) => {
    const cluster = flags.find('cluster');
    return {
      command: 'explain',
      ...cliConfig(flags, given),
      placement: placementIn(given.positional),
      /** The only cluster to explain; undefined: all. */
      cluster: cluster && clusterIn(cluster),
      /** How many clusters that match no predicate are shown. */
      nearest: flags.get('nearest').integer(0, 10_000),
      /** Show what each score is the sum of. */
      scores: flags.get('scores').bool(),
    };
  },
});

export type WhoSelectsConfig = ConfigOf<typeof WHO_SELECTS>;

export const WHO_SELECTS = defineCommand({
  name: 'who-selects',
  summary: 'Lists the Placements that select a cluster, and what they select without it. Read-only.',
  ...OF_CLUSTER,
  flags: HUB_FLAGS,
  exitCodes: READING_CODES,
  build: (flags, given) => {
    return { command: 'who-selects', ...cliConfig(flags, given), cluster: nameIn(given.positional) };
  },
});

export type TreeConfig = ConfigOf<typeof TREE>;

export const TREE = defineCommand({
  name: 'tree',
  summary: 'Shows the selected clusters of Placements by cluster set, or by a claim or label. Read-only.',
  ...OF_PLACEMENT,
  arguments: `[${OF_PLACEMENT.arguments}]`,
  flags: {
    ...WATCH_FLAG,
    by: { value: 'KEY', help: 'claim/KEY or label/KEY: a branch for each value', defaultText: 'by cluster set' },
    ...CLI_FLAGS,
  },
  exitCodes: READING_CODES,
  build: (flags, given) => {
    const { positional } = given;
    return {
      command: 'tree',
      ...cliConfig(flags, given),
      watch: flags.get('watch').bool(),
      /** The only Placement to show; undefined: all. */
      placement: positional.length === 0 ? undefined : placementIn(positional, `[${OF_PLACEMENT.arguments}]`),
      /** The claim or label whose values are the branches; undefined: the cluster sets are. */
      by: topologyIn(flags.find('by')),
    };
  },
});

export type HistoryConfig = ConfigOf<typeof HISTORY>;

export const HISTORY = defineCommand({
  name: 'history',
  summary: 'Shows which clusters came into a decision and left it, when and why. Read-only.',
  ...OF_PLACEMENT,
  flags: CLI_FLAGS,
  exitCodes: READING_CODES,
  build: (flags, given) => {
    return { command: 'history', ...cliConfig(flags, given), placement: placementIn(given.positional) };
  },
});

export type StatusConfig = ConfigOf<typeof STATUS>;

export const STATUS = defineCommand({
  name: 'status',
  summary: 'Counts components, Placements by phase and clusters by health. Read-only.',
  arguments: '',
  flags: { ...WATCH_FLAG, ...HUB_FLAGS },
  exitCodes: READING_CODES,
  build: (flags, given) => {
    checkNoArguments(given.positional);
    return { command: 'status', ...cliConfig(flags, given), watch: flags.get('watch').bool() };
  },
});

export type CheckConfig = ConfigOf<typeof CHECK>;

export const CHECK = defineCommand({
  name: 'check',
  summary: 'Checks an installation: definitions, engine, Leases, certificate, fleet. Read-only.',
  arguments: '',
  flags: {
    pre: { help: 'check what an installation needs', default: 'false' },
    'operator-namespace': {
      value: 'NAMESPACE',
      help: 'namespace of the operator and of its Leases',
      default: 'multicluster-engine-operator',
      completes: NAMESPACE_NAMES,
    },
    ...ofHubAlone(HUB_FLAGS),
    namespace: {
      ...HUB_FLAGS['namespace'],
      help: 'only Placements of this namespace',
      excludes: ['all-namespaces', 'pre'],
    },
  },
  exitCodes: '0: all is well, or there are warnings; 1: a check failed, or an error; 3: a check could not be done',
  build: (flags, given) => {
    checkNoArguments(given.positional);
    const source = apiSource(flags);
    return {
      command: 'check',
      ...cliConfig(flags, given, source),
      source,
      /** Check what an installation needs, instead of what it has made. */
      pre: flags.get('pre').bool(),
      /** Namespace of the operator and of the Leases. */
      operatorNamespace: flags.get('operator-namespace').matching(PATH_NAME, NAMESPACE_RULE),
    };
  },
});

/** Files do not describe a hub. */
function ofHubAlone({ offline: _offline, filename: _filename, ...rows }: FlagRows): FlagRows {
  return rows;
}

export type McpConfig = ConfigOf<typeof MCP>;

export const MCP = defineCommand({
  name: 'mcp',
  summary:
    'Serves explain, plan, who-selects, tree, history and check to AI assistants, by the Model Context Protocol. Read-only.',
  arguments: '',
  flags: TARGET_FLAGS,
  exitCodes: '0: standard input has ended; 1: a message is too long; 141: nobody reads the answers any more',
  build: (flags, given) => {
    checkNoArguments(given.positional);
    return { command: 'mcp', ...targetConfig(flags, given) };
  },
});

const VERSION_FORMATS = ['json', 'yaml'] as const;

export type VersionConfig = ConfigOf<typeof VERSION>;

export const VERSION = defineCommand({
  name: 'version',
  summary: 'Prints the version, and the commit that it was built from.',
  arguments: '',
  flags: {
    output: {
      value: 'FORMAT',
      short: 'o',
      help: 'json or yaml',
      defaultText: 'text',
      completes: { words: VERSION_FORMATS },
    },
  },
  build: (flags, { positional }) => {
    checkNoArguments(positional);
    return { command: 'version', output: flags.find('output')?.oneOf(VERSION_FORMATS) ?? 'text' };
  },
});
