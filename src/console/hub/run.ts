import { runTokenServer } from '../../runtime/endpoints/tokenserver.js';
import type { TokenServerConfig } from '../../runtime/flags/tokenserver.js';
import { build, version } from '../../runtime/process/build.js';
import { readAssets } from '../server/assets.js';
import { ConsoleComponent } from './component.js';
import { createConsoleMetrics } from './metrics.js';

const RELOAD_MS = 5_000;

/** Serves until a signal; returns the exit code. A failure to start is one line of the log, and 1. */
export function runComponent(config: TokenServerConfig): Promise<number> {
  const metrics = createConsoleMetrics(build());
  const userAgent = `multicluster-engine/${version()} (console)`;
  return runTokenServer(
    config,
    metrics,
    (tools) =>
      new ConsoleComponent({ ...config, ...tools, userAgent, assets: readAssets(), reloadEveryMs: RELOAD_MS, metrics }),
  );
}
