import { PATH_NAME, PATH_NAME_RULE } from '../../runtime/vocabulary/names.js';
import { cliConfig, CLI_FLAGS, placementIn, type CliConfig, type CliEnvironment } from '../flags.js';
import type { FlagRows, Flags } from '../../runtime/flags/flags.js';

/** The configuration of `multicluster-engine explain`. */
export interface ExplainConfig extends CliConfig {
  readonly command: 'explain';
  readonly placement: string;
  /** The only cluster to explain; undefined: all. */
  readonly cluster: string | undefined;
  /** How many clusters that match no predicate are shown. */
  readonly nearest: number;
}

export const EXPLAIN_ARGUMENTS = 'placement NAME';

export const EXPLAIN_FLAGS: FlagRows = {
  cluster: { value: 'NAME', help: 'explain only this cluster', defaultText: 'all' },
  nearest: {
    value: 'K',
    help: 'show this many of the clusters that match no predicate, 0 to 10000',
    default: '10',
    excludes: ['cluster', 'output=name'],
  },
  ...CLI_FLAGS,
};

/** @throws FlagError with the flag or argument, its value and the rule. */
export function explain(flags: Flags, environment: CliEnvironment): ExplainConfig {
  return {
    command: 'explain',
    ...cliConfig(flags, environment),
    placement: placementIn(environment.positional, EXPLAIN_ARGUMENTS),
    cluster: flags.find('cluster')?.matching(PATH_NAME, `the name of a cluster: ${PATH_NAME_RULE}`),
    nearest: flags.get('nearest').integer(0, 10_000),
  };
}
