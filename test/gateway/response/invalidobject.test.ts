import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { parseBody } from '../../../src/gateway/request/objectbody.js';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { CauseReason } from '@multicluster-engine/values/schema/fielderror';
import { invalidObjectError } from '../../../src/gateway/response/parseerror.js';
import { suggestField } from '@multicluster-engine/values/schema/fieldrules';
import { rules } from '../openapi/document.js';

function objectOf(yaml: string): JsonObject {
  return parseBody(Buffer.from(yaml), 'yaml') as JsonObject;
}

describe('the message for a field error', () => {
  it.each<[string, string, CauseReason, string, string]>([
    [
      'Placement',
      'spec.numberOfClusters',
      'FieldValueInvalid',
      'spec: {numberOfClusters: -1}',
      'the number -1: must be a whole number from 0 to 2147483647',
    ],
    [
      'Placement',
      'spec.numberOfClusters',
      'FieldValueTypeInvalid',
      'spec: {numberOfClusters: two}',
      'the string "two": must be a whole number from 0 to 2147483647',
    ],
    ['Placement', 'spec', 'FieldValueTypeInvalid', 'spec: []', 'the list []: must be an object'],
    [
      'Placement',
      'spec.ClusterSets',
      'FieldValueTooMany',
      'spec: {ClusterSets: [a, b, c, d, e]}',
      'the list of 5: must be a list of at most 256',
    ],
    [
      'Placement',
      'spec.ClusterSets[1]',
      'FieldValueDuplicate',
      'spec: {ClusterSets: [a, a]}',
      'the string "a": must not be repeated',
    ],
    [
      'Placement',
      'spec.ClusterSets[0]',
      'FieldValueInvalid',
      'spec: {ClusterSets: [""]}',
      'the string "": must be a string, at least 1 long, at most 63 long',
    ],
    [
      'Placement',
      'spec.predicates[0].requiredClusterSelector.labelSelector.matchExpressions[0].operator',
      'FieldValueNotSupported',
      'spec: {predicates: [{requiredClusterSelector: {labelSelector: {matchExpressions: [{operator: Is}]}}}]}',
      'the string "Is": must be one of "In", "NotIn", "Exists", "DoesNotExist"',
    ],
    [
      'Placement',
      'spec.predicates[0].requiredClusterSelector.labelSelector.matchExpressions[0].key',
      'FieldValueRequired',
      'spec: {predicates: [{requiredClusterSelector: {labelSelector: {matchExpressions: [{}]}}}]}',
      'must be set',
    ],
    [
      'Placement',
      'spec.predicates[0].requiredClusterSelector.labelSelector.matchLabels.a',
      'FieldValueTypeInvalid',
      'spec: {predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {a: 1}}}}]}',
      'the number 1: must be a string, at most 63 long',
    ],
    [
      'Placement',
      'spec.predicates[0].requiredClusterSelector.labelSelector.matchLabels',
      'FieldValueInvalid',
      'spec: {predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {a b: c}}}}]}',
      `the object {"a b":"c"}: must be an object of at most 64 fields; every key of matchLabels must be a label key (an optional DNS prefix and '/', then a name of at most 63 characters); every value of matchLabels must be a label value (empty, or letters, digits, '-', '_' and '.', at most 63 characters)`,
    ],
    [
      'Placement',
      'metadata.name',
      'FieldValueTooLong',
      'metadata: {name: aaa}',
      'the string "aaa": must be a DNS subdomain: lower case letters, digits, "-" and "."; must be a string, at most 63 long',
    ],
    [
      'Placement',
      'metadata.labels',
      'FieldValueInvalid',
      'metadata: {labels: {a b: c}}',
      'the object {"a b":"c"}: keys must be label keys (an optional DNS prefix and "/", then a name of at most 63 characters), values label values (empty, or letters, digits, "-", "_" and ".", at most 63)',
    ],
    [
      'Placement',
      'metadata.ownerReferences.uid',
      'FieldValueInvalid',
      'metadata: {ownerReferences: [{}]}',
      'must be set',
    ],
    [
      'Placement',
      'metadata.ownerReferences',
      'FieldValueInvalid',
      'metadata: {ownerReferences: [{}, {}]}',
      'the list of 2: must hold owners with apiVersion, kind, name and uid, at most one of them with controller: true, and no Event',
    ],
    [
      'MultiClusterEngine',
      'spec.targetNamespace',
      'FieldValueForbidden',
      'spec: {targetNamespace: kube-x}',
      'the string "kube-x": targetNamespace must neither be default nor begin with kube-; targetNamespace is fixed once the engine exists (absent and empty mean multicluster-engine); delete the engine and recreate it',
    ],
    [
      'MultiClusterEngine',
      'spec.tolerations[0].key',
      'FieldValueInvalid',
      'spec: {tolerations: [{operator: Equal}]}',
      "must be a string, at most 317 long; key must be empty or a taint key (an optional DNS prefix and '/', then a name of at most 63 characters); an empty key needs operator Exists",
    ],
    [
      'MultiClusterEngine',
      'spec.nodeSelector.a.b/c',
      'FieldValueTypeInvalid',
      'spec: {nodeSelector: {a.b/c: 1}}',
      'must be a string, at most 63 long',
    ],
    ['Placement', 'spec.later', 'FieldValueInvalid', 'spec: {later: 1}', 'the number 1: is not valid'],
    ['Placement', 'spec.toString', 'FieldValueInvalid', 'spec: {}', 'is not valid'],
    ['Later', 'spec.x', 'FieldValueForbidden', 'spec: {x: z}', 'the string "z": must not be set or changed this way'],
  ])('the message for a field error of %s %s, reason %s, sent as %j, is: %s', (kind, field, reason, yaml, message) => {
    expect(rules.describe(kind, { field, reason }, objectOf(yaml))).toEqual({ field, reason, message });
  });

  it('a field that the schema declares only to forbid it counts as an unknown field', () => {
    expect(
      ['spec.clusterSets', 'spec.ClusterSets', 'clusterSets', 'spec'].map((field) =>
        rules.isForbidden('Placement', field),
      ),
    ).toEqual([true, false, false, false]);
  });
});

