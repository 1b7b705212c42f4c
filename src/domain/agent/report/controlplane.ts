import { clip } from '../../conditions.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';

/** What is known of the cluster's API server: the result of its probes so far. */
export interface ControlPlaneState {
  /** Undefined until a probe has succeeded, or all have failed for 30 s. */
  readonly isHealthy: boolean | undefined;
  /** Monotonic ms of the first of the failures in a row; undefined after a success. */
  readonly failingSince: number | undefined;
  /** When `isHealthy` last changed, RFC 3339. */
  readonly since: string;
  readonly message: string;
}

/** One request for /readyz. */
interface ProbeResult {
  /** When it was sent: monotonic ms, and wall clock in ms since the epoch. */
  readonly sentAt: number;
  readonly now: number;
  /** Why it failed; undefined when the API server is ready. */
  readonly failure: string | undefined;
}

/** Between two probes. */
export const PROBE_PERIOD_MS = 10_000;
/** An API server that restarts is not ready for some seconds. */
const UNHEALTHY_AFTER_MS = 30_000;
const MESSAGE_LIMIT = 512;

/** The state after a probe. The message stays as it is while the health does not change, so that it causes no writes. */
export function afterProbe(before: ControlPlaneState | undefined, probe: ProbeResult): ControlPlaneState {
  const { sentAt, now, failure } = probe;
  const since = timestamp(now);
  if (failure === undefined) {
    const isChanged = before?.isHealthy !== true;
    return {
      isHealthy: true,
      failingSince: undefined,
      since: isChanged ? since : before.since,
      message: '/readyz of the API server succeeds',
    };
  }
  const failingSince = before?.failingSince ?? sentAt;
  const unchanged = { isHealthy: before?.isHealthy, since: before?.since ?? since, message: before?.message ?? '' };
  if (unchanged.isHealthy === false || sentAt - failingSince < UNHEALTHY_AFTER_MS)
    return { ...unchanged, failingSince };
  const message = clip(
    `/readyz of the API server has failed for ${UNHEALTHY_AFTER_MS / 1000} s: ${failure}`,
    MESSAGE_LIMIT,
  );
  return { isHealthy: false, failingSince, since, message };
}
