import { RBAC_GROUP } from './rbac.js';
import { ROLES, type RoleRow, type RuleRow } from './bootstraproles.js';
import type { Json, JsonObject } from '../json.js';

const METADATA = {
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
  annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
};

/** ClusterRoles and ClusterRoleBindings that every cluster has, as far as they concern what is served here. */
export function bootstrapRbac(): readonly JsonObject[] {
  return [...ROLES.map(clusterRole), ...ROLES.flatMap(bindings)];
}

function clusterRole({ name, aggregates, label, rules = [] }: RoleRow): JsonObject {
  const labels = { ...METADATA.labels, ...(label === undefined ? {} : { [`${RBAC_GROUP}/${label}`]: 'true' }) };
  const aggregationRule = { clusterRoleSelectors: (aggregates ?? []).map((one) => ({ matchLabels: { [`${RBAC_GROUP}/${one}`]: 'true' } })) };
  return {
    apiVersion: `${RBAC_GROUP}/v1`, kind: 'ClusterRole', metadata: { name, ...METADATA, labels },
    ...(aggregates === undefined ? { rules: rules.map(rule) } : { aggregationRule }),
  };
}

function rule([verbs, groups, resources]: RuleRow): Json {
  const list = (text: string): string[] => text.split(' ');
  if (groups === undefined) return { verbs: list(verbs), nonResourceURLs: list(resources) };
  // `core` stands for the group without a name.
  return { verbs: list(verbs), apiGroups: list(groups).map((group) => (group === 'core' ? '' : group)), resources: list(resources) };
}

function bindings({ name, groups }: RoleRow): readonly JsonObject[] {
  if (groups === undefined) return [];
  const subjects = groups.map((group) => ({ kind: 'Group', apiGroup: RBAC_GROUP, name: group }));
  const roleRef = { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name };
  return [{ apiVersion: `${RBAC_GROUP}/v1`, kind: 'ClusterRoleBinding', metadata: { name, ...METADATA }, roleRef, subjects }];
}
