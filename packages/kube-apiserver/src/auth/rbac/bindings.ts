import { textAt } from '@multicluster-engine/values/fields';
import { isArray, isObject, type Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { UserInfo } from '../../user.js';
import { quoted } from '../../status.js';

/** A RoleBinding or ClusterRoleBinding, parsed for authorization. */
export interface Binding {
  readonly name: string;
  /** '' for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly role: { readonly kind: string; readonly name: string };
  readonly subjects: readonly Subject[];
}

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

const ACCOUNT = 'system:serviceaccount:';

export function readBinding(object: KubeObject): Binding {
  const { name = '', namespace = '' } = object.metadata;
  const subjects = isArray(object['subjects']) ? object['subjects'] : [];
  return { name, namespace, role: readReference(object['roleRef']), subjects: subjects.map((one) => readSubject(one)) };
}

export function readReference(value: Json | undefined): { readonly kind: string; readonly name: string } {
  const reference = isObject(value) ? value : {};
  return { kind: textAt(reference, 'kind'), name: textAt(reference, 'name') };
}

function readSubject(value: Json): Subject {
  const subject = isObject(value) ? value : {};
  return { kind: textAt(subject, 'kind'), name: textAt(subject, 'name'), namespace: textAt(subject, 'namespace') };
}

/** The index key of a subject; undefined for a subject that matches nobody. */
export function subjectKey(subject: Subject, bindingNamespace: string): string | undefined {
  if (subject.kind === 'User') return `u:${subject.name}`;
  if (subject.kind === 'Group') return `g:${subject.name}`;
  const namespace = subject.namespace === '' ? bindingNamespace : subject.namespace;
  return subject.kind === 'ServiceAccount' && namespace !== ''
    ? `u:${accountName(namespace, subject.name)}`
    : undefined;
}

/** The index keys of a user's bindings. */
export function userKeys(user: UserInfo): readonly string[] {
  return [`u:${user.name}`, ...user.groups.map((group) => `g:${group}`)];
}

/** `RoleBinding "name/namespace" of Role "r" to User "u"`, for the reason of a decision. */
export function describeBinding(binding: Binding, keys: readonly string[]): string {
  const { name, namespace, role, subjects } = binding;
  const subject = subjects.find((one) => keys.includes(subjectKey(one, namespace) ?? ''));
  const what =
    namespace === '' ? `ClusterRoleBinding ${quoted(name)}` : `RoleBinding ${quoted(`${name}/${namespace}`)}`;
  const whom = subject === undefined ? '' : `${subject.kind} ${quoted(describeSubject(subject, namespace))}`;
  return `${what} of ${role.kind} ${quoted(role.name)} to ${whom}`;
}

function describeSubject({ kind, name, namespace }: Subject, bindingNamespace: string): string {
  return kind === 'ServiceAccount' ? `${name}/${namespace === '' ? bindingNamespace : namespace}` : name;
}

/** The user name of a ServiceAccount. */
export function accountName(namespace: string, name: string): string {
  return `${ACCOUNT}${namespace}:${name}`;
}

/** Parses the user name of a ServiceAccount. */
export function readAccountName(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(ACCOUNT)) return undefined;
  const [namespace = '', name = '', ...more] = user.slice(ACCOUNT.length).split(':');
  return namespace === '' || name === '' || more.length > 0 ? undefined : { namespace, name };
}
