import { own, type JsonObject } from '@multicluster-engine/values/json';
import { listAt, structAt, textAt } from '@multicluster-engine/values/fields';
import {
  child,
  duplicate,
  index,
  invalidValue,
  notSupported,
  required,
} from '@multicluster-engine/values/schema/field';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { each, has } from '../../validation/checks.js';

const RESTARTS = ['Always', 'Never', 'OnFailure'];
const ACTIONS = ['Restart', 'RestartAllContainers'];
const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;

/** Validates restart rules of an init container. Without restartPolicy the rules themselves are not validated. */
export function checkInitRestart(container: JsonObject, path: string): readonly FieldError[] {
  if (typeof own(container, 'restartPolicy') === 'string') return checkRestart(container, path);
  return listAt(container, 'restartPolicyRules').length > 0
    ? [required(child(path, 'restartPolicy'), 'must specify restartPolicy when restart rules are used')]
    : [];
}

/** Validates restartPolicy and restartPolicyRules of a container. */
export function checkRestart(container: JsonObject, path: string): readonly FieldError[] {
  const rules = listAt(container, 'restartPolicyRules');
  const at = child(path, 'restartPolicy');
  const policy = own(container, 'restartPolicy');
  const errors: FieldError[] = [];
  if (typeof policy !== 'string') {
    if (rules.length > 0) errors.push(required(at, 'must specify restartPolicy when restart rules are used'));
  } else if (!RESTARTS.includes(policy)) {
    errors.push(notSupported(at, policy, RESTARTS));
  }
  const list = child(path, 'restartPolicyRules');
  if (rules.length > MAX_RULES)
    errors.push({
      reason: 'FieldValueTooMany',
      field: list,
      message: `Too many: ${rules.length}: must have at most ${MAX_RULES} items`,
    });
  return [...errors, ...rules.flatMap((rule, position) => checkRule(rule, index(list, position)))];
}

function checkRule(rule: JsonObject, path: string): readonly FieldError[] {
  const action = textAt(rule, 'action');
  const errors: FieldError[] = ACTIONS.includes(action) ? [] : [notSupported(child(path, 'action'), action, ACTIONS)];
  if (!has(rule, 'exitCodes')) return [...errors, required(child(path, 'exitCodes'), 'must be specified')];
  const codes = structAt(rule, 'exitCodes');
  const operator = textAt(codes, 'operator');
  if (!['In', 'NotIn'].includes(operator))
    errors.push(notSupported(child(path, 'exitCodes.operator'), operator, ['In', 'NotIn']));
  const values = own(codes, 'values');
  const count = Array.isArray(values) ? values.length : 0;
  return count > MAX_EXIT_CODES
    ? [
        ...errors,
        {
          reason: 'FieldValueTooMany',
          field: child(path, 'exitCodes.values'),
          message: `Too many: ${count}: must have at most ${MAX_EXIT_CODES} items`,
        },
      ]
    : errors;
}

/** Validates resizePolicy. Errors name the list. */
export function checkResize(container: JsonObject, spec: JsonObject, path: string): readonly FieldError[] {
  const list = child(path, 'resizePolicy');
  const seen = new Set<string>();
  return each(container, 'resizePolicy', path, (one, at) => {
    const [resource, policy] = [textAt(one, 'resourceName'), textAt(one, 'restartPolicy')];
    const errors: FieldError[] = seen.has(resource) ? [duplicate(at, resource)] : [];
    seen.add(resource);
    if (resource === '') errors.push(required(list));
    else if (!['cpu', 'memory'].includes(resource)) errors.push(notSupported(list, resource, ['cpu', 'memory']));
    if (policy === '') errors.push(required(list));
    else if (!['NotRequired', 'RestartContainer'].includes(policy))
      errors.push(notSupported(list, policy, ['NotRequired', 'RestartContainer']));
    if (textAt(spec, 'restartPolicy') === 'Never' && policy !== 'NotRequired')
      errors.push(invalidValue(list, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    return errors;
  });
}
