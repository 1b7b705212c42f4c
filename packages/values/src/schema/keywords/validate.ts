import { equal, isArray, isObject, own, type Json, type JsonObject } from '../../json.js';
import type { FieldError } from '../fielderror.js';
import { checkComposition, type Check } from './composition.js';
import { oldField, oldItem, unchanged, type ComparisonCache, type OldValue } from './ratcheting.js';
import { index, shortened } from '../field.js';
import { hasFormat, isTextFormat } from '../../formats.js';
import { schemaFormat } from '../schemaformat.js';
import { goJson, isInt64 } from '../../text.js';
import { checkNumber, isNearlyInteger } from './number.js';
import {
  VALID,
  forbiddenKey,
  VALID_MATCH,
  missingField,
  notInEnum,
  outcome,
  OutcomeBuilder,
  tooManyOf,
  wrongFormat,
  wrongType,
  wrongValue,
  type Outcome,
} from './problem.js';
import { type Budget, newBudget } from '../../re2.js';
import type { Schema } from '../schema.js';
import { stringProblem } from './string.js';
import { additionalOf, propertyOf } from '../walk.js';

/** Validates the keywords only, with ratcheting against `old`. */
export function checkKeywords(schema: Schema, value: Json, old: Json | undefined, base: string): FieldError[] {
  const stored = old === undefined ? undefined : { schema, value: old };
  return errorsOf({ schema, value, path: '' }, stored, base, schemaFormat);
}

/** Validates the keywords for a default: formats are checked there even if they are unknown or of another type. */
export function checkDefaultKeywords(schema: Schema, value: Json, base: string): FieldError[] {
  return errorsOf({ schema, value, path: '' }, undefined, base, ({ format = '' }) =>
    format === '' ? undefined : format,
  );
}

function errorsOf(
  target: Target,
  old: OldValue | undefined,
  base: string,
  formatOf: Context['formatOf'],
): FieldError[] {
  const context: Context = { comparisons: new WeakMap(), budget: newBudget(), formatOf };
  const { problems } = checkRatcheting(context, target, old);
  const errors: FieldError[] = [];
  let size = 0;
  for (const problem of problems) {
    const error = problem.error(base);
    size += error.message.length;
    if (errors.length > 0 && size > MAX_MESSAGES_LENGTH) break;
    errors.push(error);
  }
  return errors;
}

/** Limit on the total length of all messages: each may contain a value of megabytes. */
const MAX_MESSAGES_LENGTH = 8_000_000;

interface Context {
  readonly comparisons: ComparisonCache;
  readonly budget: Budget;
  /** The format that applies to a schema; undefined where there is none. */
  readonly formatOf: (schema: Schema) => string | undefined;
}

/** A value with its schema and path. */
interface Target {
  readonly schema: Schema;
  readonly value: Json;
  readonly path: string;
}

function checkRatcheting(context: Context, target: Target, old: OldValue | undefined): Outcome {
  const result = check(context, target, old);
  if (old === undefined || result.problems.length === 0) return result;
  return unchanged(target.value, old, context.comparisons) ? outcome([], result.matches) : result;
}

function check(context: Context, target: Target, old: OldValue | undefined): Outcome {
  const { schema, value, path } = target;
  const sum = new OutcomeBuilder();
  if (value === null) {
    sum.add(checkNull(target));
    sum.add(checkEnum(target));
    return sum.outcome();
  }
  const format = context.formatOf(schema) ?? '';
  if (typesOf(schema).length > 0 || format !== '') step(checkType(target, format));
  step(checkComposition(schema, path, alternative(context, value, path)));
  checkKind(context, target, old, step);
  step(checkEnum(target));
  sum.addMatch();
  return sum.outcome();

  function step(result: Outcome): void {
    sum.add(result);
    sum.addMatch();
  }
}

/** Values below an alternative are not correlated with old values. */
function alternative(context: Context, value: Json, path: string): Check {
  return (schema) => check(context, { schema, value, path }, undefined);
}

function checkKind(context: Context, target: Target, old: OldValue | undefined, step: (result: Outcome) => void): void {
  const { schema, value, path } = target;
  if (typeof value === 'string') checkString(context, { schema, value, path }, step);
  else if (typeof value === 'number') step(checkNumber(schema, value, path));
  else if (isArray(value)) step(checkArray(context, { schema, value, path }, old));
  else if (isObject(value)) step(checkObject(context, { schema, value, path }, old));
}

const INT_OR_STRING_TYPES: readonly string[] = ['integer', 'string'];
const ANY_TYPE: readonly string[] = [];

function typesOf(schema: Schema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return INT_OR_STRING_TYPES;
  return schema.type === undefined ? ANY_TYPE : [schema.type];
}

function checkNull({ schema, path }: Target): Outcome {
  const types = typesOf(schema);
  if (types.length > 0 && schema.nullable !== true) return outcome([wrongType(path, types.join(','), 'null')]);
  return VALID_MATCH;
}

