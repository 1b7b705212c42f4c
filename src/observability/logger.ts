import { pino, type DestinationStream } from 'pino';
import type { Clock } from '../runtime/clock.js';
import type { Logger } from '../runtime/logger.js';
import { printable } from './redact.js';

export interface LoggerOptions {
  readonly level: string;
  readonly clock: Clock;
  /** Destination of the lines; default standard output, unbuffered, so that no line is lost in a crash. */
  readonly destination?: DestinationStream;
}

/** JSON lines: `level` as a word, `ts` in RFC 3339, the fields, `msg`. Secrets in fields and texts are redacted. */
export function createLogger(options: LoggerOptions): Logger {
  const { level, clock, destination = pino.destination({ fd: 1, sync: true }) } = options;
  const settings = {
    level,
    base: null,
    messageKey: 'msg',
    errorKey: 'err',
    timestamp: () => `,"ts":"${new Date(clock.now()).toISOString()}"`,
    serializers: { err: (value: unknown) => value },
    formatters: { level: (label: string) => ({ level: label }), log: (fields: object) => printable(fields) },
  };
  return redacting(pino(settings, destination));
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
