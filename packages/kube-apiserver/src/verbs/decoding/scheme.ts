import { apiVersionOf, readApiVersion } from '../../apiversion.js';
import { structOf } from '@multicluster-engine/values/schema/builtin';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { Registry, Resource } from '../../resource.js';
import { goQuote } from '@multicluster-engine/values/text';

/** The type that an object names; missing parts are those of the resource. */
export interface TypeMeta {
  readonly kind: string;
  readonly apiVersion: string;
}

/** The Go package where the server's kinds are registered, for error messages. */
const WHERE = 'in scheme "pkg/runtime/scheme.go:111"';
const EXTENSIONS = 'apiextensions.k8s.io';
const STATUS = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status';
/** Kinds without a version: they are known in all. */
const UNVERSIONED: readonly string[] = ['Status', 'APIVersions', 'APIGroup', 'APIGroupList', 'APIResourceList'];
/** The options and events of requests are registered with every version of a group. */
const IN_EVERY_VERSION: readonly string[] = [
  'WatchEvent',
  'ListOptions',
  'GetOptions',
  'DeleteOptions',
  'CreateOptions',
  'UpdateOptions',
  'PatchOptions',
];

export function typeMetaOf({ kind, apiVersion }: JsonObject, resource: Resource): TypeMeta {
  return {
    kind: typeof kind === 'string' && kind !== '' ? kind : resource.kind,
    apiVersion: typeof apiVersion === 'string' && apiVersion !== '' ? apiVersion : apiVersionOf(resource),
  };
}

/** Why an apiVersion is invalid; undefined where it is valid. */
export function versionProblem(apiVersion: string): string | undefined {
  return apiVersion.split('/').length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
}

/** Why an object is not of the expected kind. */
export interface KindMismatch {
  readonly reason: string;
  /** The struct that it is decoded into nevertheless, where that is known; errors there come first. */
  readonly definition: string | undefined;
}

/**
 * Why an object of a built-in resource cannot have the type that it names: some kinds cannot be converted, others are
 * unknown. undefined where it can.
 */
export function kindProblem(
  registry: Registry,
  resource: Resource,
  { kind, apiVersion }: TypeMeta,
): KindMismatch | undefined {
  if (kind === resource.kind && apiVersion === apiVersionOf(resource)) return undefined;
  const { group, version } = readApiVersion(apiVersion);
  const found = inScheme(resource, group) ? registry.findKind(group, version, kind) : undefined;
  if (found?.collection === resource.collection && !found.custom) return undefined;
  if (UNVERSIONED.includes(kind))
    return { reason: unconvertible(`v1.${kind}`, resource), definition: kind === 'Status' ? STATUS : undefined };
  const other = found === undefined || found.custom ? undefined : found;
  const known = other !== undefined || isAuxiliary(registry, resource, { group, version, kind });
  if (known)
    return {
      reason: unconvertible(`${version}.${kind}`, resource),
      definition: other === undefined ? undefined : structOf(other.schema),
    };
  return {
    reason: `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion.replace(/^\//, ''))} ${WHERE}`,
    definition: undefined,
  };
}

/** As {@link kindProblem}, for an object in the internal version, with a kind and no version. */
export function internalKindProblem(
  registry: Registry,
  { group, version, kind: wanted }: Resource,
  kind: string,
): string | undefined {
  if (kind === wanted) return undefined;
  const inside = packageOf(group);
  if (registry.findKind(group, version, kind) !== undefined)
    return `converting (${inside}.${kind}) to (${inside}.${wanted}): unknown conversion`;
  return `no kind ${goQuote(kind)} is registered for the internal version of group ${goQuote(group)} ${WHERE}`;
}

/** CustomResourceDefinitions have a scheme of their own. */
function inScheme(resource: Resource, group: string): boolean {
  return (resource.group === EXTENSIONS) === (group === EXTENSIONS);
}

/** Lists, Scales, options and events. */
function isAuxiliary(
  registry: Registry,
  resource: Resource,
  { group, version, kind }: { readonly group: string; readonly version: string; readonly kind: string },
): boolean {
  const served = (one: Resource): boolean => !one.custom && one.group === group && one.version === version;
  if (IN_EVERY_VERSION.includes(kind))
    return (inScheme(resource, group) || `${group}/${version}` === '/v1') && registry.all().some(served);
  if (!inScheme(resource, group)) return false;
  if (group === 'autoscaling') return version === 'v1' && kind === 'Scale';
  return (
    (kind === 'List' && group === '' && version === 'v1') ||
    registry.all().some((one) => served(one) && one.listKind === kind)
  );
}

function unconvertible(from: string, resource: Resource): string {
  return `converting (${from}) to (${packageOf(resource.group)}.${resource.kind}): unknown conversion`;
}

/** The Go package of the internal types of a group. */
function packageOf(group: string): string {
  return group === '' || group === 'events.k8s.io' ? 'core' : (group.split('.')[0] ?? '');
}
