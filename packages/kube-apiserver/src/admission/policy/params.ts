import { apiVersionOf } from '../../apiversion.js';
import { optionalStructAt, textAt } from '@multicluster-engine/values/fields';
import { isObject, own, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Registry, Resource } from '../../resource.js';
import type { ObjectReader } from '../../registry/reader.js';
import { selects } from './selector.js';

/** An invalid policy or binding: failurePolicy decides whether the request is denied. */
export class ConfigurationError extends Error {}

/**
 * The resource of paramKind; undefined for a policy without params. Throws ConfigurationError where it is not served.
 */
export function paramResource(spec: JsonObject, registry: Registry): Resource | undefined {
  const kind = optionalStructAt(spec, 'paramKind');
  if (kind === undefined) return undefined;
  const version = textAt(kind, 'apiVersion');
  const slash = version.indexOf('/');
  const [group, bare] = slash < 0 ? ['', version] : [version.slice(0, slash), version.slice(slash + 1)];
  const found = registry.findKind(group, bare, textAt(kind, 'kind'));
  if (found === undefined)
    throw new ConfigurationError(
      `failed to find resource referenced by paramKind: '${version}, Kind=${textAt(kind, 'kind')}'`,
    );
  return found;
}

/**
 * The params selected by a binding, each for one evaluation; [undefined] where the policy has no params.
 * @param namespace of the request
 * @throws ConfigurationError
 */
export function collectParams(
  resource: Resource | undefined,
  binding: JsonObject,
  namespace: string,
  reader: ObjectReader,
): readonly (KubeObject | undefined)[] {
  const reference = own(binding, 'paramRef');
  if (resource === undefined || !isObject(reference)) return [undefined];
  const found = findParams(resource, reference, namespaceOf(resource, reference, namespace), reader);
  if (found.length === 0 && textAt(reference, 'parameterNotFoundAction') === 'Deny') {
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return found.map((object) => served(object, resource));
}

function namespaceOf({ namespaced }: Resource, reference: JsonObject, namespace: string): string {
  const chosen = textAt(reference, 'namespace');
  if (!namespaced && chosen !== '')
    throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  if (!namespaced) return '';
  if (chosen === '' && namespace === '')
    throw new ConfigurationError(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  return chosen === '' ? namespace : chosen;
}

function findParams(
  { collection, namespaced }: Resource,
  reference: JsonObject,
  namespace: string,
  reader: ObjectReader,
): readonly KubeObject[] {
  const name = textAt(reference, 'name');
  const selector = optionalStructAt(reference, 'selector');
  if (name !== '') {
    if (selector !== undefined)
      throw new ConfigurationError('paramRef.name and paramRef.selector are mutually exclusive');
    const object = reader.get(collection, namespace, name);
    return object === undefined ? [] : [object];
  }
  if (selector === undefined) throw new ConfigurationError('one of name or selector must be provided');
  return reader
    .list(collection, namespaced ? namespace : undefined)
    .filter((object) => selects(selector, object.metadata.labels));
}

/** The object in the version of the resource; without managedFields for a built-in kind. */
function served(object: KubeObject, { convert, group, version, kind, custom }: Resource): KubeObject {
  const apiVersion = apiVersionOf({ group, version });
  const { managedFields: _managers, ...metadata } = object.metadata;
  return { ...(convert?.fromStored(object) ?? object), apiVersion, kind, ...(custom ? {} : { metadata }) };
}
