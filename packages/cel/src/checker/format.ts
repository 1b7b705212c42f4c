import { FormatError, formatMismatch, readFormat } from '../text/format.js';
import type { Call, Expr } from '../language/expression.js';
import type { Problem } from '../language/problem.js';
import { DYN, type CelType, type Kind } from '../language/celtype.js';

type Types = ReadonlyMap<Expr, CelType>;

const STRING_KINDS: readonly Kind[] = [
  'list',
  'map',
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'timestamp',
  'bytes',
  'duration',
  'type',
  'null',
];

/** The kinds that a clause accepts. */
const ACCEPTED_KINDS: Readonly<Record<string, readonly Kind[]>> = {
  s: STRING_KINDS,
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
};

/** Problems of a call of format whose format string and argument list are literals. */
export function formatProblems({ target, args: [list], at }: Call, types: Types): Problem[] {
  if (target?.kind !== 'literal' || typeof target.value !== 'string' || list?.kind !== 'list') return [];
  const values = list.items.map(({ value }) => value);
  let clauses = 0;
  try {
    for (const part of readFormat(target.value, values.length)) {
      const value = typeof part === 'string' ? undefined : values[clauses++];
      const problem =
        typeof part === 'string' || value === undefined ? undefined : clauseProblem(part.verb, value, types);
      if (problem !== undefined) return [problem];
    }
  } catch (error) {
    if (error instanceof FormatError) return [{ at, message: error.message }];
    throw error;
  }
  if (values.length <= clauses) return [];
  return [{ at, message: `too many arguments supplied to string.format (expected ${clauses}, got ${values.length})` }];
}

function clauseProblem(verb: string, value: Expr, types: Types): Problem | undefined {
  const type = types.get(value) ?? DYN;
  if (type.kind !== 'dyn' && ACCEPTED_KINDS[verb]?.includes(type.kind) !== true)
    return { at: value.at, message: formatMismatch(verb, type.name) };
  if (verb !== 's') return undefined;
  for (const inner of members(value)) {
    const problem = clauseProblem(verb, inner, types);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function members(value: Expr): readonly Expr[] {
  if (value.kind === 'list') return value.items.map((item) => item.value);
  return value.kind === 'map' ? value.entries.flatMap((entry) => [entry.key, entry.value]) : [];
}
