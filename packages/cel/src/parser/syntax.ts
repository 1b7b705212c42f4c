import type { ParseError } from '@marcbachmann/cel-js';

import type { Problem } from '../language/problem.js';

const PRIMARY =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** Converts an error of the parser to the message of the API server, as closely as the error allows. */
export function syntaxProblem(error: ParseError, source: string, mask: string): Problem {
  const at = error.range?.start ?? source.length;
  switch (error.code) {
    case 'limit_exceeded':
      return { at: -1, message: 'expression recursion limit exceeded: 250' };
    case 'reserved_identifier':
      return { at, message: `reserved identifier: ${tokenAt(source, at)}` };
    case 'invalid_macro_argument':
      return { at: error.node?.op === '.' ? source.lastIndexOf('.', at) : at, message: macroText(error.summary) };
    case 'invalid_hex_integer':
    case 'invalid_exponent':
      return brokenNumber(source, at);
    case 'invalid_integer':
      return { at, message: 'invalid int literal' };
    case 'invalid_number':
      return { at, message: 'invalid double literal' };
    default:
      return unexpected(error, source, { at, mask });
  }
}

/** An unexpected token. */
function unexpected(
  error: ParseError,
  source: string,
  { at, mask }: { readonly at: number; readonly mask: string },
): Problem {
  const token = tokenAt(source, at);
  const expectedToken = expected(error.summary);
  if (token === '`') return { at, message: "unsupported syntax: '`'" };
  const [, name] = token === '{' ? (/([A-Za-z_][A-Za-z0-9_.]*)$/.exec(source.slice(0, at)) ?? []) : [];
  if (name !== undefined) return { at, message: `undeclared reference to '${name}' (in container '')` };
  if (error.code === 'unexpected_character') return trailing(source, at);
  if (expectedToken === 'IDENTIFIER')
    return {
      at,
      message: `Syntax error: no viable alternative at input '${source.slice(source.lastIndexOf('.', at - 1), at)}${token === '<EOF>' ? '' : token}'`,
    };
  if (expectedToken === "')'" && token === '<EOF>' && !isNested(mask))
    return { at, message: `Syntax error: missing ${expectedToken} at '<EOF>'` };
  if (expectedToken === "']'" || expectedToken === "'}'")
    return { at, message: `Syntax error: mismatched input '${token}' expecting {${expectedToken}, ','}` };
  if (expectedToken !== undefined)
    return { at, message: `Syntax error: mismatched input '${token}' expecting ${expectedToken}` };
  return { at, message: `Syntax error: mismatched input '${token}' expecting ${PRIMARY}` };
}

/** Text after the end of the expression: one extra token, or more. */
function trailing(source: string, at: number): Problem {
  const token = tokenAt(source, at);
  const last = source.slice(at + token.length).trim() === '';
  return { at, message: `Syntax error: ${last ? 'extraneous' : 'mismatched'} input '${token}' expecting <EOF>` };
}

/** A malformed number such as `0x` or `1e`: the number token ends before the invalid letter. */
function brokenNumber(source: string, at: number): Problem {
  const start = source.startsWith('0x', at) ? at + 1 : source.slice(0, at).search(/[eE][+-]?$/);
  return /^0x[0-9A-Fa-f]/.test(source.slice(at)) ? { at, message: 'invalid int literal' } : trailing(source, start);
}

/** Whether more than one bracket is open at the end. */
function isNested(mask: string): boolean {
  let open = 0;
  for (const char of mask) open += '([{'.includes(char) ? 1 : ')]}'.includes(char) ? -1 : 0;
  return open > 1;
}

function macroText(summary: string): string {
  return /^(map|filter)\(/.test(summary) ? 'argument is not an identifier' : 'argument must be a simple name';
}

function tokenAt(source: string, at: number): string {
  if (at >= source.length) return '<EOF>';
  const [token = source[at] ?? ''] =
    /^(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|==|!=|<=|>=|&&|\|\||"[^"]*"|'[^']*'|[^])/.exec(source.slice(at)) ?? [];
  return token;
}

const TOKENS: Readonly<Record<string, string>> = {
  RPAREN: "')'",
  RBRACKET: "']'",
  RBRACE: "'}'",
  COLON: "':'",
  IDENTIFIER: 'IDENTIFIER',
};

/** The token that the parser expected, from its summary: `Expected RPAREN, got EOF`. */
function expected(summary: string): string | undefined {
  const [, name = ''] = /^Expected (\w+)/.exec(summary) ?? [];
  return TOKENS[name];
}

/** Text that is not a token, with its error. Like kube-apiserver, the parser reports it, skips it and continues. */
export interface SkippedText {
  readonly problem: Problem;
  readonly end: number;
}

const UNTERMINATED: ReadonlySet<string> = new Set([
  'unterminated_string',
  'unterminated_triple_quoted_string',
  'newline_in_string',
]);

/** The text to skip after a lexer error; undefined for other errors. */
export function skippedText(error: ParseError, source: string, mask: string): SkippedText | undefined {
  const at = error.range?.start ?? source.length;
  if (UNTERMINATED.has(error.code))
    return unterminatedString(source, error.code === 'newline_in_string' ? quoteBefore(source, at) : at);
  if (
    error.code !== 'unexpected_character' ||
    !error.summary.startsWith('Unexpected character: ') ||
    error.summary.endsWith("'")
  )
    return undefined;
  const char = String.fromCodePoint(source.codePointAt(at) ?? 0);
  if (char === '`') return undefined;
  const pair = '=&|'.includes(char) && at + 1 < mask.length ? (source[at + 1] ?? '') : '';
  return {
    problem: { at, message: `Syntax error: token recognition error at: '${char}${pair}'` },
    end: at + char.length + pair.length,
  };
}

function unterminatedString(source: string, at: number): SkippedText {
  const [rest = ''] = source.slice(at).split('\n');
  return { problem: { at, message: `Syntax error: token recognition error at: '${rest}'` }, end: at + rest.length };
}

function quoteBefore(source: string, at: number): number {
  const line = source.lastIndexOf('\n', at - 1) + 1;
  const [quote = at] = [source.indexOf('"', line), source.indexOf("'", line)].filter(
    (found) => found >= 0 && found < at,
  );
  return quote;
}
