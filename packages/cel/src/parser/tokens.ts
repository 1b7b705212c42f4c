import { CompileError, type Problem } from '../language/problem.js';
import { EOF, MAX_PROBLEMS, tokenize, type Token } from './lexer.js';

/** The tokens of a message about what is expected, in the order of the grammar. */
const ORDER =
  "'[' ']' '{' '}' '(' ')' '.' ',' '-' '!' '?' 'true' 'false' 'null' NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER ESC_IDENTIFIER".split(
    ' ',
  );
/** What an expression begins with. */
export const START: ReadonlySet<string> = new Set(
  ORDER.filter((kind) => !["']'", "'}'", "')'", "','", "'?'", 'ESC_IDENTIFIER'].includes(kind)),
);
export const NAMES: ReadonlySet<string> = new Set(['IDENTIFIER', 'ESC_IDENTIFIER']);

/** How strongly the operators bind, by the rule of the grammar that has them; those of one strength from the left. */
export const STRENGTH = {
  relation: new Map(["'=='", "'!='", "'<'", "'<='", "'>'", "'>='", "'in'"].map((kind) => [kind, 1])),
  calc: new Map([
    ["'+'", 1],
    ["'-'", 1],
    ["'*'", 2],
    ["'/'", 2],
    ["'%'", 2],
  ]),
};

/** What may follow an operand, whatever is around it. */
export const AFTER_OPERAND: ReadonlySet<string> = new Set([
  ...STRENGTH.relation.keys(),
  ...STRENGTH.calc.keys(),
  "'.'",
  "'['",
  "'&&'",
  "'||'",
]);

/** The tokens of an expression, and the messages about those that do not fit, as ANTLR words them. */
export class Tokens {
  readonly problems: Problem[];
  /** What may follow the current expression. */
  follow: ReadonlySet<string> = new Set();
  protected readonly source: string;
  readonly #tokens: readonly Token[];
  #index = 0;

  /** @throws CompileError when there are too many problems. */
  constructor(source: string) {
    const { tokens, problems } = tokenize(source);
    this.source = source;
    this.#tokens = tokens;
    this.problems = problems;
    if (problems.length > MAX_PROBLEMS) throw new CompileError(problems, source);
  }

  /** The next token. */
  get next(): Token {
    return this.#tokens[this.#index] ?? END;
  }

  /** The kind of the token after the next one. */
  get peek(): string {
    return this.kindAfter(1);
  }

  /** The kind of the token that many after the next one. */
  kindAfter(count: number): string {
    return this.#tokens[this.#index + count]?.kind ?? EOF;
  }

  text({ kind, at, end }: Token): string {
    return kind === EOF ? EOF : this.source.slice(at, end);
  }

  take(): Token {
    const token = this.next;
    this.#index++;
    return token;
  }

  /** Takes the next token if it is of this kind. */
  skip(kind: string): boolean {
    const found = this.next.kind === kind;
    if (found) this.#index++;
    return found;
  }

  /**
   * Takes a token of this kind. As in ANTLR, one token too many is left out, and a missing one is assumed where the
   * next token may follow it.
   */
  match(kind: string, after: ReadonlySet<string> = new Set()): void {
    const { kind: found } = this.next;
    const mayFollow = after.has(found) || (after === AFTER_OPERAND && this.follow.has(found));
    if (found !== kind && this.peek !== kind && mayFollow)
      return this.#report(this.next, `missing ${kind} at '${this.#shown(this.next)}'`);
    this.expect(new Set([kind]));
    this.#index++;
  }

  /** Expects one of these kinds; leaves one token out where the one after it is of them. */
  expect(kinds: ReadonlySet<string>): void {
    if (kinds.has(this.next.kind)) return;
    const names = [...kinds].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
    const rest = `input '${this.#shown(this.next)}' expecting ${names.length === 1 ? names[0] : `{${names.join(', ')}}`}`;
    if (!kinds.has(this.peek)) throw this.failure(this.next.at, `Syntax error: mismatched ${rest}`);
    this.#report(this.next, `extraneous ${rest}`);
    this.#index++;
  }

  /** No rule of the grammar begins with the next two tokens. */
  noViable(): CompileError {
    const second = this.#tokens[this.#index + 1] ?? END;
    const text = this.source.slice(this.next.at, second.end);
    const message = /^.(?:true|false|null)$/s.test(text)
      ? `mismatched input '${text.slice(1)}' expecting IDENTIFIER`
      : `no viable alternative at input '${escaped(text)}'`;
    return this.failure(second.at, `Syntax error: ${message}`);
  }

  /** The error of a problem that ends the parsing, with those before it. */
  failure(at: number, message: string): CompileError {
    this.problems.push({ at, message });
    return new CompileError(this.problems, this.source);
  }

  /** Adds a problem after which the parsing goes on. */
  #report({ at }: Token, message: string): void {
    this.problems.push({ at, message: `Syntax error: ${message}` });
    if (this.problems.length > MAX_PROBLEMS) throw new CompileError(this.problems, this.source);
  }

  #shown(token: Token): string {
    return escaped(this.text(token));
  }
}

const END: Token = { kind: EOF, at: 0, end: 0 };

/** A token's text as ANTLR writes it. */
function escaped(text: string): string {
  return text.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}
