import { apiVersionOf } from '../apiversion.js';
import type { Clock, Random } from '../clock.js';
import type { AdmissionChain } from '../admission/chain.js';
import type { AdmissionRequest } from '../admission/admission.js';
import type { Authorizer } from '../auth/authorizer.js';
import { formOf, type KubeObject } from '@multicluster-engine/values/object';
import { keyOf } from '../registry/reader.js';
import type { ServedRegistry } from '../registry/registry.js';
import type { Resource } from '../resource.js';
import type { Entry, Store } from '../store/store.js';
import type { NoOpApplies } from './noopapplies.js';
import { checkStorageKey } from './storagekey.js';
import type { Caller, Target } from './verbs.js';

/** The dependencies of all verbs. */
export interface Context {
  readonly store: Store;
  readonly registry: ServedRegistry;
  readonly admission: AdmissionChain;
  /** Authorizes `create` where another verb creates an object. */
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly random: Random;
  readonly uuid: () => string;
  readonly noOpApplies: NoOpApplies;
}

/** The object as readers see it. The same value every time, where nothing is converted. */
export function served(resource: Resource, stored: KubeObject): KubeObject {
  return formOf(stored, visible(resource, versioned(resource, stored)));
}

/** The changed object without the fields that readers of its kind do not see. */
export function visible(resource: Resource, object: KubeObject): KubeObject {
  return resource.visible?.(object) ?? object;
}

/** The whole stored object, from which changes start, in the served version. */
export function versioned(resource: Resource, stored: KubeObject): KubeObject {
  const converted = resource.convert === undefined ? stored : resource.convert.fromStored(stored);
  const apiVersion = apiVersionOf(resource);
  return converted.apiVersion === apiVersion ? converted : { ...converted, apiVersion };
}

/** The object as it is stored. */
export function storable(resource: Resource, object: KubeObject): KubeObject {
  return resource.convert === undefined ? object : resource.convert.toStored(object);
}

/** The object as reading it back would return it. */
export function copied(resource: Resource, object: KubeObject): KubeObject {
  return versioned(resource, storable(resource, object));
}

export function newest({ store }: Context, target: Target): Entry | undefined {
  const { resource, namespace, name } = target;
  checkStorageKey(target, name);
  return store.newest(resource.collection, keyOf(namespace, name));
}

export interface Change {
  readonly operation: AdmissionRequest['operation'];
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly dryRun: boolean;
  readonly options: KubeObject;
}

/** The request for admission. The namespace of a Namespace is its own name. */
export function admissionRequest(
  { resource, subresource, namespace, name }: Target,
  { user, annotate }: Caller,
  change: Change,
): AdmissionRequest {
  const isNamespace = resource.group === '' && resource.plural === 'namespaces';
  return {
    user,
    resource,
    subresource,
    namespace: isNamespace ? name : namespace,
    name,
    ...change,
    ...(annotate === undefined ? {} : { annotate }),
  };
}