/** Type and format of the decoded Go value. */
function kindOf(value: Json): readonly [string, string] {
  if (typeof value === 'number') return isInt64(value) ? ['integer', 'int64'] : ['number', 'float64'];
  if (isArray(value)) return ['array', ''];
  return [typeof value, ''];
}

function checkType({ schema, value, path }: Target, format: string): Outcome {
  const types = typesOf(schema);
  const [kind, kindFormat] = kindOf(value);
  const wholeFloat =
    kind === 'number' && typeof value === 'number' && isNearlyInteger(value) && types.includes('integer');
  const fits = types.includes(kind) || wholeFloat || (kind === 'integer' && types.includes('number'));
  const scalar = kind !== 'string' && kind !== 'array';
  if (scalar && format !== '' && !fits && format !== kindFormat) return outcome([wrongType(path, format, kindFormat)]);
  if (!types.includes('number') && !types.includes('integer') && format !== '' && !scalar) return VALID_MATCH;
  return fits ? VALID_MATCH : outcome([wrongType(path, types.join(','), kind)]);
}

function checkEnum({ schema, value, path }: Target): Outcome {
  const { enum: values } = schema;
  if (values === undefined || values.length === 0 || values.some((one) => isMember(value, one))) return VALID;
  return outcome([notInEnum(path, value, values)]);
}

/**
 * Go converts the value to the type of the enum member before comparing: 1.5 becomes 1, an integer becomes a character.
 */
function isMember(value: Json, member: Json): boolean {
  if (value === null || member === null) return false;
  if (typeof value !== 'number') return equal(value, member);
  if (typeof member === 'string') return isInt64(value) && member === characterOf(value);
  return typeof member === 'number' && (isInt64(member) ? Math.trunc(value) : value) === member;
}

function characterOf(code: number): string {
  const valid = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return valid ? String.fromCodePoint(code) : '\ufffd';
}

function checkString(context: Context, target: Target & { value: string }, step: (result: Outcome) => void): void {
  const { schema, value, path } = target;
  const problem = stringProblem({ schema, path, budget: context.budget }, value);
  step(problem === undefined ? VALID : outcome([problem]));
  const format = context.formatOf(schema);
  if (format === undefined || !isTextFormat(format)) return;
  step(hasFormat(format, value) ? VALID : outcome([wrongFormat(path, format, value)]));
}

function checkArray(context: Context, target: Target & { value: readonly Json[] }, old: OldValue | undefined): Outcome {
  const { schema, value, path } = target;
  const { items, minItems, maxItems } = schema;
  const sum = new OutcomeBuilder();
  if (items !== undefined) {
    for (let at = 0; at < value.length && !sum.full; at++) {
      const item = value[at] ?? null;
      sum.add(checkRatcheting(context, { schema: items, value: item, path: index(path, at) }, oldItem(old, item)));
    }
  }
  if (minItems !== undefined && value.length < minItems)
    sum.report(wrongValue(path, value.length, `should have at least ${minItems} items`));
  if (maxItems !== undefined && value.length > maxItems) sum.report(tooManyOf(path, 'items', value.length, maxItems));
  if (schema.uniqueItems === true && hasEqual(value)) sum.report(wrongValue(path, '', `shouldn't contain duplicates`));
  sum.addMatch();
  return sum.outcome();
}

function hasEqual(items: readonly Json[]): boolean {
  return new Set(items.map(goJson)).size < items.length;
}

function checkObject(context: Context, target: Target & { value: JsonObject }, old: OldValue | undefined): Outcome {
  const { schema, value, path } = target;
  const sum = new OutcomeBuilder();
  const count = Object.keys(value).length;
  const { minProperties, maxProperties } = schema;
  if (minProperties !== undefined && count < minProperties)
    sum.report(wrongValue(path, count, `should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && count > maxProperties)
    sum.report(tooManyOf(path, 'properties', count, maxProperties));
  if (schema.additionalProperties === false)
    for (const key of Object.keys(value))
      if (propertyOf(schema, key) === undefined) sum.report(forbiddenKey(path, key));
  for (const [key, field] of Object.entries(value)) {
    if (sum.full) break;
    if (field !== undefined) checkField(context, { target, key, field, old }, sum);
  }
  for (const key of schema.required ?? []) {
    if (own(value, key) === undefined) sum.report(missingField(path, key));
  }
  return sum.outcome();
}

interface Field {
  readonly target: Target & { value: JsonObject };
  readonly key: string;
  readonly field: Json;
  readonly old: OldValue | undefined;
}

function checkField(context: Context, { target, key, field, old }: Field, sum: OutcomeBuilder): void {
  const { schema, value, path } = target;
  const property = propertyOf(schema, key);
  const below = property ?? additionalOf(schema);
  if (below === undefined) return;
  const name = path === '' && property !== undefined ? key : shortened(`${path}.${key}`);
  // apiVersion and kind of the whole object are not ratcheted: old and new have the same version here.
  const typeMeta = path === '' && (key === 'apiVersion' || key === 'kind');
  sum.add(
    checkRatcheting(
      context,
      { schema: below, value: field, path: name },
      typeMeta ? undefined : oldField(old, value, key),
    ),
  );
}
