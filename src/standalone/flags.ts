import path from 'node:path';

import { LOG_LEVELS, type FlagRows } from '../runtime/flags/flags.js';
import { defineCommand, type ConfigOf } from '../runtime/flags/commands.js';
import { loopbackIn } from '../console/flags.js';
import { tracing } from '../runtime/flags/tracing.js';

const NO_CONSOLE = 'none';

const STANDALONE_FLAGS: FlagRows = {
  'data-dir': {
    value: 'DIR',
    help: 'folder for store, kubeconfig and logs; the next start continues with its data',
    default: '.standalone',
  },
  listen: {
    value: 'HOST:PORT',
    help: 'address of the Kubernetes API',
    default: '127.0.0.1:6443',
    // LISTEN is the address of the gateway: an image sets the variables of all commands at once.
    variable: 'API_LISTEN',
  },
  'gateway-listen': {
    value: 'HOST:PORT',
    help: 'address of the HTTPS interface, once an engine has installed it',
    default: '127.0.0.1:8443',
  },
  'console-listen': {
    value: 'HOST:PORT',
    help: 'address of the page about the fleet, on this machine alone; none: no page',
    default: '127.0.0.1:9444',
  },
  ephemeral: { help: 'keep objects only in memory: they are lost when the process ends', default: 'false' },
  'seed-fleet': { value: 'N', help: 'create N example clusters with sets and bindings, 0 to 10000', default: '0' },
  'demo-fleet': {
    value: 'N',
    help: 'run N simulated clusters that join and report; some fall silent and come back; 0 to 1000',
    default: '0',
  },
  'audit-log': { value: 'FILE', help: "log of every request, in kube-apiserver's audit format", defaultText: 'none' },
  'log-level': { value: 'LEVEL', help: `one of ${LOG_LEVELS.join(', ')}`, default: 'info' },
};

export type StandaloneConfig = ConfigOf<typeof STANDALONE>;

export const STANDALONE = defineCommand({
  name: 'standalone',
  summary: 'Starts a local hub to try the product: a Kubernetes API with the operator, and no cluster.',
  flags: STANDALONE_FLAGS,
  build: (flags, { env, version }) => {
    const audit = flags.find('audit-log');
    const gateway = flags.get('gateway-listen');
    const console = flags.get('console-listen');
    const [listen, gatewayListen] = [flags.get('listen').listen(), gateway.listen()];
    const { port } = gatewayListen;
    if (port !== 0 && port === listen.port) gateway.refuse('an address with another port than the API');
    return {
      command: 'standalone',
      version,
      /** Absolute path of the folder for store, certificates, kubeconfig, logs and working folders. */
      dataDir: path.resolve(flags.get('data-dir').file('a folder')),
      listen,
      /** Address of the gateway once an engine has installed it. */
      gatewayListen,
      /** Address of the page about the fleet; undefined: there is none. */
      consoleListen: console.text === NO_CONSOLE ? undefined : loopbackIn(console),
      /** Which of the addresses a flag or variable sets. The others are defaults: where one is in use, another port is taken. */
      requested: {
        listen: flags.isSet('listen'),
        gatewayListen: flags.isSet('gateway-listen'),
        consoleListen: flags.isSet('console-listen'),
      },
      /** Objects are kept in memory only. */
      ephemeral: flags.get('ephemeral').bool(),
      /** Number of example clusters to create. */
      seedFleet: flags.get('seed-fleet').integer(0, 10_000),
      /** Number of simulated clusters whose agents run in the process. */
      demoFleet: flags.get('demo-fleet').integer(0, 1_000),
      /** File for an audit log in kube-apiserver's format; undefined: none. */
      auditLog: audit && path.resolve(audit.file()),
      logLevel: flags.get('log-level').oneOf(LOG_LEVELS),
      tracing: tracing(env),
    };
  },
});
