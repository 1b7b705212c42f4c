import { isArray, isObject, own, type Json, type JsonObject } from '@multicluster-engine/values/json';
import {
  oldField,
  oldItem,
  unchanged,
  type ComparisonCache,
  type OldValue,
} from '@multicluster-engine/values/schema/keywords/ratcheting';
import { child, index, invalidValue, key, NO_FIELD } from '@multicluster-engine/values/schema/field';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { Budget, newEffort, CostExceeded, EvaluationError, type Variables, Optional, type Value } from '../index.js';
import type { CompiledRule } from './compile.js';
import { evaluateMessage, ruleError, ruleText } from './message.js';
import { schemaValue } from './schemavalue.js';
import type { Validator } from './validator.js';

/** The cost limit of all rules of one object. */
const OBJECT_LIMIT = 10_000_000;

/** The cost budget is exhausted; no further rule runs. */
class BudgetExhausted extends Error {}

/** The correlation of a value with the old object, for ratcheting: failures on unchanged values are warnings. */
interface Ratchet {
  /** The old value that it replaces, where there is one. */
  readonly old: OldValue | undefined;
  /** The nearest ancestor that replaces an old value. */
  readonly parent: { readonly value: Json; readonly old: OldValue } | undefined;
}

export interface EvaluationTarget {
  readonly path: string;
  readonly value: Json;
  /** The old value for `oldSelf`: none within atomic lists; correlated by key in maps. */
  readonly old: Json | undefined;
  readonly ratchet: Ratchet;
}

/** Evaluates the rules of one object. Collects errors and warnings in schema order; never throws. */
export class RuleEvaluator {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  private left = OBJECT_LIMIT;
  private readonly effort = newEffort();
  private readonly comparisons: ComparisonCache = new WeakMap();

  evaluate(validator: Validator, target: EvaluationTarget): void {
    try {
      this.visit(validator, target);
    } catch (error) {
      if (!(error instanceof BudgetExhausted)) throw error;
    }
  }

  private visit(validator: Validator, target: EvaluationTarget): void {
    const { value } = target;
    if (value === null) return;
    this.rules(validator, target);
    if (isArray(value)) this.items(validator, target, value);
    else if (isObject(value)) this.fields(validator, target, value);
  }

  private items(validator: Validator, target: EvaluationTarget, list: readonly Json[]): void {
    const { items, schema } = validator;
    if (items === undefined) return;
    const stored = isArray(target.old) ? { schema, value: target.old } : undefined;
    for (const [at, value] of list.entries()) {
      const ratchet = this.nested(target, (outer) => oldItem(outer, value));
      this.visit(items, { path: index(target.path, at), value, old: oldItem(stored, value)?.value, ratchet });
    }
  }

  private fields(validator: Validator, target: EvaluationTarget, object: JsonObject): void {
    for (const [name, value] of Object.entries(object)) {
      const property = validator.properties.get(name);
      if (value === undefined || (property === undefined && validator.values === undefined)) continue;
      const old = isObject(target.old) ? own(target.old, name) : undefined;
      const ratchet = this.keyed(target, object, name);
      if (validator.values !== undefined)
        this.visit(validator.values, { path: key(target.path, name), value, old, ratchet });
      if (property !== undefined) this.visit(property, { path: child(target.path, name), value, old, ratchet });
    }
  }

  /** At the root, apiVersion and kind are not correlated with old values. */
  private keyed(target: EvaluationTarget, object: JsonObject, name: string): Ratchet {
    const { old, parent } = target.ratchet;
    if (old !== undefined && parent === undefined && (name === 'apiVersion' || name === 'kind'))
      return { old: undefined, parent: undefined };
    return this.nested(target, (outer) => oldField(outer, object, name));
  }

  private nested({ value, ratchet }: EvaluationTarget, find: (old: OldValue) => OldValue | undefined): Ratchet {
    if (ratchet.old === undefined) return ratchet;
    return { old: find(ratchet.old), parent: { value, old: ratchet.old } };
  }

