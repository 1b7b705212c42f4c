import type { Transport } from '../transport/transport.js';

const DEADLINE_MS = 5_000;

/**
 * Throws an ApiError when /readyz of the API server does not succeed within 5 s. One attempt. As a stream, since the body of a
 * success is not JSON.
 */
export async function probeReadiness(transport: Pick<Transport, 'open'>, signal: AbortSignal): Promise<void> {
  const body = await transport.open({
    method: 'GET',
    path: '/readyz',
    target: { verb: 'get', resource: 'readyz' },
    idempotent: true,
    attempts: 1,
    deadlineMs: DEADLINE_MS,
    signal,
  });
  for await (const _ of body) void _;
}
