import { PROGRAM } from '../program.js';
import { printAnswer, withOutput } from '../terminal/print.js';
import type { VersionConfig } from './flags.js';
import { versionText } from './text.js';

/** Prints the version; returns the exit code: 0 when it is printed. */
export function runVersion(config: VersionConfig): Promise<number> {
  return withOutput(PROGRAM, async () => {
    printAnswer(versionText(config));
    return 0;
  });
}
