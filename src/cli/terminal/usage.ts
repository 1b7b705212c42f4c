import { PROGRAM } from '../program.js';
import type { Usage } from '../../runtime/flags/commands.js';
import { standardError } from '../../runtime/log/standardoutput.js';
import { printAnswer, withOutput } from './print.js';

/** Prints a help text, or the error of a command line; returns the exit code. An error does not wait for a reader. */
export function printUsage({ text, exitCode }: Usage): Promise<number> {
  return withOutput(PROGRAM, async () => {
    if (exitCode === 0) printAnswer(text);
    else standardError().write(text);
    return exitCode;
  });
}
