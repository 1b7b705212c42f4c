import type { TopologyKey } from '../../domain/placement/spec/spread.js';
import {
  cliConfig,
  CLI_FLAGS,
  PLACEMENT_ARGUMENTS,
  placementIn,
  READING_CODES,
  topologyIn,
  WATCH_FLAG,
  type CliConfig,
} from '../flags.js';
import type { Command } from '../../runtime/flags/commands.js';

/** The configuration of `multicluster-engine tree`. */
export interface TreeConfig extends CliConfig {
  readonly command: 'tree';
  /** Print the answer again whenever it changes. */
  readonly watch: boolean;
  /** The only Placement to show; undefined: all. */
  readonly placement: string | undefined;
  /** The claim or label whose values are the branches; undefined: the cluster sets are. */
  readonly by: TopologyKey | undefined;
}

const ARGUMENTS = '[placement NAME]';

export const TREE: Command<TreeConfig> = {
  name: 'tree',
  summary: 'Shows the selected clusters of Placements by cluster set, or by a claim or label. Read-only.',
  arguments: ARGUMENTS,
  flags: {
    ...WATCH_FLAG,
    by: { value: 'KEY', help: 'claim/KEY or label/KEY: a branch for each value', defaultText: 'by cluster set' },
    ...CLI_FLAGS,
  },
  exitCodes: READING_CODES,
  completes: PLACEMENT_ARGUMENTS,
  build: (flags, given) => {
    const { positional } = given;
    const placement = positional.length === 0 ? undefined : placementIn(positional, ARGUMENTS);
    const watch = flags.get('watch').bool();
    return { command: 'tree', watch, ...cliConfig(flags, given), placement, by: topologyIn(flags.find('by')) };
  },
};
