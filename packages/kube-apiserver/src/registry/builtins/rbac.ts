import { equal, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import {
  CHANGED_METADATA,
  child,
  index,
  invalidRaw,
  invalidValue,
  notSupported,
  required,
} from '@multicluster-engine/values/schema/field';
import { goJson } from '@multicluster-engine/values/text';
import { dns1123Subdomain, pathSegment } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { each, has, invalidBecause } from './validation/checks.js';
import { fillZero, structsIn, ensureStruct, textOf, type Draft } from './draft.js';
import { listAt, structAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import type { Kind } from './kind.js';
import { checkSelector, isUsableSelector } from './validation/labelselector.js';

const GROUP = 'rbac.authorization.k8s.io';
const DEFINITION = 'io.k8s.api.rbac.v1.';

export const RBAC_KINDS: readonly Kind[] = [
  {
    ...rbacKind('ClusterRole', 'clusterroles', false),
    validate: clusterRoleErrors,
    validateUpdate: (role) => [...clusterRoleErrors(role), CHANGED_METADATA],
  },
  bindingKind('ClusterRoleBinding', 'clusterrolebindings', false),
  {
    ...rbacKind('Role', 'roles', true),
    validate: (role) => ruleErrors(role, true),
    validateUpdate: (role) => [...ruleErrors(role, true), CHANGED_METADATA],
  },
  bindingKind('RoleBinding', 'rolebindings', true),
];

function rbacKind(kind: string, plural: string, namespaced: boolean): Kind {
  return {
    group: GROUP,
    version: 'v1',
    kind,
    plural,
    namespaced,
    definition: DEFINITION + kind,
    validateName: pathSegment,
    createOnUpdate: true,
  };
}

function bindingKind(kind: string, plural: string, namespaced: boolean): Kind {
  return {
    ...rbacKind(kind, plural, namespaced),
    defaults: bindingDefaults,
    validate: (binding) => bindingErrors(binding, namespaced),
    validateUpdate: (next, old) => [...bindingErrors(next, namespaced), CHANGED_METADATA, ...roleRefErrors(next, old)],
  };
}

function bindingDefaults(binding: Draft): void {
  fillZero(ensureStruct(binding, 'roleRef'), 'apiGroup', GROUP);
  for (const subject of structsIn(binding, 'subjects')) {
    if (['User', 'Group'].includes(textOf(subject, 'kind'))) fillZero(subject, 'apiGroup', GROUP);
  }
}

function ruleErrors(role: KubeObject, namespaced: boolean): readonly FieldError[] {
  return each(role, 'rules', '', (rule, path) => checkRule(rule, path, namespaced));
}

function checkRule(rule: JsonObject, path: string, namespaced: boolean): readonly FieldError[] {
  const errors: FieldError[] = [];
  const paths = textsAt(rule, 'nonResourceURLs');
  const empty = (name: string): boolean => textsAt(rule, name).length === 0;
  if (empty('verbs')) errors.push(required(child(path, 'verbs'), 'verbs must contain at least one value'));
  if (paths.length > 0) {
    const at = child(path, 'nonResourceURLs');
    if (namespaced) errors.push(invalidValue(at, paths, 'namespaced rules cannot apply to non-resource URLs'));
    if (!empty('apiGroups') || !empty('resources') || !empty('resourceNames')) {
      errors.push(invalidValue(at, paths, 'rules cannot apply to both regular resources and non-resource URLs'));
    }
    return errors;
  }
  if (empty('apiGroups'))
    errors.push(required(child(path, 'apiGroups'), 'resource rules must supply at least one api group'));
  if (empty('resources'))
    errors.push(required(child(path, 'resources'), 'resource rules must supply at least one resource'));
  return errors;
}

function clusterRoleErrors(role: KubeObject): readonly FieldError[] {
  const errors = [...ruleErrors(role, false)];
  if (!has(role, 'aggregationRule')) return errors;
  const at = 'aggregationRule.clusterRoleSelectors';
  const selectors = listAt(structAt(role, 'aggregationRule'), 'clusterRoleSelectors');
  if (selectors.length === 0)
    errors.push(required(at, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  for (const [position, selector] of selectors.entries()) {
    errors.push(...checkSelector(selector, index(at, position)));
    if (!isUsableSelector(selector)) errors.push(invalidValue(index(at, position), null, 'invalid label selector.'));
  }
  return errors;
}

function bindingErrors(binding: KubeObject, namespaced: boolean): readonly FieldError[] {
  const reference = structAt(binding, 'roleRef');
  const [group, kind, name] = [textAt(reference, 'apiGroup'), textAt(reference, 'kind'), textAt(reference, 'name')];
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const errors: FieldError[] = [];
  if (group !== GROUP) errors.push(notSupported('roleRef.apiGroup', group, [GROUP]));
  if (!kinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind, kinds));
  if (name === '') errors.push(required('roleRef.name'));
  errors.push(...invalidBecause('roleRef.name', name, pathSegment(name)));
  return [...errors, ...each(binding, 'subjects', '', (subject, path) => checkSubject(subject, path, namespaced))];
}

function checkSubject(subject: JsonObject, path: string, namespaced: boolean): readonly FieldError[] {
  const [group, kind, name] = [textAt(subject, 'apiGroup'), textAt(subject, 'kind'), textAt(subject, 'name')];
  const errors: FieldError[] = name === '' ? [required(child(path, 'name'))] : [];
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') errors.push(...invalidBecause(child(path, 'name'), name, dns1123Subdomain(name)));
      if (group !== '') errors.push(notSupported(child(path, 'apiGroup'), group, ['']));
      if (!namespaced && textAt(subject, 'namespace') === '') errors.push(required(child(path, 'namespace')));
      return errors;
    case 'User':
    case 'Group':
      return group === GROUP ? errors : [...errors, notSupported(child(path, 'apiGroup'), group, [GROUP])];
    default:
      return [...errors, notSupported(child(path, 'kind'), kind, ['ServiceAccount', 'User', 'Group'])];
  }
}

function roleRefErrors(next: KubeObject, old: KubeObject): readonly FieldError[] {
  const reference = structAt(next, 'roleRef');
  if (equal(reference, structAt(old, 'roleRef'))) return [];
  const [group, kind, name] = [textAt(reference, 'apiGroup'), textAt(reference, 'kind'), textAt(reference, 'name')].map(
    (text) => goJson(text),
  );
  return [invalidRaw('roleRef', `{"APIGroup":${group},"Kind":${kind},"Name":${name}}`, 'cannot change roleRef')];
}
