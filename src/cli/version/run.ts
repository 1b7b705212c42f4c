import { build } from '../../runtime/process/build.js';
import { PROGRAM } from '../program.js';
import { CLI_API_VERSION, documentText } from '../terminal/output.js';
import { printAnswer, withOutput } from '../terminal/print.js';
import type { VersionConfig } from './flags.js';

/** Prints the version; returns the exit code: 0 when it is printed. */
export function runVersion(config: VersionConfig): Promise<number> {
  return withOutput(PROGRAM, async () => {
    printAnswer(versionText(config));
    return 0;
  });
}

/** What this program was built from, as text or as a document of kind Version. */
export function versionText({ output }: Pick<VersionConfig, 'output'>): string {
  const { version, commit, date } = build();
  const node = process.version;
  if (output !== 'text')
    return documentText({ apiVersion: CLI_API_VERSION, kind: 'Version', version, commit, date, node }, output);
  return `version ${version}\ncommit ${commit || 'unknown'}\ndate ${date || 'unknown'}\nnode ${node}\n`;
}
