import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Json } from '@multicluster-engine/values/json';
import type { PatchType, Query } from '../../../src/verbs/verbs.js';
import { VerbsFixture, configMap, refusedStatus } from './fixture.js';

const TERSE = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  code: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
  details: {},
};

let fixture: VerbsFixture;

beforeEach(async () => {
  fixture = new VerbsFixture();
  await fixture.namespace('ns');
  await fixture.create('configmaps/ns', configMap('a', { data: { x: '1' } }));
});

describe('a JSON patch', () => {
  const patch = (value: Json, query: Query = {}): Promise<unknown> =>
    fixture.patch('configmaps/ns/a', 'json', value, query);

  it.each<[string, Json, Json]>([
    ['replaces what is not there', [{ op: 'replace', path: '/data/y', value: '2' }], { x: '1', y: '2' }],
    ['tests what is not there against null', [{ op: 'test', path: '/data/nope', value: null }], { x: '1' }],
    ['copies what is not there', [{ op: 'copy', from: '/data/nope', path: '/data/y' }], { x: '1', y: '' }],
    ['does nothing', [], { x: '1' }],
  ])('a JSON patch %s', async (_what, value, data) => {
    expect(await patch(value)).toMatchObject({ data });
  });

  it.each<[Json]>([
    [[{ op: 'replace', path: '/nope/y', value: '2' }]],
    [[{ op: 'remove', path: '/data/zz' }]],
    [[{ op: 'test', path: '/data/x', value: 'no' }]],
    [[{ op: 'foo', path: '/data/x' }]],
  ])('the JSON patch %j does not apply, and is refused without details', async (value) => {
    expect(await refusedStatus(() => patch(value))).toEqual(TERSE);
  });

  it.each<[string, Json, number, string | RegExp]>([
    [
      'renames',
      [{ op: 'replace', path: '/metadata/name', value: 'b' }],
      400,
      'the name of the object (b) does not match the name on the URL (a)',
    ],
    [
      'unnames',
      [{ op: 'remove', path: '/metadata/name' }],
      400,
      'the name of the object (a based on URL) was undeterminable: name must be provided',
    ],
    [
      'moves to another namespace',
      [{ op: 'replace', path: '/metadata/namespace', value: 'zz' }],
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'is based on another revision',
      [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }],
      409,
      /the object has been modified/,
    ],
    [
      'changes the uid',
      [{ op: 'replace', path: '/metadata/uid', value: 'zz' }],
      422,
      /^ConfigMap "a" is invalid: metadata\.uid: Invalid value: "zz": field is immutable$/,
    ],
    [
      'makes no object',
      [{ op: 'replace', path: '/data/x', value: 5 }],
      422,
      /^ "" is invalid: patch: Invalid value: "\{.*\}": json: cannot unmarshal number into Go struct field ConfigMap\.data of type string$/,
    ],
    [
      'is no list',
      {},
      400,
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
  ])('a JSON patch that %s is refused', async (_what, value, code, message) => {
    expect(await refusedStatus(() => patch(value))).toMatchObject({
      code,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });

  it('a JSON patch whose result is no object has one cause, of a field `patch`, and no kind', async () => {
    const { details } = (await refusedStatus(() => patch([{ op: 'replace', path: '/data/x', value: 5 }]))) as {
      details: Json;
    };
    expect(details).toEqual({ causes: [{ reason: 'FieldValueInvalid', field: 'patch', message: expect.any(String) }] });
  });

  it('a JSON patch is decoded strictly with fieldValidation=Strict', async () => {
    const value = [
      { op: 'add', path: '/data/k', value: '5', zz: 1 },
      { op: 'add', path: '/foo', value: 1 },
    ];
    expect(await refusedStatus(() => patch(value, { fieldValidation: 'Strict' }))).toMatchObject({
      code: 422,
      message: expect.stringMatching(
        /: strict decoding error: json patch unknown field "\[0\]\.zz", unknown field "foo"$/,
      ),
    });
    expect(await patch(value)).toMatchObject({ data: { k: '5' } });
    expect(fixture.warnings).toEqual(['json patch unknown field "[0].zz"', 'unknown field "foo"']);
  });
});

describe('a merge patch', () => {
  const patch = (value: Json, query: Query = {}): Promise<unknown> =>
    fixture.patch('configmaps/ns/a', 'merge', value, query);

  it('a merge patch that changes nothing writes nothing', async () => {
    const old = fixture.get('configmaps/ns/a');
    await fixture.clock.advance(5000);
    expect(await patch({})).toEqual(old);
    expect(await patch({ data: { x: '1' } })).toEqual(old);
    expect(fixture.get('configmaps/ns/a')).toEqual(old);
  });

  it.each<[Json, Query, number, string]>([
    [
      {},
      { force: 'true' },
      422,
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    ],
    [[], {}, 400, 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [
      { metadata: { resourceVersion: '1' } },
      {},
      409,
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    ],
  ])('the merge patch %j with %j is refused', async (value, query, code, message) => {
    expect(await refusedStatus(() => patch(value, query))).toMatchObject({ code, message });
  });

  it('a merge patch of a missing object is refused', async () => {
    expect(await refusedStatus(() => fixture.patch('configmaps/ns/nope', 'merge', {}))).toMatchObject({ code: 404 });
  });

  it('a merge patch with empty managedFields clears them', async () => {
    expect(fixture.get('configmaps/ns/a').metadata.managedFields).toHaveLength(1);
    expect(await patch({ metadata: { managedFields: [] } })).toMatchObject({ data: { x: '1' } });
    expect(fixture.get('configmaps/ns/a').metadata.managedFields).toBeUndefined();
  });
});

describe('a strategic merge patch', () => {
  it.each<[Json, string]>([
    [
      { foo: { a: [1, 'b', null] } },
      ' "" is invalid: patch: Invalid value: "map[foo:map[a:[1 b <nil>]]]": strict decoding error: unknown field "foo"',
    ],
    [{ data: 5 }, ' "" is invalid: patch: Invalid value: "map[data:5]": cannot restore map from int64'],
    [{ data: { s: 1 } }, ' "" is invalid: patch: Invalid value: "map[data:map[s:1]]": cannot convert int64 to string'],
  ])('the strategic merge patch %j is refused with a message of its own', async (value, message) => {
    expect(
      await refusedStatus(() => fixture.patch('configmaps/ns/a', 'strategic', value, { fieldValidation: 'Strict' })),
    ).toMatchObject({ code: 422, message });
  });

  it('a strategic merge patch follows its directives', async () => {
    expect(await fixture.patch('configmaps/ns/a', 'strategic', { data: { $patch: 'replace', s: '2' } })).toMatchObject({
      data: { s: '2' },
    });
  });
});

describe('a server-side apply', () => {
  const apply = (
    value: Json,
    query: Query = { fieldManager: 'm' },
    name = 'ap',
  ): ReturnType<typeof fixture.verbs.patch> =>
    fixture.verbs.patch(
      fixture.target(`configmaps/ns/${name}`),
      { type: 'apply', body: { value, duplicates: [] } },
      query,
      fixture.caller,
    );
  const ap = (data: Json, metadata: Json = { name: 'ap' }): Json => configMap('ap', { data, metadata });

  it('a server-side apply creates an object, changes it, and writes nothing where nothing changes', async () => {
    const made = await apply(ap({ a: '1' }));
    expect(made).toMatchObject({
      code: 201,
      object: {
        data: { a: '1' },
        metadata: {
          resourceVersion: '4',
          managedFields: [{ manager: 'm', operation: 'Apply', fieldsV1: { 'f:data': { 'f:a': {} } } }],
        },
      },
    });
    await fixture.clock.advance(5000);
    expect(await apply(ap({ a: '1' }))).toEqual({ code: 200, object: made.object });
    expect(await apply(ap({ b: '2' }))).toMatchObject({
      code: 200,
      object: { data: { b: '2' }, metadata: { resourceVersion: '5' } },
    });
  });

  it('a server-side apply that changes nothing stays without effect until the object changes', async () => {
    const known = await apply(ap({ a: '1' }));
    expect(await apply(ap({ a: '1' }))).toEqual({ code: 200, object: known.object });
    expect(await apply(ap({ a: '1' }))).toEqual({ code: 200, object: known.object });
    expect(await apply(ap({ a: '1' }), { fieldManager: 'other' })).toMatchObject({
      object: { metadata: { resourceVersion: '5' } },
    });
    await apply(ap({ a: '2' }), { fieldManager: 'other', force: 'true' });
    expect(await refusedStatus(() => apply(ap({ a: '1' })))).toMatchObject({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "other": .data.a',
    });
    await fixture.delete('configmaps/ns/ap');
    expect(await apply(ap({ a: '1' }))).toMatchObject({ code: 201 });
  });

  it('a server-side apply conflicts with fields of other managers, unless it is forced', async () => {
    await apply(ap({ a: '1' }));
    expect(await refusedStatus(() => apply(ap({ a: '2' }), { fieldManager: 'n' }))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "m": .data.a',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "m"', field: '.data.a' }] },
    });
    expect(await apply(ap({ a: '2' }), { fieldManager: 'n', force: 'true' })).toMatchObject({
      object: { data: { a: '2' } },
    });
  });

  it.each<[string, Json, Query, number, string]>([
    [
      'without a manager',
      {},
      {},
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ],
    ['of no kind', { data: {} }, { fieldManager: 'm' }, 400, 'invalid object type: /, Kind='],
    [
      'of another name',
      { ...(configMap('x') as object) },
      { fieldManager: 'm' },
      400,
      'the name of the object (x) does not match the name on the URL (ap)',
    ],
    [
      'that brings managedFields',
      configMap('ap', { metadata: { name: 'ap', managedFields: [] } }),
      { fieldManager: 'm' },
      400,
      'metadata.managedFields must be nil',
    ],
    [
      'of a uid that is not there',
      configMap('ap', { metadata: { name: 'ap', uid: 'zz' } }),
      { fieldManager: 'm' },
      409,
      'Operation cannot be fulfilled on configmaps "ap": uid mismatch: the provided object specified uid zz, and no existing object was found',
    ],
    [
      'of an unknown field',
      configMap('ap', { foo: 1 }),
      { fieldManager: 'm' },
      500,
      'failed to create typed patch object (/ap; /v1, Kind=ConfigMap): .foo: field not declared in schema',
    ],
  ])('a server-side apply %s is refused', async (_what, value, query, code, message) => {
    expect(await refusedStatus(() => apply(value, query))).toMatchObject({ code, message });
  });

  it('a server-side apply requires a name only where it creates the object', async () => {
    const nameless = { apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } };
    expect(await refusedStatus(() => apply(nameless))).toMatchObject({
      code: 400,
      message: 'the name of the object (ap based on URL) was undeterminable: name must be provided',
    });
    await apply(ap({}));
    expect(await apply(nameless)).toMatchObject({ code: 200, object: { data: { a: '1' } } });
  });

  it('a server-side apply that creates an object ignores its resourceVersion', async () => {
    expect(await apply(ap({}, { name: 'ap', resourceVersion: '5' }))).toMatchObject({ code: 201 });
    expect(await refusedStatus(() => apply(ap({ z: '1' }, { name: 'ap', resourceVersion: '5' })))).toMatchObject({
      code: 409,
      message: expect.stringMatching(/has been modified/),
    });
  });

  it.each<[Query['fieldValidation'], string[] | undefined]>([
    ['Ignore', []],
    ['Warn', ['line 7: key "a" already set in map']],
    ['Strict', undefined],
  ])(
    'a server-side apply with a duplicate key and fieldValidation %s gets the warnings %j, or is refused',
    async (fieldValidation, warnings) => {
      const attempt = (): Promise<unknown> =>
        fixture.verbs.patch(
          fixture.target('configmaps/ns/ap'),
          { type: 'apply', body: { value: ap({ a: '8' }), duplicates: ['line 7: key "a" already set in map'] } },
          { fieldManager: 'm', fieldValidation: fieldValidation ?? '' },
          fixture.caller,
        );
      if (warnings === undefined) {
        expect(await refusedStatus(attempt)).toMatchObject({
          code: 400,
          message:
            'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 7: key "a" already set in map',
        });
      } else {
        expect(await attempt()).toMatchObject({ object: { data: { a: '8' } } });
        expect(fixture.warnings).toEqual(warnings);
      }
    },
  );
});

describe('any patch', () => {
  it.each<[PatchType, Json]>([
    ['merge', { data: { y: '1' } }],
    ['json', [{ op: 'add', path: '/data/y', value: '1' }]],
    ['strategic', { data: { y: '1' } }],
    ['apply', configMap('a', { data: { y: '1' } })],
  ])('a patch of type %s in a dry run returns the result and stores nothing', async (type, value) => {
    const old = fixture.get('configmaps/ns/a');
    expect(await fixture.patch('configmaps/ns/a', type, value, { dryRun: 'All', fieldManager: 'm' })).toMatchObject({
      data: { x: '1', y: '1' },
      metadata: { resourceVersion: '3' },
    });
    expect(fixture.get('configmaps/ns/a')).toEqual(old);
  });
});
