import { namespaceIn, TARGET_FLAGS, targetConfig, type TargetConfig } from '../../runtime/flags/target.js';
import { refuseArguments, rowsOf, SET_NAME, SET_NAMES } from '../flags.js';
import { ManagedClusterSets } from '../../api/resources.js';
import { nameAmong } from '../../answers/kinds.js';
import type { Command, Given } from '../../runtime/flags/commands.js';
import type { Flags } from '../../runtime/flags/flags.js';

/** The configuration of `multicluster-engine clusterset bind`. */
export interface ClusterSetBindConfig extends TargetConfig {
  readonly command: 'clusterset bind';
  readonly clusterSet: string;
}

const ARGUMENTS = 'bind SET';

export const CLUSTER_SET: Command<ClusterSetBindConfig> = {
  name: 'clusterset',
  summary: 'Lets the Placements of a namespace select from a cluster set.',
  arguments: ARGUMENTS,
  flags: { ...rowsOf('namespace'), ...TARGET_FLAGS },
  completes: [{ words: ['bind'] }, SET_NAMES],
  build: clusterSet,
};

function clusterSet(flags: Flags, given: Given): ClusterSetBindConfig {
  const [action, ...words] = given.positional;
  const name = nameAmong(words, ManagedClusterSets) ?? '';
  if (action !== 'bind' || !SET_NAME.test(name)) return refuseArguments(given.positional, ARGUMENTS);
  const namespace = namespaceIn(flags);
  return { command: 'clusterset bind', ...targetConfig(flags, given), namespace, clusterSet: name };
}
