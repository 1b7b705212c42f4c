import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Json } from '@multicluster-engine/values/json';
import type { Query } from '../../../src/verbs/verbs.js';
import { VerbsFixture, configMap, refusedStatus } from './fixture.js';

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const handled = (why: string): string => `ConfigMap in version "v1" cannot be handled as a ConfigMap: ${why}`;

let fixture: VerbsFixture;

beforeEach(async () => {
  fixture = new VerbsFixture();
  await fixture.namespace('ns');
});

describe('a POST', () => {
  it('a POST ignores the system fields of the body, and keeps a generation', async () => {
    const made = await fixture.create(
      'configmaps/ns',
      configMap('c', {
        metadata: {
          name: 'c',
          uid: 'x',
          creationTimestamp: '2020-01-01T00:00:00Z',
          deletionTimestamp: '2020-01-01T00:00:00Z',
          selfLink: 'x',
          generation: 5,
        },
      }),
    );
    expect(made.metadata).toEqual({
      name: 'c',
      namespace: 'ns',
      uid: 'uid-2',
      resourceVersion: '3',
      creationTimestamp: '2026-01-02T03:04:05Z',
      generation: 5,
    });
  });

  it('a POST takes kind and apiVersion from its path where the body has none', async () => {
    expect(await fixture.create('configmaps/ns', { metadata: { name: 'c' } })).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
    });
  });

  it('a POST removes null and empty fields of metadata', async () => {
    const made = await fixture.create(
      'configmaps/ns',
      configMap('d', { metadata: { name: 'd', labels: {}, annotations: null, finalizers: [], ownerReferences: [] } }),
    );
    expect(Object.keys(made.metadata).sort()).toEqual([
      'creationTimestamp',
      'name',
      'namespace',
      'resourceVersion',
      'uid',
    ]);
  });

  it('a POST of an existing name is refused', async () => {
    await fixture.create('configmaps/ns', configMap('a'));
    const status = {
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
      details: { name: 'a', kind: 'configmaps' },
    };
    expect(await refusedStatus(() => fixture.create('configmaps/ns', configMap('a')))).toMatchObject(status);
    expect(await refusedStatus(() => fixture.create('configmaps/ns', configMap('a'), { dryRun: 'All' }))).toMatchObject(
      status,
    );
  });

  it('a POST in a dry run returns the object without a resourceVersion', async () => {
    const made = await fixture.create('configmaps/ns', configMap('dry'), { dryRun: 'All' });
    expect(made.metadata).toEqual({
      name: 'dry',
      namespace: 'ns',
      uid: 'uid-2',
      creationTimestamp: '2026-01-02T03:04:05Z',
    });
    expect(await refusedStatus(() => fixture.get('configmaps/ns/dry'))).toMatchObject({ code: 404 });
  });

  it('a generated name has at most 63 characters', async () => {
    const short = await fixture.create('configmaps/ns', configMap('', { metadata: { generateName: 'gen-' } }));
    expect(short.metadata).toMatchObject({
      generateName: 'gen-',
      name: expect.stringMatching(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/),
    });
    const long = await fixture.create('configmaps/ns', configMap('', { metadata: { generateName: 'a'.repeat(200) } }));
    expect(long.metadata.name).toHaveLength(63);
  });

  it('a generated name that exists is replaced by another', async () => {
    const first = await fixture.create('configmaps/ns', configMap('', { metadata: { generateName: 'gen-' } }), {
      dryRun: 'All',
    });
    expect(first.metadata.name).toBe('gen-bcdfg');
    for (const name of ['gen-hjklm', 'gen-npqrs']) await fixture.create('configmaps/ns', configMap(name));
    expect(
      (await fixture.create('configmaps/ns', configMap('', { metadata: { generateName: 'gen-' } }))).metadata.name,
    ).toBe('gen-tvwxz');
  });

  it('a POST removes duplicate owners, and warns', async () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'q', uid: 'u1' };
    const made = await fixture.create(
      'configmaps/ns',
      configMap('own', { metadata: { name: 'own', ownerReferences: [owner, owner, { ...owner, uid: 'u2' }] } }),
    );
    expect(made.metadata.ownerReferences).toEqual([owner, { ...owner, uid: 'u2' }]);
    expect(fixture.warnings).toEqual([
      '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u1',
    ]);
  });

  it.each<[string, Json, number, string]>([
    [
      'another namespace',
      configMap('a', { metadata: { name: 'a', namespace: 'other' } }),
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'a resourceVersion',
      configMap('c', { metadata: { name: 'c', resourceVersion: '5' } }),
      500,
      'resourceVersion should not be set on objects to be created',
    ],
    [
      'another kind',
      { kind: 'Secret', apiVersion: 'v1' },
      400,
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      'a kind of another group',
      { kind: 'Deployment', apiVersion: 'apps/v1' },
      400,
      'Deployment in version "v1" cannot be handled as a ConfigMap: converting (v1.Deployment) to (core.ConfigMap): unknown conversion',
    ],
    [
      'an unknown version',
      { kind: 'ConfigMap', apiVersion: 'v2' },
      400,
      'ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      'an unknown kind',
      { kind: 'Foo', apiVersion: 'v1' },
      400,
      'Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      'a kind that is no text',
      { kind: 5 },
      400,
      `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})`,
    ],
    [
      'an array',
      [],
      400,
      `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)`,
    ],
    ['null', null, 422, 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required'],
    ['nothing', {}, 422, 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required'],
    [
      'a label that is a number',
      configMap('x', { metadata: { name: 'x', labels: { a: 1 } } }),
      400,
      handled('json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string'),
    ],
    [
      'data that is a list',
      configMap('x', { data: [] }),
      400,
      handled('json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string'),
    ],
    [
      'a bad name',
      configMap('A_b'),
      422,
      `ConfigMap "A_b" is invalid: metadata.name: Invalid value: "A_b": ${SUBDOMAIN}`,
    ],
    [
      'a bad finalizer',
      configMap('x', { metadata: { name: 'x', finalizers: ['x'] } }),
      422,
      'ConfigMap "x" is invalid: metadata.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
    ],
  ])('a POST of %s is refused', async (_what, value, code, message) => {
    expect(await refusedStatus(() => fixture.create('configmaps/ns', value))).toMatchObject({ code, message });
  });

  it.each<[Query, string]>([
    [{ dryRun: 'Bad' }, 'dryRun: Unsupported value: ["Bad"]: supported values: "All"'],
    [
      { fieldValidation: 'Bad' },
      'fieldValidation: Unsupported value: "Bad": supported values: "", "Ignore", "Strict", "Warn"',
    ],
    [{ fieldManager: 'x'.repeat(129) }, 'fieldManager: Too long: may not be more than 128 bytes'],
    [{ fieldManager: 'a\nb' }, 'fieldManager: Invalid value: "a\\nb": invalid character U+000A (at position 1)'],
  ])('a POST with options %j is refused', async (query, text) => {
    expect(await refusedStatus(() => fixture.create('configmaps/ns', configMap('a'), query))).toMatchObject({
      code: 422,
      message: `CreateOptions.meta.k8s.io "" is invalid: ${text}`,
    });
  });

  it('a POST into a missing namespace is refused', async () => {
    const status = { code: 404, message: 'namespaces "nope" not found', details: { name: 'nope', kind: 'namespaces' } };
    expect(await refusedStatus(() => fixture.create('configmaps/nope', configMap('a')))).toMatchObject(status);
  });

  it.each<[Query, readonly string[] | undefined]>([
    [{}, ['unknown field "metadata.zz"', 'duplicate field "data.a"', 'unknown field "foo"']],
    [{ fieldValidation: 'Warn' }, ['unknown field "metadata.zz"', 'duplicate field "data.a"', 'unknown field "foo"']],
    [{ fieldValidation: 'Ignore' }, []],
    [{ fieldValidation: 'Strict' }, undefined],
  ])('a POST with %j gets the warnings %j, or is refused', async (query, warnings) => {
    const body = {
      value: { metadata: { name: 'z', zz: 1 }, data: { a: '2' }, foo: 1 },
      duplicates: ['duplicate field "data.a"'],
    };
    const attempt = (): Promise<unknown> =>
      fixture.verbs.create(fixture.target('configmaps/ns'), body, query, fixture.caller);
    if (warnings === undefined) {
      const message = handled(
        'strict decoding error: unknown field "metadata.zz", duplicate field "data.a", unknown field "foo"',
      );
      expect(await refusedStatus(attempt)).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        code: 400,
        reason: 'BadRequest',
        message,
      });
    } else {
      expect(await attempt()).toMatchObject({ code: 201, object: { data: { a: '2' } } });
      expect(fixture.warnings).toEqual(warnings);
    }
  });

  it('a POST of a review returns it and stores nothing', async () => {
    const before = fixture.store.revision;
    expect(
      await fixture.create('selfsubjectaccessreviews.authorization.k8s.io', {
        spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
      }),
    ).toMatchObject({ status: { allowed: true } });
    expect(fixture.store.revision).toBe(before);
  });
});

