import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../src/json.js';
import type { Schema } from '../../src/schema/schema.js';
import { causesOf, type Row } from './fixture.js';

describe('lists', () => {
  it.each<Row>([
    [
      { type: 'array', items: { type: 'string' }, maxItems: 1 },
      ['a', 'b'],
      ['spec.x|TooMany|Too many: 2: must have at most 1 item'],
    ],
    [
      { type: 'array', items: { type: 'string' }, maxItems: 2 },
      ['a', 'b', 'c'],
      ['spec.x|TooMany|Too many: 3: must have at most 2 items'],
    ],
    [
      { type: 'array', items: { type: 'string' }, minItems: 2 },
      ['a'],
      ['spec.x|Invalid|Invalid value: 1: spec.x in body should have at least 2 items'],
    ],
    [
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      ['a', 'b', 'a', 'a', 'b'],
      ['spec.x[2]|Duplicate|Duplicate value: "a"', 'spec.x[4]|Duplicate|Duplicate value: "b"'],
    ],
    [
      { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
      [1, 2, 1],
      ['spec.x[2]|Duplicate|Duplicate value: 1'],
    ],
    [
      {
        type: 'array',
        items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer' } }, required: ['k'] },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
      [{ k: 'a', v: 1 }, { k: 'b' }, { k: 'a', v: 2 }, { k: 'a' }],
      ['spec.x[2]|Duplicate|Duplicate value: {"k":"a"}'],
    ],
    [
      {
        type: 'array',
        items: {
          type: 'object',
          properties: { k: { type: 'string' }, p: { type: 'integer', default: 1 } },
          required: ['k'],
        },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k', 'p'],
      },
      [{ k: 'a', p: 1 }, { k: 'a', p: 2 }, { k: 'a' }],
      ['spec.x[2]|Duplicate|Duplicate value: {"k":"a","p":1}'],
    ],
    [
      {
        type: 'array',
        items: { type: 'object', properties: { k: { type: 'string' } }, required: ['k'] },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
      [{}, {}],
      [
        'spec.x[0].k|Required|Required value',
        'spec.x[1].k|Required|Required value',
        'spec.x[1]|Duplicate|Duplicate value: {}',
      ],
    ],
    [
      {
        type: 'array',
        items: { type: 'object', properties: { k: { type: 'string' } }, required: ['k'] },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
      ['x', { k: 'a' }],
      [
        'spec.x[0]|Invalid|Invalid value: "x": must be an object for an array of list-type map',
        'spec.x[0]|TypeInvalid|Invalid value: "string": spec.x[0] in body must be of type object: "string"',
      ],
    ],
    [
      {
        type: 'array',
        items: { type: 'object', properties: { k: { type: 'string' } }, required: ['k'] },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
      [null, { k: 'a' }],
      ['spec.x[0]|TypeInvalid|Invalid value: "null": spec.x[0] in body must be of type object: "null"'],
    ],
    [
      {
        type: 'object',
        additionalProperties: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      },
      { 'a.b': ['x', 'x'] },
      ['spec.x[a.b][1]|Duplicate|Duplicate value: "x"'],
    ],
    [
      {
        type: 'array',
        items: {
          type: 'object',
          properties: { s: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' } },
        },
      },
      [{ s: ['a', 'a'] }],
      ['spec.x[0].s[1]|Duplicate|Duplicate value: "a"'],
    ],
    [
      {
        type: 'array',
        items: { type: 'object', properties: { a: { type: 'integer' } }, 'x-kubernetes-map-type': 'atomic' },
        'x-kubernetes-list-type': 'set',
      },
      [{ a: 1 }, { a: 1 }],
      ['spec.x[1]|Duplicate|Duplicate value: {"a":1}'],
    ],
    [
      {
        type: 'array',
        items: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'atomic' },
        'x-kubernetes-list-type': 'set',
      },
      [[1], [1], [2]],
      ['spec.x[1]|Duplicate|Duplicate value: [1]'],
    ],
  ])('the list keywords of schema %j for value %j report the causes of kube-apiserver', (schema, value, causes) => {
    expect(causesOf(schema, value)).toEqual(causes);
  });
});

describe('objects', () => {
  it.each<Row>([
    [
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a', 'b'] },
      {},
      ['spec.x.a|Required|Required value', 'spec.x.b|Required|Required value'],
    ],
    [
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      { a: null },
      ['spec.x.a|Required|Required value'],
    ],
    [
      { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 1 },
      { a: '1', b: '2' },
      ['spec.x|TooMany|Too many: 2: must have at most 1 item'],
    ],
    [
      { type: 'object', additionalProperties: { type: 'string' }, minProperties: 2 },
      { a: '1' },
      ['spec.x|Invalid|Invalid value: 1: spec.x in body should have at least 2 properties'],
    ],
    [
      {
        type: 'object',
        properties: { a: { type: 'object', properties: { b: { type: 'object', properties: {}, required: ['c'] } } } },
      },
      { a: { b: {} } },
      ['spec.x.a.b.c|Required|Required value'],
    ],
    [
      {
        type: 'object',
        additionalProperties: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      },
      { k: {}, 'x/y': { a: '1' } },
      ['spec.x.k.a|Required|Required value'],
    ],
    [
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } }, minProperties: 1 },
      {},
      ['spec.x|Invalid|Invalid value: 0: spec.x in body should have at least 1 properties'],
    ],
    [{ type: 'object', properties: { a: { type: 'string' }, __proto__x: { type: 'integer' } } }, { a: '1' }, []],
  ])('the object keywords of schema %j for value %j report the causes of kube-apiserver', (schema, value, causes) => {
    expect(causesOf(schema, value)).toEqual(causes);
  });
});

describe('alternatives', () => {
  it.each<Row>([
    [
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      {},
      [
        '<nil>|Invalid|Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
        'spec.x.a|Required|Required value',
      ],
    ],
    [
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      { a: 'x' },
      [],
    ],
    [
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        oneOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      {},
      [
        '<nil>|Invalid|Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found none valid',
        'spec.x.a|Required|Required value',
      ],
    ],
    [
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        oneOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      { a: '', b: '' },
      [
        '<nil>|Invalid|Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        allOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      { a: '' },
      [
        '<nil>|Invalid|Invalid value: "": "spec.x" must validate all the schemas (allOf)',
        'spec.x.b|Required|Required value',
      ],
    ],
    [
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        allOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      {},
      [
        '<nil>|Invalid|Invalid value: "": "spec.x" must validate all the schemas (allOf). None validated',
        'spec.x.a|Required|Required value',
        'spec.x.b|Required|Required value',
      ],
    ],
    [
      { type: 'object', properties: { a: { type: 'string' } }, not: { required: ['a'] } },
      { a: '' },
      ['<nil>|Invalid|Invalid value: "": "spec.x" must not validate the schema (not)'],
    ],
    [{ type: 'object', properties: { a: { type: 'string' } }, not: { required: ['a'] } }, {}, []],
    [
      { type: 'integer', allOf: [{ minimum: 5 }, { maximum: 3 }] },
      4,
      [
        '<nil>|Invalid|Invalid value: "": "spec.x" must validate all the schemas (allOf). None validated',
        'spec.x|Invalid|Invalid value: 4: spec.x in body should be greater than or equal to 5',
        'spec.x|Invalid|Invalid value: 4: spec.x in body should be less than or equal to 3',
      ],
    ],
    [
      { type: 'integer', anyOf: [{ minimum: 5 }, { maximum: 3, multipleOf: 2 }] },
      4,
      [
        '<nil>|Invalid|Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
        'spec.x|Invalid|Invalid value: 4: spec.x in body should be greater than or equal to 5',
      ],
    ],
    [
      { type: 'string', oneOf: [{ pattern: '^a' }, { pattern: 'b$' }] },
      'ab',
      [
        '<nil>|Invalid|Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      { type: 'string', oneOf: [{ pattern: '^a' }, { pattern: 'b$' }] },
      'xx',
      [
        '<nil>|Invalid|Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found none valid',
        `spec.x|Invalid|Invalid value: "xx": spec.x in body should match '^a'`,
      ],
    ],
    [
      { type: 'string', anyOf: [{ minLength: 3, pattern: 'a' }, { maxLength: 0 }] },
      'bb',
      [
        '<nil>|Invalid|Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
        'spec.x|Invalid|Invalid value: "bb": spec.x in body should be at least 3 chars long',
      ],
    ],
    [
      { type: 'string', not: { enum: ['a'] } },
      'a',
      ['<nil>|Invalid|Invalid value: "": "spec.x" must not validate the schema (not)'],
    ],
    [
      {
        type: 'object',
        properties: { t: { type: 'string' }, a: { type: 'object', properties: { x: { type: 'integer' } } } },
        oneOf: [
          { properties: { t: { enum: ['A'] }, a: { properties: { x: { minimum: 5 } } } } },
          { properties: { t: { enum: ['B'] } } },
        ],
      },
      { t: 'A', a: { x: 1 } },
      [
        '<nil>|Invalid|Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found none valid',
        'spec.x.a.x|Invalid|Invalid value: 1: spec.x.a.x in body should be greater than or equal to 5',
      ],
    ],
    [
      {
        type: 'object',
        properties: { t: { type: 'string' }, a: { type: 'object', properties: { x: { type: 'integer' } } } },
        oneOf: [
          { properties: { t: { enum: ['A'] }, a: { properties: { x: { minimum: 5 } } } } },
          { properties: { t: { enum: ['B'] } } },
        ],
      },
      { t: 'C' },
      [
        '<nil>|Invalid|Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found none valid',
        'spec.x.t|NotSupported|Unsupported value: "C": supported values: "A"',
      ],
    ],
    [
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      true,
      [
        '<nil>|Invalid|Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
        'spec.x|TypeInvalid|Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"',
        'spec.x|TypeInvalid|Invalid value: "boolean": spec.x in body must be of type integer: "boolean"',
      ],
    ],
    [
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }], pattern: '^\\d+%$' },
      '5',
      [`spec.x|Invalid|Invalid value: "5": spec.x in body should match '^\\d+%$'`],
    ],
    [
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }], pattern: '^\\d+%$' },
      5,
      [],
    ],
    [
      {
        'x-kubernetes-int-or-string': true,
        allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { maximum: 3 }],
      },
      5,
      [
        '<nil>|Invalid|Invalid value: "": "spec.x" must validate all the schemas (allOf)',
        'spec.x|Invalid|Invalid value: 5: spec.x in body should be less than or equal to 3',
      ],
    ],
    [
      { type: 'array', items: { type: 'integer' }, allOf: [{ items: { maximum: 3 } }] },
      [1, 5],
      [
        '<nil>|Invalid|Invalid value: "": "spec.x" must validate all the schemas (allOf). None validated',
        'spec.x[1]|Invalid|Invalid value: 5: spec.x[1] in body should be less than or equal to 3',
      ],
    ],
    [
      { type: 'string', allOf: [{ anyOf: [{ minLength: 5 }, { pattern: '^a' }] }, { not: { pattern: 'z' } }] },
      'bz',
      [
        '<nil>|Invalid|Invalid value: "": "spec.x" must not validate the schema (not)',
        '<nil>|Invalid|Invalid value: "": "spec.x" must validate all the schemas (allOf). None validated',
        '<nil>|Invalid|Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
        'spec.x|Invalid|Invalid value: "bz": spec.x in body should be at least 5 chars long',
      ],
    ],
    [{ type: 'string', nullable: true, anyOf: [{ enum: ['a'] }] }, null, []],
  ])('the alternatives of schema %j for value %j report the causes of kube-apiserver', (schema, value, causes) => {
    expect(causesOf(schema, value)).toEqual(causes);
  });
});

