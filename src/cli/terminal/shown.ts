import { documentText, linesText, type OutputFormat } from '../../answers/output.js';

/** How an answer is printed. */

export interface ShownOptions {
  readonly output: OutputFormat;
  readonly colored: boolean;
}

/** How a person reads it. */
export interface TextOptions {
  /** With what `-o wide` adds. */
  readonly wide: boolean;
  readonly colored: boolean;
}

interface Shown {
  readonly lines: (options: TextOptions) => readonly string[];
  /** Of `-o name`. */
  readonly names: () => readonly string[];
}

/** The answer in the format: it is itself the document of JSON and YAML, made when it is asked for. */
export function shownAnswer(
  document: object | (() => object),
  { output, colored }: ShownOptions,
  { lines, names }: Shown,
): string {
  switch (output) {
    case 'text':
    case 'wide':
      return linesText(lines({ wide: output === 'wide', colored }));
    case 'name':
      return linesText(names());
    default:
      return documentText(typeof document === 'function' ? document() : document, output);
  }
}
