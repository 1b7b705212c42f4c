import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Query } from '../../../src/verbs/verbs.js';
import { VerbsFixture, refusedStatus, thingCrd } from './fixture.js';

const text = { type: 'string' };
const SPEC = {
  type: 'object',
  properties: {
    req: { ...text, default: 'd' },
    nul: { ...text, nullable: true },
    nuld: { ...text, nullable: true, default: 'x' },
    color: text,
    n: { type: 'integer', maximum: 10 },
    m: { type: 'object', additionalProperties: text },
    o: { type: 'object', properties: { a: text, b: { type: 'integer', default: 3 } } },
    any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
  },
};
const SCHEMA = {
  type: 'object',
  properties: { spec: SPEC, status: { type: 'object', properties: { phase: text, n: { type: 'integer' } } } },
};
const THINGS = 'things.facts.example.com/ns';

const thing = (name: string, spec?: Json, rest: JsonObject = {}): Json => ({
  apiVersion: 'facts.example.com/v1',
  kind: 'Thing',
  metadata: { name },
  ...(spec === undefined ? {} : { spec }),
  ...rest,
});

let fixture: VerbsFixture;

beforeEach(async () => {
  fixture = new VerbsFixture();
  await fixture.namespace('ns');
  await fixture.define(thingCrd({ schema: SCHEMA }));
});

describe('a null in a custom resource', () => {
  it.each<[string, Json, Json]>([
    [
      'that may be none is dropped, and defaulted',
      { req: null, color: null, o: null, set: null, any: null },
      { req: 'd', nuld: 'x' },
    ],
    ['that may be one stays, and is not defaulted', { nul: null, nuld: null }, { req: 'd', nul: null, nuld: null }],
    ['that is a value of a map is dropped', { m: { a: null } }, { req: 'd', nuld: 'x', m: {} }],
    ['that is inside of what is kept stays', { any: { x: null } }, { req: 'd', nuld: 'x', any: { x: null } }],
  ])('a null in a custom resource %s', async (_what, spec, stored) => {
    expect((await fixture.create(THINGS, thing('a', spec), { fieldValidation: 'Strict' })).spec).toEqual(stored);
  });

  it('a null spec of a custom resource is removed, and gets no defaults', async () => {
    expect((await fixture.create(THINGS, thing('a', null))).spec).toBeUndefined();
  });

  it('a null in a list of a custom resource is refused', async () => {
    expect(await refusedStatus(() => fixture.create(THINGS, thing('a', { set: [null] })))).toMatchObject({
      code: 422,
      details: {
        causes: [
          {
            reason: 'FieldValueTypeInvalid',
            field: 'spec.set[0]',
            message: 'Invalid value: "null": spec.set[0] in body must be of type string: "null"',
          },
        ],
      },
    });
  });

  it('a server-side apply keeps a null, and refuses it where the schema does not allow it', async () => {
    const apply = (spec: Json): Promise<KubeObject> =>
      fixture.patch(`${THINGS}/a`, 'apply', thing('a', spec), { fieldManager: 'm' });
    expect((await apply({ nul: null })).spec).toEqual({ req: 'd', nul: null, nuld: 'x' });
    expect(await refusedStatus(() => apply({ color: null }))).toMatchObject({
      code: 422,
      message:
        'Thing.facts.example.com "a" is invalid: spec.color: Invalid value: "null": spec.color in body must be of type string: "null"',
    });
  });
});

