import type { JsonObject } from '@multicluster-engine/values/json';
import {
  child,
  duplicate,
  index,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '@multicluster-engine/values/schema/field';
import { byteLength } from '@multicluster-engine/values/text';
import { regexText } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { labelKey } from './checks.js';
import { listAt, numberAt, textAt } from '@multicluster-engine/values/fields';

const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const REASON_TEXT =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";
const MAX_REASON = 1024;
const MAX_MESSAGE = 32768;

/** Validates the list `conditions` of a status, of type metav1.Condition. */
export function checkConditions(status: JsonObject, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  const at = child(path, 'conditions');
  return listAt(status, 'conditions').flatMap((condition, position) => {
    const type = textAt(condition, 'type');
    const repeated = seen.has(type) ? [duplicate(child(index(at, position), 'type'), type)] : [];
    seen.add(type);
    return [...repeated, ...checkCondition(condition, index(at, position))];
  });
}

function checkCondition(condition: JsonObject, path: string): readonly FieldError[] {
  const status = textAt(condition, 'status');
  const generation = numberAt(condition, 'observedGeneration');
  const errors: FieldError[] = [...labelKey(textAt(condition, 'type'), child(path, 'type'))];
  if (!['False', 'True', 'Unknown'].includes(status))
    errors.push(notSupported(child(path, 'status'), status, ['False', 'True', 'Unknown']));
  if (generation < 0)
    errors.push(invalidValue(child(path, 'observedGeneration'), generation, 'must be greater than or equal to zero'));
  if (textAt(condition, 'lastTransitionTime') === '') errors.push(required(child(path, 'lastTransitionTime')));
  errors.push(...reasonErrors(textAt(condition, 'reason'), child(path, 'reason')));
  if (byteLength(textAt(condition, 'message')) > MAX_MESSAGE) errors.push(tooLong(child(path, 'message'), MAX_MESSAGE));
  return errors;
}

function reasonErrors(reason: string, path: string): readonly FieldError[] {
  if (reason === '') return [required(path)];
  const valid = /^[A-Za-z0-9_,:]+$/.test(reason) && /^[A-Za-z]/.test(reason) && /[A-Za-z0-9_]$/.test(reason);
  const examples = ['my_name', 'MY_NAME', 'MyName', 'ReasonA,ReasonB', 'ReasonA:ReasonB'];
  const wrong = valid ? [] : [invalidValue(path, reason, regexText(REASON_TEXT, REASON, ...examples))];
  return byteLength(reason) > MAX_REASON ? [...wrong, tooLong(path, MAX_REASON)] : wrong;
}
