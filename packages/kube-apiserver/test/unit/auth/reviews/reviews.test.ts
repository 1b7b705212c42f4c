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

// conformance/exchange/authorization.http has what kube-apiserver answers to reviews of access and of tokens.
describe('a review of oneself', () => {
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
