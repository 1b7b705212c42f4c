import { STATUS_ERRORS, StatusError } from '../statuserror.js';
import { matchRoute, ROUTES, type Route } from '../request/routes.js';

/** A request line whose method the parser may not know; captures the path without the query. */
const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}) ([^\s?]{1,2048})(?:\?\S*)? HTTP\/1\.1$/;

/** The parser's error codes for a method that HTTP does not have, or that only other protocols have. */
const UNKNOWN_METHOD = new Set(['HPE_INVALID_METHOD', 'HPE_INVALID_CONSTANT']);

/** The error for bytes that the parser rejects or that arrive too late; undefined when the connection has failed. */
export function errorForClientError(error: NodeJS.ErrnoException): StatusError | undefined {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new StatusError('slow', { message: 'the request did not arrive in time' });
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return new StatusError('headersTooLarge', { message: STATUS_ERRORS.headersTooLarge.when });
  if (error.code?.startsWith('HPE_') !== true || error.code === 'HPE_INVALID_EOF_STATE') return undefined;
  const { before, after } = lineAt(error);
  if (/^(?:cookie|authorization):/i.test(before))
    return new StatusError('forbidden', { message: 'the access token is malformed' });
  const target = UNKNOWN_METHOD.has(error.code) ? REQUEST_LINE.exec(before + after)?.[2] : undefined;
  return target === undefined
    ? new StatusError('malformed', { message: 'the request is not well-formed HTTP/1.1' })
    : errorForUnknownMethod(target);
}

/** The error for a method that no path has. */
export function errorForUnknownMethod(target: string): StatusError {
  const route = matchRoute(target)?.route;
  if (route === undefined) return new StatusError('notFound', { message: 'no such path' });
  return methodNotAllowed(route);
}

/** The error for CONNECT. It names a host, not a path, so that all methods of all paths are listed as allowed. */
export function errorForConnect(target: string): StatusError {
  return methodNotAllowed(matchRoute(target)?.route ?? { operations: ROUTES.flatMap(({ operations }) => operations) });
}

/** The error for a method that a route does not have. */
export function methodNotAllowed({ operations }: Pick<Route, 'operations'>): StatusError {
  const allow = [...new Set(operations.map(({ method }) => method))].join(', ');
  return new StatusError('method', { message: `the methods of this path are ${allow}`, allow });
}

/** The line at which the parser has stopped: the text before that place, and the received text after it. */
function lineAt(error: Error): { readonly before: string; readonly after: string } {
  const rawPacket = 'rawPacket' in error ? error.rawPacket : undefined;
  const bytesParsed = 'bytesParsed' in error ? error.bytesParsed : undefined;
  if (!Buffer.isBuffer(rawPacket) || typeof bytesParsed !== 'number') return { before: '', after: '' };
  const text = rawPacket.toString('latin1');
  const read = text.slice(0, bytesParsed + 1).trimEnd();
  const rest = text.slice(read.length);
  const end = rest.indexOf('\r\n');
  return { before: read.slice(read.lastIndexOf('\n') + 1), after: end < 0 ? '' : rest.slice(0, end) };
}
