import { ANY, CharSet, NOT_NEWLINE, PERL, range } from './charset.js';
import { parseClass } from './class.js';
import { readEscape, unicodeGroup } from './escape.js';
import { PatternError, type Assertion, type Node } from './syntax.js';

const MAX_REPEAT = 1000;
const MAX_NESTING = 1000;

interface Flags {
  readonly fold: boolean;
  readonly lines: boolean;
  readonly dotAll: boolean;
  readonly lazy: boolean;
}

interface Group {
  readonly flags: Flags;
  readonly alternatives: Node[];
  parts: Node[];
}

/**
 * Parses an expression in the syntax of Go's regexp (RE2 with the flags of `regexp.Compile`).
 * @throws PatternError
 */
export function parse(pattern: string): Node {
  return new Parser(pattern).parse();
}

class Parser {
  readonly #pattern: string;
  readonly #groups: Group[] = [];
  #group: Group;
  #flags: Flags = { fold: false, lines: false, dotAll: false, lazy: false };
  #at = 0;
  /** The offset of the repetition operator directly before the current position; -1 when there is none. */
  #repeated = -1;
  readonly #names = new Set<string>();

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#group = { flags: this.#flags, alternatives: [], parts: [] };
  }

  parse(): Node {
    while (this.#at < this.#pattern.length) {
      const before = this.#at;
      const repeat = this.#step();
      this.#repeated = repeat ? before : -1;
    }
    if (this.#groups.length > 0) throw new PatternError('missing closing )', this.#pattern);
    return groupNode(this.#group);
  }

  /** Parses the next element; true when it was a repetition operator. */
  #step(): boolean {
    const char = this.#pattern[this.#at] ?? '';
    switch (char) {
      case '(':
        this.#open();
        return false;
      case ')':
        this.#close();
        return false;
      case '|':
        this.#group.alternatives.push(concatenated(this.#group.parts));
        this.#group.parts = [];
        this.#at += 1;
        return false;
      case '*':
      case '+':
      case '?':
        this.#at += 1;
        this.#repeat(this.#at - 1, char === '+' ? 1 : 0, char === '?' ? 1 : undefined);
        return true;
      case '{':
        return this.#counted();
      default:
        this.#atom(char);
        return false;
    }
  }

  #atom(char: string): void {
    if (char === '\\') {
      this.#escape();
    } else if (char === '[') {
      const { set, end } = parseClass(this.#pattern, this.#at, this.#flags.fold);
      this.#add({ kind: 'set', set }, end);
    } else if (char === '.') {
      this.#add(charNode(this.#flags.dotAll ? ANY : NOT_NEWLINE, false), this.#at + 1);
    } else if (char === '^' || char === '$') {
      this.#assert(
        char === '^' ? (this.#flags.lines ? 'lineBegin' : 'textBegin') : this.#flags.lines ? 'lineEnd' : 'textEnd',
        1,
      );
    } else {
      this.#literal();
    }
  }

  #literal(): void {
    const code = this.#pattern.codePointAt(this.#at) ?? 0;
    this.#add(charNode(range(code), this.#flags.fold), this.#at + (code > 0xffff ? 2 : 1));
  }

  #add(node: Node, end: number): void {
    this.#group.parts.push(node);
    this.#at = end;
  }

  #assert(what: Assertion, length: number): void {
    this.#add({ kind: 'assert', what }, this.#at + length);
  }

  #escape(): void {
    const next = this.#pattern[this.#at + 1] ?? '';
    const assertion = ASSERTIONS.get(next);
    if (assertion !== undefined) return this.#assert(assertion, 2);
    const perl = PERL.get(next);
    if (perl !== undefined) return this.#add(charNode(perl, this.#flags.fold), this.#at + 2);
    if (next === 'Q') return this.#quoted();
    if (next === 'C') throw new PatternError('invalid escape sequence', '\\C');
    const group = unicodeGroup(this.#pattern, this.#at);
    if (group !== undefined) return this.#add(charNode(group.source, this.#flags.fold), group.end);
    const { code, end } = readEscape(this.#pattern, this.#at);
    return this.#add(charNode(range(code), this.#flags.fold), end);
  }

  /** `\Q…\E`: a literal text. */
  #quoted(): void {
    const close = this.#pattern.indexOf('\\E', this.#at + 2);
    const end = close < 0 ? this.#pattern.length : close;
    this.#at += 2;
    while (this.#at < end) this.#literal();
    if (close >= 0) this.#at = close + 2;
  }

  #counted(): boolean {
    const start = this.#at;
    const found = /^\{(\d+)(,(\d*))?\}/.exec(this.#pattern.slice(start, start + 40));
    const bad = (text: string | undefined): boolean => text !== undefined && text.length > 1 && text.startsWith('0');
    if (found === null || bad(found[1]) || bad(found[3])) {
      this.#literal();
      return false;
    }
    this.#at += found[0].length;
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] === '' ? undefined : Number(found[3]);
    if (min > MAX_REPEAT || (max !== undefined && (max > MAX_REPEAT || min > max)))
      throw new PatternError('invalid repeat count', found[0]);
    this.#repeat(start, min, max);
    return true;
  }

  #repeat(start: number, min: number, max: number | undefined): void {
    const lazy = this.#pattern[this.#at] === '?';
    if (lazy) this.#at += 1;
    if (this.#repeated >= 0)
      throw new PatternError('invalid nested repetition operator', this.#pattern.slice(this.#repeated, this.#at));
    const node = this.#group.parts.pop();
    if (node === undefined)
      throw new PatternError('missing argument to repetition operator', this.#pattern.slice(start, this.#at));
    const repeat: Node = { kind: 'repeat', node, min, max, lazy: lazy !== this.#flags.lazy };
    const counted = min >= 2 || (max ?? 0) >= 2;
    if (counted && copies(repeat) > MAX_REPEAT)
      throw new PatternError('invalid repeat count', this.#pattern.slice(start, this.#at));
    this.#group.parts.push(repeat);
  }

  #open(): void {
    if (this.#pattern[this.#at + 1] === '?') return this.#perlGroup();
    this.#at += 1;
    this.#push(this.#flags);
  }

  #push(flags: Flags): void {
    if (this.#groups.length >= MAX_NESTING) throw new PatternError('expression nests too deeply', this.#pattern);
    this.#groups.push(this.#group);
    this.#group = { flags: this.#flags, alternatives: [], parts: [] };
    this.#flags = flags;
  }

  #close(): void {
    const outer = this.#groups.pop();
    if (outer === undefined) throw new PatternError('unexpected )', this.#pattern);
    const node = groupNode(this.#group);
    this.#flags = this.#group.flags;
    this.#group = outer;
    this.#add(node, this.#at + 1);
  }

  /** `(?:`, `(?i)`, `(?i-s:`, `(?P<name>`, `(?<name>`. */
  #perlGroup(): void {
    const rest = this.#pattern.slice(this.#at);
    if (/^\(\?P?</.test(rest)) return this.#namedGroup(rest);
    const found = /^\(\?([imsU]*)(-[imsU]+)?([:)])/.exec(rest);
    if (found === null || found[0] === '(?)') throw perlGroupError(rest);
    const flags = withFlags(withFlags(this.#flags, found[1] ?? '', true), found[2] ?? '', false);
    this.#at += found[0].length;
    if (found[3] === ':') this.#push(flags);
    else this.#flags = flags;
  }

  #namedGroup(rest: string): void {
    const end = rest.indexOf('>');
    if (end < 0) throw new PatternError('invalid named capture', rest);
    const name = rest.slice(rest.indexOf('<') + 1, end);
    const capture = rest.slice(0, end + 1);
    if (!/^\w+$/.test(name)) throw new PatternError('invalid named capture', capture);
    if (this.#names.has(name)) throw new PatternError('duplicate capture group name', name);
    this.#names.add(name);
    this.#at += capture.length;
    this.#push(this.#flags);
  }
}

const ASSERTIONS: ReadonlyMap<string, Assertion> = new Map([
  ['A', 'textBegin'],
  ['z', 'textEnd'],
  ['b', 'wordBoundary'],
  ['B', 'noWordBoundary'],
]);

function charNode(source: string, fold: boolean): Node {
  return { kind: 'set', set: new CharSet(source, fold) };
}

function concatenated(parts: readonly Node[]): Node {
  const [first] = parts;
  if (first === undefined) return { kind: 'empty' };
  return parts.length === 1 ? first : { kind: 'cat', parts: [...parts] };
}

function groupNode(group: Group): Node {
  const last = concatenated(group.parts);
  return group.alternatives.length === 0 ? last : { kind: 'alt', parts: [...group.alternatives, last] };
}

/** The number of copies of the innermost operand that counted repetition creates. */
function copies(node: Node): number {
  if (node.kind === 'repeat') return copies(node.node) * Math.max(node.max ?? node.min, 1);
  if (node.kind !== 'cat' && node.kind !== 'alt') return 1;
  return Math.max(1, ...node.parts.map(copies));
}

function withFlags(flags: Flags, letters: string, on: boolean): Flags {
  return {
    fold: letters.includes('i') ? on : flags.fold,
    lines: letters.includes('m') ? on : flags.lines,
    dotAll: letters.includes('s') ? on : flags.dotAll,
    lazy: letters.includes('U') ? on : flags.lazy,
  };
}

function perlGroupError(rest: string): PatternError {
  const shown = /^\(\?[imsU]*(?:-[imsU]*)?[^]?/u.exec(rest)?.[0] ?? '(?';
  return new PatternError('invalid or unsupported Perl syntax', shown);
}
