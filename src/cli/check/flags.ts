import {
  type ApiSource,
  apiSource,
  checkNoArguments,
  NAMESPACE_NAMES,
  NAMESPACE_RULE,
} from '../../runtime/flags/target.js';
import { PATH_NAME } from '../../runtime/vocabulary/names.js';
import { cliConfig, HUB_FLAGS, type CliConfig } from '../flags.js';
import type { Command, Given } from '../../runtime/flags/commands.js';
import type { FlagRows, Flags } from '../../runtime/flags/flags.js';

/** The configuration of `multicluster-engine check`. */
export interface CheckConfig extends CliConfig {
  readonly command: 'check';
  readonly source: ApiSource;
  /** Check what an installation needs, instead of what it has made. */
  readonly pre: boolean;
  /** Namespace of the operator and of the Leases. */
  readonly operatorNamespace: string;
}

export const CHECK: Command<CheckConfig> = {
  name: 'check',
  summary: 'Checks an installation: definitions, engine, Leases, certificate, fleet. Read-only.',
  arguments: '',
  flags: {
    pre: { help: 'check what an installation needs', default: 'false' },
    'operator-namespace': {
      value: 'NAMESPACE',
      help: 'namespace of the operator and of its Leases',
      default: 'multicluster-engine-operator',
      completes: NAMESPACE_NAMES,
    },
    ...without(HUB_FLAGS, 'offline', 'filename'),
    namespace: {
      ...HUB_FLAGS['namespace'],
      help: 'only Placements of this namespace',
      excludes: ['all-namespaces', 'pre'],
    },
  },
  exitCodes: '0: all is well, or there are warnings; 1: a check failed, or an error; 3: a check could not be done',
  build: check,
};

/** Files do not describe a hub. */
function without(rows: FlagRows, ...names: readonly string[]): FlagRows {
  return Object.fromEntries(Object.entries(rows).filter(([name]) => !names.includes(name)));
}

function check(flags: Flags, given: Given): CheckConfig {
  checkNoArguments(given.positional);
  const source = apiSource(flags);
  return {
    command: 'check',
    ...cliConfig(flags, given, source),
    source,
    pre: flags.get('pre').bool(),
    operatorNamespace: flags.get('operator-namespace').matching(PATH_NAME, NAMESPACE_RULE),
  };
}
