import type { Value } from './value.js';

/** The position of a node: an offset into the source in UTF-16 code units. Compiler messages refer to it. */
interface Located {
  readonly at: number;
}

export interface Literal extends Located {
  readonly kind: 'literal';
  readonly value: Value;
}

export interface Identifier extends Located {
  readonly kind: 'ident';
  readonly name: string;
}

/** `a.b`, or `has(a.b)` with `test`. */
export interface Select extends Located {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  readonly test: boolean;
}

/** A call of a function, an operator (`_+_`) or, with `target`, a method. */
export interface Call extends Located {
  readonly kind: 'call';
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListLiteral extends Located {
  readonly kind: 'list';
  readonly items: readonly { readonly value: Expr; readonly optional: boolean }[];
}

export interface MapLiteral extends Located {
  readonly kind: 'map';
  readonly entries: readonly { readonly key: Expr; readonly value: Expr; readonly optional: boolean }[];
}

/**
 * A comprehension: the expansion of the macros over lists and maps. `second` is the second variable of the two-variable
 * macros.
 */
export interface Fold extends Located {
  readonly kind: 'fold';
  readonly range: Expr;
  readonly variable: string;
  readonly second: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** A node of an expression with expanded macros, the input of the type checker, the estimator and the evaluator. */
export type Expr = Literal | Identifier | Select | Call | ListLiteral | MapLiteral | Fold;

/** The name of the accumulator of macros. Expressions cannot refer to it. */
export const ACCUMULATOR = '@result';

/** The name of an unused variable: optMap. */
export const UNUSED = '#unused';

/** Function names of operators, as in overload tables and messages. */
export const OPERATOR = {
  conditional: '_?_:_',
  and: '_&&_',
  or: '_||_',
  not: '!_',
  negate: '-_',
  equals: '_==_',
  notEquals: '_!=_',
  add: '_+_',
  index: '_[_]',
  optionalIndex: '_[?_]',
  optionalSelect: '_?._',
  in: '@in',
  notStrictlyFalse: '@not_strictly_false',
  mapInsert: 'cel.@mapInsert',
} as const;

/** The qualified name of a chain of identifiers `a.b.c`; undefined for other expressions. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.test) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}

/** The direct subexpressions of a node. */
export function children(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.items.map(({ value }) => value);
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'fold':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
    default:
      return [];
  }
}
