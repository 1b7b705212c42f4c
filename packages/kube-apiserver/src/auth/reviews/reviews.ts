import type { Authenticator } from '../authenticator.js';
import type { Attributes, Authorizer } from '../authorizer.js';
import { aggregate, type RuleResolver } from '../rbac/rbac.js';
import { strings } from '../rbac/rules.js';
import { structAt, textAt } from '@multicluster-engine/values/fields';
import { isArray, isObject, type Json, type JsonObject, own } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { badRequest, StatusError } from '../../status.js';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { timestamp } from '@multicluster-engine/values/time';
import { checkSelectors, selectorErrors } from './selectors.js';
import type { UserInfo } from '../../user.js';
import type { Clock } from '../../clock.js';

/** Completes a review: returns the object with its status. */
type Answer = (object: KubeObject, user: UserInfo) => KubeObject;

interface Parts {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly resolver: RuleResolver;
  readonly clock: Clock;
}

/** By kind. */
export function createReviews(parts: Parts) {
  return {
    TokenReview: (object, _user) => tokenReview(parts.authenticator, object),
    SelfSubjectReview: (object, user) => ({
      ...object,
      metadata: { creationTimestamp: timestamp(parts.clock.now()) },
      status: { userInfo: userJson(user) },
    }),
    SubjectAccessReview: (object, _user) => accessReview(parts.authorizer, object, subjectOf(object)),
    SelfSubjectAccessReview: (object, user) => accessReview(parts.authorizer, object, user),
    LocalSubjectAccessReview: (object, _user) => accessReview(parts.authorizer, object, subjectOf(object)),
    SelfSubjectRulesReview: (object, user) => rulesReview(parts.resolver, object, user),
  } satisfies Record<string, Answer>;
}

function userJson({ name, uid, groups, extra }: UserInfo): JsonObject {
  return { username: name, ...(uid === undefined ? {} : { uid }), groups, ...(extra === undefined ? {} : { extra }) };
}

function tokenReview(authenticator: Authenticator, object: KubeObject): KubeObject {
  const spec = structAt(object, 'spec');
  const token = textAt(spec, 'token');
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const found = authenticator.token(token, strings(own(spec, 'audiences')));
  const status =
    'problem' in found
      ? { user: {}, error: found.problem }
      : { authenticated: true, user: userJson(found.user), audiences: found.audiences };
  return { ...object, status };
}

function accessReview(authorizer: Authorizer, object: KubeObject, user: UserInfo): KubeObject {
  const errors = validate(object);
  if (errors.length > 0) throw invalidReview(errors);
  const spec = structAt(object, 'spec');
  const { allowed, reason } = authorizer.authorize(attributesOf(spec, user));
  const selectorProblems = selectorErrors(structAt(spec, 'resourceAttributes'));
  return {
    ...object,
    status: {
      allowed,
      ...(reason === '' ? {} : { reason }),
      ...(selectorProblems.length === 0 ? {} : { evaluationError: selectorProblems.join('; ') }),
    },
  };
}

function attributesOf(spec: JsonObject, user: UserInfo): Attributes {
  const path = own(spec, 'nonResourceAttributes');
  if (isObject(path)) return { user, verb: textAt(path, 'verb'), path: textAt(path, 'path') };
  const wanted = structAt(spec, 'resourceAttributes');
  const { verb, group, version, resource, subresource, namespace, name } = Object.fromEntries(
    ['verb', 'group', 'version', 'resource', 'subresource', 'namespace', 'name'].map((key) => [
      key,
      textAt(wanted, key),
    ]),
  );
  return {
    user,
    verb: verb ?? '',
    group: group ?? '',
    version: version ?? '',
    resource: resource ?? '',
    subresource: subresource ?? '',
    namespace: namespace ?? '',
    name: name ?? '',
  };
}

