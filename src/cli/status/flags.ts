import { checkNoArguments, cliConfig, HUB_FLAGS, READING_CODES, type CliConfig } from '../flags.js';
import type { Command } from '../../runtime/flags/commands.js';

/** The configuration of `multicluster-engine status`. */
export interface StatusConfig extends CliConfig {
  readonly command: 'status';
}

export const STATUS: Command<StatusConfig> = {
  name: 'status',
  summary: 'Counts components, Placements by phase and clusters by health. Read-only.',
  arguments: '',
  flags: HUB_FLAGS,
  exitCodes: READING_CODES,
  build: (flags, given) => {
    checkNoArguments(given.positional);
    return { command: 'status', ...cliConfig(flags, given) };
  },
};
