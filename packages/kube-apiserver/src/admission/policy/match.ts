import { listAt, optionalStructAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { type Registry, type Resource, subresourceOf } from '../../resource.js';
import { StatusError } from '../../status.js';
import type { AdmissionRequest } from '../admission.js';
import { isEmpty, selects } from './selector.js';

/** The dependencies of matching. */
export interface MatchDeps {
  readonly registry: () => Registry;
  readonly namespace: (name: string) => KubeObject | undefined;
}

/** The resource that matched: that of the request, or an equivalent one in another version or group. */
export interface Matched {
  readonly resource: Resource;
}

/** A request prepared for matchConstraints. */
export interface MatchedRequest {
  readonly request: AdmissionRequest;
  readonly name: string;
  /** The namespace of the object; the name of a Namespace itself. */
  readonly namespace: string;
}

export function matchedRequest(request: AdmissionRequest): MatchedRequest {
  const { resource, object } = request;
  const name = request.name === '' ? (object?.metadata.name ?? '') : request.name;
  const namespace = isNamespace(resource) ? name : request.namespace;
  return { request, name, namespace };
}

function isNamespace({ group, plural }: Resource): boolean {
  return group === '' && plural === 'namespaces';
}

/**
 * Whether a request matches the matchConstraints of a policy or the matchResources of a binding, and as which resource.
 * Throws StatusError where a namespaceSelector needs a namespace that does not exist.
 */
export function matchResources(criteria: JsonObject, seen: MatchedRequest, world: MatchDeps): Matched | undefined {
  const { request } = seen;
  const namespaces = namespaceMatches(optionalStructAt(criteria, 'namespaceSelector'), seen, world);
  if (namespaces === false) return undefined;
  if (!objectMatches(optionalStructAt(criteria, 'objectSelector'), request)) return undefined;
  const equivalent = textAt(criteria, 'matchPolicy') === 'Equivalent';
  if (matchRules(listAt(criteria, 'excludeResourceRules'), seen, equivalent, world) !== undefined) return undefined;
  const rules = listAt(criteria, 'resourceRules');
  const matched = rules.length === 0 ? { resource: request.resource } : matchRules(rules, seen, equivalent, world);
  if (matched !== undefined && namespaces instanceof StatusError) throw namespaces;
  return matched;
}

/** Cluster-scoped objects match every namespaceSelector; a Namespace is matched by its own labels. */
function namespaceMatches(
  selector: JsonObject | undefined,
  { request, namespace }: MatchedRequest,
  { namespace: find }: MatchDeps,
): boolean | StatusError {
  const own = isNamespace(request.resource);
  if ((namespace === '' && !own) || isEmpty(selector)) return true;
  if (own && request.subresource === '' && request.operation !== 'DELETE')
    return selects(selector, request.object?.metadata.labels);
  const found = find(namespace);
  if (found === undefined) {
    return new StatusError(404, `namespaces "${namespace}" not found`, {
      reason: 'NotFound',
      details: { name: namespace, kind: 'namespaces' },
    });
  }
  return selects(selector, found.metadata.labels);
}

/** The old or the new object may match. */
function objectMatches(selector: JsonObject | undefined, { object, oldObject }: AdmissionRequest): boolean {
  if (isEmpty(selector)) return true;
  return [object, oldObject].some((state) => state !== undefined && selects(selector, state.metadata.labels));
}

function matchRules(
  rules: readonly JsonObject[],
  seen: MatchedRequest,
  equivalent: boolean,
  { registry }: MatchDeps,
): Matched | undefined {
  const { resource, subresource } = seen.request;
  if (rules.some((rule) => ruleMatches(rule, seen, resource))) return { resource };
  if (!equivalent) return undefined;
  const others = registry()
    .all()
    .filter((other) => isEquivalent(other, resource) && serves(other, subresource));
  for (const rule of rules) {
    const found = others.find((other) => ruleMatches(rule, seen, other));
    if (found !== undefined) return { resource: found };
  }
  return undefined;
}

/** Another version of a resource, or another group that serves the same objects. */
function isEquivalent(other: Resource, resource: Resource): boolean {
  return (
    other.collection === resource.collection && (other.group !== resource.group || other.version !== resource.version)
  );
}

function serves(resource: Resource, subresource: string): boolean {
  return subresource === '' || subresourceOf(resource, subresource) !== undefined;
}

function ruleMatches(rule: JsonObject, { request, name, namespace }: MatchedRequest, resource: Resource): boolean {
  const names = textsAt(rule, 'resourceNames');
  return (
    scopeMatches(textAt(rule, 'scope'), resource, namespace) &&
    has(textsAt(rule, 'operations'), request.operation) &&
    has(textsAt(rule, 'apiGroups'), resource.group) &&
    has(textsAt(rule, 'apiVersions'), resource.version) &&
    textsAt(rule, 'resources').some((pattern) => resourceMatches(pattern, resource.plural, request.subresource)) &&
    (names.length === 0 || names.includes(name))
  );
}

function has(patterns: readonly string[], value: string): boolean {
  return patterns.includes('*') || patterns.includes(value);
}

function scopeMatches(scope: string, resource: Resource, namespace: string): boolean {
  if (scope === '' || scope === '*') return true;
  const cluster = isNamespace(resource) || namespace === '';
  return scope === 'Cluster' ? cluster : scope === 'Namespaced' && !cluster;
}

function resourceMatches(pattern: string, plural: string, subresource: string): boolean {
  const slash = pattern.indexOf('/');
  const [wanted, sub] = slash < 0 ? [pattern, ''] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
  return (wanted === '*' || wanted === plural) && (sub === '*' || sub === subresource);
}
