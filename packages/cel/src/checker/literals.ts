import { parseDuration, parseTimestamp, timestampOf } from '../language/time.js';
import { patternProblem } from '../text/pattern.js';
import { children, type Expr, type ListLiteral, type MapLiteral } from '../language/expression.js';
import { formatProblems } from './format.js';
import type { Problem } from '../language/problem.js';
import { DYN, unwrapOptional, type CelType } from '../language/celtype.js';

/** Functions whose literal argument is checked at compile time, with the check. */
const CONSTANT_CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  duration: (value) => typeof value === 'string' && parseDuration(value) !== undefined,
  timestamp: (value) => (typeof value === 'bigint' ? timestampOf(value) : parseTimestamp(String(value))) !== undefined,
  matches: (value) => typeof value !== 'string' || patternProblem(value) === undefined,
};

/** Functions whose list argument may mix types. */
const ACCEPTS_MIXED_TYPES: ReadonlySet<string> = new Set(['format']);

type Types = ReadonlyMap<Expr, CelType>;

/** Problems of literals: invalid durations, timestamps and patterns, and lists and maps that mix types. */
export function checkLiterals(expr: Expr, types: Types): Problem[] {
  const problems: Problem[] = [];
  walk(expr, false, (node, exempt) => {
    if (node.kind === 'call')
      problems.push(
        ...callProblems(node.name, node.args),
        ...(node.name === 'format' ? formatProblems(node, types) : []),
      );
    if (node.kind === 'list' && !exempt) problems.push(...listProblems(node, types));
    if (node.kind === 'map' && !exempt) problems.push(...mapProblems(node, types));
  });
  return problems;
}

/** Visits every node once. `exempt` is set within a call whose arguments may mix types. */
function walk(expr: Expr, exempt: boolean, visit: (node: Expr, exempt: boolean) => void): void {
  visit(expr, exempt);
  const within = exempt || (expr.kind === 'call' && ACCEPTS_MIXED_TYPES.has(expr.name));
  for (const child of children(expr)) walk(child, within, visit);
}

function callProblems(name: string, [arg]: readonly Expr[]): Problem[] {
  const check = Object.hasOwn(CONSTANT_CHECKS, name) ? CONSTANT_CHECKS[name] : undefined;
  if (check === undefined || arg?.kind !== 'literal' || check(arg.value)) return [];
  return [{ at: arg.at, message: `invalid ${name} argument` }];
}

function listProblems({ items }: ListLiteral, types: Types): Problem[] {
  let first: CelType | undefined;
  for (const { value, optional } of items) {
    const type = entryType(value, optional, types);
    first ??= type;
    if (first.text !== type.text) return [mismatch(value, first, type)];
  }
  return [];
}

function mapProblems({ entries }: MapLiteral, types: Types): Problem[] {
  const [first] = entries;
  if (first === undefined) return [];
  const keyType = entryType(first.key, false, types);
  const valueType = entryType(first.value, first.optional, types);
  return entries.slice(1).flatMap(({ key, value, optional }) => {
    const found = { key: entryType(key, false, types), value: entryType(value, optional, types) };
    return [
      ...(found.key.text === keyType.text ? [] : [mismatch(key, keyType, found.key)]),
      ...(found.value.text === valueType.text ? [] : [mismatch(value, valueType, found.value)]),
    ];
  });
}

function entryType(expr: Expr, optional: boolean, types: Types): CelType {
  const type = types.get(expr) ?? DYN;
  return optional ? unwrapOptional(type) : type;
}

function mismatch(expr: Expr, expected: CelType, found: CelType): Problem {
  return { at: expr.at, message: `expected type '${expected.text}' but found '${found.text}'` };
}