describe('a PUT', () => {
  beforeEach(async () => {
    await fixture.create('configmaps/ns', configMap('a', { data: { x: '1' } }));
  });

  it('a PUT without resourceVersion overwrites, one with it only that version', async () => {
    expect(await fixture.update('configmaps/ns/a', configMap('a', { data: { x: '2' } }))).toMatchObject({
      data: { x: '2' },
      metadata: { resourceVersion: '4' },
    });
    expect(
      await refusedStatus(() =>
        fixture.update('configmaps/ns/a', configMap('a', { metadata: { name: 'a', resourceVersion: '3' } })),
      ),
    ).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 409,
      reason: 'Conflict',
      details: { name: 'a', kind: 'configmaps' },
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    });
  });

  it('a PUT that changes nothing writes nothing', async () => {
    const old = fixture.get('configmaps/ns/a');
    await fixture.clock.advance(5000);
    expect(await fixture.update('configmaps/ns/a', configMap('a', { data: { x: '1' } }))).toEqual(old);
    expect(
      await fixture.update('configmaps/ns/a', configMap('a', { data: { x: '2' } }), { dryRun: 'All' }),
    ).toMatchObject({ data: { x: '2' }, metadata: { resourceVersion: '3' } });
    expect(fixture.get('configmaps/ns/a')).toEqual(old);
  });

  it.each<[string, Json, number, string]>([
    ['another name', configMap('b'), 400, 'the name of the object (b) does not match the name on the URL (a)'],
    [
      'no name',
      { apiVersion: 'v1', kind: 'ConfigMap' },
      400,
      'the name of the object (a based on URL) was undeterminable: name must be provided',
    ],
    [
      'a resourceVersion that is none',
      configMap('a', { metadata: { name: 'a', resourceVersion: 'abc' } }),
      500,
      'strconv.ParseUint: parsing "abc": invalid syntax',
    ],
    [
      'another uid',
      configMap('a', { metadata: { name: 'a', uid: 'x' } }),
      409,
      'Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/ns/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: uid-2',
    ],
  ])('a PUT with %s is refused', async (_what, value, code, message) => {
    expect(await refusedStatus(() => fixture.update('configmaps/ns/a', value))).toMatchObject({ code, message });
  });

  it('a PUT of a missing object is refused, except for kinds that it creates', async () => {
    expect(await refusedStatus(() => fixture.update('configmaps/ns/b', configMap('b')))).toMatchObject({
      code: 404,
      message: 'configmaps "b" not found',
    });
    const lease = { metadata: { name: 'l' }, spec: { holderIdentity: 'x' } };
    const put = (metadata: Json): ReturnType<typeof fixture.verbs.update> =>
      fixture.verbs.update(
        fixture.target('leases.coordination.k8s.io/ns/l'),
        { value: { ...lease, metadata }, duplicates: [] },
        {},
        fixture.caller,
      );
    const { code, object } = await put({ name: 'l', resourceVersion: '77' });
    expect(code).toBe(201);
    expect((await put(object.metadata)).code).toBe(200);
    expect(await refusedStatus(() => put({ name: 'l' }))).toMatchObject({ code: 422, details: { kind: 'leases' } });
  });

  it('a PUT that creates an object requires the right to create', async () => {
    fixture.allowCreate = false;
    fixture.user = { name: 'bob', groups: ['system:authenticated'] };
    expect(
      await refusedStatus(() => fixture.update('leases.coordination.k8s.io/ns/l', { metadata: { name: 'l' } })),
    ).toMatchObject({
      code: 403,
      message:
        'leases.coordination.k8s.io "l" is forbidden: User "bob" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "ns"',
    });
  });

  it('a PUT reports a metadata error as often as the kind repeats the check', async () => {
    const status = await refusedStatus(() =>
      fixture.update('configmaps/ns/a', configMap('a', { metadata: { name: 'a', labels: { ok: 'a b' } } })),
    );
    expect((status as { details: { causes: Json[] } }).details.causes).toHaveLength(4);
    expect(status).toMatchObject({
      message: expect.stringMatching(
        /^ConfigMap "a" is invalid: metadata\.labels: Invalid value: "a b": a valid label must/,
      ),
    });
  });
});

