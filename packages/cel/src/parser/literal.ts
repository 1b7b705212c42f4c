import { Uint, type Value } from '../language/value.js';

/** A literal without a value: `message` says why. */
interface Invalid {
  readonly message: string;
}

/** The value of a literal with its token's kind; numbers may have a sign. */
export function literalValue(kind: string, text: string): { readonly value: Value } | Invalid {
  switch (kind) {
    case 'NUM_INT': {
      const value = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
      return BigInt.asIntN(64, value) === value ? { value } : { message: 'invalid int literal' };
    }
    case 'NUM_UINT': {
      const value = BigInt(text.slice(0, -1));
      return BigInt.asUintN(64, value) === value ? { value: new Uint(value) } : { message: 'invalid uint literal' };
    }
    case 'NUM_FLOAT':
      return Number.isFinite(Number(text)) ? { value: Number(text) } : { message: 'invalid double literal' };
    case 'STRING':
    case 'BYTES':
      return quoted(text, kind === 'BYTES');
    default:
      return { value: kind === "'null'" ? null : kind === "'true'" };
  }
}

const QUOTED = /^[bB]?([rR]?)("""|'''|"|')([^]*)\2$/;
const ESCAPE = /(\\(?:[xX]..|u.{4}|U.{8}|[0-3]..|[^]))/;
const CONTROL: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };

/**
 * The value of a literal in quotes. \x and octal escapes are characters of a string, and single bytes of a bytes
 * literal, where all other characters are encoded in UTF-8.
 */
function quoted(text: string, bytes: boolean): { readonly value: Value } | Invalid {
  const [, raw, , content = ''] = QUOTED.exec(text.replaceAll(/\r\n?/g, '\n')) ?? [];
  const parts = raw === '' ? content.split(ESCAPE) : [content];
  // Every second part is an escape.
  const codes = parts.map((part, index) => (index % 2 === 1 ? codeOf(part) : undefined));
  if (bytes && parts.some((part, index) => index % 2 === 1 && /^\\u/i.test(part)))
    return { message: 'unable to unescape string' };
  if (codes.some((code) => code !== undefined && (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))))
    return { message: 'invalid unicode code point' };
  if (bytes)
    return {
      value: Buffer.concat(parts.map((part, index) => Buffer.from(codes[index] === undefined ? part : [codes[index]]))),
    };
  return {
    value: parts
      .map((part, index) => (codes[index] === undefined ? part : String.fromCodePoint(codes[index])))
      .join(''),
  };
}

/** The code point of an escape sequence. */
function codeOf(escape: string): number {
  const char = escape[1] ?? '';
  if (/[xu]/i.test(char)) return Number.parseInt(escape.slice(2), 16);
  return /\d/.test(char) ? Number.parseInt(escape.slice(1), 8) : (CONTROL[char] ?? char.charCodeAt(0));
}
