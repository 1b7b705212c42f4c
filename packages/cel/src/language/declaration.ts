import type { Budget } from './budget.js';
import type { Value } from './value.js';
import type { CelType } from './celtype.js';

/** An overload of a function. Type parameters are single capital letters: `list(T)`. */
export interface Overload {
  readonly id: string;
  /** Whether it is called as a method; the receiver is the first parameter. */
  readonly member: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  /** The arguments match `parameters`. Throws EvaluationError. */
  readonly run: (args: readonly Value[], budget: Budget) => Value;
}

/**
 * All overloads of the functions that an expression may call, by name (`_+_`, `ip.isCanonical`), in order of
 * declaration.
 */
export type Functions = ReadonlyMap<string, readonly Overload[]>;

/** The environment of an expression: functions, variables and struct types. */
export interface Declarations {
  readonly functions: Functions;
  readonly variables: ReadonlyMap<string, CelType>;
  /** The fields of a struct type: undefined for a type without known fields; the map lacks undefined fields. */
  readonly fields: (typeName: string) => ReadonlyMap<string, CelType> | undefined;
}

/** Joins libraries; overloads of the same name are combined. */
export function joinLibraries(...libraries: readonly Functions[]): Functions {
  const joined = new Map<string, readonly Overload[]>();
  for (const library of libraries) {
    for (const [name, overloads] of library) joined.set(name, [...(joined.get(name) ?? []), ...overloads]);
  }
  return joined;
}
