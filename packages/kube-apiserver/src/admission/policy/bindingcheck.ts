import { optionalStructAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { checkSelector } from '../../registry/builtins/validation/labelselector.js';
import {
  child,
  duplicate,
  forbiddenField,
  index,
  invalidValue,
  notSupported,
  required,
} from '@multicluster-engine/values/schema/field';
import { dns1123Subdomain, pathSegment } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { checkMatchResources, oneOf } from './matchcheck.js';

/** Validates a ValidatingAdmissionPolicyBinding without its metadata. */
export function validateBinding(binding: KubeObject): readonly FieldError[] {
  const spec = optionalStructAt(binding, 'spec') ?? {};
  const name = textAt(spec, 'policyName');
  const reference = optionalStructAt(spec, 'paramRef');
  const resources = optionalStructAt(spec, 'matchResources');
  return [
    ...(name === ''
      ? [required('spec.policyName')]
      : dns1123Subdomain(name).map((problem) => invalidValue('spec.policyName', name, problem))),
    ...(reference === undefined ? [] : checkParamRef(reference, 'spec.paramRef')),
    ...(resources === undefined ? [] : checkMatchResources(resources, 'spec.matchResources')),
    ...checkActions(textsAt(spec, 'validationActions'), 'spec.validationActions'),
  ];
}

const ACTIONS = ['Audit', 'Deny', 'Warn'];

function checkActions(actions: readonly string[], path: string): FieldError[] {
  const errors = actions.flatMap((action, at) => [
    ...(ACTIONS.includes(action) ? [] : [notSupported(index(path, at), action, ACTIONS)]),
    ...(actions.indexOf(action) < at ? [duplicate(index(path, at), action)] : []),
  ]);
  if (actions.includes('Deny') && actions.includes('Warn')) {
    errors.push(
      invalidValue(
        path,
        [...actions],
        'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ),
    );
  }
  return actions.length === 0 ? [...errors, required(path, 'at least one validation action is required')] : errors;
}

function checkParamRef(reference: JsonObject, path: string): FieldError[] {
  const name = textAt(reference, 'name');
  const selector = optionalStructAt(reference, 'selector');
  const both = name !== '' && selector !== undefined;
  const exclusive = 'name and selector are mutually exclusive';
  return [
    ...pathSegment(name).map((problem) => invalidValue(child(path, 'name'), name, problem)),
    ...(both ? [forbiddenField(child(path, 'name'), exclusive)] : []),
    ...(selector === undefined ? [] : checkSelector(selector, child(path, 'selector'))),
    ...(both ? [forbiddenField(child(path, 'selector'), exclusive)] : []),
    ...(name === '' && selector === undefined ? [required(path, 'one of name or selector must be specified')] : []),
    ...(textAt(reference, 'parameterNotFoundAction') === ''
      ? [required(child(path, 'parameterNotFoundAction'))]
      : oneOf(reference, 'parameterNotFoundAction', ['Deny', 'Allow'], path)),
  ];
}
