import type { Json } from '../json.js';
import type { ValidationResult } from '../resource.js';
import type { Schema } from '../schema/schema.js';
import type { FieldError } from '../status.js';
import { SchemaRuleCompiler, type CompileOptions } from './rules/schemarules.js';
import { RuleEvaluator } from './rules/evaluate.js';
import { validatorOf } from './rules/validator.js';

/**
 * Compiles every rule of the schema of a CustomResourceDefinition: what is wrong with rules and messageExpressions, and
 * which would cost too much, as the real server words it. The format of rules (an empty one, a bad reason or fieldPath)
 * is checked before, by {@link checkRules}.
 * @param path of the schema: `spec.validation.openAPIV3Schema`
 */
export function compileRules(schema: Schema, path: string, options: CompileOptions = {}): readonly FieldError[] {
  return new SchemaRuleCompiler(options).run(schema, path);
}

export { checkRules } from './rules/ruleformat.js';
export type { CompileOptions };

export interface RunOptions {
  /** Path of the value; '' for a whole object. */
  readonly path: string;
  /** Whether the value is a whole object, with apiVersion, kind and metadata. Default: path is ''. */
  readonly root?: boolean;
}

/**
 * Runs the rules of a schema and of all that is below it on a value. Pure; compiled rules are kept by the schema.
 * @param old the stored value; undefined on a create. Rules with oldSelf run only where there is one to compare with;
 * rules that fail on a value that did not change only warn.
 */
export function runRules(
  schema: Schema,
  value: Json,
  old: Json | undefined,
  { path, root = path === '' }: RunOptions,
): ValidationResult {
  const validator = validatorOf(schema, root);
  if (validator === undefined) return { errors: [], warnings: [] };
  const run = new RuleEvaluator();
  const stored = old === undefined ? undefined : { schema, value: old };
  run.evaluate(validator, { path, value, old, ratchet: { old: stored, parent: undefined } });
  return { errors: run.errors, warnings: run.warnings };
}

/**
 * What the rules of a schema say of a default: first as of a value that did not change, so that rules with oldSelf run, then as of a new one.
 * @param root whether it is the default of a whole object
 */
export function runDefaultRules(schema: Schema, value: Json, path: string, root: boolean): readonly FieldError[] {
  const validator = validatorOf(schema, root);
  if (validator === undefined) return [];
  for (const old of [value, undefined]) {
    const run = new RuleEvaluator();
    run.evaluate(validator, { path, value, old, ratchet: { old: undefined, parent: undefined } });
    if (run.errors.length > 0) return run.errors;
  }
  return [];
}
