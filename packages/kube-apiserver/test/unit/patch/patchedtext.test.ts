import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import { patchedText } from '../../../src/patch/patchedtext.js';

const DEFINITION = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition';

function specOf(schema: Json): JsonObject {
  return {
    group: 'example.com',
    versions: [{ storage: true, schema: { openAPIV3Schema: schema }, served: true, name: 'v1' }],
  };
}

describe('patched objects in error messages', () => {
  it.each<[string, Json, string]>([
    [
      'of a list',
      { items: { required: ['a'], type: 'object' }, type: 'array' },
      '{"type":"array","items":{"type":"object","required":["a"]}}',
    ],
    [
      'of other members',
      { additionalProperties: { default: 1, type: 'integer' }, type: 'object' },
      '{"type":"object","additionalProperties":{"type":"integer","default":1}}',
    ],
    [
      'of no other members',
      { additionalProperties: false, type: 'object' },
      '{"type":"object","additionalProperties":false}',
    ],
    [
      'of members, which are a map',
      { properties: { b: { type: 'string' }, a: { minLength: 1, type: 'string' } } },
      '{"properties":{"a":{"type":"string","minLength":1},"b":{"type":"string"}}}',
    ],
  ])(
    'an error message has a schema %s in the order of the fields of its struct where the patch did not change it',
    (_name, schema, text) => {
      const live = { spec: specOf(schema), metadata: { name: 'a' } };
      const patch = { status: 'none' };

      expect(patchedText(DEFINITION, live, { ...live, ...patch }, patch)).toBe(
        `{"metadata":{"name":"a"},"spec":{"group":"example.com","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":${text}}}]},"status":"none"}`,
      );
    },
  );

  it('values that a patch created are formatted in key order', () => {
    const live = { spec: specOf({}) };
    const patch = { spec: { versions: [{ storage: true, name: 'v1' }] } };

    expect(patchedText(DEFINITION, live, patch, patch)).toBe('{"spec":{"versions":[{"name":"v1","storage":true}]}}');
  });
});
