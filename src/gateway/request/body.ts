import type { IncomingMessage } from 'node:http';
import { asError } from '../../runtime/errors.js';
import type { Reservation } from './budget.js';
import { header, type HeaderMap } from './headers.js';
import { StatusError } from '../statuserror.js';

const MAX_BODY_BYTES = 1024 * 1024;

/** Whether the head announces a request body. */
export function announcesBody(headers: HeaderMap): boolean {
  const length = header(headers, 'content-length');
  return headers.has('transfer-encoding') || (length !== undefined && !/^0+$/.test(length));
}

/** Checks the length that the head announces. @throws StatusError `tooLarge` for more than 1 MiB */
export function checkLength(headers: HeaderMap): void {
  if (Number(header(headers, 'content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge();
}

/**
 * Reads a body to its end, at most 1 MiB whatever length was announced. Its bytes are reserved in `memory` as they
 * arrive; the caller releases them. After an error the rest is left unread.
 * @throws StatusError; another Error when the client leaves
 */
export function readBody(message: IncomingMessage, memory: Reservation): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let received = 0;
  // By events: an iterator of the stream would cost more than all checks of a small body.
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      message.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    const fail = (error: unknown): void => {
      stop();
      message.pause();
      reject(asError(error));
    };
    const onEvicted = (): void =>
      fail(
        new StatusError('slow', { message: 'the body has stopped arriving while others need its memory', close: true }),
      );
    const onData = (bytes: Buffer): void => {
      chunks.push(bytes);
      received += bytes.length;
      if (received > MAX_BODY_BYTES) fail(tooLarge());
      else if (!memory.grow(received, onEvicted))
        fail(new StatusError('unavailable', { message: 'too many bodies at once', close: true }));
    };
    const onEnd = (): void => {
      stop();
      memory.complete();
      resolve(Buffer.concat(chunks));
    };
    const onClose = (): void => {
      if (!message.readableEnded) fail(message.errored ?? new Error('the connection has closed'));
    };
    if (message.destroyed) onClose();
    else message.on('data', onData).on('end', onEnd).on('close', onClose).resume();
  });
}

function tooLarge(): StatusError {
  return new StatusError('tooLarge', { message: `the body is larger than ${MAX_BODY_BYTES} bytes`, close: true });
}
