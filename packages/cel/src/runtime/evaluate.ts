import type { Checked } from '../language/checked.js';
import type { Functions, Overload } from '../language/declaration.js';
import {
  OPERATOR,
  qualifiedName,
  type Call,
  type Expr,
  type Fold,
  type ListLiteral,
  type MapLiteral,
} from '../language/expression.js';
import { NAMED_TYPES } from '../language/celtype.js';
import { access, isPresent, optionalAccess } from './access.js';
import type { Budget } from '../language/budget.js';
import { argumentSize, PER_KEY } from './argumentsize.js';
import { callCost } from './callcost.js';
import { InternalFault, CostExceeded, EvaluationError, noSuchOverload } from '../language/error.js';
import { isOperator, matchesType, noMatchingOverload } from './overload.js';
import { rewrapOptional } from './variable.js';
import { AccumulatorList, iterate, releaseAccumulator } from './iteration.js';
import { LiteralMap, Optional, TypeValue, ValueList, ValueMap, type Value } from '../language/value.js';

/** Looks up a variable; undefined where it has no value. May throw EvaluationError. */
export type Variables = (name: string) => Value | undefined;

/** A compiled expression. Throws EvaluationError and CostExceeded. */
export type Program = (variables: Variables, budget: Budget) => Value;

/** Creates a program from a checked expression. */
export function program(checked: Checked, functions: Functions): Program {
  const calls = new Map<Expr, readonly Overload[]>();
  for (const [expr, ids] of checked.overloads) {
    if (expr.kind === 'call') calls.set(expr, candidates(expr, ids, functions));
  }
  const evaluator = new Evaluator(calls, checked.qualifiedNames);
  return (variables, budget) => {
    try {
      return evaluator.run(checked.expr, { variables, budget, local: undefined });
    } catch (error) {
      // The expression nests too deeply, or a string exceeds the engine's limit.
      throw error instanceof RangeError ? new CostExceeded() : error;
    }
  };
}

/**
 * The overloads that the type check has found; for an operator all of them, as in cel-go, where its first argument selects what
 * runs: the check may have taken a type for known that is not, as that of `list[?0].orValue(0)` with a list of any type.
 */
function candidates(call: Call, ids: readonly string[], functions: Functions): readonly Overload[] {
  const prefix = call.target === undefined ? undefined : qualifiedName(call.target);
  const overloads =
    (prefix === undefined ? undefined : functions.get(`${prefix}.${call.name}`)) ?? functions.get(call.name) ?? [];
  const found = overloads.filter(({ id }) => ids.includes(id));
  return isOperator(call.name) ? overloads.filter(({ member }) => member === found[0]?.member) : found;
}

/** Variables of macros, innermost first. An accumulator may hold an error: `all` and `exists` continue after one. */
interface Local {
  readonly name: string;
  value: Value | EvaluationError;
  readonly outer: Local | undefined;
}

interface Context {
  readonly variables: Variables;
  readonly budget: Budget;
  readonly local: Local | undefined;
}

class Evaluator {
  private readonly calls: ReadonlyMap<Expr, readonly Overload[]>;
  private readonly wholes: ReadonlyMap<Expr, string>;

  constructor(calls: ReadonlyMap<Expr, readonly Overload[]>, wholes: ReadonlyMap<Expr, string>) {
    this.calls = calls;
    this.wholes = wholes;
  }

  run(expr: Expr, context: Context): Value {
    switch (expr.kind) {
      case 'literal':
        return expr.value;
      case 'ident':
        return this.ident(expr.name, context);
      case 'select':
        return this.select(expr, context);
      case 'call':
        return this.call(expr, context);
      case 'list':
        return this.list(expr, context);
      case 'map':
        return this.map(expr, context);
      case 'fold':
        return this.fold(expr, context);
    }
  }

  private ident(name: string, context: Context): Value {
    context.budget.spend(1);
    for (let local = context.local; local !== undefined; local = local.outer) {
      if (local.name !== name) continue;
      if (local.value instanceof EvaluationError) throw local.value;
      return rewrapOptional(local.value);
    }
    const known = context.variables(name);
    const value = known === undefined ? namedType(name) : known;
    if (value === undefined) throw new EvaluationError(`no such attribute(s): ${name}`);
    return rewrapOptional(value);
  }

  private select(expr: Extract<Expr, { kind: 'select' }>, context: Context): Value {
    const whole = this.wholes.get(expr);
    if (whole !== undefined) return this.ident(whole, context);
    const operand = this.run(expr.operand, context);
    if (expr.test) return isPresent(operand, expr.field);
    context.budget.spend(1);
    return access(operand, expr.field);
  }

  private call(expr: Call, context: Context): Value {
    switch (expr.name) {
      case OPERATOR.and:
        return this.logical(expr, false, context);
      case OPERATOR.or:
        return this.logical(expr, true, context);
      case OPERATOR.conditional:
        return this.conditional(expr, context);
      case OPERATOR.notStrictlyFalse:
        return this.notStrictlyFalse(expr, context);
      case OPERATOR.optionalSelect:
      case OPERATOR.optionalIndex:
        return this.indexed(expr, context, optionalAccess);
      case OPERATOR.index:
        return this.indexed(expr, context, access);
      case 'or':
      case 'orValue':
        return this.alternative(expr, context);
      default:
        return this.apply(expr, this.calls.get(expr) ?? [], context);
    }
  }

  private indexed(expr: Call, context: Context, get: (operand: Value, key: Value) => Value): Value {
    const [operand, key] = expr.args;
    if (operand === undefined || key === undefined) throw noSuchOverload();
    const container = this.run(operand, context);
    const index = this.run(key, context);
    context.budget.spend(1);
    return get(container, index);
  }

