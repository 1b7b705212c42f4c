import {
  apiSource,
  checkNoArguments,
  NAMESPACE_NAMES,
  NAMESPACE_RULE,
  TARGET_FLAGS,
  targetConfig,
} from '../../runtime/flags/target.js';
import { defineCommand } from '../../runtime/flags/commands.js';
import { PATH_NAME } from '../../runtime/vocabulary/names.js';
import { ALL, CLUSTER, input, NAME, NAMESPACE, PLACEMENT, userCommand } from '../command.js';
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
import { PLAN } from './plan.js';

/** The commands that only read, and what each takes. */

const EXPLAIN = userCommand({
  name: 'explain',
  summary: 'Explains why each cluster is selected by a Placement or not. Read-only.',
  tool: {
    description:
      'Why each cluster is selected by a Placement or not: verdict, the requirement that it fails, what would have to change. Kind PlacementExplanation.',
    narrower: 'ask for one cluster',
    inputs: {
      placement: { ...PLACEMENT, isRequired: true },
      namespace: NAMESPACE,
      cluster: input('cluster', NAME, 'explain only this cluster'),
      nearest: input(
        'nearest',
        { type: 'integer', minimum: 0, maximum: 10_000 },
        'how many of the clusters that match no predicate are shown; default: 10; not with cluster',
      ),
    },
  },
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
      cluster: cluster && clusterIn(cluster),
      nearest: flags.get('nearest').integer(0, 10_000),
      scores: flags.get('scores').bool(),
    };
  },
  run: async (config) => (await import('../commands/explain.js')).runExplain(config),
});

const WHO_SELECTS = userCommand({
  name: 'who-selects',
  summary: 'Lists the Placements that select a cluster, and what they select without it. Read-only.',
  tool: {
    description: 'Which Placements select a cluster, and what they would select without it. Kind ClusterSelections.',
    narrower: 'name a namespace',
    inputs: { cluster: CLUSTER, namespace: NAMESPACE },
  },
  ...OF_CLUSTER,
  flags: HUB_FLAGS,
  exitCodes: READING_CODES,
  build: (flags, given) => {
    return { command: 'who-selects', ...cliConfig(flags, given), cluster: nameIn(given.positional) };
  },
  run: async (config) => (await import('../commands/whoselects.js')).runWhoSelects(config),
});

const TREE = userCommand({
  name: 'tree',
  summary: 'Shows the selected clusters of Placements by cluster set, or by a claim or label. Read-only.',
  tool: {
    description: 'The selected clusters of Placements by cluster set, with phase and counts. Kind FleetTree.',
    narrower: 'name a namespace, or a placement; explain one cluster',
    inputs: { placement: PLACEMENT, namespace: NAMESPACE, allNamespaces: ALL },
  },
  ...OF_PLACEMENT,
  arguments: `[${OF_PLACEMENT.arguments}]`,
  flags: {
    by: { value: 'KEY', help: 'claim/KEY or label/KEY: a branch for each value', defaultText: 'by cluster set' },
    ...CLI_FLAGS,
  },
  exitCodes: READING_CODES,
  build: (flags, given) => {
    const { positional } = given;
    return {
      command: 'tree',
      ...cliConfig(flags, given),
      placement: positional.length === 0 ? undefined : placementIn(positional, `[${OF_PLACEMENT.arguments}]`),
      by: topologyIn(flags.find('by')),
    };
  },
  run: async (config) => (await import('../commands/tree.js')).runTree(config),
});

const HISTORY = userCommand({
  name: 'history',
  summary: 'Shows which clusters came into a decision and left it, when and why. Read-only.',
  tool: {
    description: 'Which clusters came into a decision and left it, when and why. Kind PlacementHistory.',
    narrower: 'see the decision objects',
    inputs: { placement: { ...PLACEMENT, isRequired: true }, namespace: NAMESPACE },
  },
  ...OF_PLACEMENT,
  flags: CLI_FLAGS,
  exitCodes: READING_CODES,
  build: (flags, given) => {
    return { command: 'history', ...cliConfig(flags, given), placement: placementIn(given.positional) };
  },
  run: async (config) => (await import('../commands/history.js')).runHistory(config),
});

const STATUS = userCommand({
  name: 'status',
  summary: 'Counts components, Placements by phase and clusters by health. Read-only.',
  arguments: '',
  flags: HUB_FLAGS,
  exitCodes: READING_CODES,
  build: (flags, given) => {
    checkNoArguments(given.positional);
    return { command: 'status', ...cliConfig(flags, given) };
  },
  run: async (config) => (await import('../commands/status.js')).runStatus(config),
});

/** Files do not describe a hub. */
const { offline: _offline, filename: _filename, ...OF_HUB_ALONE } = HUB_FLAGS;

const CHECK = userCommand({
  name: 'check',
  summary: 'Checks an installation: definitions, engine, Leases, certificate, fleet. Read-only.',
  tool: {
    description:
      'What is wrong with an installation: definitions, engine, controllers, certificate, fleet. Kind CheckReport.',
    narrower: 'name a namespace',
    inputs: {
      namespace: input('namespace', NAME, 'only Placements of this namespace'),
      pre: input('pre', { type: 'boolean' }, 'check what an installation needs, before it is made'),
    },
  },
  arguments: '',
  flags: {
    pre: { help: 'check what an installation needs', default: 'false' },
    'operator-namespace': {
      value: 'NAMESPACE',
      help: 'namespace of the operator and of its Leases',
      default: 'multicluster-engine-operator',
      completes: NAMESPACE_NAMES,
    },
    ...OF_HUB_ALONE,
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
      pre: flags.get('pre').bool(),
      operatorNamespace: flags.get('operator-namespace').matching(PATH_NAME, NAMESPACE_RULE),
    };
  },
  run: async (config) => (await import('../commands/check.js')).runCheck(config),
});

/** About Placements and clusters. */
export const ASKING = [EXPLAIN, PLAN, WHO_SELECTS, TREE];
/** About the state of a hub. */
export const STATE = [HISTORY, STATUS, CHECK];

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

export const VERSION = userCommand({
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
  run: async (config) => (await import('../commands/version.js')).runVersion(config),
});
