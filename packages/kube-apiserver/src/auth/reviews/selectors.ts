import { isArray, isObject, own, type Json, type JsonObject } from '@multicluster-engine/values/json';
import { listAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import { checkRequirement } from '../../registry/builtins/validation/labelselector.js';
import { child, forbiddenField, index, invalidValue, required } from '@multicluster-engine/values/schema/field';
import { StatusError } from '../../status.js';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { parseFields } from '../../selectors/fields.js';
import { parseLabelSelector } from '../../selectors/labels.js';

/** Validates the selectors of a review; unknown operators pass, because newer clients may use them. */
export function checkSelectors(attributes: JsonObject, path: string): readonly FieldError[] {
  return [
    ...checkAttributes(own(attributes, 'fieldSelector'), child(path, 'fieldSelector'), checkFieldRequirement),
    ...checkAttributes(own(attributes, 'labelSelector'), child(path, 'labelSelector'), (requirement, at) => {
      const unknown = child(at, 'operator');
      return checkRequirement(requirement, at).filter(({ field }) => field !== unknown);
    }),
  ];
}

/** Errors of selectors that cannot be parsed, and are ignored. */
export function selectorErrors(attributes: JsonObject): readonly string[] {
  return [
    ...parseErrors(own(attributes, 'fieldSelector'), 'fieldSelector', { parse: parseFields, isKnown: isKnownField }),
    ...parseErrors(own(attributes, 'labelSelector'), 'labelSelector', {
      parse: parseLabelSelector,
      isKnown: (one) => checkRequirement(one, '').length === 0,
    }),
  ];
}

interface ParsedSelector {
  readonly parse: (raw: string) => unknown;
  readonly isKnown: (requirement: JsonObject) => boolean;
}

function parseErrors(selector: Json | undefined, name: string, { parse, isKnown }: ParsedSelector): readonly string[] {
  if (!isObject(selector)) return [];
  const requirements = listAt(selector, 'requirements');
  const known = requirements.filter(isKnown).length;
  if (requirements.length === 0 ? isParsed(parse, textAt(selector, 'rawSelector')) : known === requirements.length)
    return [];
  return [`spec.resourceAttributes.${name} ${known > 0 ? 'partially ' : ''}ignored due to parse error`];
}

function isParsed(parse: (raw: string) => unknown, raw: string): boolean {
  try {
    parse(raw);
    return true;
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}

function isKnownField(requirement: JsonObject): boolean {
  return ['In', 'NotIn'].includes(textAt(requirement, 'operator')) && textsAt(requirement, 'values').length === 1;
}

type Check = (requirement: JsonObject, path: string) => readonly FieldError[];

function checkAttributes(selector: Json | undefined, path: string, check: Check): readonly FieldError[] {
  if (!isObject(selector)) return [];
  const raw = textAt(selector, 'rawSelector');
  const requirements = listAt(selector, 'requirements');
  const errors: FieldError[] = [];
  if (raw !== '' && requirements.length > 0)
    errors.push(invalidValue(child(path, 'rawSelector'), raw, 'may not specified at the same time as requirements'));
  if (raw === '' && requirements.length === 0)
    errors.push(
      required(child(path, 'requirements'), `when ${path} is specified, requirements or rawSelector is required`),
    );
  return [
    ...errors,
    ...requirements.flatMap((requirement, at) => check(requirement, index(child(path, 'requirements'), at))),
  ];
}

function checkFieldRequirement(requirement: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] =
    textAt(requirement, 'key') === '' ? [required(child(path, 'key'), 'must be specified')] : [];
  const operator = textAt(requirement, 'operator');
  const given = isArray(own(requirement, 'values')) && textsAt(requirement, 'values').length > 0;
  const at = child(path, 'values');
  if (['In', 'NotIn'].includes(operator) && !given)
    errors.push(required(at, "must be specified when `operator` is 'In' or 'NotIn'"));
  if (['Exists', 'DoesNotExist'].includes(operator) && given)
    errors.push(forbiddenField(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  return errors;
}
