import { apiSource, CLI_FLAGS, placementIn, type CliConfig, type CliEnvironment, type ObjectSource } from './cli.js';
import type { FlagRows, Flags, FlagValue } from './flags.js';

/** The configuration of `multicluster-engine release`. */
export interface ReleaseConfig extends Pick<CliConfig, 'version' | 'namespace'> {
  readonly command: 'release';
  readonly placement: string;
  /** Names of clusters, or `*`; undefined: those that are held. */
  readonly clusters: readonly string[] | undefined;
  /** How long they may leave. */
  readonly forMs: number;
  readonly source: Extract<ObjectSource, { kind: 'api' }>;
}

export const RELEASE_ARGUMENTS = 'placement NAME';

/** As long as the longest window of a budget. */
const LONGEST_MS = 7 * 24 * 3_600_000;
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const { namespace, kubeconfig, context, as } = CLI_FLAGS;

export const RELEASE_FLAGS: FlagRows = {
  clusters: { value: 'A,B', help: 'clusters that may leave, or *', defaultText: 'those that are held' },
  for: { value: 'DURATION', help: 'how long they may leave, 1s to 7d', default: '10m' },
  ...rowsOf({ namespace, kubeconfig, context, as }),
};

/** @throws FlagError with the flag or argument, its value and the rule. */
export function release(flags: Flags, { positional, version }: CliEnvironment): ReleaseConfig {
  return {
    command: 'release',
    version,
    namespace: flags.find('namespace')?.matching(/^[^/%]+$/, 'the name of a namespace'),
    placement: placementIn(positional, RELEASE_ARGUMENTS),
    clusters: flags
      .find('clusters')
      ?.matching(/^(\*|[^,/*\s]+(,[^,/*\s]+)*)$/, 'names with commas, or *')
      .split(','),
    forMs: durationOf(flags.get('for')),
    source: apiSource(flags),
  };
}

function rowsOf(rows: Readonly<Record<string, FlagRows[string] | undefined>>): FlagRows {
  return Object.fromEntries(Object.entries(rows).flatMap(([name, row]) => (row === undefined ? [] : [[name, row]])));
}

function durationOf(given: FlagValue): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(given.text) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? NaN);
  return ms > 0 && ms <= LONGEST_MS ? ms : given.refuse('a duration such as 30s, 10m or 1h, from 1s to 7d');
}
