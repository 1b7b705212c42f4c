import { equal, isArray, isObject, own, type Json, type JsonObject } from '@multicluster-engine/values/json';
import { child, index, invalidValue } from '@multicluster-engine/values/schema/field';
import { byteLength } from '@multicluster-engine/values/text';
import { labelValue, qualifiedName, regexText } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';

/* Validation rules that several kinds share. Messages are those of kube-apiserver. */

export function nonNegative(value: Json | undefined, path: string): readonly FieldError[] {
  return typeof value === 'number' && value < 0
    ? [invalidValue(path, value, 'must be greater than or equal to 0')]
    : [];
}

/** @param zero the word for zero in the message, which differs between kinds */
export function positive(value: Json | undefined, path: string, zero = 'zero'): readonly FieldError[] {
  return typeof value === 'number' && value <= 0 ? [invalidValue(path, value, `must be greater than ${zero}`)] : [];
}

export function portNumber(value: Json | undefined, path: string): readonly FieldError[] {
  return typeof value === 'number' && value >= 1 && value <= 65535
    ? []
    : [invalidValue(path, value ?? 0, 'must be between 1 and 65535, inclusive')];
}

/** The problems of a port name, in the order of kube-apiserver. */
export function portNameProblems(name: string): readonly string[] {
  const wrong: string[] = [];
  if (byteLength(name) > 15) wrong.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name)) wrong.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) wrong.push('must contain at least one letter (a-z)');
  if (name.includes('--')) wrong.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) wrong.push('must not begin or end with a hyphen');
  return wrong;
}

export function invalidBecause(
  path: string,
  value: Json | undefined,
  problems: readonly string[],
): readonly FieldError[] {
  return problems.map((problem) => invalidValue(path, value, problem));
}

export function immutable(next: Json | undefined, old: Json | undefined, path: string): readonly FieldError[] {
  return equal(next ?? null, old ?? null) ? [] : [invalidValue(path, next, 'field is immutable')];
}

const PERCENT = /^[0-9]+%$/;

/** A count or a percentage: `5`, `25%`. */
export function intOrPercent(value: Json | undefined, path: string): readonly FieldError[] {
  if (typeof value !== 'string') return nonNegative(value, path);
  if (PERCENT.test(value)) return [];
  return [
    invalidValue(
      path,
      value,
      regexText("a valid percent string must be a numeric string followed by an ending '%'", '[0-9]+%', '1%', '93%'),
    ),
  ];
}

/** The number of a percentage; undefined for another value. */
export function percentOf(value: Json | undefined): number | undefined {
  return typeof value === 'string' && PERCENT.test(value) ? Number(value.slice(0, -1)) : undefined;
}

export function atMost100Percent(value: Json | undefined, path: string): readonly FieldError[] {
  return (percentOf(value) ?? 0) > 100 ? [invalidValue(path, value, 'must not be greater than 100%')] : [];
}

export function labelKey(key: string, path: string): readonly FieldError[] {
  return invalidBecause(path, key, qualifiedName(key));
}

/** Validates a map of labels. Errors name the map, not the key. */
export function labelMap(labels: JsonObject, path: string): readonly FieldError[] {
  return Object.keys(labels).flatMap((key) => {
    const value = own(labels, key);
    return [...labelKey(key, path), ...invalidBecause(path, value, typeof value === 'string' ? labelValue(value) : [])];
  });
}

/** Validates every struct of a list. */
export function each(
  value: JsonObject,
  name: string,
  path: string,
  check: (item: JsonObject, path: string) => readonly FieldError[],
): readonly FieldError[] {
  const list = own(value, name);
  const at = child(path, name);
  return isArray(list)
    ? list.flatMap((item, position) => (isObject(item) ? check(item, index(at, position)) : []))
    : [];
}

/** Validates every text of a list. */
export function eachText(
  value: JsonObject,
  name: string,
  path: string,
  check: (text: string, path: string) => readonly FieldError[],
): readonly FieldError[] {
  const list = own(value, name);
  const at = child(path, name);
  return isArray(list)
    ? list.flatMap((item, position) => (typeof item === 'string' ? check(item, index(at, position)) : []))
    : [];
}

/** Validates a struct where it is set. */
export function whenSet(
  value: JsonObject,
  name: string,
  path: string,
  check: (struct: JsonObject, path: string) => readonly FieldError[],
): readonly FieldError[] {
  const struct = own(value, name);
  return isObject(struct) ? check(struct, child(path, name)) : [];
}

/** Whether a field is set. */
export function has(value: JsonObject, name: string): boolean {
  const found = own(value, name);
  return found !== undefined && found !== null;
}
