import { describe, expect, it } from '@jest/globals';

import { serverSideApply } from '../../../src/apply/apply.js';
import type { Json } from '@multicluster-engine/values/json';
import { StatusError } from '../../../src/status.js';
import { apply, body, MINUTE, owned, put, START, stored, THING } from './fixture.js';

function refusal(run: () => unknown): { code: number; message: string; causes?: unknown } {
  try {
    run();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const causes = error.details?.causes;
    return { code: error.code, message: error.message, ...(causes === undefined ? {} : { causes }) };
  }
  throw new Error('nothing was refused');
}

describe('first apply of an object', () => {
  it('a first apply creates the object with an entry for its manager', () => {
    expect(
      serverSideApply({
        live: undefined,
        applied: body({ replicas: 1 }),
        manager: 'm',
        subresource: '',
        force: false,
        resource: THING,
        now: START,
      }),
    ).toEqual({
      apiVersion: 'facts.example.com/v1',
      kind: 'Thing',
      metadata: {
        name: 'x',
        namespace: 'n',
        managedFields: [
          {
            manager: 'm',
            operation: 'Apply',
            apiVersion: 'facts.example.com/v1',
            time: '2026-01-02T03:04:05Z',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:spec': { 'f:replicas': {} } },
          },
        ],
      },
      spec: { replicas: 1 },
    });
  });

  it.each<[string, Json, Json]>([
    ['leaves', { color: 'red', flag: true, either: 5 }, { 'f:color': {}, 'f:flag': {}, 'f:either': {} }],
    ['members of structs', { o: { a: 'x' } }, { 'f:o': { 'f:a': {} } }],
    [
      'empty structs and maps, but not empty lists',
      { o: {}, m: {}, set: [], map: [], list: [] },
      { 'f:o': {}, 'f:m': {}, 'f:list': {} },
    ],
    ['keys of maps', { m: { a: '1' } }, { 'f:m': { 'f:a': {} } }],
    ['atomics as one', { whole: { a: '1' }, list: ['a'] }, { 'f:whole': {}, 'f:list': {} }],
    ['items of sets', { set: ['b', 'a<'] }, { 'f:set': { 'v:"a\\u003c"': {}, 'v:"b"': {} } }],
    [
      'items of list maps with what is in them',
      { map: [{ k: 'a', v: '1' }] },
      { 'f:map': { 'k:{"k":"a"}': { '.': {}, 'f:k': {}, 'f:v': {} } } },
    ],
    [
      'a key that is left out by its default',
      { ports: [{ port: 80 }] },
      { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } },
    ],
    ['nulls', { color: null, o: null }, { 'f:color': {}, 'f:o': {} }],
    [
      'unknown content by member',
      { any: { a: { b: 1 }, l: [{}] } },
      { 'f:any': { 'f:a': { '.': {}, 'f:b': {} }, 'f:l': {} } },
    ],
    [
      'an embedded resource with its metadata',
      { embedded: { apiVersion: 'v1', kind: 'K', metadata: { labels: { a: 'b' } }, x: 1 } },
      { 'f:embedded': { 'f:apiVersion': {}, 'f:kind': {}, 'f:metadata': { 'f:labels': { 'f:a': {} } }, 'f:x': {} } },
    ],
  ])('a first apply owns %s', (_name, spec, fields) => {
    expect(owned(apply(undefined, 'm', spec))).toEqual({ 'm Apply': fields });
  });

  it('a first apply without ownable fields adds no entry', () => {
    expect(apply(undefined, 'm', { set: [] }).metadata.managedFields).toBeUndefined();
  });

  it('a first apply to an object without managers assigns its existing fields to before-first-apply', () => {
    const live = stored({
      apiVersion: 'facts.example.com/v1',
      kind: 'Thing',
      metadata: { name: 'x', namespace: 'n' },
      spec: { color: 'red', flag: true },
    });
    expect(owned(apply(live, 'm', { color: 'red' }))).toEqual({
      'm Apply': { 'f:color': {} },
      'before-first-apply Update': { '.': {}, 'f:color': {}, 'f:flag': {} },
    });
  });
});

