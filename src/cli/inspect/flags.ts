import { PATH_NAME } from '../../runtime/vocabulary/names.js';
import {
  apiSource,
  checkNoArguments,
  cliConfig,
  CLI_FLAGS,
  HUB_FLAGS,
  NAMESPACE_RULE,
  nameIn,
  placementIn,
  type CliConfig,
  type CliEnvironment,
  type ObjectSource,
} from '../flags.js';
import type { FlagRows, Flags } from '../../runtime/flags/flags.js';

/** The commands that show the state of a hub. */

/** The configuration of `multicluster-engine who-selects`. */
export interface WhoSelectsConfig extends CliConfig {
  readonly command: 'who-selects';
  readonly cluster: string;
}

/** The configuration of `multicluster-engine tree`. */
export interface TreeConfig extends CliConfig {
  readonly command: 'tree';
  /** The only Placement to show; undefined: all. */
  readonly placement: string | undefined;
}

/** The configuration of `multicluster-engine status`. */
export interface StatusConfig extends CliConfig {
  readonly command: 'status';
}

/** The configuration of `multicluster-engine check`. */
export interface CheckConfig extends CliConfig {
  readonly command: 'check';
  readonly source: Extract<ObjectSource, { kind: 'api' }>;
  /** Check what an installation needs, instead of what it has made. */
  readonly pre: boolean;
  /** Namespace of the operator and of the Leases. */
  readonly operatorNamespace: string;
}

export const WHO_SELECTS_ARGUMENTS = 'CLUSTER';
export const TREE_ARGUMENTS = '[placement NAME]';
export const TREE_FLAGS = CLI_FLAGS;
export const WHO_SELECTS_FLAGS = HUB_FLAGS;
export const STATUS_FLAGS = HUB_FLAGS;

export const CHECK_FLAGS: FlagRows = {
  pre: { help: 'check what an installation needs', default: 'false' },
  'operator-namespace': {
    value: 'NAMESPACE',
    help: 'namespace of the operator and of its Leases',
    default: 'multicluster-engine-operator',
  },
  ...without(HUB_FLAGS, 'offline', 'filename'),
  namespace: {
    ...HUB_FLAGS['namespace'],
    help: 'only Placements of this namespace',
    excludes: ['all-namespaces', 'pre'],
  },
};

/** Files do not describe a hub. */
function without(rows: FlagRows, ...names: readonly string[]): FlagRows {
  return Object.fromEntries(Object.entries(rows).filter(([name]) => !names.includes(name)));
}

/** @throws FlagError with the flag or argument, its value and the rule. */
export function whoSelects(flags: Flags, environment: CliEnvironment): WhoSelectsConfig {
  const cluster = nameIn(environment.positional, WHO_SELECTS_ARGUMENTS);
  return { command: 'who-selects', ...cliConfig(flags, environment), cluster };
}

/** @throws FlagError with the flag or argument, its value and the rule. */
export function tree(flags: Flags, environment: CliEnvironment): TreeConfig {
  const { positional } = environment;
  const placement = positional.length === 0 ? undefined : placementIn(positional, TREE_ARGUMENTS);
  return { command: 'tree', ...cliConfig(flags, environment), placement };
}

/** @throws FlagError with the flag or argument, its value and the rule. */
export function status(flags: Flags, environment: CliEnvironment): StatusConfig {
  checkNoArguments(environment.positional);
  return { command: 'status', ...cliConfig(flags, environment) };
}

/** @throws FlagError with the flag or argument, its value and the rule. */
export function check(flags: Flags, environment: CliEnvironment): CheckConfig {
  checkNoArguments(environment.positional);
  const source = apiSource(flags);
  return {
    command: 'check',
    ...cliConfig(flags, environment, source),
    source,
    pre: flags.get('pre').bool(),
    operatorNamespace: flags.get('operator-namespace').matching(PATH_NAME, NAMESPACE_RULE),
  };
}
