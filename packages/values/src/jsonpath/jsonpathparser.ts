/** A template of kubectl's `-o jsonpath`: text, and actions in braces. `{range …}` and `{end}` enclose a loop. */
export type Template = readonly TemplatePart[];
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly path: Path }
  | { readonly kind: 'range'; readonly path: Path; readonly body: Template };

/** A template cannot be used. The message is one line. */
export class TemplateError extends Error {}

/** Steps, each on what the one before it has found. */
export type Path = readonly Step[];
export type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wildcard' | 'recursive' }
  | { readonly kind: 'slice'; readonly slice: Slice }
  | { readonly kind: 'union'; readonly paths: readonly Path[] }
  | { readonly kind: 'filter'; readonly left: Path; readonly comparison?: Comparison }
  | { readonly kind: 'value'; readonly value: string | number | boolean; readonly isFloat?: boolean };

/** `[from:to:step]`; `[from]` alone is one item. */
export interface Slice {
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly step: number | undefined;
  readonly isIndex: boolean;
}

export interface Comparison {
  readonly operator: (typeof OPERATORS)[number];
  readonly right: Path;
}

const OPERATORS = ['==', '!=', '<', '<=', '>', '>='] as const;
/** Ends a name. */
const NAME_END = /[ \t\r\n.,[\]$@{}]/;
const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

interface Action {
  readonly path: Path;
  /** `range`, `end` */
  readonly word: string | undefined;
}

/** @throws TemplateError that says what is wrong, in one line */
export function parseTemplate(text: string): Template {
  const root: TemplatePart[] = [];
  const open: TemplatePart[][] = [];
  let body = root;
  let at = 0;
  while (at < text.length) {
    const brace = text.indexOf('{', at);
    const end = brace < 0 ? text.length : brace;
    if (end > at) body.push({ kind: 'text', text: text.slice(at, end) });
    if (brace < 0) break;
    const parser = new ActionParser(text, brace + 1);
    const { word, path } = parser.action();
    at = parser.at;
    if (word === 'range') {
      const inner: TemplatePart[] = [];
      body.push({ kind: 'range', path, body: inner });
      open.push(body);
      body = inner;
    } else if (word === 'end') {
      body = open.pop() ?? fail('not in range, nothing to end');
    } else {
      body.push({ kind: 'action', path });
    }
  }
  return open.length === 0 ? root : fail('unexpected end, {range} without {end}');
}

