import { pino } from 'pino';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import { printable } from './redact.js';
import { standardOutput } from './standardoutput.js';

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
