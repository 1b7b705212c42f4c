import { createInterface } from 'node:readline';
import { isatty } from 'node:tty';
import { systemClock, whenAborted } from '../runtime/clock.js';
import { awaitSignals } from '../runtime/process/lifecycle.js';
import { createLogger } from '../runtime/log/pinologger.js';
import type { ConsoleConfig } from './flags.js';
import { openConsole, type ConsoleOptions } from './open.js';

const STANDARD_INPUT = 0;

/** What the console takes of a hub, with the credentials of the caller. */
export interface CallersHub extends Pick<ConsoleOptions, 'client' | 'transport' | 'clock'> {
  readonly kubeconfig: { readonly server: string; readonly context: string };
  readonly namespace: () => string;
}

/** How a command of the program reaches the hub that its flags name, and prints. */
export interface Caller {
  /** Returns the exit code: 1, and one line on standard error, for an error that a user can meet. */
  readonly onHub: (config: ConsoleConfig, work: (hub: CallersHub) => Promise<void>) => Promise<number>;
  readonly print: (text: string) => void;
}

/** Serves the page until a signal; returns the exit code: 1, and one line on standard error, where the hub cannot be read. */
export async function runConsole(config: ConsoleConfig, { onHub, print }: Caller): Promise<number> {
  const { component } = config;
  if (component !== undefined) return (await import('./hub/run.js')).runComponent(component);
  return onHub(config, (hub) => serve(config, hub, print));
}

async function serve(
  config: ConsoleConfig,
  { client, transport, kubeconfig, namespace, clock }: CallersHub,
  print: Caller['print'],
): Promise<void> {
  const { server: address, context } = kubeconfig;
  const user = config.source.impersonate ?? '';
  const opened = await openConsole({
    client,
    transport,
    session: { hub: address, context, user, namespace: namespace() },
    namespace: config.namespace,
    fallback: namespace,
    listen: config.listen,
    clock,
    flag: 'listen',
  });
  try {
    // A hub that cannot be read is an error of the command, as of every other one.
    await opened.read();
    const isAsked = isatty(STANDARD_INPUT);
    print(startText(opened.link(), `${address} (context ${context})`, isAsked));
    await untilSignalled(isAsked ? () => print(`${opened.link()}\n`) : undefined);
  } finally {
    opened.close();
  }
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

/** `onEnter`: what a line of the terminal does. */
async function untilSignalled(onEnter: (() => void) | undefined): Promise<void> {
  const log = createLogger({ level: 'fatal', clock: systemClock });
  const signals = awaitSignals({ host: process, clock: systemClock, log });
  const lines = onEnter && createInterface({ input: process.stdin });
  if (onEnter !== undefined) lines?.on('line', onEnter);
  try {
    await whenAborted(signals.stop.signal);
  } finally {
    lines?.close();
    signals.release();
  }
}
