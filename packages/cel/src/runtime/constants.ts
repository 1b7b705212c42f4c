import type { Checked } from '../language/checked.js';
import type { Functions } from '../language/declaration.js';
import { children, type Call, type Expr } from '../language/expression.js';
import { patternProblem } from '../text/pattern.js';
import { Budget } from '../language/budget.js';
import { EvaluationError } from '../language/error.js';
import { program } from './evaluate.js';

/** Functions whose literal pattern is compiled with the expression. */
const SEARCHES: ReadonlySet<string> = new Set(['matches', 'find', 'findAll']);

/** Functions that are evaluated at program construction when their argument is constant. */
const CONVERSIONS: ReadonlySet<string> = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
]);

/** The error of program construction: an invalid constant or pattern. Undefined when there is none. */
export function programProblem(checked: Checked, functions: Functions): string | undefined {
  return problemIn(checked.expr, checked, functions);
}

function problemIn(expr: Expr, checked: Checked, functions: Functions): string | undefined {
  for (const child of children(expr)) {
    const problem = problemIn(child, checked, functions);
    if (problem !== undefined) return problem;
  }
  if (expr.kind !== 'call') return undefined;
  if (SEARCHES.has(expr.name)) return searchProblem(expr);
  return isConstant(expr) ? conversionProblem(expr, checked, functions) : undefined;
}

function searchProblem({ target, args }: Call): string | undefined {
  const pattern = target === undefined ? args[1] : args[0];
  return pattern?.kind === 'literal' && typeof pattern.value === 'string' ? patternProblem(pattern.value) : undefined;
}

function isConstant(expr: Expr): boolean {
  if (expr.kind === 'literal') return true;
  if (expr.kind === 'list' || expr.kind === 'map') return children(expr).every(isConstant);
  const [arg, ...rest] =
    expr.kind === 'call' && expr.target === undefined && CONVERSIONS.has(expr.name) ? expr.args : [];
  return arg !== undefined && rest.length === 0 && isConstant(arg);
}

function conversionProblem(expr: Call, checked: Checked, functions: Functions): string | undefined {
  try {
    program({ ...checked, expr }, functions)(() => undefined, new Budget());
    return undefined;
  } catch (error) {
    if (error instanceof EvaluationError) return error.message;
    throw error;
  }
}