/** The user of a review. */
function subjectOf(object: KubeObject): UserInfo {
  const spec = structAt(object, 'spec');
  const uid = textAt(spec, 'uid');
  const extra = own(spec, 'extra');
  const values = isObject(extra)
    ? Object.fromEntries(Object.entries(extra).map(([key, value]) => [key, strings(value)]))
    : undefined;
  return {
    name: textAt(spec, 'user'),
    groups: strings(own(spec, 'groups')),
    ...(uid === '' ? {} : { uid }),
    ...(values === undefined ? {} : { extra: values }),
  };
}

function validate(object: KubeObject): readonly FieldError[] {
  const { kind } = object;
  const spec = structAt(object, 'spec');
  const [resource, path] = [own(spec, 'resourceAttributes'), own(spec, 'nonResourceAttributes')];
  const local = kind === 'LocalSubjectAccessReview';
  const errors: FieldError[] = [];
  if (resource !== undefined && path !== undefined)
    errors.push(
      wrong('spec.nonResourceAttributes', goPath(path), 'cannot be specified in combination with resourceAttributes'),
    );
  if (resource === undefined && path === undefined)
    errors.push(
      wrong(
        'spec.resourceAttributes',
        null,
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    );
  if (kind !== 'SelfSubjectAccessReview' && textAt(spec, 'user') === '' && !hasItems(own(spec, 'groups')))
    errors.push(wrong('spec.user', '', 'at least one of user or group must be specified'));
  if (isObject(resource)) errors.push(...checkSelectors(resource, 'spec.resourceAttributes'));
  const { managedFields: _managers, namespace = '', ...metadata } = object.metadata;
  const rest = local ? metadata : { ...metadata, ...(namespace === '' ? {} : { namespace }) };
  if (Object.values(rest).some((value) => value !== undefined))
    errors.push(wrong('metadata', object.metadata, `must be empty${local ? ' except for namespace' : ''}`));
  if (local && isObject(resource) && textAt(resource, 'namespace') !== namespace)
    errors.push(
      wrong('spec.resourceAttributes.namespace', textAt(resource, 'namespace'), 'must match metadata.namespace'),
    );
  if (local && path !== undefined)
    errors.push(wrong('spec.nonResourceAttributes', goPath(path), 'disallowed on this kind of request'));
  return errors;
}

function hasItems(value: Json | undefined): boolean {
  return isArray(value) && value.length > 0;
}

// The internal type has no JSON names.
function goPath(path: Json): JsonObject {
  const wanted = isObject(path) ? path : {};
  return { Path: textAt(wanted, 'path'), Verb: textAt(wanted, 'verb') };
}

function wrong(field: string, value: Json, why: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${JSON.stringify(value)}: ${why}` };
}

// kube-apiserver names no kind here: the object that it refuses has lost its type.
function invalidReview(errors: readonly FieldError[]): StatusError {
  const group = 'authorization.k8s.io';
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  const all = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const causes = errors.map(({ reason, message, field }) => ({ reason, message, field }));
  return new StatusError(422, `.${group} "" is invalid: ${all}`, { reason: 'Invalid', details: { group, causes } });
}

function rulesReview(resolver: RuleResolver, object: KubeObject, user: UserInfo): KubeObject {
  const namespace = textAt(structAt(object, 'spec'), 'namespace');
  if (namespace === '') throw badRequest('no namespace on request');
  const { rules, errors } = resolver.rulesFor(user, namespace);
  const all = [...rules].map(({ rule }) => rule);
  const resourceRules = all
    .filter((rule) => rule.resources.length > 0)
    .map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs,
      apiGroups,
      resources,
      ...(resourceNames.length === 0 ? {} : { resourceNames }),
    }));
  const nonResourceRules = all
    .filter((rule) => rule.nonResourceURLs.length > 0)
    .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }));
  const evaluationError = errors.length === 0 ? {} : { evaluationError: aggregate(errors) };
  return {
    ...object,
    metadata: {},
    spec: {},
    status: { resourceRules, nonResourceRules, incomplete: false, ...evaluationError },
  };
}
