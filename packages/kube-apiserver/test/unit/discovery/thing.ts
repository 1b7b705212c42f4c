import type { KubeObject } from '@multicluster-engine/values/object';

/** A CustomResourceDefinition with everything that discovery, OpenAPI documents and Tables show. */
export const THING: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.o6.example.com' },
  spec: {
    group: 'o6.example.com',
    scope: 'Namespaced',
    names: {
      plural: 'things',
      singular: 'thing',
      kind: 'Thing',
      listKind: 'ThingList',
      shortNames: ['th'],
      categories: ['all', 'mine'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        selectableFields: [{ jsonPath: '.spec.color' }],
        additionalPrinterColumns: [
          { name: 'Number', type: 'integer', jsonPath: '.spec.num' },
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'How old it is.' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A thing.',
            properties: {
              spec: {
                type: 'object',
                required: ['num'],
                properties: {
                  color: { type: 'string', default: 'red', nullable: true },
                  num: { type: 'integer', minimum: 1 },
                  any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  port: { 'x-kubernetes-int-or-string': true },
                  list: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['k'],
                    items: { type: 'object', required: ['k'], properties: { k: { type: 'string' } } },
                  },
                  embedded: {
                    type: 'object',
                    'x-kubernetes-embedded-resource': true,
                    'x-kubernetes-preserve-unknown-fields': true,
                  },
                  either: { type: 'string', anyOf: [{ minLength: 1 }, { pattern: '^$' }] },
                  map: { type: 'object', additionalProperties: { type: 'string' } },
                },
                'x-kubernetes-validations': [{ rule: 'self.num > 0', message: 'bad' }],
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
      {
        name: 'v1alpha1',
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
