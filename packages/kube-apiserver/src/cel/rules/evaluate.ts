import { isArray, isObject, own, type Json, type JsonObject } from '../../json.js';
import { formerField, formerItem, unchanged, type Compared, type Former } from '../../schema/keywords/ratcheting.js';
import { child, index, invalidValue, key, NO_FIELD } from '../../schema/field.js';
import type { FieldError } from '../../status.js';
import { Budget, newEffort } from '../runtime/budget.js';
import { CostExceeded, EvaluationError } from '../runtime/error.js';
import type { Variables } from '../runtime/evaluate.js';
import { Optional, type Value } from '../runtime/value.js';
import type { CompiledRule } from './compile.js';
import { evaluateMessage, failure, ruleText } from './message.js';
import { schemaValue } from './schemavalue.js';
import type { Validator } from './validator.js';

/** Cost that all rules of one object may have together. */
const OBJECT_LIMIT = 10_000_000;

/** No rule runs once the costs are spent. */
class Exhausted extends Error {}

/** Where a value stands beside its former one, for ratcheting: an unchanged value only warns. */
interface Ratchet {
  /** The value that this one replaces, where it replaces one. */
  readonly former: Former | undefined;
  /** The nearest value around it that replaces one, and what it is now. */
  readonly around: { readonly value: Json; readonly former: Former } | undefined;
}

export interface Place {
  readonly path: string;
  readonly value: Json;
  /** What the value was, as `oldSelf` sees it: also in atomic lists nothing, in maps by key. */
  readonly old: Json | undefined;
  readonly ratchet: Ratchet;
}

/** Runs the rules of one object. Collects errors and warnings in order of the schema; never throws. */
export class Run {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  private left = OBJECT_LIMIT;
  private readonly effort = newEffort();
  private readonly compared: Compared = new WeakMap();

  start(validator: Validator, place: Place): void {
    try {
      this.visit(validator, place);
    } catch (error) {
      if (!(error instanceof Exhausted)) throw error;
    }
  }

  private visit(validator: Validator, place: Place): void {
    const { value } = place;
    if (value === null) return;
    this.rules(validator, place);
    if (isArray(value)) this.items(validator, place, value);
    else if (isObject(value)) this.fields(validator, place, value);
  }

  private items(validator: Validator, place: Place, list: readonly Json[]): void {
    const { items, schema } = validator;
    if (items === undefined) return;
    const former = isArray(place.old) ? { schema, value: place.old } : undefined;
    for (const [at, value] of list.entries()) {
      const ratchet = this.within(place, (outer) => formerItem(outer, value));
      this.visit(items, { path: index(place.path, at), value, old: formerItem(former, value)?.value, ratchet });
    }
  }

  private fields(validator: Validator, place: Place, object: JsonObject): void {
    for (const [name, value] of Object.entries(object)) {
      const property = validator.properties.get(name);
      if (value === undefined || (property === undefined && validator.values === undefined)) continue;
      const old = isObject(place.old) ? own(place.old, name) : undefined;
      const ratchet = this.keyed(place, object, name);
      if (validator.values !== undefined)
        this.visit(validator.values, { path: key(place.path, name), value, old, ratchet });
      if (property !== undefined) this.visit(property, { path: child(place.path, name), value, old, ratchet });
    }
  }

  /** At the root, type and version are what they are: no former value of theirs is seen. */
  private keyed(place: Place, object: JsonObject, name: string): Ratchet {
    const { former, around } = place.ratchet;
    if (former !== undefined && around === undefined && (name === 'apiVersion' || name === 'kind'))
      return { former: undefined, around: undefined };
    return this.within(place, (outer) => formerField(outer, object, name));
  }

  private within({ value, ratchet }: Place, find: (former: Former) => Former | undefined): Ratchet {
    if (ratchet.former === undefined) return ratchet;
    return { former: find(ratchet.former), around: { value, former: ratchet.former } };
  }

  private isRatcheted({ value, ratchet: { former, around } }: Place): boolean {
    if (former !== undefined) return unchanged(value, former, this.compared);
    return around !== undefined && unchanged(around.value, around.former, this.compared);
  }

