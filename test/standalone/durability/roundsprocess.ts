import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { killRounds, type KillOptions, type Outcome } from './rounds.js';

const FILE = fileURLToPath(import.meta.url);

/**
 * Runs {@link killRounds} in a child process: in the Jest process the writers take twice the CPU time, and they share the
 * machine with the server under test. Rejects with the stderr of the process when it ends without an outcome.
 */
export async function killRoundsInChildProcess(options: KillOptions): Promise<Outcome> {
  const child = fork(FILE, [JSON.stringify(options)], { execArgv: [], silent: true });
  let outcome: Outcome | undefined;
  let errorOutput = '';
  child.on('message', (message: Outcome) => {
    outcome = message;
  });
  child.stdout?.resume();
  child.stderr?.on('data', (text: Buffer) => {
    errorOutput += text.toString();
  });
  await once(child, 'close');
  if (outcome === undefined) throw new Error(`the rounds ended without an outcome: ${errorOutput}`);
  return outcome;
}

if (process.argv[1] === FILE) {
  // Ends with the test that started it.
  process.once('disconnect', () => process.exit(1));
  const options: KillOptions = JSON.parse(process.argv[2] ?? '{}');
  process.send?.(await killRounds(options), undefined, undefined, () => process.exit());
}
