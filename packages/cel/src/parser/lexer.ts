import type { Problem } from '../language/problem.js';

/** A token. Its kind is its name in messages: the text of an operator in quotes, NUM_INT, IDENTIFIER, <EOF> and so on. */
export interface Token {
  readonly kind: string;
  /** Offsets of its first code unit and of the one after it. */
  readonly at: number;
  readonly end: number;
}

export const EOF = '<EOF>';

const ESCAPE = String.raw`\\(?:[abfnrtv"'\\?\x60]|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-3][0-7]{2})`;
/** The beginning of an escape sequence. */
const BROKEN_ESCAPE = String.raw`\\(?:[xX][\da-fA-F]?|u[\da-fA-F]{0,3}|U[\da-fA-F]{0,7}|[0-3][0-7]?)?`;
const QUOTES = ['"', "'"];

/** A literal in quotes up to its end. One iteration takes one character, so nothing backtracks more than once. */
const STRING = QUOTES.flatMap((quote) => [
  `${quote}{3}(?:${ESCAPE}|[^\\\\])*?${quote}{3}`,
  `[rR]${quote}{3}[^]*?${quote}{3}`,
  `${quote}(?:${ESCAPE}|[^\\\\\\n\\r${quote}])*${quote}`,
  `[rR]${quote}[^\\n\\r${quote}]*${quote}`,
]).join('|');

/** The tokens of CEL's grammar; of two that begin alike, the longer one first. */
const TOKENS: readonly (readonly [kind: string, pattern: string])[] = [
  ['SPACE', String.raw`[\t \r\n\f]+|//[^\n]*`],
  ['NUM_FLOAT', String.raw`\d+\.\d+(?:[eE][+\-]?\d+)?|\d+[eE][+\-]?\d+|\.\d+(?:[eE][+\-]?\d+)?`],
  ['NUM_UINT', String.raw`(?:0x[\da-fA-F]+|\d+)[uU]`],
  ['NUM_INT', String.raw`0x[\da-fA-F]+|\d+`],
  ['BYTES', `[bB](?:${STRING})`],
  ['STRING', STRING],
  ['IDENTIFIER', '[A-Za-z_][A-Za-z0-9_]*'],
  ['ESC_IDENTIFIER', '`[A-Za-z0-9_.\\-\\/ ]+`'],
  ['OPERATOR', String.raw`==|!=|<=|>=|&&|\|\||[\[\]\{\}\(\).,\-!?:+*\/%<>]`],
];
const TOKEN = new RegExp(TOKENS.map(([, pattern]) => `(${pattern})`).join('|'), 'uy');

/** What begins like a token, with the character that ends it. */
const UNREADABLE = new RegExp(
  `(?:${QUOTES.map((quote) => `${quote}(?:${ESCAPE}|[^\\\\\\n\\r${quote}])*(?:${BROKEN_ESCAPE})?`).join('|')}|\`[A-Za-z0-9_.\\-\\/ ]*|[=&\\|])?[^]?`,
  'uy',
);

const KEYWORDS: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);

/** The number of syntax errors after which the API server stops. */
export const MAX_PROBLEMS = 100;

/** Splits an expression into tokens, the last of which is its end. What is no token is a problem, and left out. */
export function tokenize(source: string): { readonly tokens: readonly Token[]; readonly problems: Problem[] } {
  const tokens: Token[] = [];
  const problems: Problem[] = [];
  for (let at = 0; at < source.length;) {
    const { kind, text } = tokenAt(source, at);
    if (kind === undefined) {
      if (problems.push({ at, message: `Syntax error: token recognition error at: '${text}'` }) > MAX_PROBLEMS) break;
    } else if (kind !== 'SPACE') tokens.push({ kind, at, end: at + text.length });
    at += text.length;
  }
  tokens.push({ kind: EOF, at: source.length, end: source.length });
  return { tokens, problems };
}

function tokenAt(source: string, at: number): { readonly kind: string | undefined; readonly text: string } {
  TOKEN.lastIndex = at;
  const match = TOKEN.exec(source);
  if (match === null) {
    UNREADABLE.lastIndex = at;
    return { kind: undefined, text: UNREADABLE.exec(source)?.[0] ?? '' };
  }
  const [text] = match;
  const [kind = ''] = TOKENS[match.indexOf(text, 1) - 1] ?? [];
  return { kind: kind === 'OPERATOR' || KEYWORDS.has(text) ? `'${text}'` : kind, text };
}
