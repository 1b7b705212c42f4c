import { isArray, isObject, type Json, type JsonObject } from '../../json.js';
import type { FieldError } from '../fielderror.js';
import type { Schema } from '../schema.js';
import { fieldOf } from '../walk.js';
import { RFC3339, timeProblem } from '../../text.js';
import { formatValue } from '../../read/strict.js';

const TEXT: Schema = { type: 'string' };
const WHOLE: Schema = { type: 'integer' };
const YES_OR_NO: Schema = { type: 'boolean' };
const TIME: Schema = { type: 'string', format: 'date-time' };
const TEXTS: Schema = { type: 'object', additionalProperties: TEXT };

/**
 * ObjectMeta of Kubernetes. Null is accepted everywhere and means absent, as at the API server. A field that is not listed is left
 * to it: it may have newer ones.
 */
export const OBJECT_META = {
  type: 'object',
  properties: {
    name: TEXT,
    generateName: TEXT,
    namespace: TEXT,
    selfLink: TEXT,
    uid: TEXT,
    resourceVersion: TEXT,
    generation: WHOLE,
    creationTimestamp: TIME,
    deletionTimestamp: TIME,
    deletionGracePeriodSeconds: WHOLE,
    labels: TEXTS,
    annotations: TEXTS,
    finalizers: { type: 'array', items: TEXT },
    ownerReferences: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          apiVersion: TEXT,
          kind: TEXT,
          name: TEXT,
          uid: TEXT,
          controller: YES_OR_NO,
          blockOwnerDeletion: YES_OR_NO,
        },
      },
    },
    managedFields: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          manager: TEXT,
          operation: TEXT,
          apiVersion: TEXT,
          time: TIME,
          fieldsType: TEXT,
          fieldsV1: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          subresource: TEXT,
        },
      },
    },
  },
} as const satisfies Schema;

const TYPE_RULES = {
  boolean: 'must be true or false',
  integer: 'must be a whole number',
  number: 'must be a number',
  object: 'must be an object',
  array: 'must be a list',
  string: 'must be a string',
} as const;
/** A key that a path has after a dot; others are put in brackets. */
const PLAIN_KEY = /^[A-Za-z0-9_-]+$/;
const MAX_ERRORS = 32;
const MAX_FIELD_LENGTH = 256;

/**
 * What is wrong with the types of the fields in `metadata`: each wrong field (at most 32), its value and the rule. The API server
 * checks them too, but its error names neither the field nor the value.
 */
export function metadataErrors(metadata: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const error of typeErrors(metadata, OBJECT_META, 'metadata')) {
    errors.push(error);
    if (errors.length >= MAX_ERRORS) break;
  }
  return errors;
}

/** Lazily: the check of a large object ends at the last error that is reported. */
function* typeErrors(value: Json | undefined, schema: Schema, field: string): Generator<FieldError> {
  if (value === null || value === undefined) return;
  const rule = typeProblem(value, schema);
  if (rule !== undefined) {
    yield {
      field: field.slice(0, MAX_FIELD_LENGTH),
      reason: 'FieldValueTypeInvalid',
      message: `${formatValue(value)}: ${rule}`,
    };
  } else if (isArray(value)) {
    for (const [index, item] of value.entries()) yield* typeErrors(item, schema.items ?? {}, `${field}[${index}]`);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value))
      yield* typeErrors(item, fieldOf(schema, key) ?? {}, childPath(field, key));
  }
}

/** The rule that the type of a value breaks. */
function typeProblem(value: Json, { type, format }: Schema): string | undefined {
  if (format === 'date-time')
    return typeof value === 'string' && timeProblem(value, RFC3339) === undefined
      ? undefined
      : 'must be a time such as 2026-01-31T12:00:00Z';
  return type === undefined || hasType(value, type) ? undefined : TYPE_RULES[type];
}

function hasType(value: Json, type: keyof typeof TYPE_RULES): boolean {
  if (type === 'object') return isObject(value);
  if (type === 'array') return isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function childPath(field: string, key: string): string {
  return PLAIN_KEY.test(key) ? `${field}.${key}` : `${field}[${key}]`;
}
