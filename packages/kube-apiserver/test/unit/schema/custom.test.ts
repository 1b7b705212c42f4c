import { describe, expect, it } from '@jest/globals';
import { isObject, type Json } from '@multicluster-engine/values/json';
import { readBody } from '../../../src/schema/body/parse.js';
import { validateMeta } from '@multicluster-engine/values/schema/metadata/validate';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import { decodeCustom } from '@multicluster-engine/values/schema/custom/decode';
import { validateCustom } from '@multicluster-engine/values/schema/custom/validate';

const TEXT: Schema = { type: 'string' };
const NUMBER: Schema = { type: 'integer' };
const OPEN: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const object = (properties: Record<string, Schema>, rest: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...rest,
});

const SPEC = object({
  req: { ...NUMBER, default: 5 },
  nul: { ...TEXT, nullable: true },
  nuld: { ...TEXT, nullable: true, default: 'd' },
  color: TEXT,
  m: { type: 'object', additionalProperties: TEXT },
  mnul: { type: 'object', additionalProperties: { ...TEXT, nullable: true } },
  mt: { type: 'object', additionalProperties: true },
  mo: { type: 'object', additionalProperties: object({ a: { ...NUMBER, default: 2 } }) },
  o: object({ a: TEXT, b: { ...NUMBER, default: 3 } }),
  od: object({ c: object({ d: { ...NUMBER, default: 7 } }) }, { default: { c: {} } }),
  any: OPEN,
  anyp: { ...OPEN, properties: { p: object({ q: TEXT }) } },
  l: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k', 'p'],
    items: object(
      { k: TEXT, p: { ...TEXT, default: 'TCP' }, n: object({ z: { ...NUMBER, default: 1 } }) },
      { required: ['k'] },
    ),
  },
  ld: { type: 'array', items: object({ a: { ...NUMBER, default: 1 } }, { default: {} }) },
  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: TEXT },
  e: object({ spec: object({ a: TEXT }) }, { 'x-kubernetes-embedded-resource': true }),
  ep: { ...OPEN, 'x-kubernetes-embedded-resource': true },
  es: { type: 'array', items: { ...OPEN, 'x-kubernetes-embedded-resource': true } },
  ios: { 'x-kubernetes-int-or-string': true },
});
const SCHEMA = object({ spec: SPEC, status: object({ s: TEXT }) });

/**
 * The request body; the stored object, or the causes or the message that kube-apiserver 1.36.3 returned; the warnings.
 */
type Row = readonly [Json, Json, readonly string[]];

function answer(text: string): readonly [Json, readonly string[]] {
  const { value, duplicates } = readBody(Buffer.from(text), 'json');
  const decoded = decodeCustom(SCHEMA, isObject(value) ? value : {});
  if ('problem' in decoded) return [decoded.problem, []];
  const errors = [
    ...validateMeta(decoded.object.metadata, { namespaced: false, validateName: () => [] }),
    ...validateCustom(SCHEMA, decoded.object).errors,
  ];
  if (errors.length > 0)
    return [
      errors.map(({ field, reason, message }) => `${field}|${reason.replace('FieldValue', '')}|${message}`).sort(),
      [],
    ];
  const {
    apiVersion: _apiVersion,
    kind: _kind,
    metadata: { creationTimestamp: _time, generation: _generation, ...metadata },
    ...rest
  } = decoded.object;
  return [
    { ...rest, metadata },
    [...duplicates, ...[...decoded.unknownMeta, ...decoded.unknown].map((path) => `unknown field "${path}"`)],
  ];
}

