import { StatusError } from '../statuserror.js';

/** The values of each header field, by its name in lower case, in order, none joined or dropped. */
export type HeaderMap = ReadonlyMap<string, readonly string[]>;

const MAX_FIELDS = 100;
/** Fields that must not be repeated: readers differ on which value counts. */
const NOT_REPEATABLE = [
  'host',
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'if-match',
  'origin',
  'sec-fetch-site',
  'expect',
];
/** Fields that would change the meaning of a request and are not supported. */
const UNSUPPORTED = ['upgrade', 'x-http-method', 'x-http-method-override', 'x-method-override'];
/** A host name or an address, with an optional port. */
const HOST = /^(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{0,5})?$/;

/** `rawHeaders` (name, value, name, value, …) as a map. */
export function headerMap(raw: readonly string[]): HeaderMap {
  const map = new Map<string, string[]>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    const values = map.get(name);
    if (values === undefined) map.set(name, [raw[index + 1] ?? '']);
    else values.push(raw[index + 1] ?? '');
  }
  return map;
}

/** The first value of a field; undefined when the field is absent. */
export function header(headers: HeaderMap, name: string): string | undefined {
  return headers.get(name)?.[0];
}

/**
 * Checks what holds for every request, whatever its path and method are.
 * @throws StatusError
 */
export function checkHeaders(headers: HeaderMap, httpVersion: string): void {
  if (httpVersion !== '1.1') throw malformed('the protocol must be HTTP/1.1');
  let fields = 0;
  for (const values of headers.values()) fields += values.length;
  if (fields > MAX_FIELDS)
    throw new StatusError('headersTooLarge', { message: `more than ${MAX_FIELDS} header fields`, close: true });
  for (const name of NOT_REPEATABLE) {
    if ((headers.get(name)?.length ?? 0) > 1) throw malformed(`header ${name} must not be repeated`);
  }
  for (const name of UNSUPPORTED) {
    if (headers.has(name)) throw malformed(`header ${name} is not supported`);
  }
  if (!HOST.test(header(headers, 'host') ?? '')) throw malformed('header host must name the host');
  const coding = header(headers, 'transfer-encoding');
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw malformed('header transfer-encoding must be chunked');
  const expect = header(headers, 'expect');
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new StatusError('expectation', { message: 'header expect must be 100-continue', close: true });
  }
  checkSameOrigin(headers);
}

/** Rejects requests that a browser sends from a page of another site. */
function checkSameOrigin(headers: HeaderMap): void {
  const site = header(headers, 'sec-fetch-site');
  const origin = header(headers, 'origin');
  const own = `https://${(header(headers, 'host') ?? '').toLowerCase()}`;
  const sameSite = site === undefined || site === 'same-origin' || site === 'none';
  if (sameSite && (origin === undefined || origin.toLowerCase() === own)) return;
  throw new StatusError('forbidden', { message: 'requests from other sites are refused' });
}

function malformed(message: string): StatusError {
  return new StatusError('malformed', { message, close: true });
}