describe('a built-in kind', () => {
  const spec = {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  };

  it('a built-in kind with generations counts changes of its spec, and of its annotations', async () => {
    const generation = async (change: Json): Promise<unknown> =>
      (await fixture.patch('deployments.apps/ns/d', 'merge', change)).metadata.generation;
    const made = await fixture.create('deployments.apps/ns', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd', generation: 9 },
      spec,
      status: { replicas: 5 },
    });
    expect(made).toMatchObject({ metadata: { generation: 1 }, status: {} });
    expect(made.status).toEqual({});
    expect(await generation({ metadata: { annotations: { a: '1' } } })).toBe(2);
    expect(await generation({ metadata: { labels: { a: '1' } } })).toBe(2);
    expect(await generation({ spec: { replicas: 2 } })).toBe(3);
    expect(await generation({ status: { replicas: 3 } })).toBe(3);
    expect(await generation({ metadata: { generation: 77 } })).toBe(3);
  });

  it('a built-in kind changes its status only through the subresource', async () => {
    await fixture.create('deployments.apps/ns', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec,
    });
    const patched = await fixture.patch('deployments.apps/ns/d/status', 'merge', {
      metadata: { labels: { s: '1' }, annotations: { s: '1' } },
      spec: { replicas: 9 },
      status: { replicas: 3 },
    });
    expect(patched).toMatchObject({
      spec: { replicas: 1 },
      status: { replicas: 3 },
      metadata: { annotations: { s: '1' } },
    });
    expect(patched.metadata.labels).toBeUndefined();
    expect(fixture.get('deployments.apps/ns/d/status')).toEqual(patched);
  });

  it('an Event is one object in both of its groups', async () => {
    await fixture.create('events/ns', {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'ns' },
      reason: 'R',
      message: 'M',
      type: 'Normal',
    });
    expect(fixture.get('events.events.k8s.io/ns/e')).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding: { name: 'p' },
      note: 'M',
    });
    expect((await fixture.list('events.events.k8s.io/ns', { fieldSelector: 'regarding.name=p' })).items).toHaveLength(
      1,
    );
    expect((await fixture.list('events/ns', { fieldSelector: 'involvedObject.name=p' })).items).toHaveLength(1);
    expect(await refusedStatus(() => fixture.list('events/ns', { fieldSelector: 'regarding.name=p' }))).toMatchObject({
      message: 'field label not supported: regarding.name',
    });
    await fixture.patch('events.events.k8s.io/ns/e', 'merge', { metadata: { labels: { a: 'b' } } });
    expect(fixture.get('events/ns/e')).toMatchObject({
      apiVersion: 'v1',
      message: 'M',
      metadata: { labels: { a: 'b' } },
    });
  });

  it('managedFields of an Event are dropped in the other group, and errors name one kind', async () => {
    const event = {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'ns' },
      reason: 'R',
      message: 'M',
      type: 'Normal',
    };
    await fixture.create('events/ns', event);
    await fixture.patch('events.events.k8s.io/ns/e', 'merge', { metadata: { labels: { a: 'b' } } });
    expect(fixture.get('events/ns/e').metadata.managedFields?.map(({ apiVersion }) => apiVersion)).toEqual([
      'events.k8s.io/v1',
    ]);
    expect(
      await refusedStatus(() =>
        fixture.patch('events.events.k8s.io/ns/e', 'merge', { metadata: { labels: { a: 'b c' } } }),
      ),
    ).toMatchObject({
      code: 422,
      message: expect.stringMatching(/^Event "e" is invalid: /),
      details: { name: 'e', kind: 'Event' },
    });
  });

  it('a built-in kind refuses verbs that it does not support', async () => {
    expect(await refusedStatus(() => fixture.list('selfsubjectaccessreviews.authorization.k8s.io'))).toMatchObject({
      code: 405,
    });
    expect(
      await refusedStatus(() =>
        fixture.verbs.deleteCollection(fixture.target('namespaces'), undefined, {}, fixture.caller),
      ),
    ).toMatchObject({ code: 405 });
    expect(await refusedStatus(() => fixture.get('configmaps/ns/a/status'))).toMatchObject({ code: 405 });
  });
});

