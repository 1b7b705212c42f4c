import { cliConfig, CLI_FLAGS, PLACEMENT_ARGUMENTS, placementIn, READING_CODES, type CliConfig } from '../flags.js';
import type { Command } from '../../runtime/flags/commands.js';

/** The configuration of `multicluster-engine tree`. */
export interface TreeConfig extends CliConfig {
  readonly command: 'tree';
  /** The only Placement to show; undefined: all. */
  readonly placement: string | undefined;
}

const ARGUMENTS = '[placement NAME]';

export const TREE: Command<TreeConfig> = {
  name: 'tree',
  summary: 'Shows the selected clusters of Placements by cluster set. Read-only.',
  arguments: ARGUMENTS,
  flags: CLI_FLAGS,
  exitCodes: READING_CODES,
  completes: PLACEMENT_ARGUMENTS,
  build: (flags, given) => {
    const { positional } = given;
    const placement = positional.length === 0 ? undefined : placementIn(positional, ARGUMENTS);
    return { command: 'tree', ...cliConfig(flags, given), placement };
  },
};
