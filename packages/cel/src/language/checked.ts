import type { CelType } from './celtype.js';
import type { Expr } from './expression.js';

/** A type-checked expression. */
export interface Checked {
  readonly expr: Expr;
  readonly type: CelType;
  /** The type of every node; unbound type parameters are dyn. */
  readonly types: ReadonlyMap<Expr, CelType>;
  /** Ids of the overloads that a call may resolve to; several where arguments are dyn. */
  readonly overloads: ReadonlyMap<Expr, readonly string[]>;
  /** Selections that are one qualified name, with the name. */
  readonly qualifiedNames: ReadonlyMap<Expr, string>;
  /** Names of the declared variables that the expression reads. */
  readonly variables: ReadonlySet<string>;
}
