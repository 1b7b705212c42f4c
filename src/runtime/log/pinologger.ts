import { pino } from 'pino';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import { standardOutput } from './standardoutput.js';
import { ApiError } from '../errors.js';

/** Where lines are written to; `onRecovered` as in `LineWriter`. */
interface LogDestination {
  write(line: string): void;
  onRecovered?(report: (lines: number) => void): void;
}

interface LoggerOptions {
  readonly level: string;
  readonly clock: Clock;
  /** Destination of the lines; default standard output. */
  readonly destination?: LogDestination;
}

/**
 * JSON lines: `level` as a word, `ts` in RFC 3339, the fields, `msg`. Secrets in fields and texts are redacted. When the
 * destination has dropped lines, a warning says how many, once it can be written again.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { level, clock, destination = standardOutput() } = options;
  const settings = {
    level,
    base: null,
    messageKey: 'msg',
    errorKey: 'err',
    timestamp: () => `,"ts":"${new Date(clock.now()).toISOString()}"`,
    serializers: { err: (value: unknown) => value },
    formatters: { level: (label: string) => ({ level: label }), log: (fields: object) => printable(fields) },
  };
  const log = redacting(pino(settings, destination));
  destination.onRecovered?.((lines) =>
    log.warn({ lines }, 'log lines were dropped, because they could not be written'),
  );
  return log;
}

/** Redacts the fields of child loggers too: pino's `formatters.log` applies to single lines only. */
function redacting(inner: Logger): Logger {
  return {
    debug: (fields, message) => inner.debug(fields, message),
    info: (fields, message) => inner.info(fields, message),
    warn: (fields, message) => inner.warn(fields, message),
    error: (fields, message) => inner.error(fields, message),
    child: (fields) => redacting(inner.child(printable(fields))),
  };
}

/** Keys whose values are always redacted. */
const SECRET_KEY = /token|authori[sz]ation|passw|secret$|secrets$|cookie|credential|private.?key|api.?key|kubeconfig/i;
/** Keys of Secrets and of HTTP messages, in lower case, whose values are redacted where the whole key is equal. */
const SECRET_KEY_EXACT = new Set(['data', 'stringdata', 'binarydata', 'headers', 'rawheaders', 'body']);
/** Secrets in any text: bearer tokens, JSON web tokens, private keys. */
const SECRET_TEXT =
  /\bBearer\s+[^\s"',]+|\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
const REDACTED = '[redacted]';
const TRUNCATED = '[cut]';
const MAX_DEPTH = 6;
const MAX_ITEMS = 100;
const MAX_VALUES = 1_000;

/** How many values the line may still have: a huge object must not block the process. */
interface Remaining {
  values: number;
}

/** `fields` for a log: plain JSON values, bounded in depth and number, secrets redacted, errors without request data. */
export function printable(fields: object): Record<string, unknown> {
  return record(fields, 0, { values: MAX_VALUES });
}

function record(value: object, depth: number, remaining: Remaining): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, one] of Object.entries(value).slice(0, MAX_ITEMS)) {
    result[key] = isSecretKey(key) ? REDACTED : plain(one, depth + 1, remaining);
  }
  return result;
}

function plain(value: unknown, depth: number, remaining: Remaining): unknown {
  remaining.values -= 1;
  if (typeof value === 'string') return value.replace(SECRET_TEXT, REDACTED);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH || remaining.values < 0) return TRUNCATED;
  if (value instanceof Error) return errorRecord(value, depth, remaining);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (ArrayBuffer.isView(value)) return REDACTED;
  if (value instanceof Map) return record(Object.fromEntries(value), depth, remaining);
  if (Array.isArray(value) || value instanceof Set) return list([...value], depth, remaining);
  return record(value, depth, remaining);
}

function list(values: readonly unknown[], depth: number, remaining: Remaining): unknown[] {
  return values.slice(0, MAX_ITEMS).map((one) => plain(one, depth + 1, remaining));
}

function errorRecord(error: Error, depth: number, remaining: Remaining): Record<string, unknown> {
  const { name: _name, ...own } = record(error, depth, remaining);
  return {
    type: error.name,
    ...own,
    message: plain(error.message, depth, remaining),
    // An ApiError is described by its kind and call; its stack adds nothing.
    ...(!(error instanceof ApiError) && { stack: plain(error.stack, depth, remaining) }),
    ...(hasLoggedCause(error) && { cause: plain(error.cause, depth + 1, remaining) }),
    ...(error instanceof AggregateError && { errors: list(error.errors, depth, remaining) }),
  };
}

/**
 * Whether the cause is logged. That of an ApiError with a code is not: it is the error of the connection, which the message explains
 * already, and which may contain bytes that the server has sent.
 */
function hasLoggedCause(error: Error): boolean {
  return error.cause !== undefined && !(error instanceof ApiError && error.code !== undefined);
}

function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key) || SECRET_KEY_EXACT.has(key.toLowerCase());
}
