import { createInterface } from 'node:readline/promises';
import { isatty } from 'node:tty';
import { changeHub, done, type ChangeConfig } from '../../changehub.js';
import type { Hub } from '../../hub.js';
import type { Answer } from '../../terminal/answer.js';
import { RefusedError } from '../../../answers/output.js';
import { printAnswer, printNote } from '../../terminal/print.js';
import { progressLine } from '../../terminal/progressline.js';
import { drainCluster, type DrainConsole, type DrainRequest } from './drain.js';
import { cordon, uncordon } from './maintenance.js';

const STANDARD_INPUT = 0;

/** Keeps Placements from newly selecting a cluster, or ends that; returns the exit code. */
export function runCordon({ cluster, ...config }: ChangeConfig & { readonly cluster: string }): Promise<number> {
  const change = config.command === 'cordon' ? cordon : uncordon;
  return changeHub(config, async ({ client }) => done(await change(client, cluster)));
}

type DrainConfig = ChangeConfig & DrainRequest & { readonly yes: boolean };

/** Moves a cluster out of all decisions; returns the exit code. */
export function runDrain(config: DrainConfig): Promise<number> {
  return changeHub(config, (hub) => drain(config, hub));
}

async function drain(config: DrainConfig, { client, announceWrites, clock, now }: Hub): Promise<Answer> {
  const progress = progressLine();
  let endInterrupt = (): void => undefined;
  const console: DrainConsole = {
    print: (text) => {
      progress.clear();
      printAnswer(text);
    },
    note: (text) => printNote(text),
    progress: (text) => progress.show(text),
    atInterrupt: (text) => void (endInterrupt = sayAtInterrupt(text)),
    confirm: (question) => (config.yes ? Promise.resolve(true) : ask(question)),
  };
  if (!config.dryRun) announceWrites();
  await now();
  try {
    return { text: '', exitCode: await drainCluster({ client, console, clock }, config) };
  } finally {
    endInterrupt();
    progress.clear();
  }
}

/** Asks on the terminal. @throws RefusedError where there is none. */
async function ask(question: string): Promise<boolean> {
  if (!isatty(STANDARD_INPUT)) throw new RefusedError(`${question} Standard input is not a terminal: use --yes`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

/** Says this when the process is interrupted (Ctrl-C), and lets it end as without. Returns what ends that. */
export function sayAtInterrupt(text: string): () => void {
  const say = (): void => {
    try {
      // The terminal shows `^C` in a line that is not ended.
      printNote(`\n${text}`);
    } finally {
      process.kill(process.pid, 'SIGINT');
    }
  };
  process.once('SIGINT', say);
  return () => void process.off('SIGINT', say);
}
