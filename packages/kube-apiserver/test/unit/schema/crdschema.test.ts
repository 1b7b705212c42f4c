import { describe, expect, it } from '@jest/globals';
import { checkRules, compileRules, runDefaultRules } from '@multicluster-engine/cel/rules';
import type { Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { createDefinitionRules } from '../../../src/schema/crd/definition.js';

const rules = createDefinitionRules({ compileRules, checkRules, checkDefault: runDefaultRules });
const TEXT = { type: 'string' };

const AT = 'spec.validation.openAPIV3Schema.properties[spec].properties[x]';

function definition(schema: Json): KubeObject {
  const spec = { type: 'object', properties: { x: schema } };
  const versions = [
    { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } },
  ];
  const names = { plural: 'ws', kind: 'Wi' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'ws.ex.example.com' },
    spec: { group: 'ex.example.com', scope: 'Namespaced', names, versions },
  };
}

/** A schema of `spec.x` and the causes that kube-apiserver 1.36.3 returned for it, with its path as `x`. */
describe('schemas of definitions', () => {
  it.each<[string, Json, readonly string[]]>([
    ['field no type', {}, ['x.type|Required|Required value: must not be empty for specified object fields']],
    ['array no items', { type: 'array' }, ['x.items|Required|Required value: must be specified']],
    [
      'items no type',
      { type: 'array', items: {} },
      ['x.items.type|Required|Required value: must not be empty for specified array items'],
    ],
    [
      'bad type',
      { type: 'foo' },
      [
        'x.type|NotSupported|Unsupported value: "foo": supported values: "array", "boolean", "integer", "number", "object", "string"',
      ],
    ],
    [
      'type null',
      { type: 'null' },
      [
        'x.type|Forbidden|Forbidden: type cannot be set to null, use nullable as an alternative',
        'x.type|NotSupported|Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
      ],
    ],
    [
      'items array',
      { type: 'array', items: [TEXT] },
      ['x.items|Forbidden|Forbidden: items must be a schema object and not an array'],
    ],
    [
      'preserve false',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
      ['x.x-kubernetes-preserve-unknown-fields|Invalid|Invalid value: false: must be true or undefined'],
    ],
    ['ios', { 'x-kubernetes-int-or-string': true }, []],
    ['ios typed', { type: 'string', 'x-kubernetes-int-or-string': true }, []],
    [
      'ios preserve',
      { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true },
      [
        'x.x-kubernetes-preserve-unknown-fields|Invalid|Invalid value: true: must be false if x-kubernetes-int-or-string is true',
      ],
    ],
    [
      'ios embedded',
      { 'x-kubernetes-int-or-string': true, 'x-kubernetes-embedded-resource': true },
      [
        'x.properties|Required|Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
        'x.type|Required|Required value: must be object if x-kubernetes-embedded-resource is true',
        'x.x-kubernetes-embedded-resource|Invalid|Invalid value: true: must be false if x-kubernetes-int-or-string is true',
      ],
    ],
    ['ios anyOf', { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, TEXT] }, []],
    [
      'ios anyOf more',
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string', pattern: 'a' }] },
      [
        'x.anyOf[0].type|Forbidden|Forbidden: must be empty to be structural',
        'x.anyOf[1].type|Forbidden|Forbidden: must be empty to be structural',
      ],
    ],
    [
      'ios allOf',
      { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: [{ type: 'integer' }, TEXT] }, { pattern: 'a' }] },
      [],
    ],
    [
      'ios allOf wrong place',
      { 'x-kubernetes-int-or-string': true, allOf: [{ pattern: 'a' }, { anyOf: [{ type: 'integer' }, TEXT] }] },
      [
        'x.allOf[1].anyOf[0].type|Forbidden|Forbidden: must be empty to be structural',
        'x.allOf[1].anyOf[1].type|Forbidden|Forbidden: must be empty to be structural',
      ],
    ],
    [
      'unique',
      { type: 'array', items: TEXT, uniqueItems: true },
      [
        'x.uniqueItems|Forbidden|Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ],
    ],
    [
      'additional and properties',
      { type: 'object', properties: { a: TEXT }, additionalProperties: TEXT },
      ['x.additionalProperties|Forbidden|Forbidden: additionalProperties and properties are mutual exclusive'],
    ],
    ['additional true and properties', { type: 'object', properties: { a: TEXT }, additionalProperties: true }, []],
    [
      'additional false and properties',
      { type: 'object', properties: { a: TEXT }, additionalProperties: false },
      ['x.additionalProperties|Forbidden|Forbidden: additionalProperties and properties are mutual exclusive'],
    ],
    ['additional false', { type: 'object', additionalProperties: false }, []],
    ['ref', { type: 'string', $ref: '#/x' }, ['x.$ref|Forbidden|Forbidden: $ref is not supported']],
    ['id', { type: 'string', id: 'x' }, ['x.id|Forbidden|Forbidden: id is not supported']],
    [
      '$schema',
      { type: 'string', $schema: 'x' },
      [`spec.validation.openAPIV3Schema|Invalid|Invalid value: "": OpenAPIV3Schema 'schema' is not supported`],
    ],
    [
      'definitions',
      { type: 'string', definitions: { a: TEXT } },
      ['x.definitions|Forbidden|Forbidden: definitions is not supported'],
    ],
    [
      'dependencies',
      { type: 'object', dependencies: { a: ['b'] } },
      ['x.dependencies|Forbidden|Forbidden: dependencies is not supported'],
    ],
    [
      'patternProperties',
      { type: 'object', patternProperties: { a: TEXT } },
      ['x.patternProperties|Forbidden|Forbidden: patternProperties is not supported'],
    ],
    [
      'additionalItems',
      { type: 'array', items: TEXT, additionalItems: true },
      ['x.additionalItems|Forbidden|Forbidden: additionalItems is not supported'],
    ],
    [
      'pattern',
      { type: 'string', pattern: '[' },
      [
        'x.pattern|Invalid|Invalid value: "[": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ]: `[`',
      ],
    ],
    [
      'pattern nested',
      { type: 'string', anyOf: [{ pattern: '(?=a)' }] },
      [
        'x.anyOf[0].pattern|Invalid|Invalid value: "(?=a)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
      ],
    ],
    [
      'nested type',
      { type: 'string', anyOf: [TEXT] },
      ['x.anyOf[0].type|Forbidden|Forbidden: must be empty to be structural'],
    ],
    [
      'nested many',
      {
        type: 'object',
        properties: { a: TEXT },
        allOf: [
          {
            type: 'object',
            title: 't',
            description: 'd',
            default: {},
            nullable: true,
            additionalProperties: TEXT,
            'x-kubernetes-preserve-unknown-fields': true,
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-int-or-string': true,
            'x-kubernetes-map-type': 'atomic',
            'x-kubernetes-list-type': 'set',
            'x-kubernetes-list-map-keys': ['a'],
            'x-kubernetes-validations': [{ rule: 'true' }],
          },
        ],
      },
      [
        'x.allOf[0].additionalProperties|Forbidden|Forbidden: must be undefined to be structural',
        'x.allOf[0].default|Forbidden|Forbidden: must be undefined to be structural',
        'x.allOf[0].description|Forbidden|Forbidden: must be empty to be structural',
        'x.allOf[0].nullable|Forbidden|Forbidden: must be false to be structural',
        'x.allOf[0].title|Forbidden|Forbidden: must be empty to be structural',
        'x.allOf[0].type|Forbidden|Forbidden: must be empty to be structural',
        'x.allOf[0].type|Invalid|Invalid value: "object": must be array if x-kubernetes-list-type is specified',
        'x.allOf[0].x-kubernetes-embedded-resource|Forbidden|Forbidden: must be false to be structural',
        'x.allOf[0].x-kubernetes-int-or-string|Forbidden|Forbidden: must be false to be structural',
        'x.allOf[0].x-kubernetes-list-map-keys|Forbidden|Forbidden: must be empty to be structural',
        'x.allOf[0].x-kubernetes-list-type|Forbidden|Forbidden: must be undefined to be structural',
        'x.allOf[0].x-kubernetes-list-type|Invalid|Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty',
        'x.allOf[0].x-kubernetes-map-type|Forbidden|Forbidden: must be undefined to be structural',
        'x.allOf[0].x-kubernetes-preserve-unknown-fields|Forbidden|Forbidden: must be false to be structural',
        'x.allOf[0].x-kubernetes-validations|Forbidden|Forbidden: must be empty to be structural',
      ],
    ],
    [
      'nested incomplete',
      {
        type: 'object',
        properties: { a: TEXT },
        anyOf: [{ properties: { b: { minLength: 1 }, a: { items: { minLength: 1 } } } }, { items: { minLength: 1 } }],
        not: { properties: { c: {} } },
      },
      [],
    ],
    [
      'nested additional true',
      { type: 'string', oneOf: [{ additionalProperties: true }] },
      ['x.oneOf[0].additionalProperties|Forbidden|Forbidden: must be undefined to be structural'],
    ],
    ['nested additional false', { type: 'string', oneOf: [{ additionalProperties: false }] }, []],
    [
      'list type',
      { type: 'string', 'x-kubernetes-list-type': 'set' },
      ['x.type|Invalid|Invalid value: "string": must be array if x-kubernetes-list-type is specified'],
    ],
    [
      'list type no type',
      { 'x-kubernetes-list-type': 'set', 'x-kubernetes-preserve-unknown-fields': true },
      ['x.type|Required|Required value: must be array if x-kubernetes-list-type is specified'],
    ],
    [
      'list type bad',
      { type: 'array', items: TEXT, 'x-kubernetes-list-type': 'foo' },
      ['x.x-kubernetes-list-type|NotSupported|Unsupported value: "foo": supported values: "atomic", "set", "map"'],
    ],
    [
      'map type',
      { type: 'string', 'x-kubernetes-map-type': 'atomic' },
      ['x.type|Invalid|Invalid value: "string": must be object if x-kubernetes-map-type is specified'],
    ],
    [
      'map type bad',
      { type: 'object', properties: { a: TEXT }, 'x-kubernetes-map-type': 'foo' },
      ['x.x-kubernetes-map-type|NotSupported|Unsupported value: "foo": supported values: "atomic", "granular"'],
    ],
    [
      'set of objects',
      { type: 'array', items: { type: 'object', properties: { a: TEXT } }, 'x-kubernetes-list-type': 'set' },
      [
        'x.items.x-kubernetes-map-type|Invalid|Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
      ],
    ],
    [
      'set of granular',
      {
        type: 'array',
        items: { type: 'object', properties: { a: TEXT }, 'x-kubernetes-map-type': 'granular' },
        'x-kubernetes-list-type': 'set',
      },
      [
        'x.items.x-kubernetes-map-type|Invalid|Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
      ],
    ],
    [
      'set of sets',
      {
        type: 'array',
        items: { type: 'array', items: TEXT, 'x-kubernetes-list-type': 'set' },
        'x-kubernetes-list-type': 'set',
      },
      [
        'x.items.x-kubernetes-list-type|Invalid|Invalid value: "set": must be atomic as item of a list with x-kubernetes-list-type=set',
      ],
    ],
    ['set of lists', { type: 'array', items: { type: 'array', items: TEXT }, 'x-kubernetes-list-type': 'set' }, []],
    [
      'set nullable',
      { type: 'array', items: { type: 'string', nullable: true }, 'x-kubernetes-list-type': 'set' },
      ['x.items.nullable|Forbidden|Forbidden: cannot be nullable when x-kubernetes-list-type is set'],
    ],
    [
      'map no keys',
      { type: 'array', items: { type: 'object', properties: { a: TEXT } }, 'x-kubernetes-list-type': 'map' },
      ['x.x-kubernetes-list-map-keys|Required|Required value: must not be empty if x-kubernetes-list-type is map'],
    ],
    [
      'map of strings',
      { type: 'array', items: TEXT, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] },
      [`x.items.type|Invalid|Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map`],
    ],
    [
      'map unknown key',
      {
        type: 'array',
        items: { type: 'object', properties: { a: TEXT } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['b'],
      },
      ['x.x-kubernetes-list-map-keys|Invalid|Invalid value: ["b"]: entries must all be names of item properties'],
    ],
    [
      'map dup keys',
      {
        type: 'array',
        items: { type: 'object', properties: { a: TEXT }, required: ['a'] },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a', 'a'],
      },
      ['x.x-kubernetes-list-map-keys|Invalid|Invalid value: ["a","a"]: must not contain duplicate entries'],
    ],
    [
      'map array key',
      {
        type: 'array',
        items: { type: 'object', properties: { a: { type: 'array', items: TEXT } }, required: ['a'] },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
      },
      [
        `x.items.properties[a].type|Invalid|Invalid value: "object": must be a scalar type if parent array's x-kubernetes-list-type is map`,
      ],
    ],
    [
      'map optional key',
      {
        type: 'array',
        items: { type: 'object', properties: { a: TEXT } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
      },
      [
        'x.items.properties[a].default|Required|Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      ],
    ],
    [
      'map default key',
      {
        type: 'array',
        items: { type: 'object', properties: { a: { type: 'string', default: 'x' } } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
      },
      [],
    ],
    [
      'map nullable key',
      {
        type: 'array',
        items: {
          type: 'object',
          properties: { a: { type: 'string', nullable: true } },
          required: ['a'],
          nullable: true,
        },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
      },
      [
        'x.items.nullable|Forbidden|Forbidden: cannot be nullable when x-kubernetes-list-type is map',
        'x.items.properties[a].nullable|Forbidden|Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
      ],
    ],
    [
      'keys without type',
      {
        type: 'array',
        items: { type: 'object', properties: { a: TEXT }, required: ['a'] },
        'x-kubernetes-list-map-keys': ['a'],
      },
      ['x.x-kubernetes-list-type|Required|Required value: must be map if x-kubernetes-list-map-keys is non-empty'],
    ],
    [
      'keys with set',
      { type: 'array', items: TEXT, 'x-kubernetes-list-type': 'set', 'x-kubernetes-list-map-keys': ['a'] },
      ['x.x-kubernetes-list-type|Invalid|Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty'],
    ],
    ['default ok', { type: 'string', default: 'x' }, []],
    [
      'default type',
      { type: 'string', default: 5 },
      ['x.default|TypeInvalid|Invalid value: "integer":  in body must be of type string: "integer"'],
    ],
    [
      'default enum',
      { type: 'string', enum: ['a'], default: 'b' },
      ['x.default|NotSupported|Unsupported value: "b": supported values: "a"'],
    ],
    [
      'default unknown',
      { type: 'object', properties: { a: TEXT }, default: { b: 1 } },
      ['x.default|Invalid|Invalid value: {"b":1}: must not have unknown fields'],
    ],
    [
      'default nested',
      {
        type: 'object',
        properties: { a: { type: 'object', properties: { b: { type: 'integer', maximum: 3 } } } },
        default: { a: { b: 5 } },
      },
      ['x.default.a.b|Invalid|Invalid value: 5: a.b in body should be less than or equal to 3'],
    ],
    ['default null', { type: 'string', default: null }, []],
    [
      'default required',
      { type: 'object', properties: { a: TEXT }, required: ['a'], default: {} },
      ['x.default.a|Required|Required value'],
    ],
    [
      'default list',
      { type: 'array', items: { type: 'string', maxLength: 1 }, default: ['a', 'bb'] },
      ['x.default.[1]|TooLong|Too long: may not be more than 1 byte'],
    ],
    ['default in additional', { type: 'object', additionalProperties: { type: 'string', default: 'a' } }, []],
    [
      'default cel',
      { type: 'integer', default: 5, 'x-kubernetes-validations': [{ rule: 'self < 3' }] },
      ['x.default|Invalid|Invalid value: 5: failed rule: self < 3'],
    ],
    [
      'default anyOf',
      { type: 'integer', default: 5, anyOf: [{ maximum: 3 }, { minimum: 10 }] },
      [
        'x.default|Invalid|Invalid value: "": "" must validate at least one schema (anyOf)',
        'x.default|Invalid|Invalid value: 5:  in body should be less than or equal to 3',
      ],
    ],
    [
      'default in items',
      { type: 'array', items: { type: 'object', properties: { a: { type: 'integer', default: 'x' } } } },
      ['x.items.properties[a].default|TypeInvalid|Invalid value: "string":  in body must be of type integer: "string"'],
    ],
    ['default dup set', { type: 'array', items: TEXT, 'x-kubernetes-list-type': 'set', default: ['a', 'a'] }, []],
    [
      'embedded',
      { type: 'object', 'x-kubernetes-embedded-resource': true },
      [
        'x.properties|Required|Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ],
    ],
    [
      'embedded preserve',
      { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      [],
    ],
    [
      'embedded string',
      { type: 'string', 'x-kubernetes-embedded-resource': true },
      [
        'x.properties|Required|Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
        'x.type|Invalid|Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
      ],
    ],
    [
      'embedded no type',
      { 'x-kubernetes-embedded-resource': true },
      [
        'x.properties|Required|Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
        'x.type|Required|Required value: must be object if x-kubernetes-embedded-resource is true',
      ],
    ],
    [
      'embedded additional',
      { type: 'object', 'x-kubernetes-embedded-resource': true, additionalProperties: TEXT },
      [
        'x.additionalProperties|Forbidden|Forbidden: must not be used if x-kubernetes-embedded-resource is set',
        'x.properties|Required|Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ],
    ],
    [
      'embedded kind int',
      {
        type: 'object',
        properties: { kind: { type: 'integer' }, metadata: TEXT },
        'x-kubernetes-embedded-resource': true,
      },
      [
        'x.properties[kind].type|Invalid|Invalid value: "integer": must be string',
        'x.properties[metadata].type|Invalid|Invalid value: "string": must be object',
      ],
    ],
    [
      'embedded in meta',
      {
        type: 'object',
        properties: {
          metadata: {
            type: 'object',
            properties: { x: { type: 'object', properties: { a: TEXT }, 'x-kubernetes-embedded-resource': true } },
          },
        },
        'x-kubernetes-embedded-resource': true,
      },
      [
        'x.properties[metadata].properties[x].x-kubernetes-embedded-resource|Forbidden|Forbidden: must not be used inside of resource meta',
      ],
    ],
    [
      'embedded default',
      {
        type: 'object',
        properties: { spec: { type: 'object', properties: { a: TEXT } } },
        'x-kubernetes-embedded-resource': true,
        default: { a: 1 },
      },
      [
        'x.default.apiVersion|Required|Required value',
        'x.default.kind|Required|Required value',
        'x.default|Invalid|Invalid value: {"a":1}: must not have unknown fields',
      ],
    ],
    [
      'embedded default ok',
      {
        type: 'object',
        properties: { spec: { type: 'object', properties: { a: TEXT } } },
        'x-kubernetes-embedded-resource': true,
        default: { apiVersion: 'v1', kind: 'X', metadata: { name: 'a' }, spec: { a: 'b' } },
      },
      [],
    ],
    [
      'embedded default meta bad',
      {
        type: 'object',
        properties: {
          metadata: {
            type: 'object',
            properties: {
              name: { type: 'string', default: 'a/b' },
              labels: { type: 'object', default: { '-a': 'b' }, additionalProperties: TEXT },
            },
          },
          apiVersion: { type: 'string', default: 'a/b/c' },
        },
        'x-kubernetes-embedded-resource': true,
      },
      [
        'x.properties[apiVersion].default|Invalid|Invalid value: "a/b/c": must result in valid metadata: apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
        `x.properties[metadata].properties[labels].default|Invalid|Invalid value: {"-a":"b"}: must result in valid metadata: metadata.labels: Invalid value: "-a": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
        `x.properties[metadata].properties[name].default|Invalid|Invalid value: "a/b": must result in valid metadata: metadata.name: Invalid value: "a/b": may not contain '/'`,
      ],
    ],
    [
      'embedded default additional',
      {
        type: 'object',
        properties: {
          metadata: {
            type: 'object',
            properties: { labels: { type: 'object', additionalProperties: { type: 'string', default: 'x' } } },
          },
        },
        'x-kubernetes-embedded-resource': true,
      },
      [
        'x.properties[metadata].properties[labels].additionalProperties.default|Forbidden|Forbidden: must not be set inside additionalProperties applying to object metadata',
      ],
    ],
    [
      'embedded default meta type',
      {
        type: 'object',
        properties: {
          metadata: {
            type: 'object',
            properties: { labels: { type: 'object', default: { a: 1 }, additionalProperties: TEXT } },
          },
        },
        'x-kubernetes-embedded-resource': true,
      },
      [
        'x.properties[metadata].properties[labels].default|Invalid|Invalid value: {"a":1}: must result in valid metadata: metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
      ],
    ],
    [
      'rules format',
      {
        type: 'object',
        properties: { a: TEXT },
        'x-kubernetes-validations': [
          { rule: ' ' },
          { rule: 'true', message: ' ' },
          { rule: 'true', message: 'a\nb' },
          { rule: 'true\n' },
          { rule: 'true', messageExpression: ' ' },
          { rule: 'true', reason: 'Foo' },
          { rule: 'true', fieldPath: '.b' },
          { rule: 'true', fieldPath: ' ' },
        ],
      },
      [
        'x.x-kubernetes-validations[0].rule|Required|Required value: rule is not specified',
        'x.x-kubernetes-validations[1].message|Invalid|Invalid value: " ": must be non-empty if specified',
        'x.x-kubernetes-validations[2].message|Invalid|Invalid value: "a\\nb": must not contain line breaks',
        'x.x-kubernetes-validations[4].messageExpression|Required|Required value: messageExpression must be non-empty if specified',
        'x.x-kubernetes-validations[5].reason|NotSupported|Unsupported value: "Foo": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
        'x.x-kubernetes-validations[6].fieldPath|Invalid|Invalid value: ".b": must be a valid path',
        'x.x-kubernetes-validations[7].fieldPath|Invalid|Invalid value: " ": must be a valid path',
        'x.x-kubernetes-validations[7].fieldPath|Invalid|Invalid value: " ": must be non-empty if specified',
      ],
    ],
    [
      'rule bad',
      { type: 'object', properties: { a: TEXT }, 'x-kubernetes-validations': [{ rule: 'self.b == 1' }] },
      [
        `x.x-kubernetes-validations[0].rule|Invalid|Invalid value: {"Rule":"self.b == 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b == 1\n | ....^`,
      ],
    ],
    [
      'rule not bool',
      { type: 'object', properties: { a: TEXT }, 'x-kubernetes-validations': [{ rule: 'self.a' }] },
      [
        'x.x-kubernetes-validations[0].rule|Invalid|Invalid value: {"Rule":"self.a","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool',
      ],
    ],
    ['unknown format', { type: 'string', format: 'foo' }, []],
    ['format bad type', { type: 'integer', format: 'date' }, []],
    [
      'two errors with rule',
      { type: 'object', properties: { a: { type: 'foo' } }, 'x-kubernetes-validations': [{ rule: 'self.b == 1' }] },
      [
        'x.properties[a].type|NotSupported|Unsupported value: "foo": supported values: "array", "boolean", "integer", "number", "object", "string"',
      ],
    ],
    ['ref no type', { $ref: '#/x' }, ['x.$ref|Forbidden|Forbidden: $ref is not supported']],
    [
      'schema deep and no type',
      { type: 'object', properties: { a: { anyOf: [{ $schema: 'x' }] } } },
      [`spec.validation.openAPIV3Schema|Invalid|Invalid value: "": OpenAPIV3Schema 'schema' is not supported`],
    ],
    [
      'empty definitions',
      { type: 'string', definitions: {}, patternProperties: {}, dependencies: {} },
      ['x.dependencies|Forbidden|Forbidden: dependencies is not supported'],
    ],
    [
      'additionalItems false',
      { type: 'array', items: TEXT, additionalItems: false },
      ['x.additionalItems|Forbidden|Forbidden: additionalItems is not supported'],
    ],
    ['enum empty', { type: 'string', enum: [] }, []],
    ['negative', { type: 'string', maxLength: -1, minLength: 5 }, []],
    ['default bool', { type: 'boolean', default: false }, []],
    [
      'default zero string',
      { type: 'string', default: '', minLength: 1 },
      ['x.default|Invalid|Invalid value: "":  in body should be at least 1 chars long'],
    ],
    ['default int or string', { 'x-kubernetes-int-or-string': true, default: 1.5 }, []],
    [
      'default of an unknown format',
      { type: 'string', format: 'odd', default: 1.5 },
      ['x.default|TypeInvalid|Invalid value: "float64":  in body must be of type odd: "float64"'],
    ],
    [
      'default of a list with a format',
      { type: 'array', items: TEXT, format: 'odd', default: {} },
      ['x.default|TypeInvalid|Invalid value: "":  in body must be of type odd: ""'],
    ],
    [
      'default text of an object with a format',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, format: 'date', default: 'a' },
      ['x.default|TypeInvalid|Invalid value: "a":  in body must be of type date: "a"'],
    ],
    [
      'path in what is no structural schema',
      {
        type: 'object',
        properties: { a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': false } },
        'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.nope' }],
      },
      ['x.properties[a].x-kubernetes-preserve-unknown-fields|Invalid|Invalid value: false: must be true or undefined'],
    ],
    [
      'path into free values',
      { type: 'object', additionalProperties: true, 'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.a' }] },
      [],
    ],
    [
      'path into no values',
      {
        type: 'object',
        additionalProperties: false,
        'x-kubernetes-validations': [{ rule: 'true', fieldPath: "['a']" }],
      },
      [],
    ],
    [
      'additionalItems false elsewhere',
      { type: 'object', properties: { a: { type: 'string', additionalItems: false }, b: {} } },
      ['x.properties[a].additionalItems|Forbidden|Forbidden: additionalItems is not supported'],
    ],
    [
      'rule without a type',
      { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-validations': [{ rule: 'self.k' }] },
      [
        'x.x-kubernetes-validations|InternalError|Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
      ],
    ],
    [
      'rule below what has no type',
      {
        'x-kubernetes-preserve-unknown-fields': true,
        'x-kubernetes-validations': [{ rule: 'true' }],
        properties: { a: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == "a"' }] } },
      },
      [
        'x.properties[a].x-kubernetes-validations|InternalError|Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
        'x.x-kubernetes-validations|InternalError|Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
      ],
    ],
    [
      'rule above what has no type',
      {
        type: 'object',
        'x-kubernetes-validations': [{ rule: 'true' }],
        properties: {
          a: {
            'x-kubernetes-preserve-unknown-fields': true,
            properties: { b: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == "a"' }] } },
          },
        },
      },
      [
        'x.properties[a].properties[b].x-kubernetes-validations|InternalError|Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
      ],
    ],
    [
      'rule below what has no type and no rules',
      {
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { a: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == "a"' }] } },
      },
      [],
    ],
    [
      'default and rule over time',
      { type: 'string', default: 'a', maxLength: 5, 'x-kubernetes-validations': [{ rule: 'self != oldSelf' }] },
      ['x.default|Invalid|Invalid value: "a": failed rule: self != oldSelf'],
    ],
    [
      'default and rule with optional oldSelf',
      {
        type: 'string',
        default: 'a',
        maxLength: 5,
        'x-kubernetes-validations': [{ rule: 'oldSelf.hasValue()', optionalOldSelf: true }],
      },
      ['x.default|Invalid|Invalid value: "a": failed rule: oldSelf.hasValue()'],
    ],
    [
      'default int or string and rule',
      { 'x-kubernetes-int-or-string': true, default: 1.5, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
      [
        'x.default|Invalid|Invalid value: "": invalid data, expected XIntOrString value to be either a string or integer evaluating rule: self == oldSelf',
      ],
    ],
  ])('validation of a schema reports the causes of kube-apiserver for the case %s', (_name, schema, causes) => {
    const errors = rules.validateCrd(rules.defaultCrd(definition(schema)));

    expect(
      errors
        .map(({ field, reason, message }) =>
          `${field}|${reason.replace('FieldValue', '')}|${message}`.replaceAll(AT, 'x'),
        )
        .sort(),
    ).toEqual(causes);
  });
});