describe('repeated and competing applies', () => {
  it('an apply without changes returns the live object itself', () => {
    const live = apply(undefined, 'm', { map: [{ k: 'a' }], set: ['x'], any: { a: null } });
    expect(
      serverSideApply({
        live,
        applied: body({ map: [{ k: 'a' }], set: ['x'], any: { a: null } }),
        manager: 'm',
        subresource: '',
        force: false,
        resource: THING,
        now: START + MINUTE,
      }),
    ).toBe(live);
  });

  it('an apply removes fields that its manager drops and nobody else owns', () => {
    const live = apply(apply(undefined, 'm', { color: 'red', flag: true, m: { a: '1', b: '2' } }), 'n', {
      m: { a: '1' },
    });
    const next = apply(live, 'm', { color: 'red' });
    expect(next['spec']).toEqual({ color: 'red', m: { a: '1' } });
    expect(owned(next)).toEqual({ 'm Apply': { 'f:color': {} }, 'n Apply': { 'f:m': { 'f:a': {} } } });
  });

  it('an apply keeps fields that an updater changed since', () => {
    const live = put(apply(undefined, 'm', { color: 'red', flag: true }), 'u', { color: 'blue', flag: true });
    expect(owned(live)).toEqual({ 'm Apply': { 'f:flag': {} }, 'u Update': { 'f:color': {} } });
    expect(apply(live, 'm', { flag: true })['spec']).toEqual({ color: 'blue', flag: true });
  });

  it('an apply of equal values by another manager shares their ownership without a new timestamp', () => {
    const next = apply(apply(undefined, 'm', { color: 'red' }), 'n', { color: 'red' }, { now: START + MINUTE });
    expect(next.metadata.managedFields?.map(({ manager, time }) => [manager, time])).toEqual([
      ['n', undefined],
      ['m', '2026-01-02T03:04:05Z'],
    ]);
  });

  it('an apply of a different value to an owned field is a conflict', () => {
    const live = apply(undefined, 'm', { color: 'red', flag: true });
    expect(refusal(() => apply(live, 'n', { color: 'blue' }))).toEqual({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "m": .spec.color',
      causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "m"', field: '.spec.color' }],
    });
  });

  it('a conflict lists all fields by manager', () => {
    const live = put(apply(undefined, 'm', { color: 'red', map: [{ k: 'a', v: '1' }] }), 'u', {
      color: 'red',
      map: [{ k: 'a', v: '1' }],
      flag: true,
    });
    expect(refusal(() => apply(live, 'n', { color: 'blue', flag: false, map: [{ k: 'a', v: '2' }] }))).toEqual({
      code: 409,
      message:
        'Apply failed with 3 conflicts: conflicts with "m":\n- .spec.color\n- .spec.map[k="a"].v\nconflicts with "u" using facts.example.com/v1:\n- .spec.flag',
      causes: [
        { reason: 'FieldManagerConflict', message: 'conflict with "m"', field: '.spec.color' },
        { reason: 'FieldManagerConflict', message: 'conflict with "m"', field: '.spec.map[k="a"].v' },
        {
          reason: 'FieldManagerConflict',
          message: 'conflict with "u" using facts.example.com/v1',
          field: '.spec.flag',
        },
      ],
    });
  });

  it('an apply with force takes over the conflicting fields', () => {
    const live = apply(undefined, 'm', { color: 'red', flag: true });
    const next = apply(live, 'n', { color: 'blue' }, { force: true });
    expect(next['spec']).toEqual({ color: 'blue', flag: true });
    expect(owned(next)).toEqual({ 'm Apply': { 'f:flag': {} }, 'n Apply': { 'f:color': {} } });
  });

  it.each([
    ['a b c', 'c x a', 'b c x a'],
    ['a b c d', 'd n b', 'a c d n b'],
    ['a b c d e', 'x c y a z', 'b x c d e y a z'],
  ])('an apply to the live set %s of the items %s results in the order %s', (live, applied, expected) => {
    const next = apply(
      apply(undefined, 'm', { set: live.split(' ') }),
      'n',
      { set: applied.split(' ') },
      { force: true },
    );
    expect(next['spec']).toEqual({ set: expected.split(' ') });
  });

  it.each<[string, Json, number, string]>([
    ['another kind', { ...body({}), kind: 'Zig' }, 400, 'invalid object type: facts.example.com/v1, Kind=Zig'],
    ['no kind', {}, 400, 'invalid object type: /, Kind='],
    ['managedFields', { ...body({}), metadata: { managedFields: [] } }, 400, 'metadata.managedFields must be nil'],
    [
      'a list',
      [],
      400,
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    [
      'repeated items',
      body({ set: ['a', 'a'] }),
      500,
      'failed to create typed patch object (n/x; facts.example.com/v1, Kind=Thing): .spec.set: duplicate entries for key [="a"]',
    ],
    [
      'repeated keys',
      body({ map: [{ k: 'a' }, { k: 'a' }] }),
      500,
      'failed to create typed patch object (n/x; facts.example.com/v1, Kind=Thing): .spec.map: duplicate entries for key [k="a"]',
    ],
    [
      'an unknown field',
      body({ foo: 1 }),
      500,
      'failed to create typed patch object (n/x; facts.example.com/v1, Kind=Thing): .spec.foo: field not declared in schema',
    ],
    [
      'a text for a number',
      body({ replicas: 'x' }),
      500,
      'failed to create typed patch object (n/x; facts.example.com/v1, Kind=Thing): .spec.replicas: expected numeric (int or float), got string',
    ],
  ])('an apply is rejected with %s', (_name, applied, code, message) => {
    expect(
      refusal(() =>
        serverSideApply({
          live: undefined,
          applied,
          manager: 'm',
          subresource: '',
          force: false,
          resource: THING,
          now: START,
        }),
      ),
    ).toEqual({ code, message });
  });
});
