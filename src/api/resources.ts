import type { ObjectName, ResourceType } from '../runtime/vocabulary/meta.js';

/** Every kind of object that this project reads or writes, one row a kind, and the names that follow from a row. */

export const ENGINE_GROUP = 'multicluster.platform.io';
export const FLEET_GROUP = 'cluster.fleetmgmt.io';

/** The types of one group and version, by their scope. */
interface ApiGroup {
  namespaced(plural: string, kind: string): ResourceType;
  cluster(plural: string, kind: string): ResourceType;
}

function apiGroup(group: string, version: string): ApiGroup {
  return {
    namespaced: (plural, kind) => Object.freeze({ group, version, plural, kind, namespaced: true }),
    cluster: (plural, kind) => Object.freeze({ group, version, plural, kind, namespaced: false }),
  };
}

const fleet = apiGroup(FLEET_GROUP, 'v1alpha1');
const core = apiGroup('', 'v1');
const rbac = apiGroup('rbac.authorization.k8s.io', 'v1');
const authorization = apiGroup('authorization.k8s.io', 'v1');
const authentication = apiGroup('authentication.k8s.io', 'v1');
const extensions = apiGroup('apiextensions.k8s.io', 'v1');
const admission = apiGroup('admissionregistration.k8s.io', 'v1');

export const MultiClusterEngines = apiGroup(ENGINE_GROUP, 'v1alpha1').cluster(
  'multiclusterengines',
  'MultiClusterEngine',
);
export const Placements = fleet.namespaced('placements', 'Placement');
export const PlacementDecisions = fleet.namespaced('placementdecisions', 'PlacementDecision');
export const ManagedClusters = fleet.cluster('managedclusters', 'ManagedCluster');
export const ManagedClusterSets = fleet.cluster('managedclustersets', 'ManagedClusterSet');
export const ManagedClusterSetBindings = fleet.namespaced('managedclustersetbindings', 'ManagedClusterSetBinding');

/** Kinds of other projects: SIG Multicluster's inventory and decisions, and the inventory of Open Cluster Management. */
const sigMulticluster = apiGroup('multicluster.x-k8s.io', 'v1alpha1');
export const ClusterProfiles = sigMulticluster.namespaced('clusterprofiles', 'ClusterProfile');
export const SigPlacementDecisions = sigMulticluster.namespaced('placementdecisions', 'PlacementDecision');
export const OcmManagedClusters = apiGroup('cluster.open-cluster-management.io', 'v1').cluster(
  'managedclusters',
  'ManagedCluster',
);

export const Namespaces = core.cluster('namespaces', 'Namespace');
export const ServiceAccounts = core.namespaced('serviceaccounts', 'ServiceAccount');
export const ConfigMaps = core.namespaced('configmaps', 'ConfigMap');
export const Secrets = core.namespaced('secrets', 'Secret');
export const Services = core.namespaced('services', 'Service');
export const Nodes = core.cluster('nodes', 'Node');
export const Pods = core.namespaced('pods', 'Pod');
export const PersistentVolumeClaims = core.namespaced('persistentvolumeclaims', 'PersistentVolumeClaim');
export const Deployments = apiGroup('apps', 'v1').namespaced('deployments', 'Deployment');
export const ReplicaSets = apiGroup('apps', 'v1').namespaced('replicasets', 'ReplicaSet');
export const PodDisruptionBudgets = apiGroup('policy', 'v1').namespaced('poddisruptionbudgets', 'PodDisruptionBudget');
export const NetworkPolicies = apiGroup('networking.k8s.io', 'v1').namespaced('networkpolicies', 'NetworkPolicy');
/** Where Services are served. */
export const EndpointSlices = apiGroup('discovery.k8s.io', 'v1').namespaced('endpointslices', 'EndpointSlice');
export const Roles = rbac.namespaced('roles', 'Role');
export const ClusterRoles = rbac.cluster('clusterroles', 'ClusterRole');
export const RoleBindings = rbac.namespaced('rolebindings', 'RoleBinding');
export const ClusterRoleBindings = rbac.cluster('clusterrolebindings', 'ClusterRoleBinding');
export const Leases = apiGroup('coordination.k8s.io', 'v1').namespaced('leases', 'Lease');
export const Events = apiGroup('events.k8s.io', 'v1').namespaced('events', 'Event');
export const SubjectAccessReviews = authorization.cluster('subjectaccessreviews', 'SubjectAccessReview');
export const TokenReviews = authentication.cluster('tokenreviews', 'TokenReview');
export const SelfSubjectAccessReviews = authorization.cluster('selfsubjectaccessreviews', 'SelfSubjectAccessReview');
export const CustomResourceDefinitions = extensions.cluster('customresourcedefinitions', 'CustomResourceDefinition');

export const AdmissionPolicies = admission.cluster('validatingadmissionpolicies', 'ValidatingAdmissionPolicy');
export const AdmissionPolicyBindings = admission.cluster(
  'validatingadmissionpolicybindings',
  'ValidatingAdmissionPolicyBinding',
);

/** The `apiVersion` of a type: `v1` or `group/version`. */
export function apiVersionOf(type: ResourceType): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** The key of an object in queues and caches, as client-go's MetaNamespaceKeyFunc: `name`, or `namespace/name`. */
export function keyOf(name: ObjectName): string {
  return name.namespace === undefined || name.namespace === '' ? name.name : `${name.namespace}/${name.name}`;
}

/** The inverse of {@link keyOf}. */
export function nameOf(key: string): ObjectName {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
