import { pino, type DestinationStream } from 'pino';
import type { Clock } from '../runtime/clock.js';
import type { Logger } from '../runtime/logger.js';
import { printable } from './redact.js';

export interface LoggerOptions {
  readonly level: string;
  readonly clock: Clock;
  /** Where lines go; standard output, unbuffered, by default: a line that is written survives a crash. */
  readonly destination?: DestinationStream;
}

/** JSON lines: `level` as a word, `ts` in RFC 3339, the fields, `msg`. Secrets are replaced wherever they turn up. */
export function createLogger(options: LoggerOptions): Logger {
  const { level, clock, destination = pino.destination({ fd: 1, sync: true }) } = options;
  const settings = {
    level,
    base: null,
    messageKey: 'msg',
    errorKey: 'err',
    timestamp: () => `,"ts":"${new Date(clock.now()).toISOString()}"`,
    serializers: { err: (value: unknown) => value },
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: object) => printable(fields),
    },
  };
  return guarded(pino(settings, destination));
}

/** pino formats the fields of a line, but takes those of a child as they are. */
function guarded(inner: Logger): Logger {
  return {
    debug: (fields, message) => inner.debug(fields, message),
    info: (fields, message) => inner.info(fields, message),
    warn: (fields, message) => inner.warn(fields, message),
    error: (fields, message) => inner.error(fields, message),
    child: (fields) => guarded(inner.child(printable(fields))),
  };
}
