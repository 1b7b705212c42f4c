import { describe, expect, it } from '@jest/globals';

import { createAuthenticator, staticTokens } from '../../../../src/auth/authenticator.js';
import { bootstrapRbac } from '../../../../src/auth/rbac/bootstrap.js';
import { createAuthorizer, createRuleResolver } from '../../../../src/auth/rbac/rbac.js';
import { createReviews } from '../../../../src/auth/reviews/reviews.js';
import type { Json } from '@multicluster-engine/values/json';
import { StatusError } from '../../../../src/status.js';
import { ManualClock } from '../../../../testing/clock.js';
import { FakeReader } from '../reader.js';

const reader = new FakeReader();
reader.add(...bootstrapRbac());
const resolver = createRuleResolver(reader);
const authorizer = createAuthorizer(resolver);
const authenticator = createAuthenticator([staticTokens([{ token: 't', user: 'ann' }], ['api'])], ['api']);
const reviews = createReviews({ authenticator, authorizer, resolver, clock: new ManualClock() });
const ANN = { name: 'ann', groups: ['system:authenticated'] };

/** The status of a review by the user ann. */
function review(kind: keyof typeof reviews, spec: Json, metadata: Record<string, string> = {}): Json {
  const answer = (): Json =>
    reviews[kind]({ apiVersion: 'authorization.k8s.io/v1', kind, metadata, spec }, ANN)['status'] ?? null;
  try {
    return answer();
  } catch (error) {
    return error instanceof StatusError ? `${error.code} ${error.message}` : String(error);
  }
}

const PODS = { verb: 'get', resource: 'pods', namespace: 'x' };
const HEALTH = { verb: 'get', path: '/healthz' };
const SELF = { verb: 'create', group: 'authorization.k8s.io', resource: 'selfsubjectaccessreviews' };
const BY_BASIC_USER =
  'RBAC: allowed by ClusterRoleBinding "system:basic-user" of ClusterRole "system:basic-user" to Group "system:authenticated"';
const PREFIX = '422 .authorization.k8s.io "" is invalid: ';

describe('a review of access', () => {
  it.each<[keyof typeof reviews, Json, Json]>([
    ['SelfSubjectAccessReview', { resourceAttributes: PODS }, { allowed: false }],
    ['SelfSubjectAccessReview', { resourceAttributes: SELF }, { allowed: true, reason: BY_BASIC_USER }],
    ['SubjectAccessReview', { resourceAttributes: SELF, user: 'bob' }, { allowed: false }],
    ['SubjectAccessReview', { resourceAttributes: PODS, groups: ['system:masters'] }, { allowed: true }],
    [
      'SelfSubjectAccessReview',
      {},
      `${PREFIX}spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified`,
    ],
    [
      'SelfSubjectAccessReview',
      { resourceAttributes: {}, nonResourceAttributes: HEALTH },
      `${PREFIX}spec.nonResourceAttributes: Invalid value: {"Path":"/healthz","Verb":"get"}: cannot be specified in combination with resourceAttributes`,
    ],
    [
      'SubjectAccessReview',
      { nonResourceAttributes: HEALTH },
      `${PREFIX}spec.user: Invalid value: "": at least one of user or group must be specified`,
    ],
  ])('a %s of %j has the status %j', (kind, spec, status) => {
    expect(review(kind, spec)).toEqual(status);
  });

  it('an access review has no metadata', () => {
    expect(review('SelfSubjectAccessReview', { resourceAttributes: PODS }, { name: 'x' })).toBe(
      `${PREFIX}metadata: Invalid value: {"name":"x"}: must be empty`,
    );
  });

  it.each<[Json, Json]>([
    [{ resourceAttributes: PODS, user: 'bob' }, { allowed: false }],
    [
      { resourceAttributes: { ...PODS, namespace: 'y' }, user: 'bob' },
      `${PREFIX}spec.resourceAttributes.namespace: Invalid value: "y": must match metadata.namespace`,
    ],
    [
      { nonResourceAttributes: HEALTH, user: 'bob' },
      `${PREFIX}spec.nonResourceAttributes: Invalid value: {"Path":"/healthz","Verb":"get"}: disallowed on this kind of request`,
    ],
  ])('a LocalSubjectAccessReview %j has the status %j', (spec, status) => {
    expect(review('LocalSubjectAccessReview', spec, { namespace: 'x' })).toEqual(status);
  });
});

