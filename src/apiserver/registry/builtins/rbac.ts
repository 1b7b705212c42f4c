import type { NameRule } from '../../schema/names.js';
import { pathSegment } from '../../schema/names.js';
import { fillZero, items, struct, textOf, type Draft } from './draft.js';
import type { Kind } from './kind.js';

const GROUP = 'rbac.authorization.k8s.io';
const DEFINITION = 'io.k8s.api.rbac.v1.';

function rbacKind(kind: string, plural: string, namespaced: boolean): Kind {
  const validateName: NameRule = pathSegment;
  return { group: GROUP, version: 'v1', kind, plural, namespaced, definition: DEFINITION + kind, validateName, createOnUpdate: true };
}

export const RBAC_KINDS: readonly Kind[] = [
  rbacKind('ClusterRole', 'clusterroles', false),
  { ...rbacKind('ClusterRoleBinding', 'clusterrolebindings', false), defaults: bindingDefaults },
  rbacKind('Role', 'roles', true),
  { ...rbacKind('RoleBinding', 'rolebindings', true), defaults: bindingDefaults },
];

function bindingDefaults(binding: Draft): void {
  fillZero(struct(binding, 'roleRef'), 'apiGroup', GROUP);
  for (const subject of items(binding, 'subjects')) {
    if (['User', 'Group'].includes(textOf(subject, 'kind'))) fillZero(subject, 'apiGroup', GROUP);
  }
}
