import type { Server } from 'node:http';
import { createInterface } from 'node:readline';
import { isatty } from 'node:tty';
import { withHub, type Hub } from '../cli/hub.js';
import { answer } from '../cli/terminal/answer.js';
import { InputError } from '../cli/terminal/output.js';
import { printAnswer } from '../cli/terminal/print.js';
import { systemClock, whenAborted } from '../runtime/clock.js';
import { codeOf, errorText } from '../runtime/errors.js';
import { addressOf } from '../runtime/flags/flags.js';
import { awaitSignals } from '../runtime/process/lifecycle.js';
import { createLogger } from '../runtime/log/pinologger.js';
import type { ConsoleConfig } from './flags.js';
import { readAssets } from './server/assets.js';
import { listen, portOf } from './server/server.js';
import { Sessions } from './server/session.js';
import { Snapshots } from './server/snapshot.js';

const STANDARD_INPUT = 0;

/** Serves the page until a signal; returns the exit code: 1, and one line on standard error, where the hub cannot be read. */
export function runConsole(config: ConsoleConfig): Promise<number> {
  return answer('console', () =>
    withHub(config, config.source, async (hub) => {
      await serve(config, hub);
      return { text: '', exitCode: 0 };
    }),
  );
}

async function serve(config: ConsoleConfig, { client, transport, kubeconfig, namespace }: Hub): Promise<void> {
  const snapshots = new Snapshots({ client, namespace: config.namespace, fallback: namespace, clock: systemClock });
  const assets = readAssets();
  // A hub that cannot be read is an error of the command, as of every other one.
  await snapshots.current();
  const sessions = new Sessions(systemClock);
  const { server: address, context } = kubeconfig;
  const session = {
    hub: address,
    context,
    user: config.source.impersonate ?? '',
    namespace: namespace(),
    build: assets.build,
  };
  const hub = { snapshots, client, transport, session, namespace: config.namespace };
  const server = await listenOr(config, () => listen({ hub, assets, sessions }, config.listen));
  const link = (): string =>
    `http://${addressOf({ host: config.listen.host, port: portOf(server) })}/login#code=${sessions.code()}`;
  const isAsked = isatty(STANDARD_INPUT);
  printAnswer(startText(link(), `${address} (context ${context})`, isAsked));
  await untilSignalled(server, isAsked ? () => printAnswer(`${link()}\n`) : undefined);
}

function startText(link: string, hub: string, isAsked: boolean): string {
  const another = isAsked ? ' Enter prints another one.' : '';
  return [
    `The console of ${hub}, with your rights there:`,
    '',
    `  ${link}`,
    '',
    `The link opens once, within ten minutes.${another} Ctrl-C ends the console.`,
    '',
  ].join('\n');
}

async function listenOr(config: ConsoleConfig, start: () => Promise<Server>): Promise<Server> {
  try {
    return await start();
  } catch (error) {
    const why = codeOf(error) === 'EADDRINUSE' ? 'another program listens there' : errorText(error);
    throw new InputError(`--listen ${addressOf(config.listen)}: ${why}`, { cause: error });
  }
}

/** `onEnter`: what a line of the terminal does. */
async function untilSignalled(server: Server, onEnter: (() => void) | undefined): Promise<void> {
  const log = createLogger({ level: 'fatal', clock: systemClock });
  const signals = awaitSignals({ host: process, clock: systemClock, log });
  const lines = onEnter && createInterface({ input: process.stdin });
  if (onEnter !== undefined) lines?.on('line', onEnter);
  try {
    await whenAborted(signals.stop.signal);
  } finally {
    lines?.close();
    signals.release();
    server.close();
    server.closeAllConnections();
  }
}
