const RESERVED: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);

/** Whether a name is a keyword of CEL, by which no variable or property can be called. */
export function isReserved(name: string): boolean {
  return RESERVED.has(name);
}

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};
const UNESCAPES: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' };

/**
 * The name of a property in expressions: `a-b` is `a__dash__b`. Undefined for names that expressions cannot refer to.
 */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_.\-/][A-Za-z0-9_.\-/]*$/.test(name)) return undefined;
  if (RESERVED.has(name)) return `__${name}__`;
  return name.replace(/__|[-./]/g, (part) => ESCAPES[part] ?? part);
}

/** The property that an escaped name refers to; undefined for an invalid name. */
export function unescapeName(escaped: string): string | undefined {
  if (!escaped.includes('__')) return escaped;
  let valid = true;
  const name = escaped.replace(/__([^_]+)__/g, (part, word: string) => {
    if (RESERVED.has(word) && part === escaped) return word;
    const char = Object.hasOwn(UNESCAPES, word) ? UNESCAPES[word] : undefined;
    valid &&= char !== undefined;
    return char ?? '';
  });
  return valid ? name : undefined;
}