describe('a custom resource', () => {
  it('a custom resource with unknown fields gets warnings, those of metadata first', async () => {
    const made = await fixture.create(
      THINGS,
      thing('a', { zz: 1, o: { yy: 2 } }, { metadata: { name: 'a', qq: 1 }, foo: 1 }),
    );
    expect(made.spec).toEqual({ req: 'd', nuld: 'x', o: { b: 3 } });
    expect(fixture.warnings).toEqual([
      'unknown field "metadata.qq"',
      'unknown field "foo"',
      'unknown field "spec.o.yy"',
      'unknown field "spec.zz"',
    ]);
  });

  it('the generation of a custom resource starts at 1 and rises with changes outside metadata and status', async () => {
    const made = await fixture.create(
      THINGS,
      thing('a', { color: 'a' }, { metadata: { name: 'a', generation: 7 }, status: { phase: 'x' } }),
    );
    expect(made.metadata.generation).toBe(1);
    expect(made.status).toBeUndefined();
    const generation = async (change: Json, sub = ''): Promise<unknown> =>
      (await fixture.patch(`${THINGS}/a${sub}`, 'merge', change)).metadata.generation;
    expect(await generation({ metadata: { labels: { a: 'b' } } })).toBe(1);
    expect(await generation({ spec: { color: 'b' } })).toBe(2);
    expect(await generation({ status: { phase: 'run' } }, '/status')).toBe(2);
    expect(await generation({ metadata: { finalizers: ['q/r'] } })).toBe(2);
    expect(await fixture.delete(`${THINGS}/a`)).toMatchObject({ metadata: { generation: 3 } });
    expect(await generation({ spec: { color: 'late' } })).toBe(4);
  });

  it('the status subresource of a custom resource changes the status only', async () => {
    const made = await fixture.create(THINGS, thing('a', { color: 'a' }));
    const next = {
      ...made,
      metadata: { ...made.metadata, labels: { l: '2' }, annotations: { z: '1' }, finalizers: ['q/r'] },
      spec: { color: 'no' },
      status: { phase: 'run' },
    };
    const { managedFields: _managed, resourceVersion: _revision, ...kept } = made.metadata;
    expect(await fixture.update(`${THINGS}/a/status`, next as Json)).toEqual({
      ...made,
      status: { phase: 'run' },
      metadata: { ...kept, resourceVersion: '6', managedFields: expect.any(Array) },
    });
    expect(
      await fixture.update(`${THINGS}/a`, {
        ...made,
        metadata: { ...kept, resourceVersion: '6' },
        status: { phase: 'no' },
      }),
    ).toMatchObject({ status: { phase: 'run' } });
    expect(
      await refusedStatus(() => fixture.patch(`${THINGS}/a/status`, 'merge', { status: { n: 'x' } })),
    ).toMatchObject({
      details: { causes: [{ field: 'status.n' }] },
    });
    expect(
      await refusedStatus(() =>
        fixture.patch(`${THINGS}/new/status`, 'apply', thing('new', undefined, { status: {} }), { fieldManager: 'm' }),
      ),
    ).toMatchObject({ code: 404 });
  });

  it.each<[string, Json, number, string]>([
    [
      'another kind',
      thing('k', {}, { kind: 'Zig' }),
      422,
      'Zig.facts.example.com "k" is invalid: kind: Invalid value: "Zig": must be Thing',
    ],
    [
      'another version',
      thing('k', {}, { apiVersion: 'facts.example.com/v2' }),
      400,
      'the API version in the data (facts.example.com/v2) does not match the expected API version (facts.example.com/v1)',
    ],
    [
      'no version',
      { kind: 'Thing', metadata: { name: 'k' } },
      400,
      'the API version in the data () does not match the expected API version (facts.example.com/v1)',
    ],
    [
      'no kind',
      { metadata: { name: 'k' } },
      400,
      `the object provided is unrecognized (must be of type Thing): Object 'Kind' is missing in '{"metadata":{"name":"k"}}' ({"metadata":{"name":"k"}})`,
    ],
    [
      'null',
      null,
      400,
      "the object provided is unrecognized (must be of type Thing): Object 'Kind' is missing in 'null' (6e756c6c)",
    ],
    [
      'a label that is a number',
      thing('x', {}, { metadata: { name: 'x', labels: { a: 1 } } }),
      400,
      'Thing in version "v1" cannot be handled as a Thing: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
    [
      'too large a number',
      thing('x', { n: 11 }),
      422,
      'Thing.facts.example.com "x" is invalid: spec.n: Invalid value: 11: spec.n in body should be less than or equal to 10',
    ],
    [
      'a list with an item twice',
      thing('x', { set: ['a', 'a'] }),
      422,
      'Thing.facts.example.com "x" is invalid: spec.set[1]: Duplicate value: "a"',
    ],
  ])('a custom resource with %s is refused', async (_what, value, code, message) => {
    expect(await refusedStatus(() => fixture.create(THINGS, value))).toMatchObject({ code, message });
  });

  it.each<[string, Json, Query, string]>([
    [
      'strictly and of another version, with a field of metadata that there is not',
      thing('k', {}, { apiVersion: '2024-01-01', metadata: { name: 'k', qq: 1 }, zz: 1 }),
      { fieldValidation: 'Strict' },
      'Thing in version "2024-01-01" cannot be handled as a Thing: strict decoding error: unknown field "metadata.qq"',
    ],
    [
      'strictly and of a version that there is not',
      thing('k', {}, { apiVersion: 'facts.example.com/v9', metadata: { name: 'k', qq: 1 }, zz: 1 }),
      { fieldValidation: 'Strict' },
      'Thing in version "v9" cannot be handled as a Thing: strict decoding error: unknown field "metadata.qq", unknown field "spec", unknown field "zz"',
    ],
    [
      'leniently and without a kind',
      { metadata: { name: 'k' } },
      { fieldValidation: 'Ignore' },
      `Thing in version "v1" cannot be handled as a Thing: Object 'Kind' is missing in '{"metadata":{"name":"k"}}'`,
    ],
    [
      'leniently and without anything',
      null,
      { fieldValidation: 'Ignore' },
      `Thing in version "v1" cannot be handled as a Thing: Object 'Kind' is missing in 'null'`,
    ],
  ])('a custom resource decoded %s is refused', async (_how, value, query, message) => {
    expect(await refusedStatus(() => fixture.create(THINGS, value, query))).toMatchObject({ code: 400, message });
  });

  describe('to which empty metadata is applied', () => {
    const empty = { labels: {}, annotations: {}, finalizers: [], ownerReferences: [] };
    const apply = (metadata: Json, query: Query = {}): Promise<KubeObject> =>
      fixture.patch(`${THINGS}/e`, 'apply', thing('e', { color: 'a' }, { metadata }), { fieldManager: 'm', ...query });
    const revision = ({ metadata: { resourceVersion } }: KubeObject): unknown => resourceVersion;

    it('an apply of empty metadata does not show it', async () => {
      for (const query of [{ dryRun: 'All' }, {}]) {
        const made = await apply({ name: 'e', ...empty }, query);
        for (const key of Object.keys(empty)) expect(made.metadata).not.toHaveProperty(key);
      }
      expect(fixture.get(`${THINGS}/e`).metadata).not.toHaveProperty('labels');
    });

    it('an apply of empty metadata stores it, so that repeating it writes nothing, and the next empty change does', async () => {
      const made = await apply({ name: 'e', ...empty });
      expect(revision(await apply({ name: 'e', ...empty }))).toBe(revision(made));
      const written = await fixture.patch(`${THINGS}/e`, 'merge', {});
      expect(revision(written)).not.toBe(revision(made));
      expect(revision(await fixture.patch(`${THINGS}/e`, 'merge', {}))).toBe(revision(written));
      expect(revision(await apply({ name: 'e', ...empty }))).not.toBe(revision(written));
    });
  });

  it('a PUT of a custom resource requires a resourceVersion', async () => {
    await fixture.create(THINGS, thing('a', {}));
    expect(await refusedStatus(() => fixture.update(`${THINGS}/a`, thing('a', {})))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 422,
      reason: 'Invalid',
      message:
        'things.facts.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      details: {
        name: 'a',
        group: 'facts.example.com',
        kind: 'things',
        causes: [
          {
            reason: 'FieldValueInvalid',
            field: 'metadata.resourceVersion',
            message: 'Invalid value: 0: must be specified for an update',
          },
        ],
      },
    });
  });

  it('a custom resource refuses a strategic merge patch', async () => {
    expect(await refusedStatus(() => fixture.patch(`${THINGS}/a`, 'strategic', {}))).toMatchObject({
      code: 415,
      message: expect.stringMatching(
        /^the body of the request was in an unknown format - accepted media types include: /,
      ),
    });
  });

  it('a custom resource with unqualified finalizers gets a warning', async () => {
    await fixture.create(THINGS, thing('fin', {}, { metadata: { name: 'fin', finalizers: ['x', 'a.b', 'q/r'] } }));
    expect(fixture.warnings).toEqual([
      'metadata.finalizers: "a.b": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
      'metadata.finalizers: "x": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
    ]);
  });

  it('the last page of a list of custom resources has an empty continue', async () => {
    await fixture.create(THINGS, thing('a', {}));
    expect(await fixture.list(THINGS)).toMatchObject({ continue: '', remainingItemCount: undefined });
    expect(await fixture.list(THINGS, { limit: '1' })).toMatchObject({ continue: '' });
  });
});
