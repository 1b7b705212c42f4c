import type { JsonObject } from '@multicluster-engine/values/json';
import { structAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import {
  child,
  duplicate,
  forbiddenField,
  index,
  invalidRaw,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from '@multicluster-engine/values/schema/field';
import { byteLength, goJson } from '@multicluster-engine/values/text';
import { dns1035Label } from '@multicluster-engine/values/formats';
import { fieldAt, namedSchemasAt, schemaAt, type RawSchema } from './rawschema.js';

/** Validates the names of a definition; empty names are reported elsewhere. */
export function checkNames(names: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['plural', 'singular'])
    errors.push(...optionalLabelErrors(textAt(names, name), child(path, name)));
  for (const name of ['kind', 'listKind']) {
    const given = textAt(names, name);
    const problems = given === '' ? [] : dns1035Label(given.toLowerCase());
    if (problems.length > 0)
      errors.push(
        invalidValue(
          child(path, name),
          given,
          `may have mixed case, but should otherwise match: ${problems.join(',')}`,
        ),
      );
  }
  for (const [position, name] of textsAt(names, 'shortNames').entries())
    errors.push(...dns1035LabelErrors(name, index(child(path, 'shortNames'), position)));
  const kind = textAt(names, 'kind');
  if (kind !== '' && kind === textAt(names, 'listKind'))
    errors.push(invalidValue(child(path, 'listKind'), kind, 'kind and listKind may not be the same'));
  for (const [position, name] of textsAt(names, 'categories').entries())
    errors.push(...dns1035LabelErrors(name, index(child(path, 'categories'), position)));
  return errors;
}

function optionalLabelErrors(value: string, field: string): FieldError[] {
  return value === '' ? [] : dns1035LabelErrors(value, field);
}

export function dns1035LabelErrors(value: string, field: string): FieldError[] {
  const problems = dns1035Label(value);
  return problems.length === 0 ? [] : [invalidValue(field, value, problems.join(','))];
}

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

export function checkDeprecation(deprecated: boolean, warning: string | undefined, field: string): FieldError[] {
  if (warning === undefined) return [];
  if (!deprecated) return [invalidValue(field, warning, 'can only be set for deprecated versions')];
  const problems: string[] = [];
  if (byteLength(warning) > 256) problems.push('must be <= 256 characters long');
  if (warning === '') problems.push('must not be an empty string');
  const invalidAt = Array.from(warning).findIndex((char) => !PRINTABLE.test(char));
  if (invalidAt >= 0) {
    const bytes = byteLength(Array.from(warning).slice(0, invalidAt).join(''));
    problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${bytes}`);
  }
  // The field is a pointer in the API server, and pointers are formatted as JSON.
  return problems.map((problem) => invalidRaw(field, goJson(warning), problem));
}

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

export function checkColumn(column: JsonObject, path: string): FieldError[] {
  const [type, format, jsonPath] = [textAt(column, 'type'), textAt(column, 'format'), textAt(column, 'jsonPath')];
  const errors: FieldError[] = textAt(column, 'name') === '' ? [required(child(path, 'name'))] : [];
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  if (type === '') errors.push(required(child(path, 'type'), types));
  else if (!COLUMN_TYPES.includes(type)) errors.push(invalidValue(child(path, 'type'), type, types));
  if (format !== '' && !COLUMN_FORMATS.includes(format))
    errors.push(invalidValue(child(path, 'format'), format, `must be one of ${COLUMN_FORMATS.join(',')}`));
  const field = child(path, 'JSONPath');
  return [...errors, ...(jsonPath === '' ? [required(field)] : simplePath(jsonPath, field))];
}

function simplePath(jsonPath: string, field: string): FieldError[] {
  return jsonPath.startsWith('.') ? [] : [invalidValue(field, jsonPath, 'must be a simple json path starting with .')];
}

export function checkSubresources(subresources: JsonObject | undefined, path: string): FieldError[] {
  if (subresources === undefined || fieldAt(subresources, 'scale') === undefined) return [];
  const scale = structAt(subresources, 'scale');
  const rows = [
    ['specReplicasPath', ['.spec.'], '.spec'],
    ['statusReplicasPath', ['.status.'], '.status'],
    ['labelSelectorPath', ['.spec.', '.status.'], 'either .spec or .status'],
  ] as const;
  return rows.flatMap(([name, prefixes, where]) => {
    const field = child(path, `scale.${name}`);
    const value = textAt(scale, name);
    if (value === '') return name === 'labelSelectorPath' ? [] : [required(field)];
    const errors = simplePath(value, field);
    if (errors.length > 0 || prefixes.some((prefix) => value.startsWith(prefix))) return errors;
    return [invalidValue(field, value, `should be a json path under ${where}`)];
  });
}

const MAX_SELECTABLE = 8;

/** @param limit `anyNumber`: whether the limit is not applied: the stored definition exceeds it with the same fields. */
export function checkSelectableFields(
  fields: readonly JsonObject[],
  schema: RawSchema,
  path: string,
  { anyNumber }: { readonly anyNumber: boolean },
): FieldError[] {
  const errors: FieldError[] = [];
  const known = new Set<string>();
  for (const [position, selectable] of fields.entries()) {
    const field = child(index(path, position), 'jsonPath');
    const jsonPath = textAt(selectable, 'jsonPath');
    if (jsonPath === '') {
      errors.push(required(field));
      continue;
    }
    const found = resolvePath(jsonPath, schema);
    if (found.kind === 'invalid') errors.push(invalidValue(field, jsonPath, `is an invalid path: ${found.problem}`));
    else errors.push(...selectableErrors(found, jsonPath, field, known));
  }
  return known.size > MAX_SELECTABLE && !anyNumber ? [...errors, tooMany(path, known.size, MAX_SELECTABLE)] : errors;
}

interface ResolvedPath {
  readonly kind: 'resolved';
  readonly schema: RawSchema;
  readonly names: readonly string[];
}

interface InvalidPath {
  readonly kind: 'invalid';
  readonly problem: string;
}

function selectableErrors(
  { schema, names }: ResolvedPath,
  jsonPath: string,
  field: string,
  known: Set<string>,
): FieldError[] {
  const errors: FieldError[] = [];
  if (names[0] === 'metadata') errors.push(invalidValue(field, jsonPath, 'must not point to fields in metadata'));
  if (!['string', 'boolean', 'integer'].includes(textAt(schema, 'type'))) {
    errors.push(
      invalidValue(
        field,
        jsonPath,
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      ),
    );
  }
  const name = names.join('.');
  if (known.has(name)) errors.push(duplicate(field, jsonPath));
  known.add(name);
  return errors;
}

/** Resolves a JSON path of names to a schema. */
function resolvePath(jsonPath: string, schema: RawSchema): ResolvedPath | InvalidPath {
  const tokens = jsonPath.match(/[.[\]]|[^.[\]]+/g) ?? [];
  const names: string[] = [];
  let node = schema;
  for (let position = 0; position < tokens.length; position += 2) {
    const [token, name] = [tokens[position], tokens[position + 1]];
    if (token === '[') return { kind: 'invalid', problem: 'array notation is not allowed' };
    if (token !== '.') return { kind: 'invalid', problem: `expected [ or . but got: ${token ?? ''}` };
    if (name === undefined) return { kind: 'invalid', problem: 'unexpected end of JSON path' };
    const next =
      new Map(namedSchemasAt(node, 'properties')).get(name) ??
      (namedSchemasAt(node, 'properties').length === 0 ? schemaAt(node, 'additionalProperties') : undefined);
    if (next === undefined) return { kind: 'invalid', problem: 'does not refer to a valid field' };
    node = next;
    names.push(name);
  }
  return { kind: 'resolved', schema: node, names };
}

/** Only `None` is supported: this API server calls no conversion webhooks. */
export function checkConversion(conversion: JsonObject, path: string): FieldError[] {
  const strategy = textAt(conversion, 'strategy');
  const errors: FieldError[] = [];
  if (strategy === '') errors.push(required(child(path, 'strategy')));
  else if (strategy === 'Webhook') return [notSupported(child(path, 'strategy'), strategy, ['None'])];
  else if (strategy !== 'None') errors.push(notSupported(child(path, 'strategy'), strategy, ['None', 'Webhook']));
  const webhook = structAt(conversion, 'webhook');
  const detail = 'should not be set when strategy is not set to Webhook';
  if (fieldAt(webhook, 'clientConfig') !== undefined)
    errors.push(forbiddenField(child(path, 'webhookClientConfig'), detail));
  if (textsAt(webhook, 'conversionReviewVersions').length > 0)
    errors.push(forbiddenField(child(path, 'conversionReviewVersions'), detail));
  return errors;
}
