import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../src/json.js';
import type { KubeObject } from '../../src/object.js';
import type { Schema } from '../../src/schema/schema.js';
import { decodeCustom } from '../../src/schema/custom/decode.js';
import { validateCustom } from '../../src/schema/custom/validate.js';

/**
 * A schema of `spec.x`, the stored value (from before the schema was tightened), the new value, and the causes that
 * kube-apiserver 1.36.3 returned.
 */
type Row = readonly [string, Schema, Json, Json, readonly string[]];

function objectOf(schema: Schema, value: Json): KubeObject {
  const decoded = decodeCustom(schema, { apiVersion: 'g/v1', kind: 'K', metadata: { name: 'a' }, spec: { x: value } });
  if ('problem' in decoded) throw new Error(decoded.problem);
  return decoded.object;
}

describe('ratcheting of updates', () => {
  it.each<Row>([
    [
      'a field that stays',
      { type: 'object', properties: { a: { type: 'integer', maximum: 5 }, b: { type: 'string' } } },
      { a: 9, b: 'x' },
      { a: 9, b: 'y' },
      [],
    ],
    [
      'a field that changes',
      { type: 'object', properties: { a: { type: 'integer', maximum: 5 }, b: { type: 'string' } } },
      { a: 9 },
      { a: 8 },
      ['spec.x.a|Invalid|Invalid value: 8: spec.x.a in body should be less than or equal to 5'],
    ],
    [
      'a required field that is still missing',
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] },
      { b: 'x' },
      { b: 'y' },
      ['spec.x.a|Required|Required value'],
    ],
    [
      'a required field of an object that stays',
      {
        type: 'object',
        properties: {
          o: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          b: { type: 'string' },
        },
      },
      { o: {}, b: 'x' },
      { o: {}, b: 'y' },
      [],
    ],
    [
      'an atomic list that stays',
      {
        type: 'object',
        properties: { l: { type: 'array', items: { type: 'integer', maximum: 5 } }, b: { type: 'string' } },
      },
      { l: [9], b: 'x' },
      { l: [9], b: 'y' },
      [],
    ],
    [
      'an atomic list with one more item',
      { type: 'object', properties: { l: { type: 'array', items: { type: 'integer', maximum: 5 } } } },
      { l: [9] },
      { l: [9, 1] },
      ['spec.x.l[0]|Invalid|Invalid value: 9: spec.x.l[0] in body should be less than or equal to 5'],
    ],
    [
      'a set with one more item',
      {
        type: 'object',
        properties: { l: { type: 'array', items: { type: 'integer', maximum: 5 }, 'x-kubernetes-list-type': 'set' } },
      },
      { l: [9] },
      { l: [9, 1] },
      ['spec.x.l[0]|Invalid|Invalid value: 9: spec.x.l[0] in body should be less than or equal to 5'],
    ],
    [
      'items of a map in another order',
      {
        type: 'object',
        properties: {
          l: {
            type: 'array',
            items: {
              type: 'object',
              properties: { k: { type: 'string' }, n: { type: 'integer', maximum: 5 } },
              required: ['k'],
            },
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['k'],
          },
        },
      },
      {
        l: [
          { k: 'a', n: 9 },
          { k: 'b', n: 8 },
        ],
      },
      {
        l: [
          { k: 'b', n: 8 },
          { k: 'c', n: 7 },
          { k: 'a', n: 9 },
        ],
      },
      ['spec.x.l[1].n|Invalid|Invalid value: 7: spec.x.l[1].n in body should be less than or equal to 5'],
    ],
    [
      'an item of a map that changes elsewhere',
      {
        type: 'object',
        properties: {
          l: {
            type: 'array',
            items: {
              type: 'object',
              properties: { k: { type: 'string' }, n: { type: 'integer', maximum: 5 }, m: { type: 'integer' } },
              required: ['k'],
            },
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['k'],
          },
        },
      },
      { l: [{ k: 'a', n: 9, m: 1 }] },
      { l: [{ k: 'a', n: 9, m: 2 }] },
      [],
    ],
    [
      'a map list that is too long in another order',
      {
        type: 'object',
        properties: {
          l: {
            type: 'array',
            items: { type: 'object', properties: { k: { type: 'string' } }, required: ['k'] },
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['k'],
            maxItems: 1,
          },
        },
      },
      { l: [{ k: 'a' }, { k: 'b' }] },
      { l: [{ k: 'b' }, { k: 'a' }] },
      [],
    ],
    [
      'a map list that is too long and changes',
      {
        type: 'object',
        properties: {
          l: {
            type: 'array',
            items: { type: 'object', properties: { k: { type: 'string' } }, required: ['k'] },
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['k'],
            maxItems: 1,
          },
        },
      },
      { l: [{ k: 'a' }, { k: 'b' }] },
      { l: [{ k: 'a' }, { k: 'c' }] },
      ['spec.x.l|TooMany|Too many: 2: must have at most 1 item'],
    ],
    [
      'values of a map',
      { type: 'object', properties: { m: { type: 'object', additionalProperties: { type: 'string', maxLength: 1 } } } },
      { m: { a: 'xx', b: 'y' } },
      { m: { a: 'xx', b: 'zz' } },
      ['spec.x.m.b|TooLong|Too long: may not be more than 1 byte'],
    ],
    [
      'an enum that stays',
      { type: 'object', properties: { a: { type: 'string', enum: ['q'] }, b: { type: 'string' } } },
      { a: 'x', b: '1' },
      { a: 'x', b: '2' },
      [],
    ],
    [
      'an alternative that fails as before',
      {
        type: 'object',
        properties: {
          o: {
            type: 'object',
            properties: { a: { type: 'string' }, b: { type: 'string' } },
            oneOf: [{ required: ['a'] }, { required: ['b'] }],
          },
          c: { type: 'string' },
        },
      },
      { o: {}, c: '1' },
      { o: {}, c: '2' },
      [],
    ],
    [
      'an alternative that fails and changes',
      {
        type: 'object',
        properties: {
          o: {
            type: 'object',
            properties: { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } },
            oneOf: [{ required: ['a'] }, { required: ['b'] }],
          },
        },
      },
      { o: { c: '1' } },
      { o: { c: '2' } },
      [
        '<nil>|Invalid|Invalid value: "": "spec.x.o" must validate one and only one schema (oneOf). Found none valid',
        'spec.x.o.a|Required|Required value',
      ],
    ],
    [
      'a field below allOf that stays',
      {
        type: 'object',
        properties: {
          o: {
            type: 'object',
            properties: { a: { type: 'integer' }, c: { type: 'string' } },
            allOf: [{ properties: { a: { maximum: 5 } } }],
          },
        },
      },
      { o: { a: 9, c: '1' } },
      { o: { a: 9, c: '2' } },
      [
        '<nil>|Invalid|Invalid value: "": "spec.x.o" must validate all the schemas (allOf). None validated',
        'spec.x.o.a|Invalid|Invalid value: 9: spec.x.o.a in body should be less than or equal to 5',
      ],
    ],
    [
      'an object with unknown fields that stays',
      {
        type: 'object',
        properties: {
          o: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, minProperties: 3 },
          c: { type: 'string' },
        },
      },
      { o: { z: 1 }, c: '1' },
      { o: { z: 1 }, c: '2' },
      ['spec.x.o|Invalid|Invalid value: 1: spec.x.o in body should have at least 3 properties'],
    ],
    [
      'an empty object that stays',
      {
        type: 'object',
        properties: { o: { type: 'object', properties: {}, minProperties: 1 }, c: { type: 'string' } },
      },
      { o: {}, c: '1' },
      { o: {}, c: '2' },
      [],
    ],
    [
      'duplicates of a set that were there',
      {
        type: 'object',
        properties: {
          l: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
          c: { type: 'string' },
        },
      },
      { l: ['a', 'a'], c: '1' },
      { l: ['a', 'a', 'b', 'b'], c: '2' },
      [],
    ],
    [
      'duplicates of a set that are new',
      {
        type: 'object',
        properties: { l: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' } },
      },
      { l: ['a'] },
      { l: ['a', 'a'] },
      ['spec.x.l[1]|Duplicate|Duplicate value: "a"'],
    ],
    [
      'an item of a map with a default key',
      {
        type: 'object',
        properties: {
          l: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                k: { type: 'string' },
                p: { type: 'string', default: 'T' },
                n: { type: 'integer', maximum: 5 },
              },
              required: ['k'],
            },
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['k', 'p'],
          },
        },
      },
      { l: [{ k: 'a', n: 9 }] },
      {
        l: [
          { k: 'b', n: 1 },
          { k: 'a', n: 9 },
        ],
      },
      [],
    ],
    [
      'a type that changed',
      { type: 'object', properties: { a: { type: 'integer' }, c: { type: 'string' } } },
      { a: 'x', c: '1' },
      { a: 'x', c: '2' },
      [],
    ],
    [
      'an embedded resource',
      {
        type: 'object',
        properties: {
          e: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
          c: { type: 'string' },
        },
      },
      { e: { a: 1 }, c: '1' },
      { e: { a: 1 }, c: '2' },
      ['spec.x.e.apiVersion|Required|Required value', 'spec.x.e.kind|Required|Required value'],
    ],
    [
      'items below an atomic list below a map list',
      {
        type: 'object',
        properties: {
          l: {
            type: 'array',
            items: {
              type: 'object',
              properties: { k: { type: 'string' }, n: { type: 'array', items: { type: 'integer', maximum: 5 } } },
              required: ['k'],
            },
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['k'],
          },
        },
      },
      { l: [{ k: 'a', n: [9] }] },
      {
        l: [
          { k: 'a', n: [9] },
          { k: 'b', n: [9] },
        ],
      },
      ['spec.x.l[1].n[0]|Invalid|Invalid value: 9: spec.x.l[1].n[0] in body should be less than or equal to 5'],
    ],
  ])('an update reports the causes of kube-apiserver for %s', (_name, schema, old, next, causes) => {
    const whole: Schema = { type: 'object', properties: { spec: { type: 'object', properties: { x: schema } } } };
    const { errors } = validateCustom(whole, objectOf(whole, next), objectOf(whole, old));

    expect(
      errors.map(({ field, reason, message }) => `${field}|${reason.replace('FieldValue', '')}|${message}`).sort(),
    ).toEqual(causes);
  });
});

describe('validation of the status subresource', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { n: { type: 'integer' } } },
      status: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    },
  };
  const object: KubeObject = { apiVersion: 'g/v1', kind: 'K', metadata: { name: 'a' } };

  it('a write to the status subresource validates the status only', () => {
    const next = { ...object, spec: { n: 'x' }, status: { n: 'x' } };

    expect(validateCustom(schema, next, object, 'status')).toEqual({
      errors: [
        {
          reason: 'FieldValueTypeInvalid',
          field: 'status.n',
          message: 'Invalid value: "string": n in body must be of type integer: "string"',
        },
      ],
      skipCel: true,
    });
  });

  it('a write to the status subresource may omit the status', () => {
    expect(validateCustom(schema, object, object, 'status')).toEqual({ errors: [], skipCel: false });
  });
});
