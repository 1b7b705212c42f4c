import { describe, expect, it } from '@jest/globals';

import type { JsonObject } from '@multicluster-engine/values/json';
import { formatValue } from '@multicluster-engine/values/read/strict';
import { parseBody } from '../../../src/gateway/request/objectbody.js';
import { metadataErrors } from '@multicluster-engine/values/schema/metadata/fields';

/** The errors found, each as `field: message`. */
function faultsOf(yaml: string): string[] {
  const metadata = parseBody(Buffer.from(yaml), 'yaml') as JsonObject;
  return metadataErrors(metadata).map(({ field, message }) => `${field}: ${message}`);
}

describe('the metadata of an object', () => {
  it.each([
    'name: web',
    'name: web\nlabels: {a: "1", b.c/d: ""}\nannotations: {x: z}',
    'generateName: web-',
    'name: web\nlabels:\nannotations: ~\nownerReferences: null',
    'name: web\nlabels: {a: null}',
    'name: web\ncreationTimestamp: null\ngeneration: 3\ndeletionGracePeriodSeconds: 0\nfinalizers: [a/b]',
    'name: web\ncreationTimestamp: 2026-01-31T12:00:00Z\ndeletionTimestamp: "2026-01-31T12:00:00.123+02:00"',
    'name: web\nownerReferences: [{apiVersion: v1, kind: Pod, name: a, uid: b, controller: true, blockOwnerDeletion: false, later: 7}]',
    'name: web\ncreationTimestamp: 2024-02-29T23:30:00-02:00',
    'name: web\nmanagedFields: [{manager: a, operation: Update, apiVersion: v1, time: 2026-01-31T12:00:00Z, fieldsType: FieldsV1, fieldsV1: {"f:spec": {}}}]',
    'name: web\nunknown: [7]\ntoString: 7',
  ])('the metadata %j of an object is accepted', (yaml) => {
    expect(faultsOf(yaml)).toEqual([]);
  });

  it.each<[string, string[]]>([
    ['name: 1', ['metadata.name: the number 1: must be a string']],
    ['generateName: true', ['metadata.generateName: the boolean true: must be a string']],
    ['namespace: [shop]', ['metadata.namespace: the list ["shop"]: must be a string']],
    ['uid: {}', ['metadata.uid: the object {}: must be a string']],
    ['resourceVersion: 5', ['metadata.resourceVersion: the number 5: must be a string']],
    [
      'labels: {a: 1, b: x, c.d/e: true}',
      [
        'metadata.labels.a: the number 1: must be a string',
        'metadata.labels[c.d/e]: the boolean true: must be a string',
      ],
    ],
    ['labels: [a]', ['metadata.labels: the list ["a"]: must be an object']],
    ['annotations: {a: {b: {c: d}}}', ['metadata.annotations.a: the object of 1: must be a string']],
    ['annotations: a', ['metadata.annotations: the string "a": must be an object']],
    ['finalizers: {}', ['metadata.finalizers: the object {}: must be a list']],
    ['finalizers: [a, 7]', ['metadata.finalizers[1]: the number 7: must be a string']],
    ['ownerReferences: {}', ['metadata.ownerReferences: the object {}: must be a list']],
    [
      'ownerReferences: [x, {uid: 1, controller: "true"}]',
      [
        'metadata.ownerReferences[0]: the string "x": must be an object',
        'metadata.ownerReferences[1].uid: the number 1: must be a string',
        'metadata.ownerReferences[1].controller: the string "true": must be true or false',
      ],
    ],
    ['generation: "7"', ['metadata.generation: the string "7": must be a whole number']],
    [
      'creationTimestamp: yesterday',
      ['metadata.creationTimestamp: the string "yesterday": must be a time such as 2026-01-31T12:00:00Z'],
    ],
    [
      'creationTimestamp: 2026-13-01T00:00:00Z',
      ['metadata.creationTimestamp: the string "2026-13-01T00:00:00Z": must be a time such as 2026-01-31T12:00:00Z'],
    ],
    [
      'creationTimestamp: 2026-02-30T00:00:00Z',
      ['metadata.creationTimestamp: the string "2026-02-30T00:00:00Z": must be a time such as 2026-01-31T12:00:00Z'],
    ],
    [
      'creationTimestamp: 2025-02-29T00:00:00+01:00',
      [
        'metadata.creationTimestamp: the string "2025-02-29T00:00:00+01:00": must be a time such as 2026-01-31T12:00:00Z',
      ],
    ],
    [
      'creationTimestamp: 2026-01-01T24:00:00Z',
      ['metadata.creationTimestamp: the string "2026-01-01T24:00:00Z": must be a time such as 2026-01-31T12:00:00Z'],
    ],
    [
      'managedFields: [{fieldsV1: x, time: 7}]',
      [
        'metadata.managedFields[0].fieldsV1: the string "x": must be an object',
        'metadata.managedFields[0].time: the number 7: must be a time such as 2026-01-31T12:00:00Z',
      ],
    ],
  ])('the metadata %j of an object is rejected with field, value and rule of each error', (yaml, faults) => {
    expect(faultsOf(yaml)).toEqual(faults);
  });

  it('the metadata of an object gets at most 32 errors, with truncated names', () => {
    const faults = faultsOf(`labels: {${Array.from({ length: 100 }, (_, index) => `a${index}: 1`).join(', ')}}`);

    expect(faults).toHaveLength(32);
    expect(faultsOf(`labels: {${'x'.repeat(1_000)}: 1}`)).toEqual([
      `metadata.labels.${'x'.repeat(240)}: the number 1: must be a string`,
    ]);
  });
});

describe('a value in an error message', () => {
  it.each<[string, string]>([
    ['null', 'null'],
    ['7', 'the number 7'],
    ['"7"', 'the string "7"'],
    ['true', 'the boolean true'],
    ['[]', 'the list []'],
    ['{"a":null,"b":"c"}', 'the object {"a":null,"b":"c"}'],
    ['[[]]', 'the list of 1'],
    ['[1,2,3,4,5]', 'the list of 5'],
    [JSON.stringify('x'.repeat(100)), `the string "${'x'.repeat(63)}…`],
  ])('the value %s is shown in an error message as %s', (json, text) => {
    expect(formatValue(parseBody(Buffer.from(json), 'json'))).toBe(text);
  });
});
