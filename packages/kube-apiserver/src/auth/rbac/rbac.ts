import type { Attributes, Authorizer, Decision } from '../authorizer.js';
import { type Binding, describeBinding, readBinding, subjectKey, userKeys } from './bindings.js';
import { allows, type PolicyRule, rulesOf } from './rules.js';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { ObjectReader } from '../../registry/reader.js';
import { notFound } from '../../status.js';
import type { Subscription } from '../../store/store.js';
import { MASTERS, type UserInfo } from '../../user.js';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';
const collectionOf = (plural: string): string => `${plural}.${RBAC_GROUP}`;

/** A rule of a user, and the binding that grants it. */
export interface GrantedRule {
  readonly rule: PolicyRule;
  /** As in `RBAC: allowed by …`. */
  readonly source: () => string;
}

/** Resolves the rules of users from the stored RBAC objects. */
export interface RuleResolver {
  /**
   * The rules of a user at the cluster scope and, where one is named, in a namespace, with the errors of what could not
   * be resolved.
   */
  rulesFor(
    user: UserInfo,
    namespace: string,
  ): { readonly rules: Iterable<GrantedRule>; readonly errors: readonly string[] };
  /** The rules of the role of a binding; throws 404 where it is missing. */
  rulesOfRole(role: { readonly kind: string; readonly name: string }, namespace: string): readonly PolicyRule[];
  /** Ends the index's subscriptions. */
  close(): void;
}

type Index = Map<string, Map<string, Binding>>;

/** Maintains an index of bindings by subject, from the reader's events. */
export function createRuleResolver(reader: ObjectReader): RuleResolver {
  const index: Index = new Map();
  const follow = (plural: string): Subscription => reader.watch(collectionOf(plural), followBindings(index));
  const subscriptions = [follow('clusterrolebindings'), follow('rolebindings')];
  const referenced: RuleResolver['rulesOfRole'] = (role, namespace) => rulesOf(findRole(reader, role, namespace));
  return {
    rulesOfRole: referenced,
    rulesFor(user, namespace) {
      const keys = userKeys(user);
      const errors: string[] = [];
      const rules: GrantedRule[] = [];
      for (const binding of bindingsOf(index, keys, namespace)) {
        const found = attempt(() => referenced(binding.role, binding.namespace));
        if (typeof found === 'string') errors.push(found);
        else rules.push(...found.map((rule) => ({ rule, source: () => describeBinding(binding, keys) })));
      }
      return { rules, errors };
    },
    close: () => subscriptions.forEach((one) => one.end()),
  };
}

/** Follows a collection of bindings; the entries of an object are replaced as a whole. */
function followBindings(index: Index): (object: KubeObject, type: 'put' | 'remove') => void {
  const entries = new Map<string, readonly string[]>();
  return (object, type) => {
    const binding = readBinding(object);
    const id = `${binding.namespace}/${binding.name}`;
    for (const key of entries.get(id) ?? []) index.get(key)?.delete(id);
    entries.delete(id);
    if (type === 'remove') return;
    const keys = binding.subjects
      .flatMap((subject) => subjectKey(subject, binding.namespace) ?? [])
      .map((key) => `${binding.namespace}|${key}`);
    entries.set(id, keys);
    for (const key of keys) {
      const bindings = index.get(key) ?? new Map<string, Binding>();
      index.set(key, bindings.set(id, binding));
    }
  };
}

/** The cluster's bindings first, then those of the namespace; sorted by name, without duplicates. */
function bindingsOf(index: Index, keys: readonly string[], namespace: string): readonly Binding[] {
  const scopes = namespace === '' ? [''] : ['', namespace];
  return scopes.flatMap((scope) => {
    const found = new Map<string, Binding>();
    for (const key of keys) for (const [id, binding] of index.get(`${scope}|${key}`) ?? []) found.set(id, binding);
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  });
}

function findRole(
  reader: ObjectReader,
  role: { readonly kind: string; readonly name: string },
  namespace: string,
): KubeObject {
  const cluster = role.kind === 'ClusterRole';
  if (!cluster && role.kind !== 'Role')
    throw new Error(`unsupported role reference kind: ${JSON.stringify(role.kind)}`);
  const plural = cluster ? 'clusterroles' : 'roles';
  const found = reader.get(collectionOf(plural), cluster ? '' : namespace, role.name);
  // kube-apiserver's cache names the kind in lower case here.
  if (found === undefined) throw notFound({ group: RBAC_GROUP, plural: cluster ? 'clusterrole' : 'role' }, role.name);
  return found;
}

function attempt(read: () => readonly PolicyRule[]): readonly PolicyRule[] | string {
  try {
    return read();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Authorizes by RBAC; the group system:masters may do everything. */
export function createAuthorizer(resolver: RuleResolver): Authorizer {
  return { authorize: (attributes) => decide(resolver, attributes) };
}

function decide(resolver: RuleResolver, attributes: Attributes): Decision {
  if (attributes.user.groups.includes(MASTERS)) return { allowed: true, reason: '' };
  const { rules, errors } = resolver.rulesFor(attributes.user, 'path' in attributes ? '' : attributes.namespace);
  for (const { rule, source } of rules) {
    if (allows(rule, attributes)) return { allowed: true, reason: `RBAC: allowed by ${source()}` };
  }
  return { allowed: false, reason: errors.length === 0 ? '' : `RBAC: ${aggregate(errors)}` };
}

/** As Go prints an aggregate of errors: without duplicates, in brackets where there are several. */
export function aggregate(errors: readonly string[]): string {
  const texts = [...new Set(errors)];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
