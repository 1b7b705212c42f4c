import { systemClock } from '../../runtime/clock.js';
import { runWithEndpoints } from '../../runtime/endpoints/endpoints.js';
import { secureMetrics } from '../../runtime/endpoints/securemetrics.js';
import { errorText } from '../../runtime/errors.js';
import type { TokenServerConfig } from '../../runtime/flags/tokenserver.js';
import { createLogger } from '../../runtime/log/pinologger.js';
import { build, version } from '../../runtime/process/build.js';
import { refuseDebugger } from '../../runtime/process/debugger.js';
import { exitOnCrash } from '../../runtime/process/lifecycle.js';
import { readAssets } from '../server/assets.js';
import { ConsoleComponent } from './component.js';
import { createConsoleMetrics } from './metrics.js';

/** Serves until a signal; returns the exit code. A failure to start is one line of the log, and 1. */
export async function runComponent(config: TokenServerConfig): Promise<number> {
  const log = createLogger({ level: config.logLevel, clock: systemClock });
  exitOnCrash(process, log);
  const checkDebugger = refuseDebugger(process, log);
  try {
    const metrics = createConsoleMetrics(build());
    const userAgent = `multicluster-engine/${version()} (console)`;
    const component = new ConsoleComponent({
      ...config,
      userAgent,
      assets: readAssets(),
      clock: systemClock,
      log,
      metrics,
    });
    await component.start();
    const review = component.accessReviewer();
    const secure = config.metricsSecure ? secureMetrics({ review, tls: config.tls, log }) : undefined;
    const readyz = [component.readiness()];
    return await runWithEndpoints([component], { config, metrics, secure, readyz, log, onListening: checkDebugger });
  } catch (error) {
    log.error({ reason: errorText(error) }, 'cannot start');
    return 1;
  }
}
