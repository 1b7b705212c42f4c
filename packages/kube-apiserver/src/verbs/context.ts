import { apiVersionOf } from '../apiversion.js';
import type { Clock, Random } from '../clock.js';
import type { AdmissionChain } from '../admission/chain.js';
import type { AdmissionRequest } from '../admission/admission.js';
import type { Authorizer } from '../auth/authorizer.js';
import { formOf, type KubeObject } from '../object.js';
import { keyOf } from '../registry/reader.js';
import type { ServedRegistry } from '../registry/registry.js';
import type { Resource } from '../resource.js';
import type { Entry, Store } from '../store/store.js';
import type { Applications } from './applications.js';
import { checkPlace } from './place.js';
import type { Caller, Target } from './verbs.js';

/** What all verbs work with. */
export interface Context {
  readonly store: Store;
  readonly registry: ServedRegistry;
  readonly admission: AdmissionChain;
  /** Asked for `create` where another verb makes a new object. */
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly random: Random;
  readonly uuid: () => string;
  readonly applications: Applications;
}

/** What readers see of a stored object. The same object every time, where nothing is converted. */
export function served(resource: Resource, stored: KubeObject): KubeObject {
  return formOf(stored, visible(resource, versioned(resource, stored)));
}

/** An object as a change leaves it, without what readers do not see of its kind. */
export function visible(resource: Resource, object: KubeObject): KubeObject {
  return resource.visible?.(object) ?? object;
}

/** All of a stored object, which changes begin with, in the version in which the resource is served. */
export function versioned(resource: Resource, stored: KubeObject): KubeObject {
  const converted = resource.convert === undefined ? stored : resource.convert.fromStored(stored);
  const apiVersion = apiVersionOf(resource);
  return converted.apiVersion === apiVersion ? converted : { ...converted, apiVersion };
}

/** The form in which an object is stored. */
export function storable(resource: Resource, object: KubeObject): KubeObject {
  return resource.convert === undefined ? object : resource.convert.toStored(object);
}

/** What reading an object back would give, were it stored. */
export function copied(resource: Resource, object: KubeObject): KubeObject {
  return versioned(resource, storable(resource, object));
}

export function newest({ store }: Context, target: Target): Entry | undefined {
  const { resource, namespace, name } = target;
  checkPlace(target, name);
  return store.newest(resource.collection, keyOf(namespace, name));
}

export interface Change {
  readonly operation: AdmissionRequest['operation'];
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly dryRun: boolean;
  readonly options: KubeObject;
}

/** What admission gets to see of a change. A namespace is in itself. */
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
