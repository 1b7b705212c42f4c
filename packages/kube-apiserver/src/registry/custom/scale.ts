import { goDefault, goType } from '../../schema/go/format.js';
import { isObject, own, withKey } from '../../json.js';
import type { Json, JsonObject } from '../../json.js';
import type { KubeObject } from '../../object.js';
import type { Subresource } from '../../resource.js';
import { invalidValue } from '../../schema/field.js';
import { StatusError, badRequest } from '../../status.js';
import type { FieldError } from '../../status.js';
import { numberAt, structAt, valueAt } from '../../fields.js';
import { SCALE, SCALE_SCHEMA, scaleColumns, scaleObject } from '../builtins/apps/scale.js';

/** The JSONPaths of the scale subresource, as the definition states them: `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** Empty where the definition has no labelSelectorPath. */
  readonly labelSelector: string;
}

/** Represents a missing number of replicas; the smallest int32, as in kube-apiserver. */
const ABSENT = -2_147_483_648;

/** The scale of a custom resource: the kind Scale of autoscaling/v1 over the object's own fields. */
export function customScale(paths: ScalePaths): Subresource {
  const field = keysOf(paths.specReplicas);
  return {
    ...SCALE,
    view: {
      schema: SCALE_SCHEMA,
      replicas: field,
      read: (object) => scaleOf(object, paths, 0),
      draft: (object) => scaleOf(object, paths, ABSENT),
      get(object) {
        if (integerAt(object, field) === undefined)
          throw internal(`the spec replicas field ${JSON.stringify(paths.specReplicas)} does not exist`);
        return scaleOf(object, paths, 0);
      },
      write(object, scale) {
        const replicas = numberAt(structAt(scale, 'spec'), 'replicas');
        if (replicas === ABSENT)
          throw badRequest(`the spec replicas field ${JSON.stringify(paths.specReplicas)} cannot be empty`);
        return { ...object, ...withValue(object, field, replicas) };
      },
      // The fields of the custom resource itself are validated, by checkScale.
      validate: () => [],
      columns: scaleColumns('Number of desired replicas', 'Number of actual replicas'),
    },
  };
}

/** Validates the fields that the scale reads; for a write to the status subresource only those of the status. */
export function checkScale(
  paths: ScalePaths | undefined,
  object: KubeObject,
  subresource: string | undefined,
): FieldError[] {
  if (paths === undefined) return [];
  const numbers = subresource === 'status' ? [paths.statusReplicas] : [paths.specReplicas, paths.statusReplicas];
  const errors = numbers.flatMap(
    (path) => pathErrors(object, path, 0) ?? checkNumber(path, valueAt(object, keysOf(path))),
  );
  if (paths.labelSelector === '') return errors;
  const blocked = pathErrors(object, paths.labelSelector, '');
  if (blocked !== undefined) return [...errors, ...blocked];
  const selector = valueAt(object, keysOf(paths.labelSelector));
  if (selector === undefined || typeof selector === 'string') return errors;
  return [...errors, invalidValue(paths.labelSelector, '', accessorError(paths.labelSelector, selector, 'string'))];
}

/** Errors of a path that leads through a value that is neither an object nor null; undefined where there is none. */
function pathErrors(object: JsonObject, path: string, zero: Json): FieldError[] | undefined {
  const keys = keysOf(path);
  let value: Json | undefined = object;
  for (const [at, key] of keys.entries()) {
    if (value === undefined || value === null) return undefined;
    if (!isObject(value))
      return [
        invalidValue(path, zero, accessorError(`.${keys.slice(0, at + 1).join('.')}`, value, 'map[string]interface{}')),
      ];
    value = own(value, key);
  }
  return undefined;
}

const INT32_MAX = 2_147_483_647;

function checkNumber(path: string, value: Json | undefined): FieldError[] {
  if (value === undefined) return [];
  if (typeof value !== 'number' || !Number.isInteger(value))
    return [invalidValue(path, 0, accessorError(path, value, 'int64'))];
  if (value < 0) return [invalidValue(path, value, 'should be a non-negative integer')];
  return value > INT32_MAX ? [invalidValue(path, value, `should be less than or equal to ${INT32_MAX}`)] : [];
}

/** The error of Go's accessors of unstructured objects for a value of another type. */
function accessorError(path: string, value: Json, wanted: string): string {
  return `${path} accessor error: ${goDefault(value)} is of the type ${goType(value)}, expected ${wanted}`;
}

function scaleOf(object: KubeObject, paths: ScalePaths, absent: number): KubeObject {
  const selector = paths.labelSelector === '' ? undefined : valueAt(object, keysOf(paths.labelSelector));
  return scaleObject(object, {
    desired: integerAt(object, keysOf(paths.specReplicas)) ?? absent,
    available: integerAt(object, keysOf(paths.statusReplicas)) ?? 0,
    selector: typeof selector === 'string' ? selector : '',
  });
}

function keysOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}

/**
 * An integer of the object; undefined where the field is missing or null.
 * @throws StatusError 500 for another value
 */
function integerAt(object: JsonObject, keys: readonly string[]): number | undefined {
  const value = valueAt(object, keys);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw new StatusError(500, accessorError(`.${keys.join('.')}`, value, 'int64'));
}

function withValue(object: JsonObject, [key = '', ...rest]: readonly string[], value: Json): JsonObject {
  if (rest.length === 0) return withKey(object, key, value);
  const inner = own(object, key);
  return withKey(object, key, withValue(isObject(inner) ? inner : {}, rest, value));
}

function internal(why: string): StatusError {
  return new StatusError(500, `Internal error occurred: ${why}`, {
    reason: 'InternalError',
    details: { causes: [{ message: why }] },
  });
}
