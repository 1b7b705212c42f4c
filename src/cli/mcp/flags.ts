import { checkNoArguments, targetConfig, TARGET_FLAGS, type TargetConfig } from '../../runtime/flags/target.js';
import type { Command } from '../../runtime/flags/commands.js';

/** The configuration of `multicluster-engine mcp`. */
export interface McpConfig extends TargetConfig {
  readonly command: 'mcp';
}

export const MCP: Command<McpConfig> = {
  name: 'mcp',
  summary:
    'Serves explain, plan, who-selects, tree, history and check to AI assistants, by the Model Context Protocol. Read-only.',
  arguments: '',
  flags: TARGET_FLAGS,
  exitCodes: '0: standard input has ended; 1: a message is too long; 141: nobody reads the answers any more',
  build: (flags, given) => {
    checkNoArguments(given.positional);
    return { command: 'mcp', ...targetConfig(flags, given) };
  },
};
