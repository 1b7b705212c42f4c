import { build } from '../../runtime/process/build.js';
import { PROGRAM } from '../program.js';
import { CLI_API_VERSION } from '../terminal/output.js';
import { printAnswer, withOutput } from '../terminal/print.js';
import type { VersionConfig } from './flags.js';

/** Prints the version; returns the exit code: 0 when it is printed. */
export function runVersion(config: VersionConfig): Promise<number> {
  return withOutput(PROGRAM, async () => {
    printAnswer(versionText(config));
    return 0;
  });
}

/** What this program was built from, as text or as JSON of kind Version. */
export function versionText({ output }: Pick<VersionConfig, 'output'>): string {
  const { version, commit, date } = build();
  const node = process.version;
  if (output === 'json') {
    const document = { apiVersion: CLI_API_VERSION, kind: 'Version', version, commit, date, node };
    return `${JSON.stringify(document, null, 2)}\n`;
  }
  return `version ${version}\ncommit ${commit || 'unknown'}\ndate ${date || 'unknown'}\nnode ${node}\n`;
}
