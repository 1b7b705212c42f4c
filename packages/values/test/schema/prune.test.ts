import { describe, expect, it } from '@jest/globals';
import { fillDefaults, pruneNulls } from '../../src/schema/custom/defaults.js';
import { prune } from '../../src/schema/custom/prune.js';
import type { Schema } from '../../src/schema/schema.js';
import type { Json } from '../../src/json.js';

const STRING: Schema = { type: 'string' };
const OPEN: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const object = (properties: Record<string, Schema>, rest: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...rest,
});

describe('pruning', () => {
  it.each<[string, Schema, Json, Json, readonly string[]]>([
    ['fields', object({ a: STRING }), { a: 'x', z: 1, b: 2 }, { a: 'x' }, ['b', 'z']],
    [
      'fields below items',
      object({ l: { type: 'array', items: object({ a: STRING }) } }),
      { l: [{ a: '', x: 1 }, { y: 2 }] },
      { l: [{ a: '' }, {}] },
      ['l[0].x', 'l[1].y'],
    ],
    [
      'fields below values of maps',
      object({ m: { type: 'object', additionalProperties: object({ a: STRING }) } }),
      { m: { 'k.k': { b: 1 } } },
      { m: { 'k.k': {} } },
      ['m.k.k.b'],
    ],
    ['objects below a scalar', object({ a: STRING }), { a: { b: 1 } }, { a: {} }, ['a.b']],
    [
      'not what is to be preserved',
      object({ o: OPEN }),
      { o: { x: { y: [{ z: 1 }] } } },
      { o: { x: { y: [{ z: 1 }] } } },
      [],
    ],
    [
      'what is declared below what is to be preserved',
      object({ o: { ...OPEN, properties: { d: object({ a: STRING }) } } }),
      { o: { x: 1, d: { b: 1 } } },
      { o: { x: 1, d: {} } },
      ['o.d.b'],
    ],
    [
      'not in items of a list that preserves',
      object({ l: { ...OPEN, type: 'array', items: object({ a: STRING }) } }),
      { l: [{ b: 1 }] },
      { l: [{ b: 1 }] },
      [],
    ],
    [
      'values below additionalProperties: true',
      object({ m: { type: 'object', additionalProperties: true } }),
      { m: { a: { b: 1 }, c: 2 } },
      { m: { a: {}, c: 2 } },
      ['m.a.b'],
    ],
    [
      'not the metadata of an embedded resource',
      object({ e: object({ spec: object({}) }, { 'x-kubernetes-embedded-resource': true }) }),
      { e: { apiVersion: 'v1', kind: 'X', metadata: { zz: 1 }, spec: { a: 1 }, b: 1 } },
      { e: { apiVersion: 'v1', kind: 'X', metadata: { zz: 1 }, spec: {} } },
      ['e.b', 'e.spec.a'],
    ],
    [
      'keys of prototypes',
      object({ a: STRING }),
      JSON.parse('{"__proto__":{"x":1},"constructor":1,"a":"x"}') as Json,
      { a: 'x' },
      ['__proto__', 'constructor'],
    ],
  ])('pruning drops undeclared fields: %s', (_name, schema, value, expected, unknown) => {
    expect(prune(schema, value)).toEqual({ value: expected, unknown });
  });

  it('pruning keeps apiVersion, kind and metadata of a whole object', () => {
    const value = { apiVersion: 'g/v1', kind: 'K', metadata: { name: 'a', zz: 1 }, spec: { x: 1 } };

    expect(prune(object({ spec: object({}) }), value, { root: true })).toEqual({
      value: { ...value, spec: {} },
      unknown: ['spec.x'],
    });
  });

  it('pruning a built-in kind reports unknown fields in document order and keeps objects without properties', () => {
    const schema = object({ b: object({ x: STRING }), raw: { type: 'object' } });

    expect(prune(schema, { z: 1, b: { y: 1 }, raw: { any: { thing: 1 } } }, { builtin: true })).toEqual({
      value: { b: {}, raw: { any: { thing: 1 } } },
      unknown: ['z', 'b.y'],
    });
  });

  it('pruning shares unchanged parts', () => {
    const value = { a: { b: 'x' }, l: [{ c: 'x' }] };
    const schema = object({ a: object({ b: STRING }), l: { type: 'array', items: object({ c: STRING }) } });

    expect(prune(schema, value).value).toBe(value);
    const pruned = prune(schema, { ...value, z: 1 }).value as typeof value;
    expect(pruned.a).toBe(value.a);
  });
});

const DEFAULTED: Schema = { type: 'integer', default: 3 };

describe('defaulting', () => {
  it.each<[string, Schema, Json, Json]>([
    ['where a field is absent', object({ a: DEFAULTED }), {}, { a: 3 }],
    ['where a field is null but not nullable', object({ a: DEFAULTED }), { a: null }, { a: 3 }],
    ['unless the field is nullable', object({ a: { ...DEFAULTED, nullable: true } }), { a: null }, { a: null }],
    ['unless the parent is absent', object({ o: object({ a: DEFAULTED }) }), {}, {}],
    ['below a default', object({ o: object({ a: DEFAULTED }, { default: {} }) }), {}, { o: { a: 3 } }],
    [
      'in items',
      object({ l: { type: 'array', items: object({ a: DEFAULTED }) } }),
      { l: [{}, { a: 1 }] },
      { l: [{ a: 3 }, { a: 1 }] },
    ],
    [
      'for items that are null',
      object({ l: { type: 'array', items: { ...DEFAULTED } } }),
      { l: [null, 1] },
      { l: [3, 1] },
    ],
    [
      'in values of maps',
      object({ m: { type: 'object', additionalProperties: object({ a: DEFAULTED }) } }),
      { m: { k: {} } },
      { m: { k: { a: 3 } } },
    ],
    ['unless the parent is a scalar', object({ a: object({ b: DEFAULTED }) }), { a: 5 }, { a: 5 }],
    ['for a field with the name of a prototype member', object({ constructor: DEFAULTED }), {}, { constructor: 3 }],
  ])('a default is filled in %s', (_name, schema, value, expected) => {
    expect(fillDefaults(schema, value)).toEqual(expected);
  });

  it('defaulting returns the same object when nothing is missing', () => {
    const value = { o: { a: 1 }, l: [{ a: 1 }] };

    expect(
      fillDefaults(
        object({ o: object({ a: DEFAULTED }), l: { type: 'array', items: object({ a: DEFAULTED }) } }),
        value,
      ),
    ).toBe(value);
  });
});

describe('pruning of nulls', () => {
  it.each<[string, Schema, Json, Json]>([
    [
      'where it is not nullable',
      object({ a: STRING, o: OPEN, l: { type: 'array', items: STRING } }),
      { a: null, o: null, l: null },
      {},
    ],
    [
      'as a value of a map',
      object({ m: { type: 'object', additionalProperties: STRING } }),
      { m: { a: null } },
      { m: {} },
    ],
    ['unless it is nullable', object({ a: { ...STRING, nullable: true } }), { a: null }, { a: null }],
    ['unless there is a default', object({ a: DEFAULTED }), { a: null }, { a: null }],
    ['unless it is a list item', object({ l: { type: 'array', items: STRING } }), { l: [null] }, { l: [null] }],
    ['unless unknown fields are preserved', object({ o: OPEN }), { o: { a: null } }, { o: { a: null } }],
  ])('a null is dropped %s', (_name, schema, value, expected) => {
    expect(pruneNulls(schema, value)).toEqual(expected);
  });
});
