import { describe, expect, it } from '@jest/globals';
import type { Admission, AdmissionRequest } from '../../../src/admission/admission.js';
import { createChain, guard } from '../../../src/admission/chain.js';
import { nodeTaint } from '../../../src/admission/nodetaint.js';
import { StatusError, forbidden } from '../../../src/status.js';
import { VerbsFixture, configMap, refusedStatus } from '../verbs/fixture.js';

function recording(seen: AdmissionRequest[]): Admission {
  return { validate: (request) => void seen.push(request) };
}

describe('the chain of admission', () => {
  it('the admission chain passes each step the object of the previous one, and ends with the first refusal', () => {
    const fixture = new VerbsFixture();
    const { resource } = fixture.target('configmaps/ns');
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    const request: AdmissionRequest = {
      user: fixture.user,
      operation: 'CREATE',
      resource,
      subresource: '',
      namespace: 'ns',
      name: 'a',
      object,
      oldObject: undefined,
      dryRun: false,
      options: object,
    };
    const warned: string[] = [];
    const chain = createChain({
      first: [
        { admit: (one, warn) => (warn('one'), { ...object, data: { seen: one.object?.kind ?? '' } }) },
        { admit: (two) => (two.object === undefined ? undefined : { ...two.object, more: true }) },
        guard({ validate: ({ object: three }) => void warned.push(JSON.stringify(three?.['data'])) }),
      ],
      last: [
        { validate: (_four, warn) => warn('four') },
        {
          validate: () => {
            throw forbidden(resource, 'a', 'no');
          },
        },
      ],
    });
    expect(chain.admit(request, (text) => warned.push(text))).toEqual({
      ...object,
      data: { seen: 'ConfigMap' },
      more: true,
    });
    expect(() => chain.validate(request, (text) => warned.push(text))).toThrow(StatusError);
    expect(warned).toEqual(['one', '{"seen":"ConfigMap"}', 'four']);
  });
});

describe('admission', () => {
  it('admission gets every write with its old and new object and its options', async () => {
    const seen: AdmissionRequest[] = [];
    const fixture = new VerbsFixture({ validating: [recording(seen)] });
    await fixture.namespace('ns');
    await fixture.create('configmaps/ns', configMap('', { metadata: { generateName: 'gen-' } }), {
      fieldManager: 'm',
      dryRun: 'All',
    });
    await fixture.create('configmaps/ns', configMap('a'));
    await fixture.patch('configmaps/ns/a', 'apply', configMap('a', { data: { x: '1' } }), {
      fieldManager: 'm',
      force: 'true',
    });
    await fixture.patch('configmaps/ns/a', 'merge', { data: { x: '1' } });
    await fixture.delete('configmaps/ns/a', { propagationPolicy: 'Background', preconditions: { uid: 'uid-3' } });
    const received = seen.map(({ operation, namespace, name, object, oldObject, dryRun, options }) => [
      operation,
      namespace,
      name,
      object?.metadata.name,
      oldObject?.metadata.name,
      dryRun,
      options.kind,
    ]);
    expect(received).toEqual([
      ['CREATE', 'ns', 'ns', 'ns', undefined, false, 'CreateOptions'],
      ['CREATE', 'ns', 'gen-bcdfg', 'gen-bcdfg', undefined, true, 'CreateOptions'],
      ['CREATE', 'ns', 'a', 'a', undefined, false, 'CreateOptions'],
      ['UPDATE', 'ns', 'a', 'a', 'a', false, 'UpdateOptions'],
      ['UPDATE', 'ns', 'a', 'a', 'a', false, 'UpdateOptions'],
      ['DELETE', 'ns', 'a', undefined, 'a', false, 'DeleteOptions'],
    ]);
    expect(seen[3]?.options).toEqual({
      apiVersion: 'meta.k8s.io/v1',
      kind: 'UpdateOptions',
      metadata: {},
      fieldManager: 'm',
    });
    expect(seen[5]?.options).toMatchObject({ propagationPolicy: 'Background', preconditions: { uid: 'uid-3' } });
  });

  it('validating admission runs after the validation of the kind and before the check of the name', async () => {
    const refuse: Admission = {
      validate: ({ resource }) => {
        if (resource.plural === 'configmaps') throw forbidden(resource, 'a', 'no');
      },
    };
    const fixture = new VerbsFixture({ validating: [refuse] });
    await fixture.namespace('ns');
    expect(await refusedStatus(() => fixture.create('configmaps/ns', configMap('A_b')))).toMatchObject({ code: 422 });
    expect(await refusedStatus(() => fixture.create('configmaps/ns', configMap('a')))).toMatchObject({ code: 403 });
  });
});

describe('NamespaceLifecycle', () => {
  it('NamespaceLifecycle ignores cluster-scoped objects, updates, and access reviews', async () => {
    const fixture = new VerbsFixture();
    expect(await fixture.create('clusterroles.rbac.authorization.k8s.io', { metadata: { name: 'r' } })).toMatchObject({
      kind: 'ClusterRole',
    });
    expect(
      await fixture.create('localsubjectaccessreviews.authorization.k8s.io/nope', {
        spec: { user: 'u', resourceAttributes: { namespace: 'nope' } },
      }),
    ).toMatchObject({ kind: 'LocalSubjectAccessReview' });
    expect(await refusedStatus(() => fixture.update('configmaps/nope/a', configMap('a')))).toMatchObject({
      code: 404,
      message: 'configmaps "a" not found',
    });
    expect(
      await refusedStatus(() => fixture.patch('configmaps/nope/a', 'apply', configMap('a'), { fieldManager: 'm' })),
    ).toMatchObject({ code: 404, message: 'namespaces "nope" not found' });
  });
});

describe('a new Node', () => {
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

  it.each<[string, readonly { readonly key: string; readonly effect: string }[]]>([
    ['takes no pods', []],
    [
      'keeps its other taints',
      [
        { key: 'a', effect: 'NoSchedule' },
        { ...taint, effect: 'NoExecute' },
      ],
    ],
  ])('a new Node %s', (_what, taints) => {
    const fixture = new VerbsFixture();
    const object = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: { taints } };
    const request: AdmissionRequest = {
      user: fixture.user,
      operation: 'CREATE',
      resource: fixture.target('nodes').resource,
      subresource: '',
      namespace: '',
      name: 'n',
      object,
      oldObject: undefined,
      dryRun: false,
      options: object,
    };
    const once = nodeTaint.admit(request, () => undefined);
    expect(once).toEqual({ ...object, spec: { taints: [...taints, taint] } });
    expect(nodeTaint.admit({ ...request, object: once }, () => undefined)).toBe(once);
    expect(nodeTaint.admit({ ...request, operation: 'UPDATE' }, () => undefined)).toBe(object);
  });
});