describe('a review of oneself', () => {
  it('a SelfSubjectReview has the user', () => {
    expect(review('SelfSubjectReview', {})).toEqual({
      userInfo: { username: 'ann', groups: ['system:authenticated'] },
    });
  });

  it("a SelfSubjectRulesReview has the user's rules", () => {
    expect(review('SelfSubjectRulesReview', { namespace: 'x' })).toEqual({
      resourceRules: [
        {
          verbs: ['create'],
          apiGroups: ['authorization.k8s.io'],
          resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
        },
        { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
      ],
      nonResourceRules: [
        {
          verbs: ['get'],
          nonResourceURLs: [
            '/api',
            '/api/*',
            '/apis',
            '/apis/*',
            '/healthz',
            '/livez',
            '/openapi',
            '/openapi/*',
            '/readyz',
            '/version',
            '/version/',
          ],
        },
        { verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] },
      ],
      incomplete: false,
    });
    expect(review('SelfSubjectRulesReview', {})).toBe('400 no namespace on request');
    const object = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectRulesReview',
      metadata: { finalizers: ['a'] },
      spec: { namespace: 'x' },
    };
    expect(reviews.SelfSubjectRulesReview(object, ANN)).toHaveProperty('metadata', {});
  });
});

it('a SelfSubjectRulesReview names missing roles, and is not marked incomplete', () => {
  const one = new FakeReader();
  const bound = (name: string): Json => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name, namespace: 'x' },
    roleRef: { kind: 'Role', name },
    subjects: [{ kind: 'User', name: 'ann' }],
  });
  one.add(bound('a'), bound('b'));
  const lost = createReviews({
    authenticator,
    authorizer,
    resolver: createRuleResolver(one),
    clock: new ManualClock(),
  });
  const asked = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    metadata: {},
    spec: { namespace: 'x' },
  };
  expect(lost.SelfSubjectRulesReview(asked, ANN)['status']).toEqual({
    resourceRules: [],
    nonResourceRules: [],
    incomplete: false,
    evaluationError: '[role.rbac.authorization.k8s.io "a" not found, role.rbac.authorization.k8s.io "b" not found]',
  });
});

describe('a TokenReview', () => {
  it.each<[Json, Json]>([
    [
      { token: 't' },
      { authenticated: true, user: { username: 'ann', groups: ['system:authenticated'] }, audiences: ['api'] },
    ],
    [
      { token: 't', audiences: ['other'] },
      { user: {}, error: 'invalid bearer token' },
    ],
    [{ token: 'wrong' }, { user: {}, error: 'invalid bearer token' }],
    [{}, '400 token is required for TokenReview in authentication'],
  ])('a TokenReview of %j has the status %j', (spec, status) => {
    expect(review('TokenReview', spec)).toEqual(status);
  });
});

describe('the rights that every cluster has', () => {
  it.each([
    ['edit', 'create', 'apps', 'deployments', false],
    ['system:aggregate-to-edit', 'create', 'apps', 'deployments', true],
    ['system:aggregate-to-edit', 'create', '', 'secrets', true],
    ['system:aggregate-to-view', 'get', '', 'secrets', false],
    ['system:aggregate-to-view', 'list', '', 'configmaps', true],
    ['system:aggregate-to-admin', 'create', 'rbac.authorization.k8s.io', 'roles', true],
    ['cluster-admin', 'delete', 'example.com', 'things', true],
  ])('the default role %s allows %s %s/%s: %s', (role, verb, group, resource, allowed) => {
    const one = new FakeReader();
    one.add(...bootstrapRbac(), {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'b' },
      roleRef: { kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'User', name: 'eve' }],
    });
    const wanted = {
      user: { name: 'eve', groups: [] },
      verb,
      group,
      version: 'v1',
      resource,
      subresource: '',
      namespace: 'x',
      name: '',
    };

    expect(createAuthorizer(createRuleResolver(one)).authorize(wanted).allowed).toBe(allowed);
  });

  it('the default roles are aggregated by labels', () => {
    expect(bootstrapRbac()).toContainEqual(
      expect.objectContaining({
        metadata: expect.objectContaining({
          name: 'view',
          labels: {
            'kubernetes.io/bootstrapping': 'rbac-defaults',
            'rbac.authorization.k8s.io/aggregate-to-edit': 'true',
          },
        }),
        aggregationRule: {
          clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } }],
        },
      }),
    );
  });
});
