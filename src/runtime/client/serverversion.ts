import { textField } from '../vocabulary/json.js';
import { malformed } from '../transport/apierror.js';
import type { Transport } from '../transport/transport.js';
import { delay, type Clock } from '../clock.js';
import { errorText, isFailure } from '../errors.js';
import type { Logger } from '../logger.js';

const RETRY_MS = 30_000;

/** What the warning about an old API server needs. */
interface OldServerOptions {
  /** The oldest release that the program supports, such as `1.30`. */
  readonly oldest: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** `gitVersion` of /version, such as `v1.36.3`; every user may read it. @throws ApiError. */
export async function serverVersion(transport: Pick<Transport, 'call'>, signal?: AbortSignal): Promise<string> {
  const target = { verb: 'get', resource: 'version' };
  const { body } = await transport.call({ method: 'GET', path: '/version', target, idempotent: true, signal });
  const version = textField(body, 'gitVersion');
  if (version === '') throw malformed(target, 'there is no gitVersion');
  return version;
}

/** Why an API server of this version (`v1.36.3`, `v1.31.2+k3s1`) is not supported; undefined when it is. `oldest`: `1.30`. */
export function serverProblem(version: string, oldest: string): string | undefined {
  const [least, minor] = [oldest, version].map((text) => {
    const [, first = '0', second = '0'] = /^v?(\d+)\.(\d+)/.exec(text) ?? [];
    return Number(first) * 1000 + Number(second);
  });
  return (minor ?? 0) >= (least ?? 0) ? undefined : `Kubernetes ${version} is older than ${oldest}`;
}

/**
 * Logs one warning when the API server is older than `oldest`. An API server that does
 * not answer is asked again, until `signal` fires; nothing waits for this. Never rejects.
 */
export async function warnOfOldServer(
  transport: Pick<Transport, 'call'>,
  { oldest, clock, log }: OldServerOptions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const version = await serverVersion(transport, signal);
      if (serverProblem(version, oldest) !== undefined)
        log.warn({ version, oldest }, 'the API server is older than the oldest supported Kubernetes');
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!isFailure(error, 'Transport', 'Unavailable', 'Throttled'))
        return log.info({ error: errorText(error) }, 'the version of the API server is not known');
    }
    await delay(clock, RETRY_MS, signal).catch(() => undefined);
  }
}
