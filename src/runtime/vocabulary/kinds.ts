import type { ResourceType, KubeObject, OwnerReference } from './meta.js';

/** The built-in kinds of Kubernetes that programs read or write here, and what makes rows for other kinds. */

/** The types of one group and version, by their scope. */
export interface ApiGroup {
  namespaced(plural: string, kind: string): ResourceType;
  cluster(plural: string, kind: string): ResourceType;
}

/** Makes the types of one group and version; `group` is empty for the core group. */
export function apiGroup(group: string, version: string): ApiGroup {
  return {
    namespaced: (plural, kind) => Object.freeze({ group, version, plural, kind, namespaced: true }),
    cluster: (plural, kind) => Object.freeze({ group, version, plural, kind, namespaced: false }),
  };
}

const core = apiGroup('', 'v1');
const rbac = apiGroup('rbac.authorization.k8s.io', 'v1');
const authorization = apiGroup('authorization.k8s.io', 'v1');
const authentication = apiGroup('authentication.k8s.io', 'v1');
const extensions = apiGroup('apiextensions.k8s.io', 'v1');
const admission = apiGroup('admissionregistration.k8s.io', 'v1');

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

/** The reference to the object that controls another one, as client-go's metav1.NewControllerRef. */
export function controllerReference({ metadata }: KubeObject, type: ResourceType): OwnerReference {
  const { name, uid = '' } = metadata;
  return { apiVersion: apiVersionOf(type), kind: type.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Whether `owner` controls `object`, as metav1.IsControlledBy. */
export function isControlledBy({ metadata }: KubeObject, owner: KubeObject): boolean {
  return metadata.ownerReferences?.some((one) => one.controller === true && one.uid === owner.metadata.uid) === true;
}
