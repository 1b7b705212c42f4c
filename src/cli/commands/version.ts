import { timeZoneData } from '../../domain/placement/spec/changewindows.js';
import { build } from '../../runtime/process/build.js';
import { PROGRAM } from '../program.js';
import { CLI_API_VERSION, documentText } from '../../answers/output.js';
import { printAnswer, withOutput } from '../terminal/print.js';

/** Prints the version; returns the exit code: 0 when it is printed. */
export function runVersion(config: Parameters<typeof versionText>[0]): Promise<number> {
  return withOutput(PROGRAM, async () => {
    printAnswer(versionText(config));
    return 0;
  });
}

/** What this program was built from, as text or as a document of kind Version. */
export function versionText({ output }: { readonly output: 'text' | 'json' | 'yaml' }): string {
  const { version, commit, date } = build();
  const [node, zones] = [process.version, timeZoneData()];
  if (output !== 'text') {
    const document = { apiVersion: CLI_API_VERSION, kind: 'Version', version, commit, date, node, timeZoneData: zones };
    return documentText(document, output);
  }
  return `version ${version}\ncommit ${commit || 'unknown'}\ndate ${date || 'unknown'}\nnode ${node}\ntime zone data ${zones}\n`;
}
