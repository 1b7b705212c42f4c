import { checkNoArguments } from '../flags.js';
import type { FlagRows, Flags } from '../../runtime/flags/flags.js';
import { build } from '../../runtime/process/build.js';

export const VERSION_FLAGS: FlagRows = {
  output: { value: 'FORMAT', short: 'o', help: 'json', defaultText: 'text' },
};

/** What `multicluster-engine version` prints. @throws FlagError with the flag, its value and the rule. */
export function versionText(flags: Flags, positional: readonly string[]): string {
  checkNoArguments(positional);
  const { version, commit, date } = build();
  const node = process.version;
  if (flags.find('output')?.oneOf(['json'] as const) === 'json') {
    const document = { apiVersion: 'cli.fleetmgmt.io/v1', kind: 'Version', version, commit, date, node };
    return `${JSON.stringify(document, null, 2)}\n`;
  }
  return `version ${version}\ncommit ${commit || 'unknown'}\ndate ${date || 'unknown'}\nnode ${node}\n`;
}