describe('the scale of a Deployment', () => {
  const spec = {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  };
  const SCALE = 'deployments.apps/ns/d/scale';

  beforeEach(async () => {
    await fixture.create('deployments.apps/ns', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec,
    });
  });

  it('a Scale is a kind of its own, with the replicas of its Deployment', async () => {
    expect(fixture.get(SCALE)).toEqual({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      spec: { replicas: 1 },
      status: { replicas: 0, selector: 'a=b' },
      metadata: {
        name: 'd',
        namespace: 'ns',
        uid: 'uid-2',
        resourceVersion: '3',
        creationTimestamp: '2026-01-02T03:04:05Z',
      },
    });
    expect(await fixture.patch(SCALE, 'merge', { spec: { replicas: 3 } })).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 3 },
      metadata: { resourceVersion: '4' },
    });
    expect(fixture.get('deployments.apps/ns/d')).toMatchObject({
      spec: { replicas: 3, ...spec, template: expect.anything() },
      metadata: { generation: 2 },
    });
    expect(await fixture.patch(SCALE, 'strategic', { spec: { replicas: 4 } })).toMatchObject({ spec: { replicas: 4 } });
    expect(await fixture.update(SCALE, { metadata: { name: 'd' }, spec: { replicas: 5 } })).toMatchObject({
      spec: { replicas: 5 },
    });
  });

  it('a PUT of a Scale takes the replicas field from its manager, without a time', async () => {
    const owners = (): unknown =>
      fixture
        .get('deployments.apps/ns/d')
        .metadata.managedFields?.map(({ manager, operation, subresource, time, fieldsV1 }) => [
          manager,
          operation,
          subresource,
          time,
          Object.hasOwn((fieldsV1?.['f:spec'] ?? {}) as object, 'f:replicas'),
        ]);
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'd' }, spec: { replicas: 7 } };
    expect(await refusedStatus(() => fixture.patch(SCALE, 'apply', scale, { fieldManager: 'm' }))).toMatchObject({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "test" using autoscaling/v1: .spec.replicas',
    });
    await fixture.patch(SCALE, 'apply', scale, { fieldManager: 'm', force: 'true' });
    expect(owners()).toEqual([
      ['m', 'Apply', 'scale', undefined, true],
      ['test', 'Update', undefined, '2026-01-02T03:04:05Z', false],
    ]);
  });

  it.each<[string, Json, number, string]>([
    [
      'less than none',
      { metadata: { name: 'd' }, spec: { replicas: -1 } },
      422,
      'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'of another revision',
      { metadata: { name: 'd', resourceVersion: '1' }, spec: { replicas: 5 } },
      409,
      'Operation cannot be fulfilled on deployments.apps "d": the object has been modified; please apply your changes to the latest version and try again',
    ],
    [
      'that is a Deployment',
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } },
      400,
      'Deployment in version "v1" cannot be handled as a Scale: converting (v1.Deployment) to (autoscaling.Scale): unknown conversion',
    ],
  ])('a Scale %s is refused', async (_what, value, code, message) => {
    expect(await refusedStatus(() => fixture.update(SCALE, value))).toMatchObject({ code, message });
  });
});
