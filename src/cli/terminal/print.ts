import { writeSync } from 'node:fs';
import { block } from '../../runtime/clock.js';
import { codeOf } from '../../runtime/errors.js';
import type { Usage } from '../../runtime/flags/commands.js';
import { standardError } from '../../runtime/log/standardoutput.js';
import { PROGRAM } from '../program.js';

/** The only place that writes what a command for users prints. */

type Descriptor = 1 | 2;

/** Text that could not be written. The message is one line. */
class OutputError extends Error {
  /** Whether nobody reads the output any more, as after `| head`. */
  readonly isUnread: boolean;

  constructor(descriptor: Descriptor, cause: unknown) {
    const code = codeOf(cause);
    super(`${NAMES[descriptor]} cannot be written: ${REASONS[code] ?? code}`, { cause });
    this.isUnread = code === 'EPIPE';
  }
}

/** 128 + SIGPIPE: what a shell reports of a program that writes to a pipe without a reader, such as kubectl. */
export const UNREAD_EXIT_CODE = 141;
const NAMES: Readonly<Record<Descriptor, string>> = { 1: 'standard output', 2: 'standard error' };
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on device (ENOSPC)',
  EDQUOT: 'disk quota exceeded (EDQUOT)',
  EFBIG: 'file too large (EFBIG)',
  EIO: 'input/output error (EIO)',
};
/** A pipe holds 64 KiB: at this interval a fast reader gets tens of MB/s. */
const FIRST_WAIT_MS = 1;
const MAX_WAIT_MS = 50;

/** Writes the answer of a command. Waits for a slow reader, as every program does. @throws OutputError. */
export function printAnswer(text: string): void {
  printTo(1, text);
}

/** Writes a note or an error beside the answer, as {@link printAnswer}. @throws OutputError. */
export function printNote(text: string): void {
  printTo(2, text);
}

/**
 * Runs the work of a command that prints; returns its exit code. When not all of the output could be written, that is 1 and one
 * line on standard error says why, or the code of SIGPIPE and no line where nobody reads it. `program`: begins the line.
 */
export async function withOutput(program: string, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OutputError)) throw error;
    return incompleteOutput(program, error);
  }
}

/** Prints a help text, or the error of a command line; returns the exit code. An error does not wait for a reader. */
export function printUsage({ text, exitCode }: Usage): Promise<number> {
  return withOutput(PROGRAM, async () => {
    if (exitCode === 0) printAnswer(text);
    else standardError().write(text);
    return exitCode;
  });
}

function incompleteOutput(program: string, error: OutputError): number {
  if (error.isUnread) return UNREAD_EXIT_CODE;
  try {
    printNote(`${program}: ${error.message}\n`);
  } catch {
    // The exit code says it too.
  }
  return 1;
}

/**
 * Not by `process.stdout`: that sets O_NONBLOCK of a pipe, which all processes share that have inherited it, and writes in
 * the background, which `process.exit` cuts. Another process may have set it, hence the wait for EAGAIN.
 */
function printTo(descriptor: Descriptor, text: string): void {
  const bytes = Buffer.from(text);
  let waitMs = FIRST_WAIT_MS;
  for (let written = 0; written < bytes.length;) {
    const count = writeSome(descriptor, bytes, written);
    if (count === undefined) block(waitMs);
    waitMs = count === undefined ? Math.min(waitMs * 2, MAX_WAIT_MS) : FIRST_WAIT_MS;
    written += count ?? 0;
  }
}

/** How many bytes from `from` on are written; undefined while the reader takes none. */
function writeSome(descriptor: Descriptor, bytes: Buffer, from: number): number | undefined {
  try {
    return writeSync(descriptor, bytes, from);
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return undefined;
    throw new OutputError(descriptor, error);
  }
}
