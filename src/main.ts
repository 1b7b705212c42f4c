#!/usr/bin/env node
import { fileURLToPath } from 'node:url';

import { AGENT } from './agent/flags.js';
import { PROGRAM, VARIABLE_PREFIX } from './cli/program.js';
import { CLUSTER_SET, CORDON, DRAIN, PAUSE, RELEASE, RESUME, UNCORDON } from './cli/rows/changing.js';
import { CLUSTER } from './cli/rows/cluster.js';
import { complete, COMPLETION } from './cli/rows/completion.js';
import { PLAN } from './cli/rows/plan.js';
import { CHECK, EXPLAIN, HISTORY, MCP, STATUS, TREE, VERSION, WHO_SELECTS } from './cli/rows/reading.js';
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
  commandRow(OPERATOR, async () => (await import('./operator/run.js')).runOperator),
  commandRow(GATEWAY, async () => (await import('./gateway/run.js')).runGateway),
  commandRow(AGENT, async () => (await import('./agent/run.js')).runAgent),
  commandRow(STANDALONE, async () => {
    const { runStandalone } = await import('./standalone/run.js');
    return (config) => runStandalone(config, entryPoint);
  }),
  commandRow(EXPLAIN, async () => (await import('./cli/commands/explain.js')).runExplain),
  commandRow(PLAN, async () => (await import('./cli/commands/plan.js')).runPlan),
  commandRow(WHO_SELECTS, async () => (await import('./cli/commands/whoselects.js')).runWhoSelects),
  commandRow(TREE, async () => (await import('./cli/commands/tree.js')).runTree),
  commandRow(CONSOLE, async () => {
    const [{ runConsole }, { ownPrinting }] = await Promise.all([
      import('./console/run.js'),
      import('./cli/changehub.js'),
    ]);
    return (config) => runConsole(config, ownPrinting);
  }),
  commandRow(HISTORY, async () => (await import('./cli/commands/history.js')).runHistory),
  commandRow(STATUS, async () => (await import('./cli/commands/status.js')).runStatus),
  commandRow(CHECK, async () => (await import('./cli/commands/check.js')).runCheck),
  commandRow(RELEASE, async () => (await import('./cli/commands/release.js')).runRelease),
  commandRow(PAUSE, async () => (await import('./cli/commands/pause.js')).runPause),
  commandRow(RESUME, async () => (await import('./cli/commands/pause.js')).runPause),
  commandRow(CLUSTER, async () => (await import('./cli/commands/cluster/run.js')).runCluster),
  commandRow(CLUSTER_SET, async () => (await import('./cli/commands/clusterset.js')).runClusterSet),
  commandRow(CORDON, async () => (await import('./cli/commands/maintenance/run.js')).runCordon),
  commandRow(UNCORDON, async () => (await import('./cli/commands/maintenance/run.js')).runCordon),
  commandRow(DRAIN, async () => (await import('./cli/commands/maintenance/run.js')).runDrain),
  commandRow(MCP, async () => {
    const { runMcp } = await import('./cli/commands/mcp/run.js');
    return (config) => runMcp(config, entryPoint);
  }),
  commandRow(COMPLETION, async () => (await import('./cli/commands/completion.js')).runCompletion),
  commandRow(VERSION, async () => (await import('./cli/commands/version.js')).runVersion),
];

/** The configuration of one command. */
export type Config = ReturnType<(typeof commands)[number]['read']>['config'];

await start({
  name: PROGRAM,
  version: version(),
  prefix: VARIABLE_PREFIX,
  commands,
  complete: (completion, given) =>
    ready(complete(completion, given), async () => (await import('./cli/commands/completion.js')).runCompletion),
});
