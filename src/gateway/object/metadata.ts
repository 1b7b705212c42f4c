import { isDataObject, shown, type Data, type DataObject } from './document.js';
import { Refusal, type FieldCause } from '../refusal.js';

/** What a value of `metadata` may be; null stands for "absent" everywhere, as at the API server. */
type Shape =
  | 'boolean'
  | 'integer'
  | 'object'
  | 'string'
  | 'time'
  | { readonly each: Shape }
  | { readonly every: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> };

/** ObjectMeta of Kubernetes. A field that does not stand here is left to the API server, which knows of newer ones. */
const OBJECT_META = {
  fields: {
    name: 'string',
    generateName: 'string',
    namespace: 'string',
    selfLink: 'string',
    uid: 'string',
    resourceVersion: 'string',
    generation: 'integer',
    creationTimestamp: 'time',
    deletionTimestamp: 'time',
    deletionGracePeriodSeconds: 'integer',
    labels: { every: 'string' },
    annotations: { every: 'string' },
    finalizers: { each: 'string' },
    ownerReferences: {
      each: {
        fields: {
          apiVersion: 'string',
          kind: 'string',
          name: 'string',
          uid: 'string',
          controller: 'boolean',
          blockOwnerDeletion: 'boolean',
        },
      },
    },
    managedFields: {
      each: {
        fields: {
          manager: 'string',
          operation: 'string',
          apiVersion: 'string',
          time: 'time',
          fieldsType: 'string',
          fieldsV1: 'object',
          subresource: 'string',
        },
      },
    },
  },
} as const satisfies Shape;

/** The paths of the fields of ObjectMeta. */
export const META_FIELDS: readonly string[] = Object.keys(OBJECT_META.fields).map((name) => `metadata.${name}`);

const WORDS = {
  boolean: 'must be true or false',
  integer: 'must be a whole number',
  object: 'must be an object',
  string: 'must be a string',
  time: 'must be a time such as 2026-01-31T12:00:00Z',
} as const;
const TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const PLAIN_KEY = /^[A-Za-z0-9_-]+$/;
const MAX_CAUSES = 32;
const MAX_FIELD = 256;

/**
 * Checks that everything in `metadata` is of the type that Kubernetes gives it: of what is not, the API server names
 * neither the field nor the value.
 * @throws Refusal `malformed` that names every field at fault (32 at most), its value and the rule
 */
export function checkMetadata(metadata: DataObject): void {
  const causes: FieldCause[] = [];
  for (const cause of faults(metadata, OBJECT_META, 'metadata')) if (causes.push(cause) >= MAX_CAUSES) break;
  if (causes.length === 0) return;
  throw new Refusal('malformed', {
    message: causes.map(({ field, message }) => `${field}: ${message}`).join('; '),
    causes,
  });
}

function* faults(value: Data | undefined, shape: Shape, field: string): Generator<FieldCause> {
  if (value === null || value === undefined) return;
  if (typeof shape === 'string') {
    if (!fits(value, shape)) yield fault(field, value, WORDS[shape]);
  } else if ('each' in shape) {
    if (!Array.isArray(value)) yield fault(field, value, 'must be a list');
    else for (const [index, item] of value.entries()) yield* faults(item, shape.each, `${field}[${index}]`);
  } else if (!isDataObject(value)) {
    yield fault(field, value, 'must be an object');
  } else {
    for (const [key, item] of Object.entries(value)) {
      const inner = 'every' in shape ? shape.every : Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
      if (inner !== undefined) yield* faults(item, inner, below(field, key));
    }
  }
}

function fits(value: Data, type: keyof typeof WORDS): boolean {
  if (type === 'object') return isDataObject(value);
  if (type === 'time') return typeof value === 'string' && isTime(value);
  return typeof value === (type === 'integer' ? 'number' : type);
}

/** RFC 3339, as Go reads it: `Date.parse` alone takes February 30 for March 2, and an hour 24. */
function isTime(text: string): boolean {
  const [, year, month, day, hour] = TIME.exec(text) ?? [];
  if (day === undefined || Number(hour) > 23 || Number.isNaN(Date.parse(text))) return false;
  return new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() === Number(day);
}

function fault(field: string, value: Data, rule: string): FieldCause {
  return { field: field.slice(0, MAX_FIELD), reason: 'FieldValueTypeInvalid', message: `${shown(value)}: ${rule}` };
}

function below(field: string, key: string): string {
  return PLAIN_KEY.test(key) ? `${field}.${key}` : `${field}[${key}]`;
}
