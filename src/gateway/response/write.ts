import type { ServerResponse } from 'node:http';
import type { Clock } from '../../runtime/clock.js';
import { COMMON_HEADERS, type HttpResponse } from './response.js';

/** How long a client has for taking a response, ms. */
const WRITE_TIMEOUT_MS = 30_000;

/**
 * Writes a response. Resolves when the connection has taken it or is closed; a client that has not taken it within 30 s
 * is disconnected. Rejects when `stream` fails, with the connection closed: a partial response never looks like a whole
 * one.
 */
export async function writeResponse(response: ServerResponse, content: HttpResponse, clock: Clock): Promise<void> {
  const timer = clock.after(WRITE_TIMEOUT_MS, () => response.destroy());
  try {
    await write(response, content);
  } finally {
    timer.cancel();
  }
}

async function write(response: ServerResponse, { code, headers, body, stream }: HttpResponse): Promise<void> {
  const length = stream === undefined ? { 'content-length': body === undefined ? 0 : Buffer.byteLength(body) } : {};
  const over = firstEvent(response, ['finish', 'close']);
  response.writeHead(code, { ...headers, ...COMMON_HEADERS, ...length });
  if (stream === undefined) response.end(body);
  else await writeStream(response, stream);
  await over;
}

async function writeStream(response: ServerResponse, stream: AsyncIterable<Buffer>): Promise<void> {
  try {
    for await (const chunk of stream) {
      if (!response.write(chunk)) await firstEvent(response, ['drain', 'close']);
      if (response.destroyed) return;
    }
    response.end();
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
