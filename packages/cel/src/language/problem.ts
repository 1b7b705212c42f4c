import { codePoints } from './value.js';

/** A compile error with its position: an offset in UTF-16 code units, or -1 for the whole expression. */
export interface Problem {
  readonly at: number;
  readonly message: string;
}

/** An expression that cannot be compiled. The message is that of the API server, with one block for each problem. */
export class CompileError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], source: string) {
    super(describe(problems, source));
    this.name = 'CompileError';
    this.problems = problems;
  }
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** The number of problems that are reported. */
const MAX_PROBLEMS = 100;

/** The longest source line that a message quotes. */
const MAX_SNIPPET = 16_384;

function describe(problems: readonly Problem[], source: string): string {
  const placed = problems.slice(0, MAX_PROBLEMS).map((problem) => ({ problem, place: placeOf(source, problem.at) }));
  placed.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
  const blocks = placed.map(({ problem, place }) => block(problem.message, place, source));
  if (problems.length > MAX_PROBLEMS) blocks.push(`${problems.length - MAX_PROBLEMS} more errors were truncated`);
  return blocks.join('\n');
}

function placeOf(source: string, at: number): Place {
  if (at < 0) return { line: -1, column: -1 };
  const before = source.slice(0, at);
  const line = before.split('\n').length;
  return { line, column: codePoints(before.slice(before.lastIndexOf('\n') + 1)) };
}

function block(message: string, { line, column }: Place, source: string): string {
  const title = `ERROR: <input>:${line}:${column + 1}: ${message}`;
  const text = source.split('\n')[line - 1];
  if (text === undefined || text.length > MAX_SNIPPET) return title;
  const shown = text.replaceAll('\t', ' ');
  const chars = Array.from(shown);
  const dots = chars.slice(0, column).map((char) => (isWide(char) ? '\uff0e' : '.'));
  const mark = isWide(chars[column] ?? '') ? '\uff3e' : '^';
  return `${title}\n | ${shown}\n | ${dots.join('')}${mark}`;
}

function isWide(char: string): boolean {
  return (char.codePointAt(0) ?? 0) > 0x7f;
}