describe('decoding of custom resources', () => {
  it.each<Row>([
    [{ spec: {} }, { metadata: { name: 'a' }, spec: { nuld: 'd', od: { c: { d: 7 } }, req: 5 } }, []],
    [{ spec: null }, { metadata: { name: 'a' } }, []],
    [{}, { metadata: { name: 'a' } }, []],
    [{ spec: 5 }, ['spec|TypeInvalid|Invalid value: "integer": spec in body must be of type object: "integer"'], []],
    [
      {
        spec: {
          nul: null,
          nuld: null,
          req: null,
          color: null,
          m: null,
          o: null,
          od: null,
          any: null,
          l: null,
          set: null,
          ios: null,
          mt: null,
        },
      },
      { metadata: { name: 'a' }, spec: { nul: null, nuld: null, od: { c: { d: 7 } }, req: 5 } },
      [],
    ],
    [
      { spec: { m: { a: null, b: 'x' } } },
      { metadata: { name: 'a' }, spec: { m: { b: 'x' }, nuld: 'd', od: { c: { d: 7 } }, req: 5 } },
      [],
    ],
    [
      { spec: { mnul: { a: null } } },
      { metadata: { name: 'a' }, spec: { mnul: { a: null }, nuld: 'd', od: { c: { d: 7 } }, req: 5 } },
      [],
    ],
    [
      { spec: { any: { a: null, b: [null] } } },
      { metadata: { name: 'a' }, spec: { any: { a: null, b: [null] }, nuld: 'd', od: { c: { d: 7 } }, req: 5 } },
      [],
    ],
    [
      { spec: { set: [null] } },
      ['spec.set[0]|TypeInvalid|Invalid value: "null": spec.set[0] in body must be of type string: "null"'],
      [],
    ],
    [
      { spec: { l: [null] } },
      ['spec.l[0]|TypeInvalid|Invalid value: "null": spec.l[0] in body must be of type object: "null"'],
      [],
    ],
    [
      { spec: { l: [{ k: 'a' }, { k: 'b', p: null, n: {} }] } },
      {
        metadata: { name: 'a' },
        spec: {
          l: [
            { k: 'a', p: 'TCP' },
            { k: 'b', n: { z: 1 }, p: 'TCP' },
          ],
          nuld: 'd',
          od: { c: { d: 7 } },
          req: 5,
        },
      },
      [],
    ],
    [
      { spec: { l: [{ k: 'a', x: 1, n: { y: 2 } }], zz: 1, o: { yy: 2, a: 'x' } } },
      {
        metadata: { name: 'a' },
        spec: { l: [{ k: 'a', n: { z: 1 }, p: 'TCP' }], nuld: 'd', o: { a: 'x', b: 3 }, od: { c: { d: 7 } }, req: 5 },
      },
      [
        'unknown field "spec.l[0].n.y"',
        'unknown field "spec.l[0].x"',
        'unknown field "spec.o.yy"',
        'unknown field "spec.zz"',
      ],
    ],
    [
      { spec: { anyp: { x: 1, p: { q: 'a', r: 1 } } } },
      { metadata: { name: 'a' }, spec: { anyp: { p: { q: 'a' }, x: 1 }, nuld: 'd', od: { c: { d: 7 } }, req: 5 } },
      ['unknown field "spec.anyp.p.r"'],
    ],
    [
      { spec: { mt: { a: { b: 1 }, c: 1, d: [{ e: 1 }] } } },
      { metadata: { name: 'a' }, spec: { mt: { a: {}, c: 1, d: [{}] }, nuld: 'd', od: { c: { d: 7 } }, req: 5 } },
      ['unknown field "spec.mt.a.b"', 'unknown field "spec.mt.d[0].e"'],
    ],
    [
      { spec: { mo: { a: {}, b: null, c: { x: 1 } } } },
      { metadata: { name: 'a' }, spec: { mo: { a: { a: 2 }, c: { a: 2 } }, nuld: 'd', od: { c: { d: 7 } }, req: 5 } },
      ['unknown field "spec.mo.c.x"'],
    ],
    [
      { spec: { ld: [null, {}, { a: 5 }] } },
      { metadata: { name: 'a' }, spec: { ld: [{ a: 1 }, { a: 1 }, { a: 5 }], nuld: 'd', od: { c: { d: 7 } }, req: 5 } },
      [],
    ],
    [{ spec: { od: {} } }, { metadata: { name: 'a' }, spec: { nuld: 'd', od: {}, req: 5 } }, []],
    [{ spec: { od: { c: null } } }, { metadata: { name: 'a' }, spec: { nuld: 'd', od: {}, req: 5 } }, []],
    [
      { metadata: { name: 'a', zz: 1, labels: { a: 'b' }, aa: { b: 1 } }, spec: {} },
      { metadata: { labels: { a: 'b' }, name: 'a' }, spec: { nuld: 'd', od: { c: { d: 7 } }, req: 5 } },
      ['unknown field "metadata.aa"', 'unknown field "metadata.zz"'],
    ],
    [
      { metadata: { name: 'a', labels: null, annotations: {}, finalizers: [], ownerReferences: null }, spec: {} },
      { metadata: { name: 'a' }, spec: { nuld: 'd', od: { c: { d: 7 } }, req: 5 } },
      [],
    ],
    [
      { metadata: { name: 'a', labels: 5 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string',
      [],
    ],
    [
      { metadata: { name: 'a', labels: { a: 1 } } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
      [],
    ],
    [{ metadata: 5 }, 'json: cannot unmarshal number into Go value of type v1.ObjectMeta', []],
    [{ metadata: [] }, 'json: cannot unmarshal array into Go value of type v1.ObjectMeta', []],
    [
      { metadata: { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'a', uid: 'u', zz: 1 }] } },
      { metadata: { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'a', uid: 'u' }] } },
      ['unknown field "metadata.ownerReferences[0].zz"'],
    ],
    [
      { metadata: { name: 'a', creationTimestamp: 'x' } },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
      [],
    ],
    [{ metadata: { name: 'a', creationTimestamp: null, generation: 7 } }, { metadata: { name: 'a' } }, []],
    [{ metadata: { name: 'a', annotations: { a: null } } }, { metadata: { annotations: { a: '' }, name: 'a' } }, []],
    [
      { metadata: { name: 'a', finalizers: ['a/b', null] } },
      [
        'metadata.finalizers|Invalid|Invalid value: "": name part must be non-empty',
        `metadata.finalizers|Invalid|Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      ],
      [],
    ],
    [
      { zz: 1, status: { s: 'x', t: 1 } },
      { metadata: { name: 'a' }, status: { s: 'x' } },
      ['unknown field "status.t"', 'unknown field "zz"'],
    ],
    [
      {
        spec: {
          e: {
            apiVersion: 'v1',
            kind: 'X',
            metadata: { name: 'b', zz: 1, labels: {}, annotations: { a: 'b' } },
            zz: 1,
            spec: { a: 'x', b: 1 },
          },
        },
      },
      {
        metadata: { name: 'a' },
        spec: {
          e: { apiVersion: 'v1', kind: 'X', metadata: { annotations: { a: 'b' }, name: 'b' }, spec: { a: 'x' } },
          nuld: 'd',
          od: { c: { d: 7 } },
          req: 5,
        },
      },
      ['unknown field "spec.e.spec.b"', 'unknown field "spec.e.zz"', 'unknown field "spec.e.metadata.zz"'],
    ],
    [{ spec: { e: { apiVersion: 1, kind: 'X' } } }, 'spec.e.apiVersion: Invalid value: 1: must be a string', []],
    [
      { spec: { e: { apiVersion: 'v1', kind: 'X', metadata: 5 } } },
      'spec.e.metadata: Invalid value: 5: json: cannot unmarshal number into Go value of type v1.ObjectMeta',
      [],
    ],
    [
      { spec: { e: { apiVersion: 'v1', kind: 'X', metadata: { labels: 1 } } } },
      'spec.e.metadata: Invalid value: {"labels":1}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string',
      [],
    ],
    [
      { spec: { e: { apiVersion: 'v1', kind: 'X', metadata: null } } },
      {
        metadata: { name: 'a' },
        spec: { e: { apiVersion: 'v1', kind: 'X', metadata: {} }, nuld: 'd', od: { c: { d: 7 } }, req: 5 },
      },
      [],
    ],
    [
      { spec: { ep: { apiVersion: 'v1', kind: 'X', metadata: { creationTimestamp: null, zz: 1 }, zz: 1 } } },
      {
        metadata: { name: 'a' },
        spec: { ep: { apiVersion: 'v1', kind: 'X', metadata: {}, zz: 1 }, nuld: 'd', od: { c: { d: 7 } }, req: 5 },
      },
      ['unknown field "spec.ep.metadata.zz"'],
    ],
    [
      {
        spec: {
          es: [
            { apiVersion: 'v1', kind: 'X', metadata: { zz: 1 } },
            { apiVersion: 'v1', kind: 'Y', metadata: { name: '' } },
          ],
        },
      },
      {
        metadata: { name: 'a' },
        spec: {
          es: [
            { apiVersion: 'v1', kind: 'X', metadata: {} },
            { apiVersion: 'v1', kind: 'Y', metadata: {} },
          ],
          nuld: 'd',
          od: { c: { d: 7 } },
          req: 5,
        },
      },
      ['unknown field "spec.es[0].metadata.zz"'],
    ],
    [{ spec: { e: {} } }, ['spec.e.apiVersion|Required|Required value', 'spec.e.kind|Required|Required value'], []],
    [{ spec: { color: 'a', set: ['a', 'a'] } }, ['spec.set[1]|Duplicate|Duplicate value: "a"'], []],
    [
      '{"apiVersion":"o2.example.com/v1","kind":"Ocu","metadata":{"name":"a","labels":{"x":"1","x":"2"},"zz":1},"spec":{"color":"a","color":"b","l":[{"k":"a","k":"b","u":1}],"zz":1}}',
      {
        metadata: { labels: { x: '2' }, name: 'a' },
        spec: { color: 'b', l: [{ k: 'b', p: 'TCP' }], nuld: 'd', od: { c: { d: 7 } }, req: 5 },
      },
      [
        'duplicate field "metadata.labels.x"',
        'duplicate field "spec.color"',
        'duplicate field "spec.l[0].k"',
        'unknown field "metadata.zz"',
        'unknown field "spec.l[0].u"',
        'unknown field "spec.zz"',
      ],
    ],
    [
      '{"apiVersion":"o2.example.com/v1","kind":"Ocu","metadata":{"name":"a"},"spec":{"any":{"n":1.50,"m":1e2,"k":-0,"j":0.1e1,"i":123456789012345680000},"req":3.0}}',
      {
        metadata: { name: 'a' },
        spec: { any: { i: 123456789012345680000, j: 1, k: 0, m: 100, n: 1.5 }, nuld: 'd', od: { c: { d: 7 } }, req: 3 },
      },
      [],
    ],
  ])('the custom resource %j is decoded to %j with the warnings %j', (body, stored, warnings) => {
    const whole = isObject(body)
      ? { apiVersion: 'o2.example.com/v1', kind: 'Ocu', metadata: { name: 'a' }, ...body }
      : body;
    const [is, reportedWarnings] = answer(typeof whole === 'string' ? whole : JSON.stringify(whole));

    expect(is).toEqual(stored);
    expect(reportedWarnings).toEqual(warnings);
  });
});

it('decoding a custom resource treats keys of Object.prototype as plain keys', () => {
  const [stored, warnings] = answer(
    '{"apiVersion":"g/v1","kind":"K","metadata":{"name":"a"},"spec":{"__proto__":{"a":1},"constructor":1,"any":{"__proto__":{"a":1}},"m":{"__proto__":"x"}}}',
  );

  expect(JSON.stringify(stored)).toBe(
    '{"spec":{"any":{"__proto__":{"a":1}},"m":{"__proto__":"x"},"req":5,"nuld":"d","od":{"c":{"d":7}}},"metadata":{"name":"a"}}',
  );
  expect(warnings).toEqual(['unknown field "spec.__proto__"', 'unknown field "spec.constructor"']);
});
