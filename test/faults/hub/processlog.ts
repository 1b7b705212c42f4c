import type { Logger } from '../../../src/runtime/logger.js';
import type { ProcessOptions } from './process.js';

/** What goes wrong inside a process, as its log says: each is a fault of the program, whatever happens around it. */
const NEVER_LOGGED: ReadonlySet<string> = new Set([
  'write not permitted by the write guard',
  'a handler of a cache has thrown',
  'group failed',
  'the agent failed',
  'request failed',
]);

/** The log of a process: complains of what should never be logged, and prints everything where somebody reads it. */
export function loggerOf(
  process: string,
  options: Pick<ProcessOptions, 'complain' | 'log' | 'simulation'>,
  above: object = {},
): Logger {
  const { complain, log, simulation } = options;
  const write =
    (level: string) =>
    (fields: object, message: string): void => {
      if (NEVER_LOGGED.has(message)) complain(`${message}: ${JSON.stringify(fields)}`);
      log?.(`${simulation.monotonic()} ${process} ${level} ${message} ${lineOf({ ...above, ...fields })}`);
    };
  return {
    debug: log === undefined ? () => undefined : write('debug'),
    info: log === undefined ? () => undefined : write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => loggerOf(process, options, { ...above, ...fields }),
  };
}

function lineOf(fields: object): string {
  return JSON.stringify(fields, (_key, value: unknown) => (value instanceof Error ? value.stack : value));
}
