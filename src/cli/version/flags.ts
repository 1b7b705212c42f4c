import { checkNoArguments } from '../../runtime/flags/target.js';
import type { Command } from '../../runtime/flags/commands.js';

/** The configuration of `multicluster-engine version`. */
export interface VersionConfig {
  readonly command: 'version';
  readonly output: 'text' | 'json' | 'yaml';
}

const FORMATS = ['json', 'yaml'] as const;

export const VERSION: Command<VersionConfig> = {
  name: 'version',
  summary: 'Prints the version, and the commit that it was built from.',
  arguments: '',
  flags: {
    output: { value: 'FORMAT', short: 'o', help: 'json or yaml', defaultText: 'text', completes: { words: FORMATS } },
  },
  build: (flags, { positional }) => {
    checkNoArguments(positional);
    return { command: 'version', output: flags.find('output')?.oneOf(FORMATS) ?? 'text' };
  },
};
