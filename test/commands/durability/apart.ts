import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { killRounds, type KillOptions, type Outcome } from './rounds.js';

const FILE = fileURLToPath(import.meta.url);

/**
 * The rounds in a process of their own: what runs within Jest takes twice the time, and the writers share the machine
 * with the server that they write to. Rejects with what the process said last.
 */
export async function killRoundsApart(options: KillOptions): Promise<Outcome> {
  const child = fork(FILE, [JSON.stringify(options)], { execArgv: [], silent: true });
  let outcome: Outcome | undefined;
  let said = '';
  child.on('message', (message: Outcome) => {
    outcome = message;
  });
  child.stdout?.resume();
  child.stderr?.on('data', (text: Buffer) => {
    said += text.toString();
  });
  await once(child, 'close');
  if (outcome === undefined) throw new Error(`the rounds ended without an outcome: ${said}`);
  return outcome;
}

if (process.argv[1] === FILE) {
  // Without the test there is nobody to run for.
  process.once('disconnect', () => process.exit(1));
  const options: KillOptions = JSON.parse(process.argv[2] ?? '{}');
  process.send?.(await killRounds(options), undefined, undefined, () => process.exit());
}
