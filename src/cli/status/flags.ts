import { checkNoArguments } from '../../runtime/flags/target.js';
import { cliConfig, HUB_FLAGS, READING_CODES, WATCH_FLAG, type CliConfig } from '../flags.js';
import type { Command } from '../../runtime/flags/commands.js';

/** The configuration of `multicluster-engine status`. */
export interface StatusConfig extends CliConfig {
  readonly command: 'status';
  /** Print the answer again whenever it changes. */
  readonly watch: boolean;
}

export const STATUS: Command<StatusConfig> = {
  name: 'status',
  summary: 'Counts components, Placements by phase and clusters by health. Read-only.',
  arguments: '',
  flags: { ...WATCH_FLAG, ...HUB_FLAGS },
  exitCodes: READING_CODES,
  build: (flags, given) => {
    checkNoArguments(given.positional);
    return { command: 'status', watch: flags.get('watch').bool(), ...cliConfig(flags, given) };
  },
};
