import { isUtf8 } from 'node:buffer';

/** Limits below those of clients, which read a head of 16 KiB (Node) or 100 fields (Python). */
const MOST_WARNINGS = 32;
const MOST_CHARACTERS = 8192;
/** One warning of a list: code, agent, text in quotes, and perhaps a date, which is not kept. */
const WARNING = /[ \t]*(\d{3}) [^\s",]{1,255} "((?:[^"\\]|\\.)*)"(?: "[^"]*")?[ \t]*(?:,|$)/y;
const LEFT_OUT = '299 - "further warnings of the API server are left out"';

/**
 * The values of the header `Warning` for the client of a write, by which kubectl shows warnings of admission. Of the values of the
 * API server it passes on those that are well-formed and have the code 299, as Kubernetes writes them: each once, in their order.
 * `values` and the result have a character for each byte.
 */
export function admissionWarnings(values: string | readonly string[] | undefined): readonly string[] {
  const found = new Set((typeof values === 'string' ? [values] : (values ?? [])).flatMap(parseWarnings));
  const passed: string[] = [];
  let characters = 0;
  for (const text of found) {
    const warning = `299 - "${text}"`;
    if (passed.length === MOST_WARNINGS || characters + warning.length > MOST_CHARACTERS) continue;
    passed.push(warning);
    characters += warning.length;
  }
  return passed.length < found.size ? [...passed, LEFT_OUT] : passed;
}

/** The texts of the warnings with code 299 in a field, with their escapes, up to its first fault. In linear time. */
function parseWarnings(field: string): readonly string[] {
  const texts: string[] = [];
  WARNING.lastIndex = 0;
  while (WARNING.lastIndex < field.length) {
    const [, code, text = ''] = WARNING.exec(field) ?? [];
    if (code === undefined) break;
    if (code === '299' && isReadable(text)) texts.push(text);
  }
  return texts;
}

/** UTF-8 without control characters, which would reach the client's terminal. */
function isReadable(text: string): boolean {
  const bytes = Buffer.from(text, 'latin1');
  return text !== '' && isUtf8(bytes) && !/\p{Cc}/u.test(bytes.toString('utf8'));
}
