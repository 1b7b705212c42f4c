import { dump } from 'js-yaml';
import { filled, type Json, type Template } from '@multicluster-engine/values/jsonpath';
import type { ResourceType } from '../runtime/vocabulary/meta.js';
import { wordText } from '../domain/placement/explain/requirementtext.js';

/** What answers have in common: their errors, and documents, names and durations as text. */

export const CLI_API_VERSION = 'cli.fleetmgmt.io/v1';

/** Exit code of an answer from which something is missing that could not be read. */
export const INCOMPLETE = 3;

/** A template is that of `jsonpath=`. */
export type OutputFormat = 'text' | 'json' | 'yaml' | 'name' | 'wide' | Template;

/** Something that the user asked for does not exist. The message is one line. */
export class NotFoundError extends Error {}

/** What the user asked for is not done, since it would do harm or cannot be done. The message is one line. */
export class RefusedError extends Error {}

/** What the user has given, a file or an argument, cannot be used. The message is one line. */
export class InputError extends Error {}

/** A document as JSON or YAML, or what a template takes of it. */
export function documentText(document: object, output: 'json' | 'yaml' | Template): string {
  if (typeof output === 'object') return filled(output, JSON.parse(JSON.stringify(document)) as Json);
  return output === 'yaml' ? yamlText(document) : `${JSON.stringify(document, null, 2)}\n`;
}

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
  /** The lines of `-o name`. */
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

/** Manifests as one YAML stream, as kubectl applies it. */
export function manifestsText(objects: readonly object[]): string {
  return objects.map(yamlText).join('---\n');
}

/** A document as YAML, without folded lines and references. */
export function yamlText(document: object): string {
  return dump(document, { lineWidth: -1, noRefs: true });
}

export function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** `placement.cluster.fleetmgmt.io/web`, as kubectl prints and takes names. */
export function resourceName({ kind, group }: ResourceType, name: string): string {
  return `${kind.toLowerCase()}.${group}/${name}`;
}

/** Names with commas, the first `most` of them, and how many more there are. */
export function someNames(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).map(wordText).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** `3 m`, `45 s`; in the largest unit that fits. */
export function durationText(ms: number): string {
  const [unit, length] = UNITS.find(([, one]) => ms >= one) ?? (['s', 1_000] as const);
  return `${Math.floor(ms / length)} ${unit}`;
}

/** A text with a color of ANSI terminals, or none. */
interface ColoredText {
  readonly text: string;
  readonly color?: Color | undefined;
}

export type Cell = string | ColoredText;

export type Color = 'green' | 'yellow' | 'red';

const CODES: Readonly<Record<Color, number>> = { green: 32, yellow: 33, red: 31 };
const GAP = 2;

/** Lines with columns of equal width, two blanks apart; the last column is not padded. */
export function table(rows: readonly (readonly Cell[])[], colored: boolean): readonly string[] {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? { text: cell } : cell)));
  const widths: number[] = [];
  for (const row of texts)
    for (const [index, { text }] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, text.length);
  return texts.map((row) =>
    row
      .map((cell, index) => {
        const isLast = index === row.length - 1;
        const padding = isLast ? '' : ' '.repeat((widths[index] ?? 0) + GAP - cell.text.length);
        return painted(cell, colored) + padding;
      })
      .join(''),
  );
}

export function painted({ text, color }: ColoredText, colored: boolean): string {
  return colored && color !== undefined ? `\u001b[${CODES[color]}m${text}\u001b[0m` : text;
}