  private isRatcheted({ value, ratchet: { old, parent } }: EvaluationTarget): boolean {
    if (old !== undefined) return unchanged(value, old, this.comparisons);
    return parent !== undefined && unchanged(parent.value, parent.old, this.comparisons);
  }

  private rules(validator: Validator, target: EvaluationTarget): void {
    if (validator.rules.length === 0) return;
    if (this.left <= 0) this.exhaust(validator, target);
    const old = target.old === null ? undefined : target.old;
    for (const rule of validator.rules) {
      if (rule.problem !== undefined)
        this.report(typeShowingError(validator, target, `rule compile error: ${rule.problem}`));
      else if (!rule.usesOldSelf || old !== undefined || rule.rule.optionalOldSelf === true)
        this.rule(rule, validator, { ...target, old });
    }
  }

  private rule(rule: CompiledRule, validator: Validator, target: EvaluationTarget): void {
    if (rule.program === undefined) return;
    const variables = variablesOf(validator, target, rule.rule.optionalOldSelf === true);
    const budget = new Budget(this.effort);
    let result: Value | EvaluationError | CostExceeded;
    try {
      result = rule.program(variables, budget);
    } catch (error) {
      if (!(error instanceof EvaluationError) && !(error instanceof CostExceeded)) throw error;
      result = error;
    }
    this.charge(budget.spent, validator, target);
    if (result === true) return;
    if (result instanceof CostExceeded) {
      this.report(
        typeShowingError(
          validator,
          target,
          `'${result.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(rule.rule)}`,
        ),
      );
      throw new BudgetExhausted();
    }
    if (result instanceof EvaluationError) this.report(typeShowingError(validator, target, errorText(result, rule)));
    else this.failed(rule, validator, target, variables);
  }

  /**
   * Reports a failed rule. As in the API server, its messageExpression sees oldSelf unwrapped, although it was
   * type-checked as an optional.
   */
  private failed(
    rule: CompiledRule,
    validator: Validator,
    target: EvaluationTarget,
    optionalVariables: Variables,
  ): void {
    const field = rule.fieldPath === '' ? target.path : child(target.path, rule.fieldPath);
    const variables = rule.rule.optionalOldSelf === true ? variablesOf(validator, target, false) : optionalVariables;
    const message = evaluateMessage(rule, variables, { left: this.left, effort: this.effort });
    this.left -= message.spent;
    const ends = message.fatal !== undefined;
    const error = ends
      ? invalidValue(fieldName(field), validator.schema.type ?? '', message.fatal)
      : ruleError(rule.rule, fieldName(field), target.value, message.text);
    if (!rule.usesOldSelf && this.isRatcheted(target)) this.warnings.push(`${error.field}: ${error.message}`);
    else this.report(error);
    if (ends) throw new BudgetExhausted();
  }

  private charge(spent: number, validator: Validator, target: EvaluationTarget): void {
    if (spent > this.left) this.exhaust(validator, target);
    this.left -= spent;
  }

  private exhaust(validator: Validator, target: EvaluationTarget): never {
    this.report(
      typeShowingError(
        validator,
        target,
        'validation failed due to running out of cost budget, no further validation rules will be run',
      ),
    );
    throw new BudgetExhausted();
  }

  private report(error: FieldError): void {
    this.errors.push(error);
  }
}

/** The field name of a path; the API server reports `<nil>` for the root. */
function fieldName(path: string): string {
  return path === '' ? NO_FIELD : path;
}

/** An error that contains the type in place of the value. */
function typeShowingError({ schema }: Validator, { path }: EvaluationTarget, detail: string): FieldError {
  return invalidValue(fieldName(path), schema.type ?? '', detail);
}

function errorText({ message }: EvaluationError, { rule }: CompiledRule): string {
  if (message.startsWith('no such overload')) {
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(rule)}`;
  }
  return `${message} evaluating rule: ${ruleText(rule)}`;
}

function variablesOf({ schema }: Validator, { value, old }: EvaluationTarget, optional: boolean): Variables {
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
