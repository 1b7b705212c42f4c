import { TARGET_FLAGS, targetConfig, type TargetConfig } from '../../runtime/flags/target.js';
import { CLUSTER_NAMES, DURATIONS, nameIn } from '../flags.js';
import type { Command } from '../../runtime/flags/commands.js';

/** The configuration of `multicluster-engine cordon` and `uncordon`. */
export interface CordonConfig extends TargetConfig {
  readonly command: 'cordon' | 'uncordon';
  readonly cluster: string;
}

/** The configuration of `multicluster-engine drain`. */
export interface DrainConfig extends TargetConfig {
  readonly command: 'drain';
  readonly cluster: string;
  /** Show what would happen, and change nothing. */
  readonly dryRun: boolean;
  /** Do not ask. */
  readonly yes: boolean;
  readonly timeoutMs: number;
}

export const CORDON = command(
  'cordon',
  'Keeps Placements from newly selecting a cluster; Placements that have selected it keep it.',
);
export const UNCORDON = command('uncordon', 'Ends cordon and drain: Placements may select the cluster again.');

export const DRAIN: Command<DrainConfig> = {
  name: 'drain',
  summary: 'Moves a cluster out of all decisions: shows its replacements, asks, and waits.',
  arguments: 'CLUSTER',
  flags: {
    'dry-run': { help: 'show what would happen, and change nothing', default: 'false' },
    yes: { short: 'y', help: 'do not ask', default: 'false' },
    timeout: { value: 'DURATION', help: 'how long to wait until no decision names it, 1s to 7d', default: '10m' },
    ...TARGET_FLAGS,
  },
  exitCodes:
    '0: success; 1: decisions still name the cluster, the answer was no, or an error; 3: with --dry-run, not everything could be read',
  completes: [CLUSTER_NAMES],
  build: (flags, given) => ({
    command: 'drain',
    ...targetConfig(flags, given),
    cluster: nameIn(given.positional, 'CLUSTER'),
    dryRun: flags.get('dry-run').bool(),
    yes: flags.get('yes').bool(),
    timeoutMs: flags.get('timeout').duration('1s', '7d', DURATIONS),
  }),
};

function command(name: CordonConfig['command'], summary: string): Command<CordonConfig> {
  return {
    name,
    summary,
    arguments: 'CLUSTER',
    flags: TARGET_FLAGS,
    completes: [CLUSTER_NAMES],
    build: (flags, given) => {
      const cluster = nameIn(given.positional, 'CLUSTER');
      return { command: name, ...targetConfig(flags, given), cluster };
    },
  };
}
