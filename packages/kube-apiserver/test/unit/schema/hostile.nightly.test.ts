import { describe, expect, it } from '@jest/globals';
import { checkRules, compileRules, runDefaultRules } from '@multicluster-engine/cel/rules';
import { isObject, type Json } from '@multicluster-engine/values/json';
import { createDefinitionRules } from '../../../src/schema/crd/definition.js';
import { readBody } from '../../../src/schema/body/parse.js';
import { MAX_DEPTH } from '@multicluster-engine/values/read/jsonscanner';
import { validateMeta } from '@multicluster-engine/values/schema/metadata/validate';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import { decodeStruct } from '@multicluster-engine/values/schema/struct/decode';
import { decodeCustom } from '@multicluster-engine/values/schema/custom/decode';
import { validateCustom } from '@multicluster-engine/values/schema/custom/validate';

const LIMIT = 3 * 1024 * 1024;
const MANY = 1024 * 1024;
const filled = (text: string, size = LIMIT): string => text.repeat(Math.floor((size - 200) / text.length));

const SCHEMA: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        texts: { type: 'array', items: { type: 'string', pattern: '^(a+)+$', format: 'email', minLength: 3 } },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { 'x-kubernetes-int-or-string': true } },
        map: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: { type: 'object', required: ['k'], properties: { k: { type: 'string' } } },
        },
        values: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            required: ['x'],
            properties: { n: { type: 'integer', default: 1, anyOf: [{ minimum: 5 }, { maximum: 1 }] } },
          },
        },
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
};

/** The content of `spec` as text. */
const BODIES: readonly (readonly [string, string])[] = [
  ['a million and a half of numbers for texts', `"texts":[${filled('1,')}1]`],
  ['texts that no pattern likes', `"texts":[${filled('"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",')}"a"]`],
  ['one long text', `"texts":["${filled('a')}"]`],
  ['half a million of equals in a set', `"set":[${filled('1,', MANY)}1]`],
  ['items without keys', `"map":[${filled('{},', MANY)}{}]`],
  [
    'unknown fields below a long name',
    `"values":{"${'x'.repeat(1_000_000)}":{${Array.from({ length: 100_000 }, (_, at) => `"k${at}":1`).join(',')}}}`,
  ],
  ['wrong fields below a long name', `"values":{"${'x'.repeat(1_000_000)}":[${'1,'.repeat(100_000)}1],"y":{"n":3}}`],
  [
    'many wrong values of a map',
    `"values":{${Array.from({ length: 50_000 }, (_, at) => `"k${at}":{"n":3}`).join(',')}}`,
  ],
  ['equal keys', `${filled('"any":{},')}"any":{}`],
];

describe('bodies of several megabytes', () => {
  it.each(BODIES)('a body of several megabytes with %s is decoded and validated', (_name, inside) => {
    const text = `{"apiVersion":"g/v1","kind":"K","metadata":{"name":"a"},"spec":{${inside}}}`;
    const { value, duplicates } = readBody(Buffer.from(text), 'json');
    const decoded = decodeCustom(SCHEMA, isObject(value) ? value : {});
    if ('problem' in decoded) throw new Error(decoded.problem);
    const { errors } = validateCustom(SCHEMA, decoded.object);

    expect(duplicates.length).toBeLessThanOrEqual(100);
    expect(decoded.unknown.length).toBeLessThanOrEqual(1000);
    expect(errors.length).toBeLessThanOrEqual(2000);
    expect(errors.reduce((size, { field, message }) => size + field.length + message.length, 0)).toBeLessThan(
      60_000_000,
    );
  });

  it('a body of several megabytes of labels is decoded and validated', () => {
    const labels = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`-${at}`, '-']));
    const errors = validateMeta(
      { name: 'a', labels, annotations: labels },
      { namespaced: false, validateName: () => [] },
    );

    expect(errors.length).toBeLessThanOrEqual(2002);
  });

  it.each(['metadata', 'data', 'x'])('a large body of a built-in kind with %s of a wrong type is rejected', (field) => {
    const text = `{"${field}":{${Array.from({ length: 50_000 }, (_, at) => `"k${at}":[1]`).join(',')}}}`;
    const { value } = readBody(Buffer.from(text), 'json');

    expect(decodeStruct('io.k8s.api.core.v1.ConfigMap', value).unknown.length).toBeLessThanOrEqual(100);
  });

  it.each([
    ['brackets', filled('[')],
    ['dashes', filled('- ')],
    ['pairs', filled('a: 1\n')],
    ['a flow of keys', `{${filled('a,')}}`],
    ['blanks', filled(' ')],
    ['quotes', filled('"')],
  ])('a large YAML body with %s is parsed or rejected', (_name, text) => {
    const read = (): Json | string => {
      try {
        return readBody(Buffer.from(text), 'yaml').value;
      } catch (error) {
        return error instanceof Error ? error.name : 'nothing';
      }
    };

    expect([null, '', 'MalformedBody']).toContain(read());
  });
});

describe('objects and schemas of the maximum depth', () => {
  const nested = (depth: number, inner: Json, wrap: (inner: Json) => Json): Json =>
    depth === 0 ? inner : nested(depth - 1, wrap(inner), wrap);

  it('an object of the maximum depth is decoded and validated', () => {
    const depth = MAX_DEPTH - 3;
    const schema = nested(depth, { type: 'string', default: 'd' }, (inner) => ({
      type: 'object',
      properties: { a: inner },
      anyOf: [{ required: ['b'] }, { required: ['a'] }],
    })) as Schema;
    const value = nested(depth, 5, (inner) => ({ a: inner }));
    const whole: Schema = {
      type: 'object',
      properties: { spec: schema, any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    };
    const decoded = decodeCustom(whole, {
      apiVersion: 'g/v1',
      kind: 'K',
      metadata: { name: 'a' },
      spec: value,
      any: value,
    });
    if ('problem' in decoded) throw new Error(decoded.problem);

    expect(validateCustom(whole, decoded.object, decoded.object).errors).toEqual([]);
    expect(validateCustom(whole, decoded.object).errors.map(({ field }) => field)).toEqual([
      `spec${'.a'.repeat(depth)}`,
    ]);
  });

  it('a definition with a schema of the maximum depth is validated', () => {
    const rules = createDefinitionRules({ compileRules, checkRules, checkDefault: runDefaultRules });
    const schema = nested(MAX_DEPTH / 2 - 5, { type: 'strin' }, (inner) => ({
      type: 'object',
      properties: { a: inner },
    }));
    const spec = {
      group: 'ex.example.com',
      scope: 'Cluster',
      names: { plural: 'ws', kind: 'Wi' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    };
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'ws.ex.example.com' },
      spec,
    };

    expect(rules.validateCrd(rules.defaultCrd(crd))).toHaveLength(1);
    expect(
      decodeStruct('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition', crd).problem,
    ).toBeUndefined();
  });
});