describe('the suggestion for an unknown field', () => {
  it.each<[string, string, string | undefined]>([
    ['Placement', 'clusterSets', 'spec.ClusterSets'],
    ['Placement', 'spec.clustersets', 'spec.ClusterSets'],
    ['Placement', 'spec.predicates[0].clusterSets', 'spec.ClusterSets'],
    ['Placement', 'metadata.clusterSets', 'spec.ClusterSets'],
    ['Placement', 'spec.numberOfCluster', 'spec.numberOfClusters'],
    ['Placement', 'spec.numebrOfClusters', 'spec.numberOfClusters'],
    ['Placement', 'spec.predicate', 'spec.predicates'],
    ['Placement', 'metadata.lables', 'metadata.labels'],
    ['Placement', 'spec.matchLabels', 'spec.predicates[].requiredClusterSelector.labelSelector.matchLabels'],
    [
      'Placement',
      'spec.predicates[3].requiredClusterSelector.labelSelector.matchExpression',
      'spec.predicates[].requiredClusterSelector.labelSelector.matchExpressions',
    ],
    ['MultiClusterEngine', 'spec.targetnamespace', 'spec.targetNamespace'],
    ['MultiClusterEngine', 'spec.tolerations[0].kye', 'spec.tolerations[].key'],
    ['MultiClusterEngine', 'specs', 'spec'],
    ['Placement', 'spec.replicas', undefined],
    ['Placement', 'x', undefined],
    ['Placement', 'spec.é', undefined],
    ['Placement', `spec.${'numberOfClusters'.repeat(100)}`, undefined],
    ['Later', 'spec.clusterSets', undefined],
  ])('the suggestion for the unknown field of %s %s is %s', (kind, field, meant) => {
    expect(rules.unknownField(kind, field)).toEqual({
      field,
      reason: 'FieldValueNotSupported',
      message: `is not a field of this kind${meant === undefined ? '' : `: perhaps ${meant} is meant`}`,
    });
  });

  it('the suggestion is the field with the smallest edit distance, then the one with the same parent, then the first one', () => {
    expect(suggestField('a.names', ['b.names', 'a.name', 'a.names'])).toBe('a.names');
    expect(suggestField('a.names', ['b.names', 'a.name'])).toBe('b.names');
    expect(suggestField('a.name', ['c.name', 'b.name'])).toBe('c.name');
    expect(suggestField('ab', ['ac', 'abcd'])).toBe('ac');
    expect(suggestField('anything', [])).toBeUndefined();
  });
});

