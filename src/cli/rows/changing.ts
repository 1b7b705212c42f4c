import { TARGET_FLAGS, targetConfig, namespaceIn } from '../../runtime/flags/target.js';
import { userCommand } from '../command.js';
import {
  CLUSTER_NAMES,
  clustersIn,
  nameIn,
  OF_CLUSTER,
  OF_PLACEMENT,
  placementIn,
  rowsOf,
  DURATIONS,
  refuseArguments,
  SET_NAME,
  SET_NAMES,
} from '../flags.js';
import { LONGEST_RELEASE, USUAL_RELEASE } from '../../domain/placement/spec/budget.js';
import { ManagedClusterSets } from '../../api/resources.js';
import { nameAmong } from '../../answers/meant.js';
import type { FlagRow, FlagValue } from '../../runtime/flags/flags.js';

import { CLUSTER } from './cluster.js';

/** The commands that change Placements, bindings and the maintenance of clusters, and what each takes. */

const NAMESPACED_TARGET = { ...rowsOf('namespace'), ...TARGET_FLAGS };
const DRY_RUN: FlagRow = { help: 'show what would happen, and change nothing', default: 'false' };

const RELEASE = userCommand({
  name: 'release',
  summary: 'Releases clusters that are held in a decision, or kept out of it, by an annotation of the Placement.',
  ...OF_PLACEMENT,
  flags: {
    additions: { help: 'let clusters come in that the budget keeps out; none may leave', default: 'false' },
    clusters: {
      value: 'A,B',
      list: true,
      help: 'clusters that may leave or come in, or *',
      defaultText: 'those that are held now',
      completes: CLUSTER_NAMES,
    },
    for: {
      value: 'DURATION',
      help: `how long they may leave or come in, 1s to ${LONGEST_RELEASE}`,
      default: USUAL_RELEASE,
    },
    'dry-run': { ...DRY_RUN, help: 'show what would be released, and change nothing' },
    ...NAMESPACED_TARGET,
  },
  build: (flags, given) => ({
    command: 'release',
    ...targetConfig(flags, given),
    namespace: namespaceIn(flags),
    placement: placementIn(given.positional),
    additions: flags.get('additions').bool(),
    clusters: releasedIn(flags.find('clusters')),
    forMs: flags.get('for').duration('1s', LONGEST_RELEASE, DURATIONS),
    dryRun: flags.get('dry-run').bool(),
  }),
  run: async (config) => (await import('../commands/release.js')).runRelease(config),
});

function releasedIn(flag: FlagValue | undefined): readonly string[] | undefined {
  return flag?.text === '*' ? ['*'] : flag && clustersIn(flag);
}

const PAUSE = pausing('pause', 'Freezes the decision of a Placement: nothing comes in and nothing leaves.');
const RESUME = pausing('resume', 'Ends a pause: shows what changes, and lets the decision follow again.');

function pausing(command: 'pause' | 'resume', summary: string) {
  return userCommand({
    name: command,
    summary,
    ...OF_PLACEMENT,
    flags: { 'dry-run': DRY_RUN, ...NAMESPACED_TARGET },
    build: (flags, given) => ({
      command,
      ...targetConfig(flags, given),
      namespace: namespaceIn(flags),
      placement: placementIn(given.positional),
      dryRun: flags.get('dry-run').bool(),
    }),
    run: async (config) => (await import('../commands/pause.js')).runPause(config),
  });
}

const CLUSTER_SET = userCommand({
  name: 'clusterset',
  summary: 'Lets the Placements of a namespace select from a cluster set.',
  arguments: 'bind SET',
  flags: NAMESPACED_TARGET,
  completes: [{ words: ['bind'] }, SET_NAMES],
  build: (flags, given) => {
    const [action, ...words] = given.positional;
    const clusterSet = nameAmong(words, ManagedClusterSets) ?? '';
    if (action !== 'bind' || !SET_NAME.test(clusterSet)) return refuseArguments(given.positional, 'bind SET');
    const namespace = namespaceIn(flags);
    return { command: 'clusterset bind', ...targetConfig(flags, given), namespace, clusterSet };
  },
  run: async (config) => (await import('../commands/clusterset.js')).runClusterSet(config),
});

const CORDON = cordoning(
  'cordon',
  'Keeps Placements from newly selecting a cluster; Placements that have selected it keep it.',
);
const UNCORDON = cordoning('uncordon', 'Ends cordon and drain: Placements may select the cluster again.');

function cordoning(command: 'cordon' | 'uncordon', summary: string) {
  return userCommand({
    name: command,
    summary,
    ...OF_CLUSTER,
    flags: TARGET_FLAGS,
    build: (flags, given) => ({ command, ...targetConfig(flags, given), cluster: nameIn(given.positional) }),
    run: async (config) => (await import('../commands/maintenance.js')).runCordon(config),
  });
}

const DRAIN = userCommand({
  name: 'drain',
  summary: 'Moves a cluster out of all decisions: shows its replacements, asks, and waits.',
  ...OF_CLUSTER,
  flags: {
    'dry-run': DRY_RUN,
    yes: { short: 'y', help: 'do not ask', default: 'false' },
    timeout: { value: 'DURATION', help: 'how long to wait until no decision names it, 1s to 7d', default: '10m' },
    ...TARGET_FLAGS,
  },
  exitCodes:
    '0: success; 1: decisions still name the cluster, the answer was no, or an error; 3: with --dry-run, not everything could be read',
  build: (flags, given) => ({
    command: 'drain',
    ...targetConfig(flags, given),
    cluster: nameIn(given.positional),
    dryRun: flags.get('dry-run').bool(),
    yes: flags.get('yes').bool(),
    timeoutMs: flags.get('timeout').duration('1s', '7d', DURATIONS),
  }),
  run: async (config) => (await import('../commands/maintenance.js')).runDrain(config),
});

export const CHANGING = [RELEASE, PAUSE, RESUME, CLUSTER, CLUSTER_SET, CORDON, UNCORDON, DRAIN];