  private rules(validator: Validator, place: Place): void {
    if (validator.rules.length === 0) return;
    if (this.left <= 0) this.exhaust(validator, place);
    const old = place.old === null ? undefined : place.old;
    for (const rule of validator.rules) {
      if (rule.problem !== undefined) this.report(typed(validator, place, `rule compile error: ${rule.problem}`));
      else if (!rule.usesOldSelf || old !== undefined || rule.rule.optionalOldSelf === true)
        this.rule(rule, validator, { ...place, old });
    }
  }

  private rule(rule: CompiledRule, validator: Validator, place: Place): void {
    if (rule.program === undefined) return;
    const variables = variablesOf(validator, place, rule.rule.optionalOldSelf === true);
    const budget = new Budget(this.effort);
    let result: Value | EvaluationError | CostExceeded;
    try {
      result = rule.program(variables, budget);
    } catch (error) {
      if (!(error instanceof EvaluationError) && !(error instanceof CostExceeded)) throw error;
      result = error;
    }
    this.charge(budget.spent, validator, place);
    if (result === true) return;
    if (result instanceof CostExceeded) {
      this.report(
        typed(
          validator,
          place,
          `'${result.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(rule.rule)}`,
        ),
      );
      throw new Exhausted();
    }
    if (result instanceof EvaluationError) this.report(typed(validator, place, errorText(result, rule)));
    else this.failed(rule, validator, place, variables);
  }

  /** A rule that is false. Its message sees the plain oldSelf, on the real server, even where it was checked as an optional one. */
  private failed(rule: CompiledRule, validator: Validator, place: Place, seen: Variables): void {
    const field = rule.fieldPath === '' ? place.path : child(place.path, rule.fieldPath);
    const variables = rule.rule.optionalOldSelf === true ? variablesOf(validator, place, false) : seen;
    const message = evaluateMessage(rule, variables, { left: this.left, effort: this.effort });
    this.left -= message.spent;
    const ends = message.fatal !== undefined;
    const error = ends
      ? invalidValue(fieldName(field), validator.schema.type ?? '', message.fatal)
      : failure(rule.rule, fieldName(field), place.value, message.text);
    if (!rule.usesOldSelf && this.isRatcheted(place)) this.warnings.push(`${error.field}: ${error.message}`);
    else this.report(error);
    if (ends) throw new Exhausted();
  }

  private charge(spent: number, validator: Validator, place: Place): void {
    if (spent > this.left) this.exhaust(validator, place);
    this.left -= spent;
  }

  private exhaust(validator: Validator, place: Place): never {
    this.report(
      typed(
        validator,
        place,
        'validation failed due to running out of cost budget, no further validation rules will be run',
      ),
    );
    throw new Exhausted();
  }

  private report(error: FieldError): void {
    this.errors.push(error);
  }
}

/** The real server has no path for the root. */
function fieldName(path: string): string {
  return path === '' ? NO_FIELD : path;
}

/** An error that shows the type where its value would stand. */
function typed({ schema }: Validator, { path }: Place, detail: string): FieldError {
  return invalidValue(fieldName(path), schema.type ?? '', detail);
}

function errorText({ message }: EvaluationError, { rule }: CompiledRule): string {
  if (message.startsWith('no such overload')) {
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(rule)}`;
  }
  return `${message} evaluating rule: ${ruleText(rule)}`;
}

function variablesOf({ schema }: Validator, { value, old }: Place, optional: boolean): Variables {
  const values = new Map<string, Value>();
  const make: Readonly<Record<string, () => Value | undefined>> = {
    self: () => schemaValue(value, schema),
    oldSelf: () => oldValue(schema, old, optional),
  };
  return (name) => {
    const known = values.get(name);
    if (known !== undefined) return known;
    const made = Object.hasOwn(make, name) ? make[name]?.() : undefined;
    if (made !== undefined) values.set(name, made);
    return made;
  };
}

function oldValue(schema: Validator['schema'], old: Json | undefined, optional: boolean): Value | undefined {
  const value = old === undefined ? undefined : schemaValue(old, schema);
  if (!optional) return value;
  return value === undefined ? Optional.none : new Optional(value);
}
