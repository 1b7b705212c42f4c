import type { JsonObject } from '@multicluster-engine/values/json';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { isKnownReason, type FieldRules } from '@multicluster-engine/values/schema/fieldrules';
import { STATUS_ERRORS, StatusError, fieldErrors } from '../statuserror.js';
import { checkHeaders, header, headerMap } from '../request/headers.js';
import { matchRoute, operationOf, ROUTES, type Route } from '../request/routes.js';
import { asRecord, type JsonRecord } from '../../runtime/vocabulary/json.js';

/**
 * The errors for requests that Node's HTTP parser rejects, for heads that the scanner refuses, and for methods that a path does
 * not have. The parser says little about what is wrong, so the head is read again here.
 */

/** What has been received of the head of a request, as Latin-1. */
export interface ReceivedHead {
  readonly text: string;
  /** Whether the text ends with the empty line at the end of the head. */
  readonly complete: boolean;
}

/** A character of a method or of the name of a header. */
const NAME_CHARACTER = String.raw`[!#$%&'*+.^_\`|~0-9A-Za-z-]`;
const VALUE = String.raw`[\t\x20-\x7e\x80-\xff]*`;
const REQUEST = String.raw`${NAME_CHARACTER}+ [\x21-\x7e\x80-\xff]+ HTTP\/\d\.\d`;
const FIELD = `${NAME_CHARACTER}+:${VALUE}`;
/** Stricter than the parser, which accepts several spaces in a request line, and LF or CR alone before that line. */
const HEAD = new RegExp(`^(?:\\r\\n)*${REQUEST}\\r\\n(?:${FIELD}\\r\\n)*\\r\\n$`);
const REQUEST_LINE = new RegExp(`^${REQUEST}$`);
const HEADER_LINE = new RegExp(`^${FIELD}$`);
const PARTIAL_HEADER_LINE = new RegExp(`^${NAME_CHARACTER}*(?::${VALUE}\\r?)?$`);
/** The line of a header whose value has the access token. */
const ACCESS_TOKEN_LINE = /^(?:cookie|authorization):/i;
/** A request line with any method, also one that the parser does not know; captures the path without the query. */
const ANY_METHOD = new RegExp(`^${NAME_CHARACTER}{1,64} ([^\\s?]{1,2048})(?:\\?\\S*)? HTTP/1\\.1$`);

/** The parser's error codes for a method that HTTP does not have, or that only other protocols have. */
const UNKNOWN_METHOD_CODES = new Set(['HPE_INVALID_METHOD', 'HPE_INVALID_CONSTANT']);

/** Whether a complete head has the syntax of HTTP/1.x; empty lines may come before it. Its fields are not read. */
export function isWellFormed(text: string): boolean {
  return HEAD.test(text);
}

/**
 * The error for an event `clientError` of Node's server: for bytes that the parser rejects or that arrive too late;
 * undefined when the connection has failed.
 * `head`: the head that was being received; undefined within a body.
 */
export function errorForClientError(error: NodeJS.ErrnoException, head?: ReceivedHead): StatusError | undefined {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new StatusError('slow', { message: 'the request did not arrive in time' });
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return new StatusError('headersTooLarge', { message: STATUS_ERRORS.headersTooLarge.when });
  if (error.code?.startsWith('HPE_') !== true || error.code === 'HPE_INVALID_EOF_STATE') return undefined;
  if (head === undefined) return notHttp();
  return errorForHead(head, UNKNOWN_METHOD_CODES.has(error.code));
}

/**
 * The error for a head that is not well-formed or that the parser has rejected. A malformed access token is reported last: only
 * when nothing else in the head is wrong. `unknownMethod`: the parser does not know the method.
 */
export function errorForHead({ text, complete }: ReceivedHead, unknownMethod = false): StatusError {
  // Of a complete head the last two parts are the empty line and the empty text after it; of another one, the last part is an
  // unfinished line.
  const lines = text.replace(/^(?:\r\n)+/, '').split('\r\n');
  const partial = lines.pop() ?? '';
  const [requestLine = '', ...fields] = complete ? lines.slice(0, -1) : lines;
  if (!REQUEST_LINE.test(requestLine)) return notHttp();
  const malformed = fields.filter((line) => !HEADER_LINE.test(line));
  if (!PARTIAL_HEADER_LINE.test(partial)) malformed.push(partial);
  if (malformed.some((line) => !ACCESS_TOKEN_LINE.test(line))) return notHttp();
  if (malformed.length === 0) {
    const path = unknownMethod ? ANY_METHOD.exec(requestLine)?.[1] : undefined;
    return path === undefined ? notHttp() : errorForPath(path);
  }
  const wellFormed = fields.filter((line) => HEADER_LINE.test(line));
  return (
    errorInFields(wellFormed, requestLine.slice(-'1.1'.length), complete) ??
    errorInRequestLine(requestLine) ??
    new StatusError('forbidden', { message: 'the access token is malformed' })
  );
}

