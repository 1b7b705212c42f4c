import type { ResourceType, KubeObject, OwnerReference } from './meta.js';

/** The built-in kinds of Kubernetes that the programs read or write, and how other kinds are defined. */

/** Defines types of one group and version, by their scope. */
interface GroupVersion {
  namespaced(plural: string, kind: string): ResourceType;
  cluster(plural: string, kind: string): ResourceType;
}

/** `group` is empty for the core group. */
export function groupVersion(group: string, version: string): GroupVersion {
  return {
    namespaced: (plural, kind) => Object.freeze({ group, version, plural, kind, namespaced: true }),
    cluster: (plural, kind) => Object.freeze({ group, version, plural, kind, namespaced: false }),
  };
}

const core = groupVersion('', 'v1');
const rbac = groupVersion('rbac.authorization.k8s.io', 'v1');
const authorization = groupVersion('authorization.k8s.io', 'v1');
const authentication = groupVersion('authentication.k8s.io', 'v1');
const extensions = groupVersion('apiextensions.k8s.io', 'v1');
const admission = groupVersion('admissionregistration.k8s.io', 'v1');

export const Namespaces = core.cluster('namespaces', 'Namespace');
export const ServiceAccounts = core.namespaced('serviceaccounts', 'ServiceAccount');
export const ConfigMaps = core.namespaced('configmaps', 'ConfigMap');
export const Secrets = core.namespaced('secrets', 'Secret');
export const Services = core.namespaced('services', 'Service');
export const Nodes = core.cluster('nodes', 'Node');
export const Pods = core.namespaced('pods', 'Pod');
export const PersistentVolumeClaims = core.namespaced('persistentvolumeclaims', 'PersistentVolumeClaim');
export const Deployments = groupVersion('apps', 'v1').namespaced('deployments', 'Deployment');
export const PodDisruptionBudgets = groupVersion('policy', 'v1').namespaced(
  'poddisruptionbudgets',
  'PodDisruptionBudget',
);
export const NetworkPolicies = groupVersion('networking.k8s.io', 'v1').namespaced('networkpolicies', 'NetworkPolicy');
export const EndpointSlices = groupVersion('discovery.k8s.io', 'v1').namespaced('endpointslices', 'EndpointSlice');
export const Roles = rbac.namespaced('roles', 'Role');
export const ClusterRoles = rbac.cluster('clusterroles', 'ClusterRole');
export const RoleBindings = rbac.namespaced('rolebindings', 'RoleBinding');
export const ClusterRoleBindings = rbac.cluster('clusterrolebindings', 'ClusterRoleBinding');
export const Leases = groupVersion('coordination.k8s.io', 'v1').namespaced('leases', 'Lease');
export const Events = groupVersion('events.k8s.io', 'v1').namespaced('events', 'Event');
export const SubjectAccessReviews = authorization.cluster('subjectaccessreviews', 'SubjectAccessReview');
export const TokenReviews = authentication.cluster('tokenreviews', 'TokenReview');
export const SelfSubjectReviews = authentication.cluster('selfsubjectreviews', 'SelfSubjectReview');
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

/** The reference to the object that controls another one, as metav1.NewControllerRef makes it. */
export function controllerReference({ metadata }: KubeObject, type: ResourceType): OwnerReference {
  const { name, uid = '' } = metadata;
  return { apiVersion: apiVersionOf(type), kind: type.kind, name, uid, controller: true, blockOwnerDeletion: true };
}
