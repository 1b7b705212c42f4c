import { ACCUMULATOR, OPERATOR, UNUSED, type Call, type Expr, type Fold } from '../language/expression.js';
import type { Problem } from '../language/problem.js';

type Expansion = Expr | Problem;

/** Expands a macro call; other calls are returned unchanged. An invalid use of a macro is a problem. */
export function expandMacro(call: Call): Expansion {
  const { name, target, args } = call;
  if (target === undefined) return name === 'has' && args.length === 1 ? has(call) : call;
  const key = `${name}/${args.length}`;
  const expand = MACROS[key];
  return expand === undefined ? call : expand(call, target);
}

type Expander = (call: Call, target: Expr) => Expansion;

const MACROS: Readonly<Record<string, Expander>> = {
  'all/2': quantifier(1, all),
  'exists/2': quantifier(1, exists),
  'exists_one/2': quantifier(1, existsOne),
  'map/2': (call, target) => expandMap(call, target, undefined, call.args[1]),
  'map/3': (call, target) => expandMap(call, target, call.args[1], call.args[2]),
  'filter/2': expandFilter,
  'all/3': quantifier(2, all),
  'exists/3': quantifier(2, exists),
  'exists_one/3': quantifier(2, existsOne),
  'existsOne/3': quantifier(2, existsOne),
  'transformList/3': transform('list', false),
  'transformList/4': transform('list', true),
  'transformMap/3': transform('map', false),
  'transformMap/4': transform('map', true),
  'transformMapEntry/3': transform('entry', false),
  'transformMapEntry/4': transform('entry', true),
  'sortBy/2': sortBy,
  'optMap/2': optional('optMap'),
  'optFlatMap/2': optional('optFlatMap'),
};

type FoldParts = Pick<Fold, 'init' | 'condition' | 'step' | 'result'>;

/** Creates nodes at the position of the macro. */
class NodeFactory {
  readonly at: number;

  constructor(at: number) {
    this.at = at;
  }

  literal(value: boolean | bigint): Expr {
    return { kind: 'literal', value, at: this.at };
  }

  ident(name: string): Expr {
    return { kind: 'ident', name, at: this.at };
  }

  accumulator(): Expr {
    return this.ident(ACCUMULATOR);
  }

  call(name: string, ...args: Expr[]): Expr {
    return { kind: 'call', name, target: undefined, args, at: this.at };
  }

  method(name: string, target: Expr): Expr {
    return { kind: 'call', name, target, args: [], at: this.at };
  }

  list(...values: Expr[]): Expr {
    return { kind: 'list', items: values.map((value) => ({ value, optional: false })), at: this.at };
  }
}

function has({ args, at }: Call): Expansion {
  const [arg] = args;
  if (arg?.kind === 'select') return { ...arg, test: true, at };
  return { at: arg?.at ?? at, message: 'invalid argument to has() macro' };
}

function all(make: NodeFactory, predicate: Expr): FoldParts {
  return {
    init: make.literal(true),
    condition: make.call(OPERATOR.notStrictlyFalse, make.accumulator()),
    step: make.call(OPERATOR.and, make.accumulator(), predicate),
    result: make.accumulator(),
  };
}

function exists(make: NodeFactory, predicate: Expr): FoldParts {
  return {
    init: make.literal(false),
    condition: make.call(OPERATOR.notStrictlyFalse, make.call(OPERATOR.not, make.accumulator())),
    step: make.call(OPERATOR.or, make.accumulator(), predicate),
    result: make.accumulator(),
  };
}

function existsOne(make: NodeFactory, predicate: Expr): FoldParts {
  const more = make.call(OPERATOR.add, make.accumulator(), make.literal(1n));
  return {
    init: make.literal(0n),
    condition: make.literal(true),
    step: make.call(OPERATOR.conditional, predicate, more, make.accumulator()),
    result: make.call(OPERATOR.equals, make.accumulator(), make.literal(1n)),
  };
}

function quantifier(variables: 1 | 2, frame: (make: NodeFactory, predicate: Expr) => FoldParts): Expander {
  return (call, target) => {
    const names = variableNames(call, variables, 'argument must be a simple name');
    if (!Array.isArray(names)) return names;
    const predicate = call.args[variables];
    return predicate === undefined ? call : fold(call.at, target, names, frame(new NodeFactory(call.at), predicate));
  };
}

/**
 * The iteration variables of a macro, its first arguments. A problem when one is not an identifier or is declared
 * twice.
 */
