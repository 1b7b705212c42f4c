import type { Flags, FlagValue, Listen } from '../runtime/flags/flags.js';
import type { Command, Given } from '../runtime/flags/commands.js';
import {
  checkNoArguments,
  NAMESPACE_NAMES,
  namespaceIn,
  TARGET_FLAGS,
  targetConfig,
  type TargetConfig,
} from '../cli/flags.js';
import { isLoopback } from '../runtime/https/host.js';

/** The configuration of `multicluster-engine console`. */
export interface ConsoleConfig extends TargetConfig {
  readonly command: 'console';
  readonly listen: Listen;
}

export const CONSOLE: Command<ConsoleConfig> = {
  name: 'console',
  summary:
    'Serves a page about the fleet on this machine, with your kubeconfig: what is selected, why, and what a change would do.',
  arguments: '',
  flags: {
    listen: {
      value: 'HOST:PORT',
      help: 'address of the page on this machine; port 0 is a free one',
      default: '127.0.0.1:0',
    },
    namespace: {
      value: 'NAMESPACE',
      short: 'n',
      help: 'read only this namespace',
      defaultText: 'all namespaces',
      completes: NAMESPACE_NAMES,
    },
    ...TARGET_FLAGS,
  },
  exitCodes: '0: it was ended by Ctrl-C; 1: an error',
  build: consoleConfig,
};

function consoleConfig(flags: Flags, given: Given): ConsoleConfig {
  checkNoArguments(given.positional);
  const listen = loopbackIn(flags.get('listen'));
  return { command: 'console', ...targetConfig(flags, given), namespace: namespaceIn(flags), listen };
}

/** Others on the network must not get at a page that has somebody's rights. @throws FlagError */
export function loopbackIn(flag: FlagValue): Listen {
  const listen = flag.listen();
  return isLoopback(listen.host) ? listen : flag.refuse('an address of this machine alone, such as 127.0.0.1:8090');
}