describe('an object that the API server rejects', () => {
  const causes = (...found: readonly (readonly [string, string])[]): object => ({
    details: { causes: found.map(([field, reason]) => ({ field, reason, message: 'SECRET' })) },
  });
  const mappedError = (
    status: 400 | 422,
    answer: object,
    yaml = 'spec: {numberOfClusters: -1, clusterSets: [a]}',
  ): object => {
    const { kind, detail } = invalidObjectError(
      status,
      { ...answer },
      { kind: 'Placement', object: objectOf(yaml), rules },
    );
    return { kind, fields: (detail.causes ?? []).map(({ field }) => field), message: detail.message };
  };

  it('an object with a misspelled field that its schema forbids gets 400 with a suggestion, as for any unknown field', () => {
    expect(mappedError(422, causes(['spec.clusterSets', 'FieldValueForbidden']))).toEqual({
      kind: 'malformed',
      fields: ['spec.clusterSets'],
      message: 'spec.clusterSets: is not a field of this kind: perhaps spec.ClusterSets is meant',
    });
  });

  it('an object with a misspelled forbidden field and an invalid value gets 422 with both causes', () => {
    expect(
      mappedError(
        422,
        causes(['spec.clusterSets', 'FieldValueForbidden'], ['spec.numberOfClusters', 'FieldValueInvalid']),
      ),
    ).toMatchObject({ kind: 'invalid', fields: ['spec.numberOfClusters', 'spec.clusterSets'] });
  });

  it.each<[string, object]>([
    ['no causes', {}],
    ['causes that are none', { details: { causes: 'x' } }],
    ['a cause that is none', { details: { causes: [7, null] } }],
    ['no field', causes(['<nil>', 'FieldValueInvalid'])],
    ['a field of odd letters', causes(['spec\n', 'FieldValueInvalid'])],
    ['a reason of its own', causes(['spec', 'SECRET'])],
    ['a reason that is a word of the language', causes(['spec', 'constructor'])],
    ['an unknown field in its text', { message: 'unknown field "SECRET"' }],
  ])('a rejection of the API server with %s gets a generic message', (_what, answer) => {
    expect(mappedError(400, answer)).toEqual({
      kind: 'malformed',
      fields: [],
      message: 'the API server rejects the object as invalid',
    });
  });

  it('a rejection of the API server with the same field and reason twice gets one cause', () => {
    expect(
      mappedError(
        422,
        causes(['spec.numberOfClusters', 'FieldValueInvalid'], ['spec.numberOfClusters', 'FieldValueInvalid']),
      ),
    ).toMatchObject({ fields: ['spec.numberOfClusters'] });
  });

  it('a rejection of the API server with any Status gets a message of the gateway with at most 32 fields and no text of the API server', () => {
    const word = fc.constantFrom(
      'spec',
      'ClusterSets',
      'clusterSets',
      'details',
      'causes',
      'field',
      'reason',
      'message',
      'FieldValueForbidden',
      'FieldValueInvalid',
      'spec.clusterSets',
      'unknown field "spec"',
      'metadata',
      'toString',
      'spec[0]',
      '',
    );
    const answer = fc.oneof(
      fc.object({ key: word, values: [word, fc.string(), fc.integer()] }),
      fc.record({
        details: fc.record({
          causes: fc.array(
            fc.record({ field: fc.oneof(word, fc.string()), reason: word, message: fc.constant('SECRET') }),
          ),
        }),
        message: fc.oneof(word, fc.string()),
      }),
    );

    fc.assert(
      fc.property(
        answer,
        fc.object({ key: fc.oneof(word, fc.string()), values: [word, fc.integer()] }),
        fc.constantFrom(400 as const, 422 as const),
        (status, object, code) => {
          const { detail } = invalidObjectError(code, status, {
            kind: 'Placement',
            object: object as JsonObject,
            rules,
          });
          expect(detail.causes?.length ?? 1).toBeLessThanOrEqual(32);
          expect(detail.message).not.toContain('SECRET');
        },
      ),
      { numRuns: 300 },
    );
  });

  it('a rejection for an unknown field with a long name gets a cause with a part of its path', () => {
    const key = 'k'.repeat(1_100);

    expect(mappedError(400, {}, JSON.stringify({ spec: { [key]: { a: 1 } } }))).toMatchObject({
      fields: [`spec.${'k'.repeat(251)}`],
    });
  });

  it('a rejection for 9,000 unknown fields gets 32 causes', () => {
    const keys = Array.from({ length: 9_000 }, (_, index) => `key${index}`);

    expect(mappedError(400, {}, `spec: {${keys.map((key) => `${key}: 1`).join(', ')}}`)).toMatchObject({
      fields: keys.slice(0, 32).map((key) => `spec.${key}`),
    });
  });

  it('a rejection of values gets no cause for an unknown field, which is refused before them', () => {
    expect(mappedError(422, causes(['spec.numberOfClusters', 'FieldValueInvalid']), 'spec: {later: 1}')).toMatchObject({
      fields: ['spec.numberOfClusters'],
    });
  });
});
