import { isatty } from 'node:tty';
import { TemplateError } from '@multicluster-engine/values/jsonpath';
import { InputError, NotFoundError, RefusedError } from '../../answers/output.js';
import { printable } from '../../domain/placement/explain/requirementtext.js';
import type { CliConfig } from '../flags.js';
import { PROGRAM } from '../program.js';
import { KubeconfigError } from '../../runtime/transport/credentials.js';
import { ApiError, errorText } from '../../runtime/errors.js';
import { printAnswer, printNote, withOutput } from './print.js';

/** The file descriptor. */
const STANDARD_OUTPUT = 1;

/** What a command prints, and its exit code. */
export interface Answer {
  readonly text: string;
  readonly exitCode: number;
  /** Lines for standard error, after the text. */
  readonly errors?: readonly string[];
}

/**
 * Runs the work of a command and prints its answer; returns the exit code. An error that a user can meet, such as one
 * of the API, becomes one line on standard error and exit code 1. Any other error is thrown.
 */
export function answer(command: string, work: () => Promise<Answer>): Promise<number> {
  const program = `${PROGRAM} ${command}`;
  return withOutput(program, async () => {
    const { text, exitCode, errors = [] } = await answerOrError(work);
    printAnswer(text);
    printNote(errors.map((line) => `${program}: ${printable(line)}\n`).join(''));
    return exitCode;
  });
}

async function answerOrError(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!isExpected(error)) throw error;
    return { text: '', exitCode: 1, errors: [errorText(error)] };
  }
}

function isExpected(error: unknown): boolean {
  return [ApiError, KubeconfigError, InputError, NotFoundError, RefusedError, TemplateError].some(
    (kind) => error instanceof kind,
  );
}

/** Whether the answer has colors, by `--color`: with `auto`, when standard output is a terminal. */
export function isColored({ color }: Pick<CliConfig, 'color'>): boolean {
  return color === 'always' || (color === 'auto' && isatty(STANDARD_OUTPUT));
}