function notHttp(): StatusError {
  return new StatusError('malformed', { message: 'the request is not well-formed HTTP/1.1' });
}

/** The checks of the fields that come before that of the token. An incomplete head may still get what it lacks. */
function errorInFields(lines: readonly string[], httpVersion: string, complete: boolean): StatusError | undefined {
  const headers = headerMap(
    lines.flatMap((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const length = header(headers, 'content-length');
  if (length !== undefined && (!/^\d+$/.test(length) || headers.has('transfer-encoding'))) return notHttp();
  if (!complete) return undefined;
  try {
    checkHeaders(headers, httpVersion);
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}

/** The checks of the request line that come before that of the token. */
function errorInRequestLine(requestLine: string): StatusError | undefined {
  const [method = '', target = ''] = requestLine.split(' ');
  const [path = '', ...query] = target.split('?');
  const route = matchRoute(path)?.route;
  if (route === undefined || operationOf(route, method) === undefined) return errorForPath(path);
  return query.length === 0 ? undefined : new StatusError('malformed', { message: 'a query string is not allowed' });
}

/** The error for a method that the path does not have, or for a path that does not exist. */
export function errorForPath(path: string): StatusError {
  const route = matchRoute(path)?.route;
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

/** An object that was sent, and the rules of its kind. */
interface SentObject {
  readonly kind: string;
  readonly object: JsonObject;
  readonly rules: FieldRules;
}

const MAX_CAUSES = 32;
const MAX_FIELD = 256;
/** The path of a field; the server writes `<nil>` for no field. */
const CAUSE_FIELD = /^(?!<nil>$)[\x20-\x7e]{1,256}$/;
/**
 * The error for an object that the API server rejects with 400 or 422. Of its Status, only paths of fields and reasons
 * are used; rules and unknown fields are looked up here, so that no text of the API server reaches the client. A field that the kind
 * does not have is `malformed`, also where a rule of the CRD forbids it; any other error is `invalid`.
 */
export function invalidObjectError(code: 400 | 422, status: JsonRecord, sent: SentObject): StatusError {
  const { kind, object, rules } = sent;
  // A field that the kind does not have is refused before the values of the others are looked at.
  const unknown = code === 400 ? rules.unknownFields(kind, object).map((path) => path.slice(0, MAX_FIELD)) : [];
  const errors = reportedErrors(status);
  const forbidden = errors.filter(({ field }) => rules.isForbidden(kind, field)).map(({ field }) => field);
  const wrong = errors
    .filter(({ field }) => !forbidden.includes(field))
    .map((one) => rules.describe(kind, one, object));
  const causes: FieldError[] = [
    ...wrong,
    ...[...unknown, ...forbidden].map((field) => rules.unknownField(kind, field)),
  ].slice(0, MAX_CAUSES);
  const malformed = code === 400 || (forbidden.length > 0 && wrong.length === 0);
  const kindOfError = malformed ? 'malformed' : 'invalid';
  return causes.length === 0
    ? new StatusError(kindOfError, { message: 'the API server rejects the object as invalid' })
    : fieldErrors(kindOfError, causes);
}

function reportedErrors(status: JsonRecord): Omit<FieldError, 'message'>[] {
  const causes = asRecord(status['details'])['causes'];
  if (!Array.isArray(causes)) return [];
  const errors = new Map<string, Omit<FieldError, 'message'>>();
  for (const one of causes.slice(0, MAX_CAUSES)) {
    const { field, reason } = asRecord(one);
    if (typeof field !== 'string' || typeof reason !== 'string' || !isKnownReason(reason) || !CAUSE_FIELD.test(field))
      continue;
    errors.set(`${field} ${reason}`, { field, reason });
  }
  return [...errors.values()];
}
