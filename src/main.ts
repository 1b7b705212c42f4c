#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

import { PRODUCT } from './api/names.js';
import { isFleetConfig } from './cli/cluster/flags.js';
import { readConfig, tooOldNode, type Config } from './commandline.js';

/** Imports only the command that runs: --help and --version load none, operator and gateway no embedded API server. */
async function run(config: Config): Promise<number> {
  if (config.command === 'gateway') {
    const { runGateway } = await import('./gateway/run.js');
    return runGateway(config);
  }
  if (config.command === 'agent') {
    const { runAgent } = await import('./agent/run.js');
    return runAgent(config);
  }
  if (config.command === 'standalone') {
    const { runStandalone } = await import('./standalone/run.js');
    return runStandalone(config, fileURLToPath(import.meta.url));
  }
  if (config.command === 'explain') {
    const { runExplain } = await import('./cli/explain/run.js');
    return runExplain(config);
  }
  if (config.command === 'plan') {
    const { runPlan } = await import('./cli/plan/run.js');
    return runPlan(config);
  }
  if (config.command === 'who-selects' || config.command === 'tree' || config.command === 'status') {
    const { runInspect } = await import('./cli/inspect/run.js');
    return runInspect(config);
  }
  if (config.command === 'check') {
    const { runCheck } = await import('./cli/check/run.js');
    return runCheck(config);
  }
  if (config.command === 'release') {
    const { runRelease } = await import('./cli/release/run.js');
    return runRelease(config);
  }
  if (isFleetConfig(config)) {
    const { runFleetCommand } = await import('./cli/cluster/run.js');
    return runFleetCommand(config);
  }
  if (config.command === 'completion' || config.command === '__complete') {
    const { runCompletion } = await import('./cli/completion/run.js');
    return runCompletion(config);
  }
  const { runOperator } = await import('./operator/run.js');
  return runOperator(config);
}

/** Starts the profiles that are wanted; false where that is not possible. */
async function isProfiled({ command, profileDir }: Config): Promise<boolean> {
  if (profileDir === undefined) return true;
  const { profile } = await import('./runtime/profiles/profile.js');
  return profile({ program: PRODUCT, command, profileDir });
}

// undici's HTTP parser is WebAssembly: V8's optimizing compiler takes 30 MiB for it at the first connection, and the code
// runs no faster (docs/reference/performance.md).
setFlagsFromString('--liftoff-only');

const config = tooOldNode(process.versions.node) ?? readConfig();
if (config.command === 'usage') {
  const { printUsage } = await import('./cli/terminal/usage.js');
  process.exitCode = await printUsage(config);
} else {
  process.exit((await isProfiled(config)) ? await run(config) : 1);
}
