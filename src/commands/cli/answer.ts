import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isatty } from 'node:tty';
import type { KubeObject } from '../../api/meta.js';
import { NotFoundError, RefusedError } from '../../cli/output.js';
import { ChangeTextError } from '../../cli/plan/changes.js';
import type { CliConfig } from '../../config/cli.js';
import { PROGRAM } from '../../config/config.js';
import { parseManifests } from '../../kube/manifests/manifests.js';
import { KubeconfigError } from '../../kube/transport/kubeconfigerror.js';
import { ApiError, errorText } from '../../runtime/errors.js';
import { readStandardInput } from './input.js';
import { printAnswer, printNote, withOutput } from './print.js';

const STANDARD_OUTPUT = 1;

/** Objects that could not be read from files. The message is one line. */
class FileError extends Error {}

/** What a command prints, and its exit code. */
export interface Answer {
  readonly text: string;
  readonly exitCode: number;
  /** Lines for standard error, after the text. */
  readonly errors?: readonly string[];
}

/** Prints the answer; returns the exit code: 1, and one line on standard error, when there is none. */
export function answer(command: string, work: () => Promise<Answer>): Promise<number> {
  const program = `${PROGRAM} ${command}`;
  return withOutput(program, async () => {
    const { text, exitCode, errors = [] } = await answerOrError(work);
    printAnswer(text);
    printNote(errors.map((line) => `${program}: ${line}\n`).join(''));
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

/** Whether the output has colors. */
export function isColored({ color }: Pick<CliConfig, 'color'>): boolean {
  return color === 'always' || (color === 'auto' && isatty(STANDARD_OUTPUT));
}

function isExpected(error: unknown): boolean {
  return [ApiError, KubeconfigError, NotFoundError, RefusedError, ChangeTextError, FileError].some(
    (kind) => error instanceof kind,
  );
}

export interface FileOptions {
  /** Whether the folders below a folder are read too; default false. */
  readonly recursive?: boolean;
}

/** The objects of a file, of the YAML and JSON files of a folder, or of standard input (`-`). @throws FileError. */
export function readFiles(from: string, { recursive = false }: FileOptions = {}): readonly KubeObject[] {
  try {
    if (from === '-') return parseManifests(readStandardInput(), 'standard input');
    if (!statSync(from).isDirectory()) return parseManifests(readFileSync(from, 'utf8'), from);
    const files = readdirSync(from, { recursive, encoding: 'utf8' }).filter((file) => /\.(ya?ml|json)$/.test(file));
    return files.sort().flatMap((file) => {
      const place = path.join(from, file);
      return parseManifests(readFileSync(place, 'utf8'), place);
    });
  } catch (error) {
    throw new FileError(errorText(error).split('\n', 1)[0], { cause: error });
  }
}
