import { constants, fstatSync, openSync } from 'node:fs';
import { systemClock } from '../clock.js';
import { LineWriter } from './linewriter.js';

type Descriptor = 1 | 2;

/** How long the exit of the process waits for a reader that takes nothing, ms. */
const EXIT_FLUSH_MS = 500;

/** One writer of each, because a process has one standard output, and the order of its lines is kept in one writer only. */
const writers = new Map<Descriptor, LineWriter>();

/** The standard output of this process. At the exit of the process, lines that wait are written, see `flushAtExit`. */
export function standardOutput(): LineWriter {
  return writerOf(1);
}

/** The standard error of this process, as `standardOutput`. */
export function standardError(): LineWriter {
  return writerOf(2);
}

/**
 * Writes the waiting lines of `writer` when the process exits, for whatever reason it does. Where that is not possible, the
 * exit code is not 0: nothing else can say it any more.
 */
export function flushAtExit(writer: LineWriter): LineWriter {
  process.once('exit', (code) => {
    if (!writer.flush(EXIT_FLUSH_MS) && code === 0) process.exitCode = 1;
  });
  return writer;
}

function writerOf(descriptor: Descriptor): LineWriter {
  const writer =
    writers.get(descriptor) ?? flushAtExit(new LineWriter(nonBlocking(descriptor), { clock: systemClock }));
  writers.set(descriptor, writer);
  return writer;
}

/**
 * A descriptor of the same file whose writes do not block. O_NONBLOCK is a property that all processes share which have inherited
 * the descriptor, and would make their writes fail; therefore pipes and terminals are opened once more.
 */
function nonBlocking(descriptor: Descriptor): number {
  const file = fstatSync(descriptor);
  // The position in the file is shared too, and has to stay so: the file may have been opened without O_APPEND.
  if (file.isFile()) return descriptor;
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // A socket, a pipe of another user (as in some containers), a pipe without a reader, or no /proc.
    makeNonBlocking(descriptor);
    return descriptor;
  }
}

/** Node sets O_NONBLOCK of a pipe or socket when it creates the stream, and restores it when the process exits. */
function makeNonBlocking(descriptor: Descriptor): void {
  const stream = descriptor === 1 ? process.stdout : process.stderr;
  stream.on('error', () => undefined);
}
