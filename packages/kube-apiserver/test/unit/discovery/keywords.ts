import type { KubeObject } from '@multicluster-engine/values/object';

const TEXT = { type: 'string' };
const FLAG = { type: 'boolean', default: false };
const UNKNOWN = { 'x-kubernetes-preserve-unknown-fields': true };
const MIXED = { 'x-kubernetes-int-or-string': true };

/** A CustomResourceDefinition with every schema keyword, those that OpenAPI v2 cannot express included. */
export const KEYWORDS_CRD: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'oddities.odd.example.com' },
  spec: {
    group: 'odd.example.com',
    scope: 'Namespaced',
    names: { plural: 'oddities', singular: 'oddity', kind: 'Oddity', listKind: 'OddityList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.whole', statusReplicasPath: '.status.whole' } },
        selectableFields: [{ jsonPath: '.spec.color' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'An oddity.',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['choice', 'nullableObject', 'color'],
                properties: {
                  choice: { type: 'string', enum: ['x', 'y'], default: 'x', description: 'an <a> & b' },
                  color: { type: 'string', minLength: 1, maxLength: 10, pattern: '^.*$' },
                  nullableObject: { type: 'object', nullable: true, properties: { x: TEXT } },
                  nullableList: { type: 'array', nullable: true, items: TEXT },
                  whole: {
                    type: 'integer',
                    format: 'int32',
                    minimum: 1,
                    maximum: 10,
                    exclusiveMaximum: true,
                    multipleOf: 2,
                  },
                  mixed: MIXED,
                  mixedAny: { ...MIXED, anyOf: [{ type: 'integer' }, { type: 'string' }], pattern: 'a' },
                  mixedAll: {
                    ...MIXED,
                    allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { maxLength: 5 }],
                  },
                  mixedShort: { ...MIXED, anyOf: [{ maxLength: 3 }] },
                  anything: UNKNOWN,
                  openObject: { type: 'object', ...UNKNOWN, properties: { k: TEXT } },
                  openList: { type: 'array', ...UNKNOWN, items: { type: 'object', ...UNKNOWN } },
                  map: { type: 'object', additionalProperties: { type: 'string', nullable: true }, maxProperties: 3 },
                  wideMap: { type: 'object', additionalProperties: true },
                  embedded: {
                    type: 'object',
                    'x-kubernetes-embedded-resource': true,
                    properties: { spec: { type: 'object' } },
                  },
                  openEmbedded: { type: 'object', 'x-kubernetes-embedded-resource': true, ...UNKNOWN },
                  keyed: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['k'],
                    items: { type: 'object', required: ['k'], properties: { k: TEXT } },
                  },
                  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: TEXT, minItems: 0, maxItems: 3 },
                  ruled: {
                    type: 'integer',
                    'x-kubernetes-validations': [{ rule: 'self > 1', message: 'm' }],
                    oneOf: [{ minimum: 3 }, { maximum: 1 }],
                    not: { enum: [7] },
                  },
                  told: {
                    type: 'string',
                    format: 'date-time',
                    title: 'T',
                    example: { a: 1 },
                    externalDocs: { url: 'https://example.com', description: 'd' },
                  },
                  atomic: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { flag: FLAG } },
                },
              },
              status: { type: 'object', properties: { whole: { type: 'integer' } } },
            },
          },
        },
      },
      {
        name: 'v2',
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: 'object', ...UNKNOWN, description: 'x', properties: { spec: TEXT } } },
      },
    ],
  },
};
