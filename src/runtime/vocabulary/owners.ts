import { apiVersionOf } from './kinds.js';
import type { KubeObject, OwnerReference, ResourceType } from './meta.js';

/** The reference to the object that controls another one, as client-go's metav1.NewControllerRef. */
export function controllerReference({ metadata }: KubeObject, type: ResourceType): OwnerReference {
  const { name, uid = '' } = metadata;
  return { apiVersion: apiVersionOf(type), kind: type.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Whether `owner` controls `object`, as metav1.IsControlledBy. */
export function isControlledBy({ metadata }: KubeObject, owner: KubeObject): boolean {
  return metadata.ownerReferences?.some((one) => one.controller === true && one.uid === owner.metadata.uid) === true;
}
