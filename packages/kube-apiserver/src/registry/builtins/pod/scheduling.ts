import type { JsonObject } from '@multicluster-engine/values/json';
import {
  child,
  duplicate,
  forbiddenField,
  index,
  invalidValue,
  notSupported,
  required,
} from '@multicluster-engine/values/schema/field';
import { dns1123Label, labelValue } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { each, has, invalidBecause, labelKey, positive, whenSet } from '../validation/checks.js';
import { listAt, numberAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import { checkSelector } from '../validation/labelselector.js';

export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const INCLUSIONS = ['Honor', 'Ignore'];
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

export function checkTolerations(spec: JsonObject, path: string): readonly FieldError[] {
  return each(spec, 'tolerations', path, (toleration, at) => {
    const [taint, operator, effect] = [
      textAt(toleration, 'key'),
      textAt(toleration, 'operator'),
      textAt(toleration, 'effect'),
    ];
    const errors: FieldError[] = taint === '' ? [] : [...labelKey(taint, child(at, 'key'))];
    if (taint === '' && operator !== 'Exists') {
      errors.push(
        invalidValue(
          child(at, 'operator'),
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    }
    if (has(toleration, 'tolerationSeconds') && effect !== 'NoExecute')
      errors.push(
        invalidValue(child(at, 'effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
      );
    errors.push(...operatorErrors(operator, textAt(toleration, 'value'), child(at, 'operator')));
    if (effect !== '' && !TAINT_EFFECTS.includes(effect))
      errors.push(notSupported(child(at, 'effect'), effect, TAINT_EFFECTS));
    return errors;
  });
}

function operatorErrors(operator: string, value: string, path: string): readonly FieldError[] {
  switch (operator) {
    case '':
    case 'Equal': {
      const problems = labelValue(value);
      return problems.length === 0 ? [] : [invalidValue(path, value, problems.join(';'))];
    }
    case 'Exists':
      return value === '' ? [] : [invalidValue(path, value, "value must be empty when `operator` is 'Exists'")];
    case 'Lt':
    case 'Gt':
      return [notSupported(path, operator, ['Equal', 'Exists', 'Lt', 'Gt'])];
    default:
      return [notSupported(path, operator, ['Equal', 'Exists'])];
  }
}

export function checkAffinity(affinity: JsonObject, path: string): readonly FieldError[] {
  return [
    ...whenSet(affinity, 'nodeAffinity', path, checkNodeAffinity),
    ...whenSet(affinity, 'podAffinity', path, checkPodAffinity),
    ...whenSet(affinity, 'podAntiAffinity', path, checkPodAffinity),
  ];
}

function checkNodeAffinity(affinity: JsonObject, path: string): readonly FieldError[] {
  const needed = whenSet(affinity, REQUIRED, path, (selector, at) => {
    if (listAt(selector, 'nodeSelectorTerms').length === 0)
      return [required(child(at, 'nodeSelectorTerms'), 'must have at least one node selector term')];
    return each(selector, 'nodeSelectorTerms', at, checkRequiredTerm);
  });
  const wanted = each(affinity, PREFERRED, path, (term, at) => [
    ...weightErrors(term, at),
    ...whenSet(term, 'preference', at, checkPreferredTerm),
  ]);
  return [...needed, ...wanted];
}

function checkPreferredTerm(term: JsonObject, path: string): readonly FieldError[] {
  return [
    ...each(term, 'matchExpressions', path, checkNodeRequirement),
    ...each(term, 'matchFields', path, checkFieldRequirement),
  ];
}

/** Of required terms the values have to be valid label values; of preferred terms kube-apiserver only warns. */
function checkRequiredTerm(term: JsonObject, path: string): readonly FieldError[] {
  return [
    ...each(term, 'matchExpressions', path, (one, at) => [
      ...checkNodeRequirement(one, at),
      ...textsAt(one, 'values').flatMap((value, position) =>
        invalidBecause(index(child(at, 'values'), position), value, labelValue(value)),
      ),
    ]),
    ...each(term, 'matchFields', path, checkFieldRequirement),
  ];
}

function checkNodeRequirement(one: JsonObject, path: string): readonly FieldError[] {
  const [name, operator, given] = [textAt(one, 'key'), textAt(one, 'operator'), textsAt(one, 'values')];
  const at = child(path, 'values');
  const errors: FieldError[] = [];
  if (['In', 'NotIn'].includes(operator)) {
    if (given.length === 0) errors.push(required(at, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (['Exists', 'DoesNotExist'].includes(operator)) {
    if (given.length > 0)
      errors.push(forbiddenField(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else if (['Gt', 'Lt'].includes(operator)) {
    if (given.length !== 1) errors.push(required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
  } else {
    errors.push(invalidValue(child(path, 'operator'), operator, 'not a valid selector operator'));
  }
  return [...errors, ...labelKey(name, child(path, 'key'))];
}

function checkFieldRequirement(one: JsonObject, path: string): readonly FieldError[] {
  const [name, operator, given] = [textAt(one, 'key'), textAt(one, 'operator'), textsAt(one, 'values')];
  const errors: FieldError[] = [];
  if (!['In', 'NotIn'].includes(operator))
    errors.push(invalidValue(child(path, 'operator'), operator, 'not a valid selector operator'));
  else if (given.length !== 1)
    errors.push(
      required(
        child(path, 'values'),
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      ),
    );
  return name === 'metadata.name'
    ? errors
    : [...errors, invalidValue(child(path, 'key'), name, 'not a valid field selector key')];
}

function checkPodAffinity(affinity: JsonObject, path: string): readonly FieldError[] {
  return [
    ...each(affinity, REQUIRED, path, checkPodTerm),
    ...each(affinity, PREFERRED, path, (term, at) => [
      ...weightErrors(term, at),
      ...whenSet(term, 'podAffinityTerm', at, checkPodTerm),
    ]),
  ];
}

function weightErrors(term: JsonObject, path: string): readonly FieldError[] {
  const weight = numberAt(term, 'weight');
  return weight >= 1 && weight <= 100
    ? []
    : [invalidValue(child(path, 'weight'), weight, 'must be in the range 1-100')];
}

function checkPodTerm(term: JsonObject, path: string): readonly FieldError[] {
  const topology = textAt(term, 'topologyKey');
  return [
    ...whenSet(term, 'labelSelector', path, checkSelector),
    ...whenSet(term, 'namespaceSelector', path, checkSelector),
    ...textsAt(term, 'namespaces').flatMap((name) =>
      invalidBecause(child(path, 'namespace'), name, dns1123Label(name)),
    ),
    ...(topology === '' ? [required(child(path, 'topologyKey'), 'can not be empty')] : []),
    ...labelKey(topology, child(path, 'topologyKey')),
    ...keyErrors(term, path),
  ];
}

/** Validates matchLabelKeys and mismatchLabelKeys, which refer to labels of the Pod itself. */
function keyErrors(term: JsonObject, path: string): readonly FieldError[] {
  const [wanted, unwanted] = [textsAt(term, 'matchLabelKeys'), textsAt(term, 'mismatchLabelKeys')];
  const errors: FieldError[] = [...eachKey(term, 'matchLabelKeys', path), ...eachKey(term, 'mismatchLabelKeys', path)];
  const others = new Set(unwanted);
  for (const [at, name] of wanted.entries()) {
    if (others.has(name))
      errors.push(
        invalidValue(
          index(child(path, 'matchLabelKeys'), at),
          name,
          'exists in both matchLabelKeys and mismatchLabelKeys',
        ),
      );
  }
  return errors;
}

function eachKey(term: JsonObject, field: string, path: string): readonly FieldError[] {
  const keys = textsAt(term, field);
  if (keys.length === 0) return [];
  if (!has(term, 'labelSelector'))
    return [forbiddenField(child(path, field), 'must not be specified when labelSelector is not set')];
  return keys.flatMap((name, at) => labelKey(name, index(child(path, field), at)));
}

export function checkSpread(spec: JsonObject, path: string): readonly FieldError[] {
  const all = listAt(spec, 'topologySpreadConstraints');
  const last = new Map(all.map((constraint, position) => [pairOf(constraint), position] as const));
  return all.flatMap((constraint, position) => {
    const at = index(child(path, 'topologySpreadConstraints'), position);
    const [topology, action] = [textAt(constraint, 'topologyKey'), textAt(constraint, 'whenUnsatisfiable')];
    const errors: FieldError[] = [...positive(numberAt(constraint, 'maxSkew'), child(at, 'maxSkew'))];
    if (topology === '') errors.push(required(child(at, 'topologyKey'), 'can not be empty'));
    if (!ACTIONS.includes(action)) errors.push(notSupported(child(at, 'whenUnsatisfiable'), action, ACTIONS));
    if (last.get(pairOf(constraint)) !== position)
      errors.push(duplicate(child(at, '{topologyKey, whenUnsatisfiable}'), pairOf(constraint)));
    return [
      ...errors,
      ...domainErrors(constraint, action, at),
      ...whenSet(constraint, 'labelSelector', at, checkSelector),
      ...eachKey(constraint, 'matchLabelKeys', at),
    ];
  });
}

/** The key by which constraints have to be unique. */
function pairOf(constraint: JsonObject): string {
  return `{${textAt(constraint, 'topologyKey')}, ${textAt(constraint, 'whenUnsatisfiable')}}`;
}

function domainErrors(constraint: JsonObject, action: string, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (has(constraint, 'minDomains')) {
    const domains = numberAt(constraint, 'minDomains');
    errors.push(...positive(domains, child(path, 'minDomains')));
    if (action !== 'DoNotSchedule')
      errors.push(
        invalidValue(
          child(path, 'minDomains'),
          domains,
          `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`,
        ),
      );
  }
  for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
    const policy = textAt(constraint, field);
    if (has(constraint, field) && !INCLUSIONS.includes(policy))
      errors.push(notSupported(child(path, field), policy, INCLUSIONS));
  }
  return errors;
}
