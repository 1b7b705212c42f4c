import { OLDEST_KUBERNETES } from '../../api/names.js';
import { serverProblem } from '../../domain/serverversion.js';
import { serverVersion } from './serverversion.js';
import type { Transport } from '../transport/transport.js';
import { delay, type Clock } from '../clock.js';
import { errorText, isFailure } from '../errors.js';
import type { Logger } from '../logger.js';

const RETRY_MS = 30_000;

/**
 * Logs one warning when the API server is older than the oldest release that the product is proven with. An API server that does
 * not answer is asked again, until `signal` fires; nothing waits for this. Never rejects.
 */
export async function warnOfOldServer(
  transport: Pick<Transport, 'call'>,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const version = await serverVersion(transport, signal);
      if (serverProblem(version) !== undefined)
        log.warn(
          { version, oldest: OLDEST_KUBERNETES },
          'the API server is older than the oldest supported Kubernetes',
        );
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!isFailure(error, 'Transport', 'Unavailable', 'Throttled'))
        return log.info({ error: errorText(error) }, 'the version of the API server is not known');
    }
    await delay(clock, RETRY_MS, signal).catch(() => undefined);
  }
}
