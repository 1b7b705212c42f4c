import type { Authorizer } from '../auth/authorizer.js';
import { readReference } from '../auth/rbac/bindings.js';
import { aggregate, RBAC_GROUP, type RuleResolver } from '../auth/rbac/rbac.js';
import { uncoveredRules } from '../auth/rbac/coverage.js';
import { type PolicyRule, rulesOf } from '../auth/rbac/rules.js';
import type { Admission, AdmissionRequest } from './admission.js';
import { equal, isArray, isObject, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { checkStoredName } from '../registry/storedname.js';
import { badRequest, forbidden, notFound, quoted, StatusError, unknownError } from '../status.js';
import { MASTERS, type UserInfo } from '../user.js';

/** The dependencies of the privilege escalation check. */
interface Dependencies {
  readonly resolver: RuleResolver;
  readonly authorizer: Authorizer;
}

const ALL_RIGHTS: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
];

/**
 * Refuses a role with rights that its writer does not have (unless they may `escalate` it), and a binding to such a
 * role (unless they may `bind` it).
 */
export function createEscalationCheck(deps: Dependencies): Admission {
  return {
    validate(request) {
      const { user, resource, operation, object, oldObject } = request;
      if (
        resource.group !== RBAC_GROUP ||
        operation === 'DELETE' ||
        object === undefined ||
        user.groups.includes(MASTERS)
      )
        return;
      if (oldObject !== undefined && changesGarbageCollectionOnly(object, oldObject)) return;
      if (resource.plural === 'roles' || resource.plural === 'clusterroles') checkRole(deps, request, object);
      else checkBinding(deps, request, object);
    },
  };
}

/** Whether only finalizers and owner references change, as the garbage collector does. */
function changesGarbageCollectionOnly(next: KubeObject, old: KubeObject): boolean {
  return equal(withoutGarbageCollection(next), withoutGarbageCollection(old));
}

function withoutGarbageCollection(object: KubeObject): JsonObject {
  return {
    ...object,
    metadata: { ...object.metadata, finalizers: undefined, ownerReferences: undefined, managedFields: undefined },
  };
}

function checkRole(deps: Dependencies, request: AdmissionRequest, role: KubeObject): void {
  const { user, resource, namespace, operation, oldObject } = request;
  // The authorizer gets no name for an object that is being created.
  const name = operation === 'CREATE' ? '' : request.name;
  const escalate = {
    user,
    verb: 'escalate',
    group: RBAC_GROUP,
    version: '*',
    resource: resource.plural,
    subresource: '',
    namespace,
    name,
  };
  if (deps.authorizer.authorize(escalate).allowed) return;
  const missing = missingRules(deps, { user, namespace }, rulesOf(role));
  if (missing !== undefined) throw forbidden(resource, role.metadata.name ?? '', missing);
  if (!aggregates(role) && !(oldObject !== undefined && aggregates(oldObject))) return;
  if (missingRules(deps, { user, namespace }, ALL_RIGHTS) === undefined) return;
  throw forbidden(resource, role.metadata.name ?? '', 'must have cluster-admin privileges to use the aggregationRule');
}

function aggregates(role: KubeObject): boolean {
  const rule = role['aggregationRule'];
  const selectors = isObject(rule) ? rule['clusterRoleSelectors'] : undefined;
  return isArray(selectors) && selectors.length > 0;
}

function checkBinding(deps: Dependencies, request: AdmissionRequest, binding: KubeObject): void {
  const { user, namespace, resource } = request;
  const role = readReference(binding['roleRef']);
  const plural = role.kind === 'ClusterRole' ? 'clusterroles' : role.kind === 'Role' ? 'roles' : undefined;
  if (plural === undefined) throw unknownError(`unsupported role reference kind: ${quoted(role.kind)}`);
  const bind = {
    user,
    verb: 'bind',
    group: groupOf(binding),
    version: '*',
    resource: plural,
    subresource: '',
    namespace,
    name: role.name,
  };
  if (deps.authorizer.authorize(bind).allowed) return;
  const missing = missingRules(deps, { user, namespace }, rulesOfReference(deps, request, role));
  if (missing !== undefined) throw forbidden(resource, binding.metadata.name ?? '', missing);
}

/** The group of the reference, which is not validated yet. */
function groupOf(binding: KubeObject): string {
  const reference = binding['roleRef'];
  const group = isObject(reference) ? (reference['apiGroup'] ?? '') : '';
  return group === '' || typeof group !== 'string' ? RBAC_GROUP : group;
}

function rulesOfReference(
  { resolver }: Dependencies,
  { resource, namespace }: AdmissionRequest,
  role: { readonly kind: string; readonly name: string },
): readonly PolicyRule[] {
  if (role.kind === 'Role' && namespace === '') throw badRequest('Namespace parameter required.');
  checkStoredName(role.name);
  try {
    return resolver.rulesOfRole(role, namespace);
  } catch (error) {
    // kube-apiserver reports the binding as missing.
    throw error instanceof StatusError && error.code === 404 ? notFound(resource, role.name) : error;
  }
}

/** The message about the wanted rules that the user does not have; undefined when they have all. */
function missingRules(
  { resolver }: Dependencies,
  { user, namespace }: { readonly user: UserInfo; readonly namespace: string },
  wanted: readonly PolicyRule[],
): string | undefined {
  const { rules, errors } = resolver.rulesFor(user, namespace);
  const missing = uncoveredRules(
    [...rules].map(({ rule }) => rule),
    wanted,
  );
  if (missing.length === 0) return undefined;
  const lines = [...new Set(compact(missing).map(describe))].sort();
  const who = `user ${quoted(user.name)} (groups=${list(user.groups)})`;
  const resolutionErrors = errors.length === 0 ? '' : `; resolution errors: [${aggregate(errors)}]`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${resolutionErrors}`;
}

/** Merges the verbs of each resource. */
function compact(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const merged = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { apiGroups, resources, resourceNames, nonResourceURLs, verbs } = rule;
    const simple = nonResourceURLs.length === 0;
    const key = JSON.stringify(simple ? [apiGroups, resources, resourceNames] : [nonResourceURLs, verbs]);
    const before = merged.get(key);
    merged.set(key, before === undefined || !simple ? rule : { ...before, verbs: [...before.verbs, ...verbs] });
  }
  return [...merged.values()];
}

function describe({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', verbs],
  ] as const;
  return `{${parts.flatMap(([name, values]) => (values.length === 0 ? [] : [`${name}:${list(values)}`])).join(', ')}}`;
}

function list(values: readonly string[]): string {
  return `[${values.map((value) => quoted(value)).join(' ')}]`;
}
