import { CLUSTER_NAMES, nameIn, TARGET_FLAGS, targetConfig, type TargetConfig } from '../flags.js';
import type { Command } from '../../runtime/flags/commands.js';

/** The configuration of `multicluster-engine cordon` and `uncordon`. */
export interface CordonConfig extends TargetConfig {
  readonly command: 'cordon' | 'uncordon';
  readonly cluster: string;
}

export const CORDON = command(
  'cordon',
  'Keeps Placements from newly selecting a cluster; Placements that have selected it keep it.',
);
export const UNCORDON = command('uncordon', 'Ends cordon and drain: Placements may select the cluster again.');

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