/** Reads one action, from behind its opening brace to behind its closing one. */
class ActionParser {
  at: number;
  readonly #text: string;
  readonly #path: Step[] = [];
  #word: string | undefined;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  action(): Action {
    while (!this.#takes('}')) this.#step();
    return { path: this.#path, word: this.#word };
  }

  #step(): void {
    const next = this.#text[this.at] ?? '';
    if (next === '' || next === '\n' || next === '\r') fail('unclosed action');
    if (this.#takes('[?(')) this.#filter();
    else if (this.#takes('..')) this.#recursive();
    else if (this.#takes('.')) this.#field();
    else if (this.#takes('[')) this.#brackets();
    else if (next === '"' || next === "'") this.#quoted(next);
    else if (/[-+\d]/.test(next)) this.#number();
    else if (/[\p{L}_]/u.test(next)) this.#identifier();
    else if (/[ @$]/.test(next)) this.at += 1;
    else fail(`unrecognized character in action: ${codePoint(this.#text.codePointAt(this.at) ?? 0)}`);
  }

  #takes(token: string): boolean {
    if (!this.#text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  /** The text up to a character that ends a name; a backslash keeps the next one in the name. */
  #name(): string {
    const from = this.at;
    while (this.at < this.#text.length && !NAME_END.test(this.#text[this.at] ?? ''))
      this.at += this.#text[this.at] === '\\' ? 2 : 1;
    return this.#text.slice(from, this.at);
  }

  #field(): void {
    const name = this.#name();
    this.#path.push(name === '*' ? { kind: 'wildcard' } : { kind: 'field', name: name.replaceAll('\\', '') });
  }

  #recursive(): void {
    if (this.#path.at(-1)?.kind === 'recursive') fail('invalid multiple recursive descent');
    this.#path.push({ kind: 'recursive' });
    if (/[\p{L}\p{Nd}_]/u.test(this.#text[this.at] ?? '')) this.#field();
  }

  #identifier(): void {
    const name = this.#name();
    if (name === 'true' || name === 'false') this.#path.push({ kind: 'value', value: name === 'true' });
    else if (name === 'range' || name === 'end') this.#word = name;
    else fail(`unrecognized identifier ${name}`);
  }

  #number(): void {
    const [digits = ''] = /^[-+]?[\d.]*/.exec(this.#text.slice(this.at)) ?? [];
    this.at += digits.length;
    const value = /\d/.test(digits) ? Number(digits) : NaN;
    if (Number.isNaN(value)) fail(`cannot parse number ${digits}`);
    this.#path.push({ kind: 'value', value, isFloat: digits.includes('.') });
  }

  #quoted(quote: string): void {
    const from = this.at;
    do {
      this.at += 1;
      if (/^[\n]?$/.test(this.#text[this.at] ?? '')) fail('unterminated quoted string');
    } while (this.#text[this.at] !== quote || this.#text[this.at - 1] === '\\');
    this.at += 1;
    this.#path.push({ kind: 'value', value: unescaped(this.#text.slice(from + 1, this.at - 1), quote) });
  }

  /** `[…]` without a filter: an index or slice, a name in quotes, or several of them with commas. */
  #brackets(): void {
    const end = this.#text.indexOf(']', this.at);
    const text = this.#text.slice(this.at, Math.max(end, this.at));
    if (end < 0 || text.includes('\n')) fail('unterminated array');
    this.at = end + 1;
    const parts = text.split(',');
    if (parts.length === 1) this.#path.push(...selected(text));
    else this.#path.push({ kind: 'union', paths: parts.map((part) => selected(part.replace(/^ +| +$/g, ''))) });
  }

  #filter(): void {
    const from = this.at;
    let quote = '';
    let closed = false;
    for (;;) {
      const next = this.#text[this.at] ?? '\n';
      if (next === '\n') fail('unterminated filter');
      if (next === ')' && (quote === '' || closed)) break;
      if (/["']/.test(next) && quote === '') quote = next;
      else if (next === quote && this.#text[this.at - 1] !== '\\') closed = true;
      this.at += 1;
    }
    const text = this.#text.slice(from, this.at);
    if (!this.#takes(')]')) fail('unclosed array expect ]');
    this.#path.push(filterOf(text));
  }
}

function filterOf(text: string): Step {
  const [, left = '', operator = '', right = ''] = /^([^!<>=]+)([!<>=]+)(.+?)$/.exec(text) ?? [];
  if (operator === '') return { kind: 'filter', left: parsePath(text) };
  const [from, to] = [parsePath(left), parsePath(right)];
  const known = OPERATORS.find((one) => one === operator) ?? fail(`unrecognized filter operator ${operator}`);
  return { kind: 'filter', left: from, comparison: { operator: known, right: to } };
}

/** A path without its braces, as in a printer column. @throws TemplateError that says what is wrong, in one line */
export function parsePath(text: string): Path {
  const parser = new ActionParser(`${text}}`, 0);
  const { path, word } = parser.action();
  return word === undefined && parser.at === text.length + 1 ? path : fail(`${JSON.stringify(text)} is no path`);
}

/** What is between brackets, without commas. A name in quotes is read as a path: its dots need a backslash, as in kubectl. */
function selected(text: string): Path {
  const key = /^'([^']*)'$/.exec(text)?.[1];
  if (key !== undefined) return parsePath(`.${key}`);
  const [, from = '', to, step] =
    /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text === '*' ? ':' : text) ?? fail(`invalid array index ${text}`);
  const isIndex = to === undefined;
  return [
    { kind: 'slice', slice: { from: whole(from), to: whole(to?.slice(1)), step: whole(step?.slice(1)), isIndex } },
  ];
}

function whole(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  return text === '-' ? fail('invalid array index -') : Number(text);
}

/** As Go reads a text between quotes. */
function unescaped(text: string, quote: string): string {
  const refuse = (): never => fail(`unquote string ${quote}${text}${quote} error invalid syntax`);
  return text.replaceAll(
    /\\(?:[xuU]([\da-fA-F]{2,8})|([0-7]{3})|([^]?))/g,
    (all: string, ...found: (string | undefined)[]) => {
      const [hex, octal, one = ''] = found;
      if (hex !== undefined) return hexCharacter(all, hex) ?? refuse();
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
      return one === quote ? quote : (ESCAPES[one] ?? refuse());
    },
  );
}

/** `\x` takes two digits, `\u` four, `\U` eight; what follows them is text. undefined for fewer digits. */
function hexCharacter(escape: string, digits: string): string | undefined {
  const length = { x: 2, u: 4 }[escape[1] ?? ''] ?? 8;
  const code = Number.parseInt(digits.slice(0, length), 16);
  if (digits.length < length || code > 0x10_ffff) return undefined;
  return String.fromCodePoint(code) + digits.slice(length);
}

/** As Go's %#U. */
function codePoint(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')} '${String.fromCodePoint(code)}'`;
}

function fail(problem: string): never {
  throw new TemplateError(problem);
}
