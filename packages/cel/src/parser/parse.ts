import { OPERATOR, type Call, type Expr } from '../language/expression.js';
import { CompileError } from '../language/problem.js';
import { codePoints } from '../language/value.js';
import { EOF } from './lexer.js';
import { literalValue } from './literal.js';
import { expandMacro } from './macro.js';
import { AFTER_OPERAND, NAMES, START, STRENGTH, Tokens } from './tokens.js';

/** The longest expression that the API server accepts, in code points. */
const MAX_LENGTH = 100_000;

/** The deepest nesting that it accepts, of brackets and of operations. */
const MAX_DEPTH = 250;

/**
 * Parses an expression and expands its macros. The grammar, its limits and the first message of each error are those of
 * cel-go, whose parser ANTLR generates.
 * @throws CompileError
 */
export function parseExpression(source: string): Expr {
  const length = source.length > MAX_LENGTH ? codePoints(source) : 0;
  if (length > MAX_LENGTH)
    throw new CompileError(
      [{ at: -1, message: `expression code point size exceeds limit: size: ${length}, limit ${MAX_LENGTH}` }],
      source,
    );
  return new Parser(source).parse();
}

/** Names that an expression may not begin with. */
const RESERVED: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

/** Recursive descent by the rules of the grammar. */
class Parser extends Tokens {
  /** How deeply the rules are entered, as the API server counts them. */
  readonly #entered = { expr: 0, relation: 0, calc: 0 };
  /** How many operations are nested in an expression, where there are any. */
  readonly #heights = new Map<Expr, number>();

  parse(): Expr {
    const expr = this.#expr(EOF);
    this.match(EOF);
    if (this.problems.length > 0) throw new CompileError(this.problems, this.source);
    return expr;
  }

