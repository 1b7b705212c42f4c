import { describe, expect, it } from '@jest/globals';

import type { AdmissionRequest } from '../../../../src/admission/admission.js';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { VerbsFixture } from '../../verbs/fixture.js';
import { FakeObjects } from './fixture.js';

const { registry } = new VerbsFixture();
const GROUP = 'admissionregistration.k8s.io';

function made(kind: string, name: string, spec: JsonObject): KubeObject {
  return { apiVersion: `${GROUP}/v1`, kind, metadata: { name }, spec };
}

const policy = made('ValidatingAdmissionPolicy', 'p', {
  failurePolicy: 'Fail',
  paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
  matchConstraints: {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    resourceRules: [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'], scope: '*' },
    ],
  },
  validations: [
    { expression: 'true' },
    { expression: "!request.name.startsWith('bad')", message: 'is <bad> & so' },
    { expression: "request.name != 'bad2'" },
  ],
  auditAnnotations: [
    { key: 'who', valueExpression: "'by ' + request.userInfo.username" },
    { key: 'blank', valueExpression: "' '" },
    { key: 'nothing', valueExpression: 'null' },
    { key: 'param', valueExpression: 'string(params.data.v)' },
    { key: 'trimmed', valueExpression: "'  x '" },
  ],
});

const binding = (actions: readonly string[]): KubeObject =>
  made('ValidatingAdmissionPolicyBinding', 'b', {
    policyName: 'p',
    validationActions: actions,
    paramRef: { namespace: 'ns', selector: {}, parameterNotFoundAction: 'Deny' },
  });

const param = (name: string, v: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'ns' },
  data: { v },
});

/** The audit annotations of the creation of a Secret. */
function auditAnnotations(
  name: string,
  actions: readonly string[],
  values: readonly string[] = ['1', '2', '1'],
): Readonly<Record<string, string>> {
  const objects = new FakeObjects({
    namespaces: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } }],
    configmaps: values.map((value, at) => param(`c${at}`, value)),
    [`validatingadmissionpolicies.${GROUP}`]: [policy],
    [`validatingadmissionpolicybindings.${GROUP}`]: [binding(actions)],
  });
  const resource = registry.find('', 'v1', 'secrets');
  if (resource === undefined) throw new Error('secrets are not served');
  const notes: Record<string, string> = {};
  const request: AdmissionRequest = {
    user: { name: 'admin', groups: ['system:masters'] },
    operation: 'CREATE',
    resource,
    subresource: '',
    namespace: 'ns',
    name,
    dryRun: false,
    object: { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'ns' } },
    oldObject: undefined,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', metadata: {} },
    annotate: (key, value) => void (notes[key] ??= value),
  };
  try {
    objects
      .admission({ authorize: () => ({ allowed: true, reason: '' }) }, registry)
      .validate(request, () => undefined);
  } catch (error) {
    notes['refused'] = String(error);
  }
  return notes;
}

const PUBLISHED = { 'p/param': '1, 2', 'p/trimmed': 'x', 'p/who': 'by admin' };
const FAILURE = 'validation.policy.admission.k8s.io/validation_failure';
const failure = (actions: string): string =>
  `[{"message":"is \\u003cbad\\u003e \\u0026 so","policy":"p","binding":"b","expressionIndex":1,"validationActions":[${actions}]}]`;

describe('audit annotations of policies', () => {
  it('distinct values of an audit annotation are joined, blank ones are omitted', () => {
    expect(auditAnnotations('good', ['Deny'])).toEqual(PUBLISHED);
  });

  it('the first failed validation is an audit annotation with the action Audit', () => {
    expect(auditAnnotations('bad2', ['Audit', 'Warn'])).toEqual({ ...PUBLISHED, [FAILURE]: failure('"Audit","Warn"') });
    expect(auditAnnotations('bad', ['Warn'])).toEqual(PUBLISHED);
  });

  it('a denied request has its audit annotations too', () => {
    expect(auditAnnotations('bad', ['Deny', 'Audit'])).toEqual({
      ...PUBLISHED,
      [FAILURE]: failure('"Deny","Audit"'),
      refused: expect.stringContaining('is <bad> & so'),
    });
  });

  it('a value of an audit annotation is shortened to 10 KiB', () => {
    expect(auditAnnotations('good', ['Deny'], ['x'.repeat(20_000)])['p/param']).toHaveLength(10_240);
  });
});
