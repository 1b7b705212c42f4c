import type { Checked } from '../language/checked.js';
import { ACCUMULATOR, qualifiedName, type Call, type Expr, type Fold } from '../language/expression.js';
import { DYN, type CelType } from '../language/celtype.js';
import { estimateCall } from './calls.js';
import type { Estimate, Operand } from './operand.js';
import { fixed, plus, times, union, UNKNOWN, type Range } from './range.js';
import { isScalar, literalSize } from './sizes.js';

/**
 * Path to a part of a variable: `['self', 'spec', '@items']`. Elements are field names, `@items`, `@keys`, `@values`
 * and `@indices`.
 */
export type Path = readonly string[];

/** The largest size of the value at a path; undefined where it is unknown. */
export type Sizes = (path: Path) => Range | undefined;

/** Sizes of the entries of a literal or of the result of a macro. */
interface Entries {
  readonly container: 'list' | 'map';
  readonly key: Range;
  readonly value: Range;
}

interface LocalVariable {
  readonly path: Path;
  readonly size: Range | undefined;
  readonly entries: Entries | undefined;
}

/** The maximum cost of an expression, in the units of the CEL cost model. */
export function estimateCost(checked: Checked, sizes: Sizes): Range {
  return new Estimator(checked, sizes).cost(checked.expr);
}

class Estimator {
  private readonly checked: Checked;
  private readonly sizes: Sizes;
  private readonly paths = new Map<Expr, Path>();
  private readonly computed = new Map<Expr, Range>();
  private readonly entries = new Map<Expr, Entries>();
  private readonly locals = new Map<string, LocalVariable[]>();