  /** `a ? b : c` */
  #expr(...follow: readonly string[]): Expr {
    const around = this.follow;
    this.follow = new Set(["'?'", ...follow]);
    this.#enter('expr');
    let expr = this.#logical('||');
    if (this.next.kind === "'?'") {
      const { at } = this.take();
      this.follow = new Set(["':'"]);
      const yes = this.#logical('||');
      this.match("':'", START);
      expr = this.#operation(OPERATOR.conditional, [expr, yes, this.#expr(...follow)], at);
    }
    this.#leave('expr', 1);
    this.follow = around;
    return expr;
  }

  /** `a || b || c`, `a && b && c` */
  #logical(operator: '||' | '&&'): Expr {
    const operand = (): Expr => (operator === '||' ? this.#logical('&&') : this.#binary('relation', 1));
    const terms = [operand()];
    const places: number[] = [];
    while (this.next.kind === `'${operator}'`) {
      places.push(this.take().at);
      terms.push(operand());
    }
    return this.#nested(balanced(`_${operator}_`, terms, places), terms, 0);
  }

  /** `a < b`, `a + b * c`: operators that bind at least as strongly as `least`. */
  #binary(rule: 'relation' | 'calc', least: number): Expr {
    this.#enter(rule);
    let left = rule === 'relation' ? this.#binary('calc', 1) : this.#unary();
    let contexts = 1;
    for (;;) {
      const strength = STRENGTH[rule].get(this.next.kind) ?? 0;
      if (strength < least) break;
      const { kind, at } = this.take();
      const right = this.#binary(rule, strength + 1);
      left = this.#operation(kind === "'in'" ? OPERATOR.in : `_${kind.slice(1, -1)}_`, [left, right], at);
      contexts++;
    }
    this.#leave(rule, contexts);
    return left;
  }

  /** `!a`, `-a`; two signs cancel each other. The sign of a number belongs to the number. */
  #unary(): Expr {
    this.expect(START);
    const { kind, at } = this.next;
    if (kind === "'-'" ? isNumber(this.peek) : kind !== "'!'") return this.#member();
    let signs = 0;
    for (; this.next.kind === kind; signs++) {
      if (kind === "'-'" && (!START.has(this.peek) || this.peek === "'!'")) throw this.noViable();
      this.take();
    }
    this.expect(START);
    const operand = this.#member();
    if (signs % 2 === 0) return operand;
    return this.#nested(call(kind === "'!'" ? OPERATOR.not : OPERATOR.negate, [operand], at), [operand], 0);
  }

  /** `a.b`, `a.?b`, `a.b(c)`, `a[b]`, `a[?b]` */
  #member(): Expr {
    let expr = this.#primary();
    for (;;) {
      if (this.next.kind === "'.'") expr = this.#selection(expr);
      else if (this.next.kind === "'['") expr = this.#element(expr);
      else return expr;
    }
  }

  #selection(operand: Expr): Expr {
    if (this.peek !== "'?'" && !NAMES.has(this.peek)) throw this.noViable();
    const { at } = this.take();
    const optional = this.skip("'?'");
    this.expect(NAMES);
    const name = this.take();
    const field = this.text(name);
    if (name.kind === 'ESC_IDENTIFIER') this.problems.push({ at: name.at, message: "unsupported syntax: '`'" });
    if (optional)
      return this.#operation(OPERATOR.optionalSelect, [operand, { kind: 'literal', value: field, at: name.at }], at);
    if (name.kind === 'IDENTIFIER' && this.next.kind === "'('") return this.#call(field, operand);
    return this.#nested({ kind: 'select', operand, field, test: false, at }, [operand], 1);
  }

  #element(operand: Expr): Expr {
    const { at } = this.take();
    this.expect(new Set([...START, "'?'"]));
    const name = this.skip("'?'") ? OPERATOR.optionalIndex : OPERATOR.index;
    const key = this.#expr("']'");
    this.match("']'", AFTER_OPERAND);
    return this.#operation(name, [operand, key], at);
  }

  /** The arguments of a function or method, which is expanded when it is a macro. */
  #call(name: string, target: Expr | undefined, macros = true): Expr {
    const { at } = this.take();
    const args: Expr[] = [];
    this.expect(new Set([...START, "')'"]));
    if (this.next.kind !== "')'")
      do args.push(this.#expr("','", "')'"));
      while (this.skip("','"));
    this.match("')'", AFTER_OPERAND);
    const plain: Call = { kind: 'call', name, target, args, at };
    const expanded = macros ? expandMacro(plain) : plain;
    if ('message' in expanded) this.problems.push(expanded);
    const expr = 'message' in expanded ? plain : expanded;
    return target === undefined ? this.#nested(expr, args, 0) : this.#nested(expr, [target, ...args], 1);
  }

  #primary(): Expr {
    switch (this.next.kind) {
      case "'('": {
        this.take();
        const expr = this.#expr("')'");
        this.match("')'", AFTER_OPERAND);
        return expr;
      }
      case "'['": {
        const { at } = this.next;
        const items = this.#items("']'", (optional) => ({ value: this.#expr("','", "']'"), optional }));
        return this.#nested(
          { kind: 'list', items, at },
          items.map(({ value }) => value),
          0,
        );
      }
      case "'{'":
        return this.#map();
      case "'.'":
      case 'IDENTIFIER':
        return this.#named();
      default:
        return this.#literal();
    }
  }

  #map(): Expr {
    const { at } = this.next;
    const entries = this.#items("'}'", (optional) => {
      const key = this.#expr("':'");
      this.match("':'", START);
      return { key, value: this.#expr("','", "'}'"), optional };
    });
    return this.#nested(
      { kind: 'map', entries, at },
      entries.flatMap(({ key, value }) => [key, value]),
      0,
    );
  }

  /** `[a, ?b,]`: what brackets enclose, from the opening one to the closing one. */
  #items<T>(close: string, item: (optional: boolean) => T): T[] {
    const items: T[] = [];
    const begin = new Set([...START, "'?'"]);
    this.take();
    this.expect(new Set([...begin, "','", close]));
    if (begin.has(this.next.kind)) {
      do items.push(item(this.skip("'?'")));
      while (this.next.kind === "','" && begin.has(this.peek) && this.skip("','"));
      this.expect(new Set(["','", close]));
    }
    this.skip("','");
    this.match(close, AFTER_OPERAND);
    return items;
  }

  /** `a`, `.a`, `f(a)`, and `a.b{c: d}`, which is refused here: there are no messages. */
  #named(): Expr {
    const { at } = this.next;
    const dot = this.next.kind === "'.'";
    if (dot && this.peek !== 'IDENTIFIER') throw this.noViable();
    this.skip("'.'");
    this.#refuseMessage();
    const token = this.take();
    const name = this.text(token);
    if (RESERVED.has(name)) this.problems.push({ at, message: `reserved identifier: ${name}` });
    if (this.next.kind === "'('") return this.#call(name, undefined, !dot);
    return { kind: 'ident', name, at: token.at };
  }

  #refuseMessage(): void {
    let parts = 1;
    while (this.kindAfter(parts) === "'.'" && this.kindAfter(parts + 1) === 'IDENTIFIER') parts += 2;
    if (this.kindAfter(parts) !== "'{'") return;
    const name = Array.from({ length: parts }, () => this.text(this.take())).join('');
    throw this.failure(this.next.at, `undeclared reference to '${name}' (in container '')`);
  }

  #literal(): Expr {
    const { at } = this.next;
    if (this.next.kind === "'-'" && !isNumber(this.peek)) throw this.noViable();
    const sign = this.skip("'-'") ? '-' : '';
    const token = this.take();
    const literal = literalValue(token.kind, sign + this.text(token));
    if ('message' in literal) this.problems.push({ at, message: literal.message });
    return { kind: 'literal', value: 'message' in literal ? null : literal.value, at };
  }

  #enter(rule: 'expr' | 'relation' | 'calc'): void {
    this.#entered[rule]++;
    if (this.#entered[rule] > MAX_DEPTH) throw this.failure(-1, `expression recursion limit exceeded: ${MAX_DEPTH}`);
  }

  /** cel-go counts a rule as entered once, and as left once more for each operator in it. */
  #leave(rule: 'expr' | 'relation' | 'calc', times: number): void {
    this.#entered[rule] = Math.max(0, this.#entered[rule] - times);
  }

  #operation(name: string, args: readonly Expr[], at: number): Expr {
    return this.#nested(call(name, args, at), args, 1);
  }

  /** Notes how many operations an expression nests: those of its deepest part and its own. */
  #nested(expr: Expr, parts: readonly Expr[], own: 0 | 1): Expr {
    const height = parts.reduce((most, part) => Math.max(most, this.#heights.get(part) ?? 0), 0) + own;
    if (height > MAX_DEPTH) throw this.failure(-1, 'max recursion depth exceeded');
    if (height > 0) this.#heights.set(expr, height);
    return expr;
  }
}

function isNumber(kind: string): boolean {
  return kind === 'NUM_INT' || kind === 'NUM_FLOAT';
}

function call(name: string, args: readonly Expr[], at: number): Call {
  return { kind: 'call', name, target: undefined, args, at };
}

/** `a && b && c …` as a balanced tree of terms, as in the API server. */
function balanced(name: string, terms: readonly Expr[], places: readonly number[]): Expr {
  const [only] = terms;
  if (terms.length === 1 && only !== undefined) return only;
  const middle = places.length >> 1;
  const sides = [
    balanced(name, terms.slice(0, middle + 1), places.slice(0, middle)),
    balanced(name, terms.slice(middle + 1), places.slice(middle + 1)),
  ];
  return call(name, sides, places[middle] ?? 0);
}
