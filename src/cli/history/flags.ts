import { cliConfig, CLI_FLAGS, PLACEMENT_ARGUMENTS, placementIn, READING_CODES, type CliConfig } from '../flags.js';
import type { Command } from '../../runtime/flags/commands.js';

/** The configuration of `multicluster-engine history`. */
export interface HistoryConfig extends CliConfig {
  readonly command: 'history';
  readonly placement: string;
}

const ARGUMENTS = 'placement NAME';

export const HISTORY: Command<HistoryConfig> = {
  name: 'history',
  summary: 'Shows which clusters came into a decision and left it, when and why. Read-only.',
  arguments: ARGUMENTS,
  flags: CLI_FLAGS,
  exitCodes: READING_CODES,
  completes: PLACEMENT_ARGUMENTS,
  build: (flags, given) => {
    return { command: 'history', ...cliConfig(flags, given), placement: placementIn(given.positional, ARGUMENTS) };
  },
};
