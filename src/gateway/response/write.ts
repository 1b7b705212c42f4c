import type { ServerResponse } from 'node:http';
import type { Clock } from '../../runtime/clock.js';
import { WaitLimit } from '../../runtime/waitlimit.js';
import { COMMON_HEADERS, type HttpResponse } from './response.js';

/**
 * How long a client has for taking a whole body, which is small, or a piece of a stream, ms. The operating system goes
 * on taking bytes when a third of its buffer is free: for a slow client in steps of up to 1.5 MB with the limits of
 * Linux (net.ipv4.tcp_wmem), so that one that reads 30 kB/s seems to stall for 50 s.
 */
const STAND_STILL_MS = 60_000;

/**
 * Writes a response. Resolves when the connection has taken it or is closed; a client that stalls for 60 s is
 * disconnected, where the time in which `stream` is waited for does not count. Rejects when `stream` fails, with the
 * connection closed: a partial response never looks like a whole one.
 */
export async function writeResponse(response: ServerResponse, content: HttpResponse, clock: Clock): Promise<void> {
  const { code, headers, warnings = [], body, stream } = content;
  const length = stream === undefined ? { 'content-length': body === undefined ? 0 : Buffer.byteLength(body) } : {};
  const limit = new WaitLimit({ clock, ms: STAND_STILL_MS, exceeded: () => void response.destroy() });
  const over = firstEvent(response, ['finish', 'close']);
  if (warnings.length > 0) response.setHeader('warning', warnings);
  response.writeHead(code, { ...headers, ...COMMON_HEADERS, ...length });
  try {
    if (stream !== undefined) await writeStream(response, stream, limit);
    limit.start();
    if (!response.destroyed) response.end(body);
    await over;
  } finally {
    limit.stop();
  }
}

async function writeStream(response: ServerResponse, stream: AsyncIterable<Buffer>, limit: WaitLimit): Promise<void> {
  try {
    for await (const chunk of stream) {
      limit.start();
      if (!response.write(chunk)) await firstEvent(response, ['drain', 'close']);
      limit.stop();
      if (response.destroyed) return;
    }
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Resolves at whichever event comes first. */
function firstEvent(response: ServerResponse, events: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) {
      resolve();
      return;
    }
    const settle = (): void => {
      for (const event of events) response.off(event, settle);
      resolve();
    };
    for (const event of events) response.on(event, settle);
  });
}
