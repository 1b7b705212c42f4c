import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { PRODUCT } from '../api/names.js';
import { readProgram, type Program, type Ready, type Usage } from '../runtime/flags/commands.js';
import { nodeFault } from '../runtime/process/nodeversion.js';

/** Reads the command line and the environment, runs the command, and ends the process with its exit code. No other code reads them. */
export async function start(program: Program): Promise<void> {
  // undici's HTTP parser is WebAssembly: V8's optimizing compiler takes 30 MiB for it at the first connection, and the code
  // runs no faster (docs/performance.md).
  setFlagsFromString('--liftoff-only');
  // For what Node connects itself: to proxies, to the issuer of OIDC, to the collector of traces (API servers: dial.ts).
  // Of the addresses of a name, Node gives up each after 250 ms, less than a far server needs for its
  // first answer, and does not come back to it. With 2 s a server after two dead ones is reached within the 5 s that a connection may
  // take; client-go takes 15 s of its 30 for a dead one.
  setDefaultAutoSelectFamilyAttemptTimeout(2_000);
  const command = oldNode(program) ?? readProgram(program, process.argv.slice(2), process.env);
  if (command.kind === 'usage') {
    const { printUsage } = await import('./terminal/print.js');
    process.exitCode = await printUsage(command);
  } else {
    process.exit((await isProfiled(command)) ? await command.run() : 1);
  }
}

/** npm only warns of a Node that is too old. */
function oldNode({ name }: Program): Usage | undefined {
  const fault = nodeFault(process.versions.node);
  return fault === undefined ? undefined : { kind: 'usage', exitCode: 1, text: `${name}: ${fault}\n` };
}

/** Starts the profiles that are wanted; false where that is not possible. */
async function isProfiled({ config: { command, profileDir } }: Ready): Promise<boolean> {
  if (profileDir === undefined) return true;
  const { profile } = await import('../runtime/process/profile.js');
  return profile({ program: PRODUCT, command, profileDir });
}
