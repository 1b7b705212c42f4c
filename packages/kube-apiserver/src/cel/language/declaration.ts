import type { Budget } from '../runtime/budget.js';
import type { Value } from '../runtime/value.js';
import type { CelType } from './celtype.js';

/** One form of a function. Parameters of types are single capital letters: `list(T)`. */
export interface Overload {
  readonly id: string;
  /** Whether it is called as a method; the receiver is the first of `parameters`. */
  readonly member: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  /** Arguments have been checked against `parameters`. Throws EvaluationError. */
  readonly run: (args: readonly Value[], budget: Budget) => Value;
}

/** All forms of the functions that an expression may call, by name (`_+_`, `ip.isCanonical`), in order of declaration. */
export type Functions = ReadonlyMap<string, readonly Overload[]>;

/** What an expression may name. */
export interface Declarations {
  readonly functions: Functions;
  readonly variables: ReadonlyMap<string, CelType>;
  /** Fields of struct types: undefined for a type without known fields, a missing name for a field that is undefined. */
  readonly fields: (typeName: string) => ReadonlyMap<string, CelType> | undefined;
}

/** Puts libraries together; overloads of one name add up. */
export function joinLibraries(...libraries: readonly Functions[]): Functions {
  const joined = new Map<string, readonly Overload[]>();
  for (const library of libraries) {
    for (const [name, overloads] of library) joined.set(name, [...(joined.get(name) ?? []), ...overloads]);
  }
  return joined;
}
