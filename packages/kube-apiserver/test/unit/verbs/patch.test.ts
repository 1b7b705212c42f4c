import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Json } from '@multicluster-engine/values/json';
import type { Query } from '../../../src/verbs/verbs.js';
import { VerbsFixture, configMap, refusedStatus } from './fixture.js';

// conformance/exchange/patches.http and ownership.http have what kube-apiserver answers to patches.
let fixture: VerbsFixture;

beforeEach(async () => {
  fixture = new VerbsFixture();
  await fixture.namespace('ns');
  await fixture.create('configmaps/ns', configMap('a', { data: { x: '1' } }));
});

it('a JSON patch is decoded strictly with fieldValidation=Strict', async () => {
  const patch = (query: Query = {}): Promise<unknown> => fixture.patch('configmaps/ns/a', 'json', value, query);
  const value = [
    { op: 'add', path: '/data/k', value: '5', zz: 1 },
    { op: 'add', path: '/foo', value: 1 },
  ];
  expect(await refusedStatus(() => patch({ fieldValidation: 'Strict' }))).toMatchObject({
    code: 422,
    message: expect.stringMatching(
      /: strict decoding error: json patch unknown field "\[0\]\.zz", unknown field "foo"$/,
    ),
  });
  expect(await patch()).toMatchObject({ data: { k: '5' } });
  expect(fixture.warnings).toEqual(['json patch unknown field "[0].zz"', 'unknown field "foo"']);
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
});
