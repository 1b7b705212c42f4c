import { runtimeType } from '../language/value.js';
import { checkCall } from './call.js';
import { Checker, TooComplex } from './checker.js';
import type { Declarations } from '../language/declaration.js';
import {
  qualifiedName,
  type Expr,
  type Fold,
  type ListLiteral,
  type MapLiteral,
  type Select,
} from '../language/expression.js';
import { fieldType } from './field.js';
import { checkLiterals } from './literals.js';
import { parseExpression } from '../parser/parse.js';
import { CompileError } from '../language/problem.js';
import {
  BOOL,
  DYN,
  ERROR,
  INT,
  NAMED_TYPES,
  isOptional,
  listOf,
  mapOf,
  optionalOf,
  parameterOf,
  typeOf,
  unwrapOptional,
  type CelType,
} from '../language/celtype.js';
import type { Checked } from '../language/checked.js';
import { mostGeneral } from './unify.js';

/**
 * Parses and type-checks an expression.
 * @throws CompileError with the messages of the API server.
 */
export function compile(source: string, declarations: Declarations): Checked {
  const expr = parseExpression(source);
  const checker = new Checker(declarations);
  checkWhole(checker, expr, source);
  if (checker.problems.length > 0) throw new CompileError(checker.problems, source);
  const types = new Map([...checker.types].map(([node, type]) => [node, checker.resolve(type, 'dyn')]));
  const problems = checkLiterals(expr, types);
  if (problems.length > 0) throw new CompileError(problems, source);
  return {
    expr,
    type: types.get(expr) ?? DYN,
    types,
    overloads: checker.overloads,
    qualifiedNames: checker.qualifiedNames,
    variables: checker.readVariables,
  };
}

function checkWhole(checker: Checker, expr: Expr, source: string): void {
  try {
    checkNode(checker, expr);
  } catch (error) {
    if (error instanceof TooComplex)
      throw new CompileError([{ at: -1, message: 'the expression is too complex' }], source);
    throw error;
  }
}

function checkNode(checker: Checker, expr: Expr): CelType {
  const type = nodeType(checker, expr);
  checker.types.set(expr, type);
  return type;
}

function nodeType(checker: Checker, expr: Expr): CelType {
  switch (expr.kind) {
    case 'literal':
      return runtimeType(expr.value);
    case 'ident':
      return identType(checker, expr.name, expr.at);
    case 'select':
      return selectType(checker, expr);
    case 'call':
      return checkCall(checker, expr, (inner) => checkNode(checker, inner));
    case 'list':
      return listType(checker, expr);
    case 'map':
      return mapType(checker, expr);
    case 'fold':
      return foldType(checker, expr);
  }
}

/** The type of a variable or type name. */
function namedType(checker: Checker, name: string): CelType | undefined {
  const variable = checker.lookup(name);
  if (variable !== undefined) return variable;
  const type = Object.hasOwn(NAMED_TYPES, name) ? NAMED_TYPES[name] : undefined;
  return type === undefined ? undefined : typeOf(type);
}

function identType(checker: Checker, name: string, at: number): CelType {
  const type = namedType(checker, name);
  if (type === undefined) checker.report(at, `undeclared reference to '${name}' (in container '')`);
  return type ?? ERROR;
}

function selectType(checker: Checker, expr: Select): CelType {
  const name = qualifiedName(expr);
  const root = name?.split('.')[0] ?? '';
  const whole = name === undefined || checker.isLocal(root) ? undefined : namedType(checker, name);
  if (name !== undefined && whole !== undefined) {
    checker.qualifiedNames.set(expr, name);
    return whole;
  }
  const operand = checkNode(checker, expr.operand);
  const field = fieldType(checker, operand, expr.field, expr.at);
  return expr.test ? BOOL : checker.resolve(isOptional(checker.resolve(operand)) ? optionalOf(field) : field);
}

function listType(checker: Checker, expr: ListLiteral): CelType {
  let common: CelType | undefined;
  for (const { value, optional } of expr.items) {
    const type = entryType(checker, value, optional);
    common = joinTypes(checker, common, type);
  }
  return listOf(common ?? checker.freshParameter());
}

function entryType(checker: Checker, value: Expr, optional: boolean): CelType {
  const type = checkNode(checker, value);
  if (!optional) return type;
  if (!isOptional(type) && type.kind !== 'dyn')
    checker.report(value.at, `expected type '${optionalOf(type).text}' but found '${type.text}'`);
  return unwrapOptional(type);
}

/** The common type of two entries; dyn when there is none. checkLiterals reports literals that mix types. */
function joinTypes(checker: Checker, before: CelType | undefined, type: CelType): CelType {
  if (before === undefined) return type;
  if (checker.assign([before], [type])) return mostGeneral(before, type);
  return DYN;
}

function mapType(checker: Checker, expr: MapLiteral): CelType {
  let key: CelType | undefined;
  let value: CelType | undefined;
  for (const entry of expr.entries) {
    key = joinTypes(checker, key, checkNode(checker, entry.key));
    value = joinTypes(checker, value, entryType(checker, entry.value, entry.optional));
  }
  return mapOf(key ?? checker.freshParameter(), value ?? checker.freshParameter());
}

function foldType(checker: Checker, expr: Fold): CelType {
  checkNode(checker, expr.range);
  const accumulator = checkNode(checker, expr.init);
  const range = checker.resolve(checker.types.get(expr.range) ?? DYN);
  return checker.withScope(new Map([[expr.accumulator, accumulator]]), () => {
    checker.withScope(iterationTypes(checker, expr, range), () => {
      checkNode(checker, expr.condition);
      expectType(checker, expr.condition, BOOL);
      checkNode(checker, expr.step);
      expectType(checker, expr.step, accumulator);
    });
    return checker.resolve(checkNode(checker, expr.result));
  });
}

function expectType(checker: Checker, expr: Expr, expected: CelType): void {
  const type = checker.types.get(expr) ?? DYN;
  if (!checker.assign([expected], [type]))
    checker.report(expr.at, `expected type '${expected.text}' but found '${type.text}'`);
}

function iterationTypes(checker: Checker, expr: Fold, range: CelType): Map<string, CelType> {
  const [first, second] = elementTypes(checker, expr, range);
  if (expr.second === undefined) return new Map([[expr.variable, range.kind === 'list' ? second : first]]);
  return new Map([
    [expr.variable, first],
    [expr.second, second],
  ]);
}

/** Types of the iteration variables: key and value of a map, index and item of a list. */
function elementTypes(checker: Checker, expr: Fold, range: CelType): [CelType, CelType] {
  if (range.kind === 'list') return [INT, parameterOf(range)];
  if (range.kind === 'map') return [parameterOf(range), parameterOf(range, 1)];
  if (range.kind === 'dyn' || range.kind === 'error' || range.kind === 'param') {
    checker.assign([DYN], [range]);
    return [DYN, DYN];
  }
  checker.report(
    expr.range.at,
    `expression of type '${range.text}' cannot be range of a comprehension (must be list, map, or dynamic)`,
  );
  return [ERROR, ERROR];
}
