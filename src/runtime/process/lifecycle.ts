import type { Clock, Timer } from '../clock.js';
import { loggedError } from '../errors.js';
import type { Logger } from '../logger.js';

/** The part of Node's `process` that is used here. */
export interface Host {
  on(event: string, listener: (cause: unknown) => void): unknown;
  off(event: string, listener: (cause: unknown) => void): unknown;
  exit(code: number): void;
}

/** Runs until its signal fires; resolves with whether it ended cleanly. A `Group` is one. */
export interface Runnable {
  readonly name: string;
  run(signal: AbortSignal): Promise<boolean>;
}

export interface LifecycleOptions {
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The process exits this long after the first signal, ms, even if something hangs; below the documented 10 s. */
const HARD_STOP_MS = 9_500;

/** Aborts `stop` at the first SIGTERM or SIGINT; `release` removes the listeners. */
export interface Signals {
  readonly stop: AbortController;
  readonly release: () => void;
}

/** Listens for SIGTERM and SIGINT. A second signal, or 9.5 s after the first, the process exits with 1. */
export function awaitSignals({ host, clock, log }: LifecycleOptions): Signals {
  const stop = new AbortController();
  let hardStop: Timer | undefined;
  const listeners = ['SIGTERM', 'SIGINT'].map((signal) => {
    const listener = (): void => {
      if (hardStop !== undefined) {
        log.warn({ signal }, 'second signal, exiting at once');
        host.exit(1);
        return;
      }
      hardStop = clock.after(HARD_STOP_MS, () => {
        log.error({ afterMs: HARD_STOP_MS }, 'shutdown took too long, exiting');
        host.exit(1);
      });
      log.info({ signal }, 'signal received, shutting down');
      stop.abort(new Error('the process shuts down'));
    };
    host.on(signal, listener);
    return { signal, listener };
  });
  const release = (): void => {
    hardStop?.cancel();
    for (const { signal, listener } of listeners) host.off(signal, listener);
  };
  return { stop, release };
}

/**
 * Runs all `parts` until SIGTERM or SIGINT, or until one of them ends by itself, which ends the others. Resolves with the
 * exit code: 0 when a signal was received and every part ended cleanly, else 1. `signals` are released at the end.
 */
export async function runUntilSignalled(
  parts: readonly Runnable[],
  options: LifecycleOptions,
  signals = awaitSignals(options),
): Promise<number> {
  const { log } = options;
  const { stop, release } = signals;
  const ends = parts.map(async (part) => {
    const clean = await part.run(stop.signal);
    const signalled = stop.signal.aborted;
    if (!signalled) log.error({ part: part.name }, 'a part of the process has ended, shutting down');
    stop.abort(new Error('another part ended'));
    return clean && signalled;
  });
  try {
    const clean = await Promise.all(ends);
    return clean.every(Boolean) ? 0 : 1;
  } finally {
    release();
  }
}

/** Exits with 1 after an uncaught exception or unhandled rejection, which is logged: the state is not reliable afterwards. */
export function exitOnCrash(host: Host, log: Logger): void {
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    host.on(event, (cause) => {
      log.error({ err: loggedError(cause), event }, 'crashed, exiting');
      host.exit(1);
    });
  }
}
