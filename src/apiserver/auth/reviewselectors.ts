import { isArray, isObject, own, type Json, type JsonObject } from '../json.js';
import { listAt, textAt, textsAt } from '../registry/builtins/fields.js';
import { checkRequirement } from '../registry/builtins/selectorcheck.js';
import { child, forbiddenField, index, invalidValue, required } from '../schema/field.js';
import type { FieldError } from '../status.js';

/** Checks the selectors that a review is asked about; operators that are not known are let pass, for newer clients may know them. */
export function checkSelectors(attributes: JsonObject, path: string): readonly FieldError[] {
  return [
    ...checkAttributes(own(attributes, 'fieldSelector'), child(path, 'fieldSelector'), checkFieldRequirement),
    ...checkAttributes(own(attributes, 'labelSelector'), child(path, 'labelSelector'), (requirement, at) => {
      const unknown = child(at, 'operator');
      return checkRequirement(requirement, at).filter(({ field }) => field !== unknown);
    }),
  ];
}

type Check = (requirement: JsonObject, path: string) => readonly FieldError[];

function checkAttributes(selector: Json | undefined, path: string, check: Check): readonly FieldError[] {
  if (!isObject(selector)) return [];
  const raw = textAt(selector, 'rawSelector');
  const requirements = listAt(selector, 'requirements');
  const errors: FieldError[] = [];
  if (raw !== '' && requirements.length > 0) errors.push(invalidValue(child(path, 'rawSelector'), raw, 'may not specified at the same time as requirements'));
  if (raw === '' && requirements.length === 0) errors.push(required(child(path, 'requirements'), `when ${path} is specified, requirements or rawSelector is required`));
  return [...errors, ...requirements.flatMap((requirement, at) => check(requirement, index(child(path, 'requirements'), at)))];
}

function checkFieldRequirement(requirement: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = textAt(requirement, 'key') === '' ? [required(child(path, 'key'), 'must be specified')] : [];
  const operator = textAt(requirement, 'operator');
  const given = isArray(own(requirement, 'values')) && textsAt(requirement, 'values').length > 0;
  const at = child(path, 'values');
  if (['In', 'NotIn'].includes(operator) && !given) errors.push(required(at, "must be specified when `operator` is 'In' or 'NotIn'"));
  if (['Exists', 'DoesNotExist'].includes(operator) && given) errors.push(forbiddenField(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  return errors;
}
