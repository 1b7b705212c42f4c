import type { Given } from './commands.js';
import { FlagError, type FlagRow, type FlagRows, type Flags, type Suggestion } from './flags.js';
import { PATH_NAME, PATH_NAME_RULE } from '../vocabulary/names.js';

/** The flags that name the API server of a command, as those of kubectl do. */

/** An API server, and the user to ask it as. */
export interface ApiSource {
  readonly kind: 'api';
  /** The file with the API server's address and credentials; undefined: the file that kubectl would use. */
  readonly kubeconfig: string | undefined;
  /** The context of the file; undefined: its current one. */
  readonly context: string | undefined;
  /** The user to impersonate; undefined: none. */
  readonly impersonate: string | undefined;
}

/** The configuration that all commands with an API server have. */
export interface TargetConfig {
  /** The release of this program. */
  readonly version: string;
  /** The namespace; undefined: that of the kubeconfig's context, else `default`. */
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

/** Completes the name of a namespace. */
export const NAMESPACE_NAMES: Suggestion = { live: 'namespaces' };
export const NAMESPACE_RULE = `the name of a namespace: ${PATH_NAME_RULE}`;

/** The flag of a namespace, for {@link namespaceIn}. */
export function namespaceRow(help: string, defaultText: string): FlagRow {
  return { value: 'NAMESPACE', short: 'n', help, defaultText, completes: NAMESPACE_NAMES };
}

/** The configuration, without a namespace. @throws FlagError with the flag, its value and the rule. */
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
