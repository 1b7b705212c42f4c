import type { Given } from './commands.js';
import { FlagError, type FlagRow, type FlagRows, type Flags, type Suggestion } from './flags.js';
import { PATH_NAME, PATH_NAME_RULE } from '../vocabulary/names.js';

/** The API server that the flags of a command name, as those of kubectl do. */

/** An API server, and as whom. */
export interface ApiSource {
  readonly kind: 'api';
  /** File with the API server's address and credentials; undefined: the usual kubeconfig rules. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** User to impersonate. */
  readonly impersonate: string | undefined;
}

/** What names the API server. */
export interface TargetConfig {
  /** Release of this program. */
  readonly version: string;
  /** Undefined: that of the kubeconfig's context, else `default`. */
  readonly namespace: string | undefined;
  readonly source: ApiSource;
}

export const TARGET_FLAGS: FlagRows = {
  kubeconfig: {
    value: 'FILE',
    help: 'kubeconfig of the API server',
    defaultText: 'as for kubectl',
    completes: { files: true },
  },
  context: {
    value: 'NAME',
    help: 'context of the kubeconfig',
    defaultText: 'its current context',
    completes: { live: 'contexts' },
  },
  as: { value: 'USER', help: 'user to impersonate' },
};

/** What completes the name of a namespace. */
export const NAMESPACE_NAMES: Suggestion = { live: 'namespaces' };
export const NAMESPACE_RULE = `the name of a namespace: ${PATH_NAME_RULE}`;

/** The flag of a namespace, for {@link namespaceIn}. */
export function namespaceRow(help: string, defaultText: string): FlagRow {
  return { value: 'NAMESPACE', short: 'n', help, defaultText, completes: NAMESPACE_NAMES };
}

/** @throws FlagError with the flag, its value and the rule. */
export function targetConfig(flags: Flags, { version }: Given): TargetConfig {
  return { version, namespace: undefined, source: apiSource(flags) };
}

/** The API server that the flags name. @throws FlagError with the flag, its value and the rule. */
export function apiSource(flags: Flags): ApiSource {
  return {
    kind: 'api',
    kubeconfig: flags.findText('kubeconfig')?.file(),
    context: flags.findText('context')?.matching(/^.+$/s, 'a context'),
    impersonate: flags.findText('as')?.matching(/^[\x20-\x7e]+$/, 'a user name'),
  };
}

/** The namespace of the flags; undefined where none is given. @throws FlagError with the flag, its value and the rule. */
export function namespaceIn(flags: Flags): string | undefined {
  return flags.findText('namespace')?.matching(PATH_NAME, NAMESPACE_RULE);
}

/** @throws FlagError when there are arguments. */
export function checkNoArguments(positional: readonly string[]): void {
  if (positional.length > 0)
    throw new FlagError(`unexpected arguments ${JSON.stringify(positional.join(' '))}: the command takes none`);
}
