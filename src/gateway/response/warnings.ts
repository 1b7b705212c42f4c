import { isUtf8 } from 'node:buffer';

/** Clients read a head of 16 KiB (Node) or 100 fields (Python). */
const MOST_WARNINGS = 32;
const MOST_CHARACTERS = 8192;
/** One warning of a list: code, agent, text in quotes, and a date, which is not kept. Texts of other codes are skipped. */
const WARNING = /[ \t]*(\d{3}) [^\s",]{1,255} "((?:[^"\\]|\\.)*)"(?: "[^"]*")?[ \t]*(?:,|$)/y;
const LEFT_OUT = '299 - "further warnings of the API server are left out"';

/**
 * The values of header `Warning` for the client of a write: what the admission of the API server warns of, as kubectl shows it.
 * Only well-formed ones with the code that Kubernetes uses, each once, in their order. `values`: as they were received, a
 * character for each byte; so are those that are returned.
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

/** The texts in a field, with their escapes, up to its first fault. Linear. */
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
