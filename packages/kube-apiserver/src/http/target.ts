/** A parsed request target. */
export interface RequestTarget {
  /** Decoded and not cleaned: `//` and `..` stay. */
  readonly path: string;
  /** Decoded parameters; the first value of a repeated parameter. */
  readonly query: ReadonlyMap<string, string>;
  /** Path and query unchanged: for logs. */
  readonly raw: string;
  /** All values of a parameter, in order. */
  all(name: string): readonly string[];
}

const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
/** `scheme://authority` of the absolute form. */
const AUTHORITY = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?]*/;

/**
 * Parses a request target. In text from a connection, each character is one byte (Node's representation).
 * @returns undefined where the path has an invalid escape; a parameter with one is dropped
 */
export function readTarget(text: string): RequestTarget | undefined {
  const raw = AUTHORITY.test(text) ? text.replace(AUTHORITY, '') || '/' : text;
  const mark = raw.indexOf('?');
  const rawPath = mark < 0 ? raw : raw.slice(0, mark);
  if (BAD_ESCAPE.test(rawPath)) return undefined;
  const pairs = readQuery(mark < 0 ? '' : raw.slice(mark + 1));
  // In a Map the last entry of a repeated name would win.
  const query = new Map(pairs.toReversed());
  return {
    path: decode(rawPath),
    query,
    raw,
    all: (name) => pairs.filter(([key]) => key === name).map(([, value]) => value),
  };
}

function readQuery(text: string): readonly (readonly [name: string, value: string])[] {
  const pairs: [string, string][] = [];
  for (const pair of text === '' ? [] : text.split('&')) {
    const sign = pair.indexOf('=');
    const name = sign < 0 ? pair : pair.slice(0, sign);
    const value = sign < 0 ? '' : pair.slice(sign + 1);
    if (pair === '' || pair.includes(';') || BAD_ESCAPE.test(pair)) continue;
    pairs.push([decode(name.replaceAll('+', ' ')), decode(value.replaceAll('+', ' '))]);
  }
  return pairs;
}

const PLAIN = /^[\x20-\x24\x26-\x7e]*$/;
const BEYOND_BYTES = /[\u{100}-\u{10ffff}]/u;

function decode(text: string): string {
  if (PLAIN.test(text)) return text;
  const bytes = text.replace(/%([0-9A-Fa-f]{2})/g, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  // A caller within the process may pass characters above 255: these are not bytes, and need no decoding.
  return BEYOND_BYTES.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8');
}
