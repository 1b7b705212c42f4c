import { DYN, parameterOf, withParameters, type CelType } from '../language/celtype.js';

/** The types that type parameters are bound to. */
export type Bindings = ReadonlyMap<string, CelType>;

/** Bindings with uncommitted changes. */
class PendingBindings {
  readonly changes = new Map<string, CelType>();
  private readonly base: Bindings;

  constructor(base: Bindings) {
    this.base = base;
  }

  get(name: string): CelType | undefined {
    return this.changes.get(name) ?? this.base.get(name);
  }

  set(name: string, type: CelType): void {
    this.changes.set(name, type);
  }
}

/**
 * The bindings to add so that each type of `from` is assignable to that of `to`; undefined when they are not
 * assignable.
 */
export function assignable(bindings: Bindings, from: readonly CelType[], to: readonly CelType[]): Bindings | undefined {
  const draft = new PendingBindings(bindings);
  return allAssignable(draft, from, to) ? draft.changes : undefined;
}

function allAssignable(draft: PendingBindings, from: readonly CelType[], to: readonly CelType[]): boolean {
  if (from.length !== to.length) return false;
  return from.every((type, index) => isAssignable(draft, type, to[index] ?? DYN));
}

function isAssignable(draft: PendingBindings, one: CelType, two: CelType): boolean {
  if (two.kind === 'param') {
    const answer = bind(draft, one, two);
    if (answer.valid) return true;
    if (answer.bound) return false;
  }
  if (one.kind === 'param') return bind(draft, two, one).valid;
  if (isDynamic(one) || isDynamic(two)) return true;
  if (one.kind === 'null') return isNullable(two);
  if (two.kind === 'null') return isNullable(one);
  if (one.kind !== two.kind) return false;
  if (one.kind === 'type') return true;
  return one.name === two.name && allAssignable(draft, one.parameters, two.parameters);
}

/** Whether a type parameter can be bound to a type, and whether it was bound before. */
function bind(draft: PendingBindings, type: CelType, variable: CelType): { valid: boolean; bound: boolean } {
  if (type.text === variable.text) return { valid: true, bound: true };
  const known = draft.get(variable.name);
  if (known === undefined) {
    const valid = !occursIn(draft, variable, type);
    if (valid) draft.set(variable.name, type);
    return { valid, bound: false };
  }
  if (type.text === known.text) return { valid: true, bound: true };
  if (!isAssignable(draft, type, known)) return { valid: false, bound: true };
  const general = mostGeneral(type, known);
  if (!occursIn(draft, variable, general)) draft.set(variable.name, general);
  return { valid: true, bound: true };
}

function isDynamic(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'error';
}

function isNullable(type: CelType): boolean {
  return (
    type.kind === 'null' ||
    type.kind === 'opaque' ||
    type.kind === 'struct' ||
    type.kind === 'duration' ||
    type.kind === 'timestamp'
  );
}

/** The more general of two assignable types. */
export function mostGeneral(one: CelType, two: CelType): CelType {
  return isAtLeastAsGeneral(one, two) ? one : two;
}

function isAtLeastAsGeneral(one: CelType, two: CelType): boolean {
  if (one.kind === 'dyn' || one.kind === 'param') return true;
  if (two.kind === 'dyn' || two.kind === 'param' || one.kind !== two.kind) return false;
  if (one.kind === 'type') return true;
  if (one.name !== two.name || one.parameters.length !== two.parameters.length) return false;
  return one.parameters.every((type, index) => isAtLeastAsGeneral(type, parameterOf(two, index)));
}

function occursIn(draft: PendingBindings, variable: CelType, type: CelType): boolean {
  if (variable.text === type.text) return true;
  if (type.kind === 'param') {
    const known = draft.get(type.name);
    return known !== undefined && occursIn(draft, variable, known);
  }
  return type.parameters.some((inner) => occursIn(draft, variable, inner));
}

/** Replaces bound type parameters. Unbound ones become dyn when `free` is `dyn`. */
export function substitute(bindings: Bindings, type: CelType, free: 'dyn' | 'keep'): CelType {
  if (type.kind === 'param') {
    const known = bindings.get(type.name);
    if (known !== undefined) return substitute(bindings, known, free);
    return free === 'dyn' ? DYN : type;
  }
  if (type.parameters.length === 0) return type;
  return withParameters(
    type,
    type.parameters.map((inner) => substitute(bindings, inner, free)),
  );
}
