import type { Value } from '../runtime/value.js';

/** Where a node stands: an offset into the source, in UTF-16 code units. The compiler's messages point there. */
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

/** `a.b`; with `test` it is has(a.b). */
export interface Select extends Located {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  readonly test: boolean;
}

/** A call of a function, an operator (`_+_`) or a method (then with `target`). */
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

/** What every macro that walks a list or map becomes; `second` is the second variable of the two-variable macros. */
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

/** A node of an expression whose macros are expanded, in the shape that the type checker, the estimator and the evaluator read. */
export type Expr = Literal | Identifier | Select | Call | ListLiteral | MapLiteral | Fold;

/** Name of the accumulator of the macros; no expression can name it. */
export const ACCUMULATOR = '@result';

/** Name of a variable that nothing reads: optMap. */
export const UNUSED = '#unused';

/** Names of operators, as overload tables and messages spell them. */
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

/** `a.b.c` of identifiers alone, as one name; undefined for all else. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.test) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
