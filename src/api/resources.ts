import type { ResourceType } from './meta.js';

/** Every kind of object that this project reads or writes: data only, one row a kind. */

export const ENGINE_GROUP = 'multicluster.platform.io';
export const FLEET_GROUP = 'cluster.fleetmgmt.io';

type Served = readonly [group: string, version: string];

function row([group, version]: Served, plural: string, kind: string, namespaced: boolean): ResourceType {
  return Object.freeze({ group, version, plural, kind, namespaced });
}

export const MultiClusterEngines = row([ENGINE_GROUP, 'v1alpha1'], 'multiclusterengines', 'MultiClusterEngine', false);
export const Placements = row([FLEET_GROUP, 'v1alpha1'], 'placements', 'Placement', true);
export const PlacementDecisions = row([FLEET_GROUP, 'v1alpha1'], 'placementdecisions', 'PlacementDecision', true);
export const ManagedClusters = row([FLEET_GROUP, 'v1alpha1'], 'managedclusters', 'ManagedCluster', false);
export const ManagedClusterSets = row([FLEET_GROUP, 'v1alpha1'], 'managedclustersets', 'ManagedClusterSet', false);
export const ManagedClusterSetBindings = row(
  [FLEET_GROUP, 'v1alpha1'],
  'managedclustersetbindings',
  'ManagedClusterSetBinding',
  true,
);

export const Namespaces = row(['', 'v1'], 'namespaces', 'Namespace', false);
export const ServiceAccounts = row(['', 'v1'], 'serviceaccounts', 'ServiceAccount', true);
export const ConfigMaps = row(['', 'v1'], 'configmaps', 'ConfigMap', true);
export const Secrets = row(['', 'v1'], 'secrets', 'Secret', true);
export const Services = row(['', 'v1'], 'services', 'Service', true);
export const Nodes = row(['', 'v1'], 'nodes', 'Node', false);
export const Pods = row(['', 'v1'], 'pods', 'Pod', true);
export const PersistentVolumeClaims = row(['', 'v1'], 'persistentvolumeclaims', 'PersistentVolumeClaim', true);
export const Deployments = row(['apps', 'v1'], 'deployments', 'Deployment', true);
export const PodDisruptionBudgets = row(['policy', 'v1'], 'poddisruptionbudgets', 'PodDisruptionBudget', true);
export const NetworkPolicies = row(['networking.k8s.io', 'v1'], 'networkpolicies', 'NetworkPolicy', true);
export const Roles = row(['rbac.authorization.k8s.io', 'v1'], 'roles', 'Role', true);
export const ClusterRoles = row(['rbac.authorization.k8s.io', 'v1'], 'clusterroles', 'ClusterRole', false);
export const RoleBindings = row(['rbac.authorization.k8s.io', 'v1'], 'rolebindings', 'RoleBinding', true);
export const ClusterRoleBindings = row(
  ['rbac.authorization.k8s.io', 'v1'],
  'clusterrolebindings',
  'ClusterRoleBinding',
  false,
);
export const Leases = row(['coordination.k8s.io', 'v1'], 'leases', 'Lease', true);
export const Events = row(['events.k8s.io', 'v1'], 'events', 'Event', true);
export const SelfSubjectAccessReviews = row(
  ['authorization.k8s.io', 'v1'],
  'selfsubjectaccessreviews',
  'SelfSubjectAccessReview',
  false,
);
export const CustomResourceDefinitions = row(
  ['apiextensions.k8s.io', 'v1'],
  'customresourcedefinitions',
  'CustomResourceDefinition',
  false,
);

export const AdmissionPolicies = row(
  ['admissionregistration.k8s.io', 'v1'],
  'validatingadmissionpolicies',
  'ValidatingAdmissionPolicy',
  false,
);
export const AdmissionPolicyBindings = row(
  ['admissionregistration.k8s.io', 'v1'],
  'validatingadmissionpolicybindings',
  'ValidatingAdmissionPolicyBinding',
  false,
);

/** The `apiVersion` of a type: `v1` or `group/version`. */
export function apiVersionOf(type: ResourceType): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** The work queue's and the store's key of an object: `name`, or `namespace/name`. */
export function keyOf(name: { readonly namespace?: string; readonly name: string }): string {
  return name.namespace === undefined || name.namespace === '' ? name.name : `${name.namespace}/${name.name}`;
}

/** The inverse of {@link keyOf}. */
export function nameOf(key: string): { readonly namespace?: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