  private apply(expr: Call, overloads: readonly Overload[], context: Context): Value {
    const [first] = overloads;
    const operands = expr.target !== undefined && first?.member === true ? [expr.target, ...expr.args] : expr.args;
    const args = this.arguments(operands, overloads, context);
    const overload = overloads.find(({ parameters }) =>
      parameters.every((type, index) => matchesType(type, args[index] ?? null)),
    );
    if (overload === undefined) throw noMatchingOverload(functionName(expr, first), args);
    context.budget.chargeSteps(argumentSize(overload.id, args));
    const result = overload.run(args, context.budget);
    context.budget.spend(callCost(expr.name, overload.id, args, result));
    return result;
  }

  /**
   * Evaluates arguments. The API server computes the cost of sorting from the argument even if it is an error, and
   * fails.
   */
  private arguments(operands: readonly Expr[], overloads: readonly Overload[], context: Context): Value[] {
    try {
      return operands.map((operand) => this.run(operand, context));
    } catch (error) {
      const counts = overloads.length === 1 && /^list_(?:distinct|\w+_sort\w*)$/.test(overloads[0]?.id ?? '');
      throw counts && error instanceof EvaluationError
        ? new InternalFault('internal error: interface conversion: *types.Err is not traits.Lister: missing method Add')
        : error;
    }
  }

  /** `&&` and `||`: either operand alone decides with `decisive`; errors count only when neither does. */
  private logical(expr: Call, decisive: boolean, context: Context): Value {
    let failure: EvaluationError | undefined;
    for (const side of expr.args) {
      const value = this.attempt(side, context);
      if (value === decisive) return decisive;
      if (value instanceof EvaluationError) failure ??= value;
      else if (typeof value !== 'boolean') failure ??= noSuchOverload();
    }
    if (failure !== undefined) throw failure;
    return !decisive;
  }

  private attempt(expr: Expr, context: Context): Value | EvaluationError {
    try {
      return this.run(expr, context);
    } catch (error) {
      if (error instanceof EvaluationError && !(error instanceof InternalFault)) return error;
      throw error;
    }
  }

  private conditional({ args: [condition, yes, no] }: Call, context: Context): Value {
    if (condition === undefined || yes === undefined || no === undefined) throw noSuchOverload();
    const value = this.run(condition, context);
    if (typeof value !== 'boolean') throw noSuchOverload();
    return rewrapOptional(this.run(value ? yes : no, context));
  }

  private notStrictlyFalse({ args: [operand] }: Call, context: Context): Value {
    const value = operand === undefined ? true : this.attempt(operand, context);
    context.budget.spend(1);
    return value !== false;
  }

  /** `a.or(b)` and `a.orValue(b)`: b is evaluated only when a has no value. */
  private alternative(expr: Call, context: Context): Value {
    const {
      target,
      args: [other],
    } = expr;
    if (target === undefined || other === undefined) return this.apply(expr, this.calls.get(expr) ?? [], context);
    const value = this.run(target, context);
    if (!(value instanceof Optional)) return value;
    if (value.value === undefined) return this.run(other, context);
    return expr.name === 'or' ? value : value.value;
  }

  private list({ items }: ListLiteral, context: Context): Value {
    const values: Value[] = [];
    for (const { value, optional } of items) {
      const item = this.run(value, context);
      if (!optional) values.push(item);
      else if (!(item instanceof Optional))
        throw new EvaluationError('cannot initialize optional list element from non-optional value');
      else if (item.value !== undefined) values.push(item.value);
    }
    context.budget.spend(10);
    return new ValueList(values);
  }

  private map({ entries }: MapLiteral, context: Context): Value {
    const map = new LiteralMap();
    for (const { key, value, optional } of entries) {
      const name = this.run(key, context);
      const item = this.run(value, context);
      if (optional && !(item instanceof Optional))
        throw new EvaluationError('cannot initialize optional entry from non-optional value');
      const held = optional && item instanceof Optional ? item.value : item;
      if (held !== undefined && !map.set(name, held)) throw new EvaluationError('unsupported key type');
    }
    context.budget.spend(30);
    return map;
  }

  private fold(expr: Fold, context: Context): Value {
    const range = this.run(expr.range, context);
    if (range instanceof ValueMap) context.budget.chargeSteps(range.size * PER_KEY);
    const pairs = iterate(range, expr.second !== undefined);
    const accumulator: Local = {
      name: expr.accumulator,
      value: this.attempt(expr.init, context),
      outer: context.local,
    };
    if (accumulator.value instanceof ValueList) accumulator.value = new AccumulatorList([...accumulator.value.values]);
    const within = (local: Local): Context => ({ ...context, local });
    for (const [first, second] of pairs) {
      const variable: Local = { name: expr.variable, value: first, outer: accumulator };
      const inner = within(
        expr.second === undefined ? variable : { name: expr.second, value: second, outer: variable },
      );
      if (this.run(expr.condition, inner) === false) break;
      accumulator.value = this.attempt(expr.step, inner);
      // After an error, further iterations cannot change the result of a macro that visits all items.
      if (accumulator.value instanceof EvaluationError && expr.condition.kind === 'literal') break;
    }
    return releaseAccumulator(this.run(expr.result, within(accumulator)));
  }
}

/** The qualified name of a function: `sets.contains`. */
function functionName({ name, target }: Call, overload: Overload | undefined): string {
  return target === undefined || overload?.member === true ? name : `${qualifiedName(target) ?? ''}.${name}`;
}

function namedType(name: string): TypeValue | undefined {
  const type = Object.hasOwn(NAMED_TYPES, name) ? NAMED_TYPES[name] : undefined;
  return type === undefined ? undefined : new TypeValue(type);
}
