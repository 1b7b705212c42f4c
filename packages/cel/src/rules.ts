import type { Json } from '@multicluster-engine/values/json';
import type { FieldError, ValidationResult } from '@multicluster-engine/values/schema/fielderror';
import type { RulesOf } from '@multicluster-engine/values/schema/custom/kindrules';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import { SchemaRuleCompiler, type CompileOptions } from './rules/schemarules.js';
import { RuleEvaluator } from './rules/evaluate.js';
import { validatorOf } from './rules/validator.js';

/**
 * Compiles all rules of the schema of a CustomResourceDefinition. Returns the errors of rules and messageExpressions,
 * and the rules whose estimated cost is too high, with the messages of the API server. The fields of the rules (empty
 * rules, invalid reasons, invalid fieldPaths) are checked by {@link checkRules} before.
 * @param path of the schema: `spec.validation.openAPIV3Schema`
 */
export function compileRules(schema: Schema, path: string, options: CompileOptions = {}): readonly FieldError[] {
  return new SchemaRuleCompiler(options).run(schema, path);
}

export { checkRules } from './rules/ruleformat.js';
export type { CompileOptions };

/** The rules of the schema of a whole object; undefined where it has none. */
export const objectRules: RulesOf = (schema) =>
  validatorOf(schema, { root: true }) && ((next, old) => runRules(schema, next, old, { path: '' }));

export interface RunOptions {
  /** Path of the value; '' for a whole object. */
  readonly path: string;
  /** Whether the value is a whole object with apiVersion, kind and metadata. By default it is when the path is ''. */
  readonly root?: boolean;
}

/**
 * Evaluates the rules of a schema and its subschemas on a value. Pure; compiled rules are cached by schema.
 * @param old the stored value; undefined on a create. Rules with oldSelf are only evaluated where an old value is
 *   correlated. Rules that fail on an unchanged value produce warnings only.
 */
export function runRules(
  schema: Schema,
  value: Json,
  old: Json | undefined,
  { path, root = path === '' }: RunOptions,
): ValidationResult {
  const validator = validatorOf(schema, { root });
  if (validator === undefined) return { errors: [], warnings: [] };
  const run = new RuleEvaluator();
  const stored = old === undefined ? undefined : { schema, value: old };
  run.evaluate(validator, { path, value, old, ratchet: { old: stored, parent: undefined } });
  return { errors: run.errors, warnings: run.warnings };
}

/**
 * Evaluates the rules of a schema on a default: first as an unchanged value, so that rules with oldSelf run, then as a
 * new one.
 * @param root whether it is the default of a whole object
 */
export function runDefaultRules(schema: Schema, value: Json, path: string, root: boolean): readonly FieldError[] {
  const validator = validatorOf(schema, { root });
  if (validator === undefined) return [];
  for (const old of [value, undefined]) {
    const run = new RuleEvaluator();
    run.evaluate(validator, { path, value, old, ratchet: { old: undefined, parent: undefined } });
    if (run.errors.length > 0) return run.errors;
  }
  return [];
}
