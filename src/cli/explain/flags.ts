import {
  cliConfig,
  CLI_FLAGS,
  CLUSTER_NAMES,
  clusterIn,
  PLACEMENT_ARGUMENTS,
  placementIn,
  READING_CODES,
  type CliConfig,
} from '../flags.js';
import type { Command, Given } from '../../runtime/flags/commands.js';
import type { Flags } from '../../runtime/flags/flags.js';

/** The configuration of `multicluster-engine explain`. */
export interface ExplainConfig extends CliConfig {
  readonly command: 'explain';
  readonly placement: string;
  /** The only cluster to explain; undefined: all. */
  readonly cluster: string | undefined;
  /** How many clusters that match no predicate are shown. */
  readonly nearest: number;
  /** Show what each score is the sum of. */
  readonly scores: boolean;
}

const ARGUMENTS = 'placement NAME';

export const EXPLAIN: Command<ExplainConfig> = {
  name: 'explain',
  summary: 'Explains why each cluster is selected by a Placement or not. Read-only.',
  arguments: ARGUMENTS,
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
  completes: PLACEMENT_ARGUMENTS,
  build: explain,
};

function explain(flags: Flags, given: Given): ExplainConfig {
  const cluster = flags.find('cluster');
  return {
    command: 'explain',
    ...cliConfig(flags, given),
    placement: placementIn(given.positional, ARGUMENTS),
    cluster: cluster && clusterIn(cluster),
    nearest: flags.get('nearest').integer(0, 10_000),
    scores: flags.get('scores').bool(),
  };
}
