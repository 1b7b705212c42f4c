import type { JsonObject } from '@multicluster-engine/values/json';
import { child, forbiddenField, index, invalidValue, required } from '@multicluster-engine/values/schema/field';
import { labelValue } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { each, invalidBecause, labelKey, labelMap } from './checks.js';
import { listAt, structAt, textAt, textEntries, textsAt } from '@multicluster-engine/values/fields';

/** Validates a label selector. */
export function checkSelector(selector: JsonObject, path: string): readonly FieldError[] {
  return [
    ...labelMap(structAt(selector, 'matchLabels'), child(path, 'matchLabels')),
    ...each(selector, 'matchExpressions', path, checkRequirement),
  ];
}

export function checkRequirement(requirement: JsonObject, path: string): readonly FieldError[] {
  const values = textsAt(requirement, 'values');
  const key = textAt(requirement, 'key');
  return [
    ...operatorErrors(textAt(requirement, 'operator'), values, path),
    ...labelKey(key, child(path, 'key')),
    ...values.flatMap((value, at) => invalidBecause(index(child(path, 'values'), at), value, labelValue(value))),
  ];
}

function operatorErrors(operator: string, values: readonly string[], path: string): readonly FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? []
        : [required(child(path, 'values'), "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [forbiddenField(child(path, 'values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalidValue(child(path, 'operator'), operator, 'not a valid selector operator')];
  }
}

/** Whether a selector is valid. */
export function isUsableSelector(selector: JsonObject): boolean {
  return checkSelector(selector, '').length === 0;
}

/** Whether labels match a selector that {@link checkSelector} accepts; an empty selector matches all labels. */
export function matchesSelector(selector: JsonObject, labels: JsonObject): boolean {
  return (
    textEntries(structAt(selector, 'matchLabels')).every(
      ([key, value]) => Object.hasOwn(labels, key) && textAt(labels, key) === value,
    ) && listAt(selector, 'matchExpressions').every((one) => matchesRequirement(one, labels))
  );
}

function matchesRequirement(requirement: JsonObject, labels: JsonObject): boolean {
  const key = textAt(requirement, 'key');
  const exists = Object.hasOwn(labels, key);
  const listed = exists && textsAt(requirement, 'values').includes(textAt(labels, key));
  switch (textAt(requirement, 'operator')) {
    case 'In':
      return listed;
    case 'NotIn':
      return !listed;
    case 'Exists':
      return exists;
    case 'DoesNotExist':
      return !exists;
    default:
      return false;
  }
}
