import type { Attributes, Authorizer, Decision } from '../../auth/authorizer.js';
import { Library, EvaluationError, noSuchOverload, textOf, Opaque, type Value } from '@multicluster-engine/cel';
import { dns1123Label, dns1123Subdomain } from '@multicluster-engine/values/formats';
import type { UserInfo } from '../../user.js';

const PREFIX = 'kubernetes.authorization';

/** Values of the authorizer library are equal only to themselves. */
abstract class AuthorizerLibraryValue extends Opaque {
  equals(other: Opaque): boolean {
    return other === this;
  }
}

interface CheckSubject {
  readonly user: UserInfo;
  readonly authorizer: Authorizer;
}

/** `authorizer`: checks the rights of a user. */
class AuthorizerValue extends AuthorizerLibraryValue {
  readonly typeName = `${PREFIX}.Authorizer`;
  readonly subject: CheckSubject;

  constructor(subject: CheckSubject) {
    super();
    this.subject = subject;
  }
}

/** A check of a user's right to `target`, without its verb. */
abstract class Check<Target> extends AuthorizerLibraryValue {
  readonly subject: CheckSubject;
  readonly target: Target;

  constructor(subject: CheckSubject, target: Target) {
    super();
    this.subject = subject;
    this.target = target;
  }
}

class PathCheck extends Check<string> {
  readonly typeName = `${PREFIX}.PathCheck`;
}

/** A resource check without its resource. */
class GroupCheck extends Check<string> {
  readonly typeName = `${PREFIX}.GroupCheck`;
}

/** A resource check without its verb. */
export interface CheckedResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

class ResourceCheck extends Check<CheckedResource> {
  readonly typeName = `${PREFIX}.ResourceCheck`;
}

class DecisionValue extends AuthorizerLibraryValue {
  readonly typeName = `${PREFIX}.Decision`;
  readonly decision: Decision;

  constructor(decision: Decision) {
    super();
    this.decision = decision;
  }
}

/** The value of the variable `authorizer`. */
export function authorizerValue(subject: CheckSubject): Value {
  return new AuthorizerValue(subject);
}

/** The value of the variable `authorizer.requestResource`. */
export function resourceCheckValue(subject: CheckSubject, target: CheckedResource): Value {
  return new ResourceCheck(subject, target);
}

/** Names of the types of this library. */
const AUTHORIZER_TYPES = ['Authorizer', 'PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map(
  (name) => `${PREFIX}.${name}`,
);

/**
 * Kubernetes' authorizer library: RBAC checks in policies. Selectors are accepted and ignored, because RBAC does not
 * support them.
 */
export function authz(): Library {
  const library = new Library();
  const [authorizer, path, group, resource, decision] = AUTHORIZER_TYPES;
  library.add(
    'authorizer_path',
    `${authorizer}.path(string): ${path}`,
    ([value, text]) => new PathCheck(as(value, AuthorizerValue).subject, filled(text, 'path')),
  );
  library.add(
    'authorizer_group',
    `${authorizer}.group(string): ${group}`,
    ([value, text]) => new GroupCheck(as(value, AuthorizerValue).subject, textOf(text)),
  );
  library.add(
    'authorizer_serviceaccount',
    `${authorizer}.serviceAccount(string, string): ${authorizer}`,
    ([value, namespace, name]) =>
      new AuthorizerValue({ ...as(value, AuthorizerValue).subject, user: account(textOf(namespace), textOf(name)) }),
  );
  library.add('groupcheck_resource', `${group}.resource(string): ${resource}`, ([value, text]) => {
    const check = as(value, GroupCheck);
    return new ResourceCheck(check.subject, {
      group: check.target,
      resource: filled(text, 'resource'),
      subresource: '',
      namespace: '',
      name: '',
    });
  });
  for (const field of ['subresource', 'namespace', 'name'] as const) {
    library.add(`resourcecheck_${field}`, `${resource}.${field}(string): ${resource}`, ([value, text]) => {
      const check = as(value, ResourceCheck);
      return new ResourceCheck(check.subject, { ...check.target, [field]: textOf(text) });
    });
  }
  library.add('authorizer_fieldselector', `${resource}.fieldSelector(string): ${resource}`, ([value = null]) => value);
  library.add('authorizer_labelselector', `${resource}.labelSelector(string): ${resource}`, ([value = null]) => value);
  library.add('pathcheck_check', `${path}.check(string): ${decision}`, ([value, verb]) => {
    const { subject, target } = as(value, PathCheck);
    return decide(subject, { user: subject.user, verb: textOf(verb), path: target });
  });
  library.add('resourcecheck_check', `${resource}.check(string): ${decision}`, ([value, verb]) => {
    const { subject, target } = as(value, ResourceCheck);
    return decide(subject, { user: subject.user, verb: textOf(verb), version: '*', ...target });
  });
  addDecisions(library, decision ?? '');
  return library;
}

function addDecisions(library: Library, type: string): void {
  library.add('decision_allowed', `${type}.allowed(): bool`, ([value]) => as(value, DecisionValue).decision.allowed);
  library.add('decision_reason', `${type}.reason(): string`, ([value]) => as(value, DecisionValue).decision.reason);
  library.add('decision_errored', `${type}.errored(): bool`, () => false);
  library.add('decision_error', `${type}.error(): string`, () => '');
}

function decide({ authorizer }: CheckSubject, attributes: Attributes): DecisionValue {
  return new DecisionValue(authorizer.authorize(attributes));
}

function filled(value: Value | undefined, name: string): string {
  const text = textOf(value);
  if (text.trim() === '') throw new EvaluationError(`${name} must not be empty`);
  return text;
}

function account(namespace: string, name: string): UserInfo {
  if (dns1123Subdomain(name).length > 0) throw new EvaluationError('Invalid service account name');
  if (dns1123Label(namespace).length > 0) throw new EvaluationError('Invalid service account namespace');
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { name: `system:serviceaccount:${namespace}:${name}`, groups };
}

function as<T extends AuthorizerLibraryValue>(value: Value | undefined, type: abstract new (...args: never[]) => T): T {
  if (value instanceof type) return value;
  throw noSuchOverload();
}
