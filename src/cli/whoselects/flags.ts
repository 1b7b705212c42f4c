import { cliConfig, CLUSTER_NAMES, HUB_FLAGS, nameIn, READING_CODES, type CliConfig } from '../flags.js';
import type { Command } from '../../runtime/flags/commands.js';

/** The configuration of `multicluster-engine who-selects`. */
export interface WhoSelectsConfig extends CliConfig {
  readonly command: 'who-selects';
  readonly cluster: string;
}

const ARGUMENTS = 'CLUSTER';

export const WHO_SELECTS: Command<WhoSelectsConfig> = {
  name: 'who-selects',
  summary: 'Lists the Placements that select a cluster, and what they select without it. Read-only.',
  arguments: ARGUMENTS,
  flags: HUB_FLAGS,
  exitCodes: READING_CODES,
  completes: [CLUSTER_NAMES],
  build: (flags, given) => {
    const cluster = nameIn(given.positional, ARGUMENTS);
    return { command: 'who-selects', ...cliConfig(flags, given), cluster };
  },
};
