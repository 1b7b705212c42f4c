import { checkNoArguments, namespaceIn, namespaceRow, TARGET_FLAGS, targetConfig } from '../runtime/flags/target.js';
import type { FlagRow, FlagRows, Flags, FlagValue, Listen } from '../runtime/flags/flags.js';
import {
  refuseLeakyEnvironment,
  TOKEN_SERVER_FLAGS,
  tokenServerConfig,
  type TokenServerConfig,
} from '../runtime/flags/tokenserver.js';
import { defineCommand, type ConfigOf, type Given } from '../runtime/flags/commands.js';
import { isLoopback } from '../runtime/http/host.js';

const ON_HUB = ['on-hub'];
const OF_A_PERSON = ['kubeconfig', 'context', 'as', 'namespace'];

/** Those of a server for everybody. */
const COMPONENT_FLAGS: FlagRows = {
  'on-hub': {
    help: 'run as a component of a hub: serve HTTPS to everybody with a token of it; needs --tls-cert and --tls-key',
    default: 'false',
    excludes: OF_A_PERSON,
  },
  ...Object.fromEntries(
    Object.entries<FlagRow>(TOKEN_SERVER_FLAGS).map(([name, row]) => [
      name,
      { ...row, help: `on a hub: ${row.help}`, needs: ON_HUB },
    ]),
  ),
};

export type ConsoleConfig = ConfigOf<typeof CONSOLE>;

export const CONSOLE = defineCommand({
  name: 'console',
  summary:
    'Serves a page about the fleet on this machine, with your kubeconfig: what is selected, why, and what a change would do.',
  arguments: '',
  asComponent: 'on-hub',
  flags: {
    listen: {
      value: 'HOST:PORT',
      help: 'address of the page on this machine; port 0 is a free one',
      default: '127.0.0.1:0',
    },
    namespace: namespaceRow('read only this namespace', 'all namespaces'),
    ...TARGET_FLAGS,
    ...COMPONENT_FLAGS,
  },
  exitCodes: '0: it was ended by Ctrl-C; 1: an error',
  build: (flags, given) => {
    checkNoArguments(given.positional);
    const component = componentConfig(flags, given);
    const listen = component?.listen ?? loopbackIn(flags.get('listen'));
    return { command: 'console', ...targetConfig(flags, given), namespace: namespaceIn(flags), listen, component };
  },
});

/** As a component of a hub, for everybody with a token. Undefined: for one person, on this machine. */
function componentConfig(flags: Flags, { env }: Given): TokenServerConfig | undefined {
  if (!flags.get('on-hub').bool()) return undefined;
  refuseLeakyEnvironment({ env, execArgv: process.execArgv }, 'a console on a hub');
  return tokenServerConfig(flags, env);
}

/** Others on the network must not get at a page that has somebody's rights. @throws FlagError */
export function loopbackIn(flag: FlagValue): Listen {
  const listen = flag.listen();
  return isLoopback(listen.host) ? listen : flag.refuse('an address of this machine alone, such as 127.0.0.1:8090');
}