  constructor(checked: Checked, sizes: Sizes) {
    this.checked = checked;
    this.sizes = sizes;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case 'literal':
        return fixed(0);
      case 'ident':
        this.paths.set(expr, this.local(expr.name)?.path ?? [expr.name]);
        return fixed(1);
      case 'select':
        return this.select(expr);
      case 'call':
        return this.call(expr);
      case 'list':
        return this.list(expr);
      case 'map':
        return this.map(expr);
      case 'fold':
        return expr.accumulator === ACCUMULATOR ? this.fold(expr) : this.bind(expr);
    }
  }

  private type(expr: Expr): CelType {
    return this.checked.types.get(expr) ?? DYN;
  }

  private local(name: string): LocalVariable | undefined {
    return this.locals.get(name)?.at(-1);
  }

  private path(expr: Expr): Path {
    const local = expr.kind === 'ident' ? this.local(expr.name) : undefined;
    return local?.path ?? this.paths.get(expr) ?? [];
  }

  private select(expr: Extract<Expr, { kind: 'select' }>): Range {
    const name = this.checked.qualifiedNames.get(expr);
    if (name !== undefined) {
      this.paths.set(expr, [name]);
      return fixed(1);
    }
    const operand = this.cost(expr.operand);
    if (expr.test) return operand;
    const { kind } = this.type(expr.operand);
    this.paths.set(expr, [...this.path(expr.operand), expr.field]);
    return kind === 'map' || kind === 'struct' || kind === 'param' ? plus(operand, fixed(1)) : operand;
  }

  private list(expr: Extract<Expr, { kind: 'list' }>): Range {
    const costs = expr.items.map(({ value }) => this.cost(value));
    const sizes = expr.items.map(({ value }) => this.size(value) ?? UNKNOWN);
    this.entries.set(expr, { container: 'list', key: fixed(1), value: sizes.reduce(union, sizes[0] ?? fixed(0)) });
    return plus(fixed(10), ...costs);
  }

  private map(expr: Extract<Expr, { kind: 'map' }>): Range {
    const costs = expr.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    const keys = expr.entries.map(({ key }) => this.size(key) ?? UNKNOWN);
    const values = expr.entries.map(({ value }) => this.size(value) ?? UNKNOWN);
    this.entries.set(expr, {
      container: 'map',
      key: keys.reduce(union, keys[0] ?? fixed(0)),
      value: values.reduce(union, values[0] ?? fixed(0)),
    });
    return plus(fixed(30), ...costs);
  }

  private call(expr: Call): Range {
    if (expr.name === 'dyn' && expr.args[0] !== undefined) return this.dyn(expr, expr.args[0]);
    const overloads = this.checked.overloads.get(expr) ?? [];
    const argCosts = expr.args.map((arg) => this.cost(arg));
    if (overloads.length === 0) return fixed(0);
    const namespaced = expr.target !== undefined && !this.checked.types.has(expr.target);
    const target = expr.target === undefined || namespaced ? undefined : expr.target;
    const name =
      namespaced && expr.target !== undefined ? `${qualifiedName(expr.target) ?? ''}.${expr.name}` : expr.name;
    const targetCost = target === undefined ? fixed(0) : this.cost(target);
    return plus(targetCost, this.overloads({ ...expr, name, target }, expr, overloads, argCosts));
  }

  private dyn(expr: Call, arg: Expr): Range {
    const cost = this.cost(arg);
    this.copySizes(expr, arg);
    return plus(fixed(1), cost);
  }

  private copySizes(to: Expr, from: Expr): void {
    const size = this.size(from);
    const entries = this.entriesOf(from);
    if (size !== undefined) this.computed.set(to, size);
    if (entries !== undefined) this.entries.set(to, entries);
  }

  /** A call may resolve to several overloads: the estimate covers them all. */
  private overloads(call: Call, expr: Call, ids: readonly string[], argCosts: readonly Range[]): Range {
    let cost: Range | undefined;
    let size: Range | undefined;
    for (const id of ids) {
      const estimate = this.overload(call, expr, id, argCosts);
      cost = cost === undefined ? estimate.cost : union(cost, estimate.cost);
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : union(size, estimate.size);
      size = this.indexed(expr, id, size) ?? size ?? this.size(expr);
    }
    if (size !== undefined) this.computed.set(expr, size);
    return cost ?? fixed(0);
  }

  /** An index selects an item of the container. */
  private indexed(expr: Call, id: string, size: Range | undefined): Range | undefined {
    const [container] = expr.args;
    if (container === undefined || (id !== 'index_list' && id !== 'index_map')) return size;
    this.paths.set(expr, [...this.path(container), id === 'index_list' ? '@items' : '@values']);
    return this.entriesOf(container)?.value;
  }

  private overload(call: Call, expr: Call, id: string, argCosts: readonly Range[]): Estimate {
    const [first, second, third] = argCosts;
    if ((id === 'logical_or' || id === 'logical_and') && first !== undefined && second !== undefined) {
      return { cost: { min: first.min, max: plus(first, second).max } };
    }
    if (id === 'conditional' && first !== undefined && second !== undefined && third !== undefined) {
      return { cost: plus(first, union(second, third)), size: this.branches(expr) };
    }
    if (id.startsWith('add_')) this.mergeEntries(expr, 0, 1);
    const shape = {
      target: call.target === undefined ? undefined : this.operand(call.target),
      args: call.args.map((arg) => this.operand(arg)),
    };
    const estimate = estimateCall(call.name, id, shape) ?? { cost: fixed(1) };
    return { ...estimate, cost: plus(estimate.cost, ...argCosts) };
  }

  private branches(expr: Call): Range {
    const [, yes, no] = expr.args;
    this.mergeEntries(expr, 1, 2);
    return union((yes && this.size(yes)) ?? UNKNOWN, (no && this.size(no)) ?? UNKNOWN);
  }

  private mergeEntries(expr: Call, one: number, two: number): void {
    const [a, b] = [expr.args[one], expr.args[two]].map((arg) => (arg === undefined ? undefined : this.entriesOf(arg)));
    if (a !== undefined && b !== undefined)
      this.entries.set(expr, { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) });
  }

  private operand(expr: Expr): Operand {
    const path = this.path(expr);
    const known = path.length > 0 && path[0] !== ACCUMULATOR ? this.sizes([...path, '@items']) : undefined;
    return { expr, type: this.type(expr), size: this.size(expr) ?? UNKNOWN, itemSize: known ?? UNKNOWN };
  }

  private fold(expr: Fold): Range {
    const before = plus(this.cost(expr.range), this.cost(expr.init));
    this.push(expr.accumulator, {
      path: this.path(expr.init),
      size: this.size(expr.init),
      entries: this.entriesOf(expr.init),
    });
    this.pushVariables(expr);
    const each = plus(this.cost(expr.condition), this.cost(expr.step));
    this.pop(expr.variable);
    if (expr.second !== undefined) this.pop(expr.second);
    const after = this.cost(expr.result);
    this.pop(expr.accumulator);
    const count = this.size(expr.range) ?? UNKNOWN;
    this.foldSizes(expr, count);
    return plus(before, after, times(count, each));
  }

  private foldSizes(expr: Fold, count: Range): void {
    if (expr.init.kind === 'literal') {
      const size = this.size(expr.init);
      if (size !== undefined) this.computed.set(expr, size);
      return;
    }
    if (expr.init.kind !== 'list' && expr.init.kind !== 'map') return;
    this.computed.set(expr, count);
    const entries = this.entriesOf(expr.step);
    if (entries !== undefined) this.entries.set(expr, entries);
  }

  private pushVariables(expr: Fold): void {
    const entries = this.entriesOf(expr.range);
    const path = this.path(expr.range);
    const isList = (entries?.container ?? this.type(expr.range).kind) === 'list';
    const variable = (size: Range | undefined, step: string): LocalVariable => ({
      path: [...path, step],
      size,
      entries: undefined,
    });
    const value = variable(entries?.value, isList ? '@items' : '@values');
    const key = variable(entries?.key, isList ? '@indices' : '@keys');
    this.push(expr.variable, expr.second === undefined && isList ? value : key);
    if (expr.second !== undefined) this.push(expr.second, value);
  }

  /** A bound variable: optMap. */
  private bind(expr: Fold): Range {
    const before = plus(this.cost(expr.range), this.cost(expr.init));
    this.push(expr.accumulator, {
      path: this.path(expr.init),
      size: this.size(expr.init),
      entries: this.entriesOf(expr.init),
    });
    const cost = plus(before, this.cost(expr.result));
    this.pop(expr.accumulator);
    this.copySizes(expr, expr.result);
    return cost;
  }

  private push(name: string, variable: LocalVariable): void {
    this.locals.set(name, [...(this.locals.get(name) ?? []), variable]);
  }

  private pop(name: string): void {
    this.locals.get(name)?.pop();
  }

  private entriesOf(expr: Expr): Entries | undefined {
    return this.entries.get(expr) ?? (expr.kind === 'ident' ? this.local(expr.name)?.entries : undefined);
  }

  private size(expr: Expr): Range | undefined {
    const known = this.computed.get(expr) ?? literalSize(expr);
    if (known !== undefined) return known;
    const path = this.path(expr);
    const declared = path.length === 0 ? undefined : this.sizes(path);
    if (declared !== undefined) return declared;
    if (isScalar(this.type(expr))) return fixed(1);
    return expr.kind === 'ident' ? this.local(expr.name)?.size : undefined;
  }
}
