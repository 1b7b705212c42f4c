#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

import { isFleetConfig } from './config/cluster.js';
import { readConfig, tooOldNode, type Config } from './config/config.js';

/** Imports only the command that runs: --help and --version load none, operator and gateway no embedded API server. */
async function run(config: Config): Promise<number> {
  if (config.command === 'gateway') {
    const { runGateway } = await import('./commands/gateway.js');
    return runGateway(config);
  }
  if (config.command === 'agent') {
    const { runAgent } = await import('./commands/agent.js');
    return runAgent(config);
  }
  if (config.command === 'standalone') {
    const { runStandalone } = await import('./commands/standalone.js');
    return runStandalone(config, fileURLToPath(import.meta.url));
  }
  if (config.command === 'explain') {
    const { runExplain } = await import('./commands/cli/explain.js');
    return runExplain(config);
  }
  if (config.command === 'plan') {
    const { runPlan } = await import('./commands/cli/plan.js');
    return runPlan(config);
  }
  if (config.command === 'who-selects' || config.command === 'tree' || config.command === 'status') {
    const { runInspect } = await import('./commands/cli/inspect.js');
    return runInspect(config);
  }
  if (config.command === 'check') {
    const { runCheck } = await import('./commands/cli/check.js');
    return runCheck(config);
  }
  if (config.command === 'release') {
    const { runRelease } = await import('./commands/cli/release.js');
    return runRelease(config);
  }
  if (isFleetConfig(config)) {
    const { runFleetCommand } = await import('./commands/cli/cluster.js');
    return runFleetCommand(config);
  }
  if (config.command === 'completion' || config.command === '__complete') {
    const { runCompletion } = await import('./commands/cli/completion.js');
    return runCompletion(config);
  }
  const { runOperator } = await import('./commands/operator.js');
  return runOperator(config);
}

/** Starts the profiles that are wanted; false where that is not possible. */
async function isProfiled({ command, profileDir }: Config): Promise<boolean> {
  if (profileDir === undefined) return true;
  const { profile } = await import('./commands/profiles/profile.js');
  return profile({ command, profileDir });
}

// undici's HTTP parser is WebAssembly: V8's optimizing compiler takes 30 MiB for it at the first connection, and the code
// runs no faster (docs/reference/performance.md).
setFlagsFromString('--liftoff-only');

const config = tooOldNode(process.versions.node) ?? readConfig();
if (config.command === 'usage') {
  const { printUsage } = await import('./commands/usage.js');
  process.exitCode = await printUsage(config);
} else {
  process.exit((await isProfiled(config)) ? await run(config) : 1);
}
