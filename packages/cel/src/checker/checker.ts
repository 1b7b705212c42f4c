import type { Declarations } from '../language/declaration.js';
import type { Expr } from '../language/expression.js';
import type { Problem } from '../language/problem.js';
import { parameter, type CelType } from '../language/celtype.js';
import { assignable, substitute } from './unify.js';

/**
 * Limit on the steps for one expression: less than a second. Nested macros of optionals double the work at each level.
 */
const MAX_STEPS = 250_000;

export class TooComplex extends Error {}

/** The state of the type checker. */
export class Checker {
  readonly types = new Map<Expr, CelType>();
  readonly overloads = new Map<Expr, readonly string[]>();
  /** Selections that are one qualified name: `google.protobuf.Timestamp`, `authorizer.requestResource`. */
  readonly qualifiedNames = new Map<Expr, string>();
  readonly readVariables = new Set<string>();
  readonly problems: Problem[] = [];
  readonly declarations: Declarations;
  private readonly bindings = new Map<string, CelType>();
  private readonly scopes: Map<string, CelType>[] = [];
  private free = 0;
  private effort = MAX_STEPS;

  constructor(declarations: Declarations) {
    this.declarations = declarations;
  }

  report(at: number, message: string): void {
    this.problems.push({ at, message });
  }

  /**
   * Whether values of the types `from` are assignable to the types `to`. If so, the bindings of type parameters are
   * recorded.
   */
  assign(from: readonly CelType[], to: readonly CelType[]): boolean {
    this.effort--;
    if (this.effort < 0) throw new TooComplex();
    const bindings = assignable(this.bindings, from, to);
    for (const [name, type] of bindings ?? []) this.bindings.set(name, type);
    return bindings !== undefined;
  }

  resolve(type: CelType, free: 'dyn' | 'keep' = 'keep'): CelType {
    return substitute(this.bindings, type, free);
  }

  freshParameter(): CelType {
    return parameter(`_var${this.free++}`);
  }

  /** Runs `work` with additional variables in scope. */
  withScope<T>(variables: ReadonlyMap<string, CelType>, work: () => T): T {
    this.scopes.push(new Map(variables));
    const result = work();
    this.scopes.pop();
    return result;
  }

  /** The type of a variable; the innermost scope wins. */
  lookup(name: string): CelType | undefined {
    for (let index = this.scopes.length - 1; index >= 0; index--) {
      const local = this.scopes[index]?.get(name);
      if (local !== undefined) return local;
    }
    const global = this.declarations.variables.get(name);
    if (global !== undefined) this.readVariables.add(name);
    return global;
  }

  /** Whether a name is a variable of a macro. */
  isLocal(name: string): boolean {
    return this.scopes.some((scope) => scope.has(name));
  }
}