function variableNames({ args, at }: Call, count: 1 | 2, message: string): string[] | Problem {
  const names: string[] = [];
  for (const arg of args.slice(0, count)) {
    if (arg.kind !== 'ident') return { at: arg.at, message };
    if (names.includes(arg.name)) return { at: arg.at, message: `duplicate variable name: ${arg.name}` };
    names.push(arg.name);
  }
  const taken = names.indexOf('__result__');
  return taken < 0
    ? names
    : { at: args[taken]?.at ?? at, message: 'iteration variable overwrites accumulator variable' };
}

function fold(at: number, range: Expr, [variable = '', second]: readonly string[], frame: FoldParts): Fold {
  return { kind: 'fold', at, range, variable, second, accumulator: ACCUMULATOR, ...frame };
}

function collect(make: NodeFactory, init: Expr, step: Expr, filter: Expr | undefined): FoldParts {
  const kept = filter === undefined ? step : make.call(OPERATOR.conditional, filter, step, make.accumulator());
  return { init, condition: make.literal(true), step: kept, result: make.accumulator() };
}

function expandMap(call: Call, target: Expr, filter: Expr | undefined, value: Expr | undefined): Expansion {
  const names = variableNames(call, 1, 'argument is not an identifier');
  if (!Array.isArray(names) || value === undefined) return Array.isArray(names) ? call : names;
  const make = new NodeFactory(call.at);
  const step = make.call(OPERATOR.add, make.accumulator(), make.list(value));
  return fold(call.at, target, names, collect(make, make.list(), step, filter));
}

function expandFilter(call: Call, target: Expr): Expansion {
  const [variable, predicate] = call.args;
  return variable === undefined ? call : expandMap(call, target, predicate, variable);
}

/** transformList, transformMap and transformMapEntry, with or without a filter. */
function transform(into: 'list' | 'map' | 'entry', withFilter: boolean): Expander {
  return (call, target) => {
    const names = variableNames(call, 2, 'argument must be a simple name');
    if (!Array.isArray(names)) return names;
    const make = new NodeFactory(call.at);
    const [, , third, fourth] = call.args;
    const value = withFilter ? fourth : third;
    if (value === undefined) return call;
    const filter = withFilter ? third : undefined;
    if (into === 'list')
      return fold(
        call.at,
        target,
        names,
        collect(make, make.list(), make.call(OPERATOR.add, make.accumulator(), make.list(value)), filter),
      );
    const added = into === 'map' ? [make.ident(names[0] ?? ''), value] : [value];
    const empty: Expr = { kind: 'map', entries: [], at: call.at };
    return fold(
      call.at,
      target,
      names,
      collect(make, empty, make.call(OPERATOR.mapInsert, make.accumulator(), ...added), filter),
    );
  };
}

/** `l.sortBy(v, f(v))` binds l and sorts it by the list of all f(v). */
function sortBy(call: Call, target: Expr): Expansion {
  if (target.kind === 'literal' || target.kind === 'map') {
    return {
      at: target.at,
      message: 'sortBy can only be applied to a list, identifier, comprehension, call or select expression',
    };
  }
  const make = new NodeFactory(call.at);
  const input = make.ident('@__sortBy_input__');
  const keys = expandMap(call, input, undefined, call.args[1]);
  if ('message' in keys) return keys;
  return bindVariable(call.at, '@__sortBy_input__', target, {
    kind: 'call',
    name: '@sortByAssociatedKeys',
    target: input,
    args: [keys],
    at: call.at,
  });
}

/** Evaluates `result` with a variable bound to `value`. */
function bindVariable(at: number, name: string, value: Expr, result: Expr): Fold {
  const make = new NodeFactory(at);
  return {
    kind: 'fold',
    at,
    range: make.list(),
    variable: UNUSED,
    second: undefined,
    accumulator: name,
    init: value,
    condition: make.literal(false),
    step: make.ident(name),
    result,
  };
}

/**
 * `o.optMap(v, f(v))` is `o.hasValue() ? optional.of(f(o.value())) : optional.none()`; optFlatMap has no `optional.of`.
 */
function optional(name: 'optMap' | 'optFlatMap'): Expander {
  return (call, target) => {
    const [variable, value] = call.args;
    if (variable?.kind !== 'ident' || value === undefined) {
      return { at: variable?.at ?? call.at, message: `${name}() variable name must be a simple identifier` };
    }
    const make = new NodeFactory(call.at);
    const inner = bindVariable(call.at, variable.name, make.method('value', target), value);
    const some = name === 'optMap' ? make.call('optional.of', inner) : inner;
    return make.call(OPERATOR.conditional, make.method('hasValue', target), some, make.call('optional.none'));
  };
}
