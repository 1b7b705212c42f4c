import type { JsonValue } from '../object/document.js';
import { header, type HeaderMap } from './headers.js';
import { parseJson } from '../object/json.js';
import type { Format } from './media.js';
import { StatusError } from '../statuserror.js';
import { parseYaml } from '../object/yaml.js';

export const MAX_BODY = 1024 * 1024;

const BYTE_ORDER_MARK = '\u{feff}';

/** Whether the head announces a request body. */
export function announcesBody(headers: HeaderMap): boolean {
  const length = header(headers, 'content-length');
  return headers.has('transfer-encoding') || (length !== undefined && !/^0+$/.test(length));
}

/** @throws StatusError `tooLarge` when the head announces more than 1 MiB */
export function checkLength(headers: HeaderMap): void {
  if (Number(header(headers, 'content-length') ?? 0) > MAX_BODY) throw tooLarge();
}

/**
 * Parses a body, which is one document within the limits of DocumentBuilder.
 * @throws StatusError `malformed`
 */
export function parseBody(bytes: Uint8Array, format: Format): JsonValue {
  const text = decode(bytes);
  if (text.startsWith(BYTE_ORDER_MARK))
    throw new StatusError('malformed', { message: 'the body must not begin with a byte order mark' });
  return format === 'json' ? parseJson(text) : parseYaml(text);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new StatusError('malformed', { message: 'the body is not valid UTF-8' });
  }
}

/** The error for a body of more than 1 MiB. */
export function tooLarge(): StatusError {
  return new StatusError('tooLarge', { message: `the body is larger than ${MAX_BODY} bytes`, close: true });
}
