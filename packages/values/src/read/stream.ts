import type { Json } from '../json.js';
import { JsonSyntaxError, MalformedBody } from './malformed.js';
import { readNextJson } from './json.js';
import { readYaml } from './yaml.js';
import { readableText } from './yamlevents.js';

/** So many bytes are searched for the brace that begins JSON. */
const SEARCHED = 4096;
/** What Go counts as a space, apart from the byte order mark, which only JavaScript does. */
const SPACE = /^(?:(?!\ufeff)[\s\u0085])/;
/** The reader that skips blanks takes so many bytes at a time, and ends where there are fewer. */
const RUNE_BYTES = 4;
const SEPARATOR = '---';

/**
 * The values of a file as kubectl 1.33 and later reads it: JSON objects one after the other where the text begins with `{`;
 * YAML documents split at lines that begin with `---` otherwise, or where the text stops to be JSON before the third value.
 * A message begins with the document or the line.
 * @throws MalformedBody
 */
export function readManifestStream(text: string): readonly Json[] {
  return beginsAsJson(text) ? readAsJson(text) : readDocuments(text, { line: 1, document: 1 });
}

function beginsAsJson(text: string): boolean {
  const head = Buffer.from(text.slice(0, SEARCHED)).subarray(0, SEARCHED).toString();
  return withoutSpace(head).startsWith('{');
}

function withoutSpace(text: string): string {
  let at = 0;
  while (SPACE.test(text.charAt(at))) at += 1;
  return text.slice(at);
}

function readAsJson(text: string): readonly Json[] {
  const values: Json[] = [];
  let at = 0;
  for (;;) {
    try {
      const next = readNextJson(text, at);
      if (next === undefined) return values;
      values.push(next.value);
      at = next.end;
    } catch (error) {
      if (!(error instanceof MalformedBody)) throw error;
      const place = `document ${values.length + 1}`;
      const isSyntax = error instanceof JsonSyntaxError;
      if (!isSyntax || values.length > 1) throw new MalformedBody(`${place}: ${error.message}`, { cause: error });
      return [...values, ...readRest({ text, at, document: values.length + 1 }, error)];
    }
  }
}

/** What follows the last value that was JSON, as YAML. */
function readRest(
  { text, at, document }: { text: string; at: number; document: number },
  failure: Error,
): readonly Json[] {
  const from = afterBlanks(text, at);
  try {
    if (from === undefined) throw new MalformedBody(`document ${document}: there is no YAML`);
    return readDocuments(text.slice(from), { line: text.slice(0, from).split('\n').length, document });
  } catch (error) {
    if (!(error instanceof MalformedBody)) throw error;
    throw new MalformedBody(`${error.message} (nor is it JSON: ${failure.message})`, { cause: error });
  }
}

/** The place after the blanks, at most up to the end of the line; undefined where the text is too short for the reader. */
function afterBlanks(text: string, start: number): number | undefined {
  for (let at = start; ; at += 1) {
    if (Buffer.byteLength(text.slice(at, at + RUNE_BYTES)) < RUNE_BYTES) return undefined;
    const char = text.charAt(at);
    if (char === '\n') return at + 1;
    if (!SPACE.test(char)) return at;
  }
}

function readDocuments(text: string, first: { readonly line: number; readonly document: number }): readonly Json[] {
  const documents = documentsOf(text, first.line);
  return documents.map((document, index) => {
    try {
      return readYaml(readableText(document, { isUtf8: true })).value;
    } catch (error) {
      if (!(error instanceof MalformedBody)) throw error;
      throw new MalformedBody(`document ${first.document + index}: ${error.message}`, { cause: error });
    }
  });
}

function documentsOf(text: string, firstLine: number): readonly string[] {
  const documents: string[][] = [[]];
  for (const [index, line] of text.split('\n').entries()) {
    if (!line.startsWith(SEPARATOR)) {
      documents.at(-1)?.push(line);
      continue;
    }
    const rest = line.slice(SEPARATOR.length).trim();
    if (rest !== '' && !rest.startsWith('#'))
      throw new MalformedBody(`line ${firstLine + index}: ${JSON.stringify(rest)}: only a comment may follow ---`);
    documents.push([]);
  }
  return documents.map((lines) => lines.join('\n')).filter((document) => document.trim() !== '');
}
