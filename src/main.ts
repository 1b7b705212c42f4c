#!/usr/bin/env node
import { fileURLToPath } from 'node:url';

import { AGENT } from './agent/flags.js';
import { EXAMPLES } from './cli/examples.js';
import { PROGRAM, VARIABLE_PREFIX } from './cli/program.js';
import { toolsOf } from './cli/command.js';
import { CHANGING } from './cli/rows/changing.js';
import { complete, COMPLETION } from './cli/rows/completion.js';
import { ASKING, MCP, STATE, VERSION } from './cli/rows/reading.js';
import { start } from './cli/start.js';
import { CONSOLE } from './console/flags.js';
import { GATEWAY } from './gateway/flags.js';
import { OPERATOR } from './operator/flags.js';
import { commandRow, ready } from './runtime/flags/commands.js';
import { version } from './runtime/process/build.js';
import { STANDALONE } from './standalone/flags.js';

const entryPoint = fileURLToPath(import.meta.url);

/** Only the command that runs is imported: --help and --version load none, operator and gateway no embedded API server. */
const commands = [
  commandRow(OPERATOR, async (config) => (await import('./operator/run.js')).runOperator(config)),
  commandRow(GATEWAY, async (config) => (await import('./gateway/run.js')).runGateway(config)),
  commandRow(AGENT, async (config) => (await import('./agent/run.js')).runAgent(config)),
  commandRow(STANDALONE, async (config) => (await import('./standalone/run.js')).runStandalone(config, entryPoint)),
  ...ASKING,
  commandRow(CONSOLE, async (config) =>
    (await import('./console/run.js')).runConsole(config, (await import('./cli/hub.js')).ownPrinting),
  ),
  ...STATE,
  ...CHANGING,
  commandRow(MCP, async (config) =>
    (await import('./cli/commands/mcp/run.js')).runMcp(config, { entryPoint, tools: toolsOf([...ASKING, ...STATE]) }),
  ),
  COMPLETION,
  VERSION,
];

/** The configuration of one command. */
export type Config = ReturnType<(typeof commands)[number]['read']>['config'];

await start({
  name: PROGRAM,
  version: version(),
  prefix: VARIABLE_PREFIX,
  commands,
  examples: EXAMPLES,
  complete: (completion, given) =>
    ready(complete(completion, given), async (config) =>
      (await import('./cli/commands/completion.js')).runCompletion(config),
    ),
});
