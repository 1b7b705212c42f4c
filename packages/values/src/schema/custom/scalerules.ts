import { valueAt } from '../../fields.js';
import { isObject, own, type Json, type JsonObject } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { invalidValue } from '../field.js';
import type { FieldError } from '../fielderror.js';
import { goDefault, goType } from '../go/format.js';

/** The JSONPaths of the scale subresource, as the definition states them: `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** Empty where the definition has no labelSelectorPath. */
  readonly labelSelector: string;
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
export function accessorError(path: string, value: Json, wanted: string): string {
  return `${path} accessor error: ${goDefault(value)} is of the type ${goType(value)}, expected ${wanted}`;
}

/** The keys of such a path. */
export function keysOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}
