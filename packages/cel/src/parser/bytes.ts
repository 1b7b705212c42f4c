const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };

/**
 * The bytes of a literal (`b'…'`, also raw and triple-quoted): characters are encoded in UTF-8, \x and octal escapes
 * are single bytes.
 */
export function bytesLiteral(source: string): Uint8Array {
  const [prefix = ''] = /^[bBrR]*/.exec(source) ?? [];
  const quoted = source.slice(prefix.length);
  const width = /^("""|''')/.test(quoted) ? 3 : 1;
  const text = quoted.slice(width, quoted.length - width);
  if (/r/i.test(prefix)) return Buffer.from(text, 'utf8');
  const parts = text.match(/\\x[0-9a-f]{2}|\\[0-7]{3}|\\[^]|[^\\]+/gi) ?? [];
  return Buffer.concat(parts.map(decodePart));
}

function decodePart(part: string): Buffer {
  if (part[0] !== '\\') return Buffer.from(part, 'utf8');
  if (/^\\x/i.test(part)) return Buffer.from([Number.parseInt(part.slice(2), 16)]);
  if (/^\\[0-7]/.test(part)) return Buffer.from([Number.parseInt(part.slice(1), 8) & 0xff]);
  const escaped = part.slice(1);
  const code = ESCAPES[escaped];
  return code === undefined ? Buffer.from(escaped, 'utf8') : Buffer.from([code]);
}
