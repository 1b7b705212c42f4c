import { listAt, optionalStructAt, textsAt } from '@multicluster-engine/values/fields';
import { own, type JsonObject } from '@multicluster-engine/values/json';
import { checkSelector } from '../../registry/builtins/validation/labelselector.js';
import {
  child,
  duplicate,
  index,
  invalidValue,
  notSupported,
  required,
} from '@multicluster-engine/values/schema/field';
import { pathSegment } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';

/**
 * Validates matchConstraints of a policy and matchResources of a binding; texts and order are those of kube-apiserver.
 */
export function checkMatchResources(criteria: JsonObject, path: string): FieldError[] {
  return [
    ...oneOf(criteria, 'matchPolicy', ['Equivalent', 'Exact'], path),
    ...selector(criteria, 'namespaceSelector', path),
    ...selector(criteria, 'objectSelector', path),
    ...rules(criteria, 'resourceRules', path),
    ...rules(criteria, 'excludeResourceRules', path),
  ];
}

/** Checks an enumerated value. */
export function oneOf(object: JsonObject, field: string, supported: readonly string[], path: string): FieldError[] {
  const value = own(object, field);
  if (value === undefined || value === null) return [required(child(path, field))];
  return typeof value === 'string' && supported.includes(value)
    ? []
    : [notSupported(child(path, field), value, supported)];
}

function selector(criteria: JsonObject, field: string, path: string): readonly FieldError[] {
  const found = optionalStructAt(criteria, field);
  return found === undefined ? [required(child(path, field))] : checkSelector(found, child(path, field));
}

function rules(criteria: JsonObject, field: string, path: string): FieldError[] {
  return listAt(criteria, field).flatMap((rule, at) => checkRule(rule, index(child(path, field), at)));
}

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

function checkRule(rule: JsonObject, path: string): FieldError[] {
  const scope = own(rule, 'scope');
  return [
    ...resourceNames(textsAt(rule, 'resourceNames'), child(path, 'resourceNames')),
    ...operations(textsAt(rule, 'operations'), child(path, 'operations')),
    ...wildcards(textsAt(rule, 'apiGroups'), child(path, 'apiGroups'), 'API groups'),
    ...wildcards(textsAt(rule, 'apiVersions'), child(path, 'apiVersions'), 'API versions'),
    ...empties(textsAt(rule, 'apiVersions'), child(path, 'apiVersions')),
    ...resources(textsAt(rule, 'resources'), child(path, 'resources')),
    ...(scope === undefined ? [] : oneOf(rule, 'scope', ['*', 'Cluster', 'Namespaced'], path)),
  ];
}

function resourceNames(names: readonly string[], path: string): FieldError[] {
  return names.flatMap((name, at) => [
    ...pathSegment(name).map((problem) => invalidValue(index(path, at), name, problem)),
    ...(names.indexOf(name) < at ? [duplicate(index(path, at), name)] : []),
  ]);
}

function operations(values: readonly string[], path: string): FieldError[] {
  const unknown = values.flatMap((value, at) =>
    OPERATIONS.includes(value) ? [] : [notSupported(index(path, at), value, OPERATIONS)],
  );
  return [...wildcards(values, path, 'operations'), ...unknown];
}

function wildcards(values: readonly string[], path: string, what: string): FieldError[] {
  if (values.length === 0) return [required(path)];
  return values.length > 1 && values.includes('*')
    ? [invalidValue(path, values, `if '*' is present, must not specify other ${what}`)]
    : [];
}

function empties(values: readonly string[], path: string): FieldError[] {
  return values.flatMap((value, at) => (value === '' ? [required(index(path, at))] : []));
}

function resources(values: readonly string[], path: string): FieldError[] {
  if (values.length === 0) return [required(path)];
  const errors = values.flatMap((value, at) =>
    value === '' ? [required(index(path, at))] : overlaps(values.slice(0, at), value, index(path, at)),
  );
  const plain = values.filter((value) => value !== '' && !value.includes('/'));
  if (values.length > 1 && values.includes('*/*'))
    errors.push(invalidValue(path, values, "if '*/*' is present, must not specify other resources"));
  // As in kube-apiserver, the last resource without a subresource decides.
  if (values.includes('*') && plain.at(-1) !== '*')
    errors.push(invalidValue(path, values, "if '*' is present, must not specify other resources without subresources"));
  return errors;
}

/** Errors of a subresource that an earlier wildcard covers. */
function overlaps(before: readonly string[], value: string, path: string): FieldError[] {
  const [resource, sub] = splitOnce(value);
  if (sub === undefined) return [];
  const earlier = before.map(splitOnce).filter(([, other]) => other !== undefined);
  const errors: FieldError[] = [];
  if (earlier.some(([other, all]) => all === '*' && other === resource))
    errors.push(invalidValue(path, value, `if '${resource}/*' is present, must not specify ${value}`));
  if (earlier.some(([all, other]) => all === '*' && other === sub))
    errors.push(invalidValue(path, value, `if '*/${sub}' is present, must not specify ${value}`));
  return errors;
}

function splitOnce(text: string): readonly [string, string | undefined] {
  const slash = text.indexOf('/');
  return slash < 0 ? [text, undefined] : [text.slice(0, slash), text.slice(slash + 1)];
}
