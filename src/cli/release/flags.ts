import {
  apiSource,
  durationMs,
  namespaceIn,
  placementIn,
  rowsOf,
  type CliConfig,
  type CliEnvironment,
  type ObjectSource,
} from '../flags.js';
import type { FlagRows, Flags } from '../../runtime/flags/flags.js';

/** The configuration of `multicluster-engine release`. */
export interface ReleaseConfig extends Pick<CliConfig, 'version' | 'namespace'> {
  readonly command: 'release';
  readonly placement: string;
  /** Whether clusters may come in that are kept out; otherwise those may leave that are kept in. */
  readonly additions: boolean;
  /** Names of clusters, or `*`; undefined: those that are held. */
  readonly clusters: readonly string[] | undefined;
  /** How long they may leave or come in. */
  readonly forMs: number;
  readonly source: Extract<ObjectSource, { kind: 'api' }>;
}

export const RELEASE_ARGUMENTS = 'placement NAME';

/** Nothing bounds what is released: a forgotten release ends by itself within a day. */
const LONGEST = '24h';

export const RELEASE_FLAGS: FlagRows = {
  additions: { help: 'let clusters come in that the budget keeps out; none may leave', default: 'false' },
  clusters: { value: 'A,B', help: 'clusters that may leave or come in, or *', defaultText: 'those that are held now' },
  for: { value: 'DURATION', help: `how long they may leave or come in, 1s to ${LONGEST}`, default: '10m' },
  ...rowsOf('namespace', 'kubeconfig', 'context', 'as'),
};

/** @throws FlagError with the flag or argument, its value and the rule. */
export function release(flags: Flags, { positional, version }: CliEnvironment): ReleaseConfig {
  return {
    command: 'release',
    version,
    namespace: namespaceIn(flags),
    placement: placementIn(positional, RELEASE_ARGUMENTS),
    additions: flags.get('additions').bool(),
    clusters: flags
      .find('clusters')
      ?.matching(/^(\*|[^,/*\s]+(,[^,/*\s]+)*)$/, 'names with commas, or *')
      .split(','),
    forMs: durationMs(flags.get('for'), LONGEST),
    source: apiSource(flags),
  };
}
