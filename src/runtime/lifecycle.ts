import type { Clock } from './clock.js';
import type { Logger } from './logger.js';

/** What of the process is needed here; node's `process` satisfies it. */
export interface Host {
  on(event: string, listener: (cause: unknown) => void): unknown;
  off(event: string, listener: (cause: unknown) => void): unknown;
  exit(code: number): void;
}

/** Runs until its signal fires; resolves with whether it came to a clean end. A `Group` is one. */
export interface Runnable {
  readonly name: string;
  run(signal: AbortSignal): Promise<boolean>;
}

export interface LifecycleOptions {
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Logger;
}

/** From the first signal to the end of the process, ms, whatever hangs: below the 10 s that are promised. */
const HARD_STOP_MS = 9_500;

/** Tells of SIGTERM and SIGINT from when it was made until it is released. */
export interface Signals {
  readonly stop: AbortController;
  readonly release: () => void;
}

/** A second signal, or 9.5 s after the first, ends the process at once with 1. */
export function awaitSignals(options: LifecycleOptions): Signals {
  const stop = new AbortController();
  const release = onSignals(options, (name) => {
    options.log.info({ signal: name }, 'signal received, shutting down');
    stop.abort(new Error('the process shuts down'));
  });
  return { stop, release };
}

/**
 * Runs all `parts` side by side until SIGTERM or SIGINT, or until one of them ends by itself: then the others end too.
 * Resolves with the exit code: 0 when a signal came and every part ended cleanly, else 1. Who listened for signals before
 * hands `signals` over, which are released at the end.
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
    if (!signalled) log.error({ part: part.name }, 'a part ended by itself, shutting down');
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

/** Calls `first` at the first signal; returns how to let go of the signals again. */
function onSignals(options: LifecycleOptions, first: (name: string) => void): () => void {
  const { host, clock, log } = options;
  let hardStop: { cancel(): void } | undefined;
  const listen = (name: string) => (): void => {
    if (hardStop !== undefined) {
      log.warn({ signal: name }, 'second signal, exiting at once');
      host.exit(1);
      return;
    }
    hardStop = clock.after(HARD_STOP_MS, () => {
      log.error({ afterMs: HARD_STOP_MS }, 'shutdown took too long, exiting');
      host.exit(1);
    });
    first(name);
  };
  const listeners = ['SIGTERM', 'SIGINT'].map((name) => ({ name, listener: listen(name) }));
  for (const { name, listener } of listeners) host.on(name, listener);
  return () => {
    hardStop?.cancel();
    for (const { name, listener } of listeners) host.off(name, listener);
  };
}

/** Ends the process with 1 after one log line when anything was thrown that nobody caught: half alive is worse than dead. */
export function exitOnCrash(host: Host, log: Logger): void {
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    host.on(event, (cause) => {
      log.error(
        { err: cause instanceof Error ? cause : new Error(`no Error: ${String(cause)}`), event },
        'crashed, exiting',
      );
      host.exit(1);
    });
  }
}