describe('embedded resources', () => {
  it.each<Row>([
    [
      {
        type: 'object',
        properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
        'x-kubernetes-embedded-resource': true,
      },
      {},
      ['spec.x.apiVersion|Required|Required value', 'spec.x.kind|Required|Required value'],
    ],
    [
      {
        type: 'object',
        properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
        'x-kubernetes-embedded-resource': true,
      },
      { apiVersion: 'v1', kind: 'X', metadata: { name: 'a' }, spec: { a: 'x' } },
      [],
    ],
    [
      {
        type: 'object',
        properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
        'x-kubernetes-embedded-resource': true,
      },
      { apiVersion: 'a/b/c', kind: 'x_y', metadata: { name: 'a/b', labels: { '-x': 'y' } } },
      [
        'spec.x.apiVersion|Invalid|Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
        `spec.x.kind|Invalid|Invalid value: "x_y": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
        `spec.x.metadata.labels|Invalid|Invalid value: "-x": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
        `spec.x.metadata.name|Invalid|Invalid value: "a/b": may not contain '/'`,
      ],
    ],
    [
      {
        type: 'object',
        properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
        'x-kubernetes-embedded-resource': true,
      },
      { apiVersion: '', kind: '', metadata: {} },
      [
        'spec.x.apiVersion|Invalid|Invalid value: "": must not be empty',
        'spec.x.kind|Invalid|Invalid value: "": must not be empty',
      ],
    ],
    [
      {
        type: 'object',
        properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
        'x-kubernetes-embedded-resource': true,
      },
      { apiVersion: 'v1', kind: 'X', metadata: { namespace: 'A', finalizers: ['a b'], ownerReferences: [{}] } },
      [
        `spec.x.metadata.finalizers|Invalid|Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
        `spec.x.metadata.namespace|Invalid|Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
        'spec.x.metadata.ownerReferences.apiVersion|Invalid|Invalid value: "": version must not be empty',
        'spec.x.metadata.ownerReferences.kind|Invalid|Invalid value: "": must not be empty',
        'spec.x.metadata.ownerReferences.name|Invalid|Invalid value: "": must not be empty',
        'spec.x.metadata.ownerReferences.uid|Invalid|Invalid value: "": must not be empty',
      ],
    ],
    [
      {
        type: 'object',
        properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
        'x-kubernetes-embedded-resource': true,
      },
      { apiVersion: 'v1', kind: 'X', metadata: { generateName: 'A-', annotations: { 'a b': 'c' } } },
      [
        `spec.x.metadata.annotations|Invalid|Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      ],
    ],
    [
      {
        type: 'object',
        properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
      { apiVersion: 'v1', kind: 'X', metadata: { generation: -1 }, zz: 1 },
      ['spec.x.metadata.generation|Invalid|Invalid value: -1: must be greater than or equal to 0'],
    ],
  ])(
    'the embedded resource of schema %j for value %j reports the causes of kube-apiserver',
    (schema, value, causes) => {
      expect(causesOf(schema, value)).toEqual(causes);
    },
  );
});

it('validation treats keys of Object.prototype as plain keys', () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"constructor":{"type":"integer"},"toString":{"type":"string"},"__proto__":{"type":"string"}},"required":["valueOf"]}',
  ) as Schema;

  expect(causesOf({ type: 'object' }, JSON.parse('{"constructor":1,"toString":2,"__proto__":3}') as Json)).toEqual([]);
  expect(causesOf(schema, JSON.parse('{"constructor":"x","toString":1,"__proto__":2}') as Json)).toEqual([
    'spec.x.__proto__|TypeInvalid|Invalid value: "integer": spec.x.__proto__ in body must be of type string: "integer"',
    'spec.x.constructor|TypeInvalid|Invalid value: "string": spec.x.constructor in body must be of type integer: "string"',
    'spec.x.toString|TypeInvalid|Invalid value: "integer": spec.x.toString in body must be of type string: "integer"',
    'spec.x.valueOf|Required|Required value',
  ]);
});
