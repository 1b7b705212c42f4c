import { type ApiSource, apiSource, namespaceIn } from '../../runtime/flags/target.js';
import {
  clusterIn,
  CLUSTER_NAMES,
  DURATIONS,
  PLACEMENT_ARGUMENTS,
  placementIn,
  rowsOf,
  type CliConfig,
} from '../flags.js';
import type { Command, Given } from '../../runtime/flags/commands.js';
import type { Flags, FlagValue } from '../../runtime/flags/flags.js';
import { LONGEST_RELEASE_MS } from '../../domain/placement/spec/budget.js';

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
  readonly dryRun: boolean;
  readonly source: ApiSource;
}

const ARGUMENTS = 'placement NAME';

export const LONGEST = `${LONGEST_RELEASE_MS / 3_600_000}h`;

export const RELEASE: Command<ReleaseConfig> = {
  name: 'release',
  summary: 'Releases clusters that are held in a decision, or kept out of it, by an annotation of the Placement.',
  arguments: ARGUMENTS,
  flags: {
    additions: { help: 'let clusters come in that the budget keeps out; none may leave', default: 'false' },
    clusters: {
      value: 'A,B',
      list: true,
      help: 'clusters that may leave or come in, or *',
      defaultText: 'those that are held now',
      completes: CLUSTER_NAMES,
    },
    for: { value: 'DURATION', help: `how long they may leave or come in, 1s to ${LONGEST}`, default: '10m' },
    'dry-run': { help: 'show what would be released, and change nothing', default: 'false' },
    ...rowsOf('namespace', 'kubeconfig', 'context', 'as'),
  },
  completes: PLACEMENT_ARGUMENTS,
  build: release,
};

function release(flags: Flags, { positional, version }: Given): ReleaseConfig {
  return {
    command: 'release',
    version,
    namespace: namespaceIn(flags),
    placement: placementIn(positional, ARGUMENTS),
    additions: flags.get('additions').bool(),
    clusters: clustersIn(flags.find('clusters')),
    forMs: flags.get('for').duration('1s', LONGEST, DURATIONS),
    dryRun: flags.get('dry-run').bool(),
    source: apiSource(flags),
  };
}

function clustersIn(flag: FlagValue | undefined): readonly string[] | undefined {
  return flag?.text === '*' ? ['*'] : flag?.list().map((name) => clusterIn(flag.with(name)));
}
