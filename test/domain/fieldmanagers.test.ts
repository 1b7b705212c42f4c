import { describe, expect, it } from '@jest/globals';
import { renamedManagers } from '../../src/domain/fieldmanagers.js';

const NAMES = new Map([['old', 'new']]);
const entry = (manager: string, fields: object, over: object = {}): object => ({
  manager,
  operation: 'Apply',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: fields,
  ...over,
});
const B = { 'f:spec': { 'f:b': {} } };

describe('the fields of an earlier manager', () => {
  it('belong to the later one, with those that it has already', () => {
    const others = entry('people', B, { time: 'T' });
    const own = entry('new', B, { time: 'T' });
    expect(renamedManagers([entry('old', { 'f:spec': { 'f:a': {} } }, { time: 'T' }), others, own], NAMES)).toEqual([
      others,
      entry('new', { 'f:spec': { 'f:a': {}, 'f:b': {} } }),
    ]);
    expect(renamedManagers([entry('old', B)], NAMES)).toEqual([entry('new', B)]);
  });

  it.each([
    ['there are none', [entry('people', B)]],
    ['they were written through a subresource', [entry('old', B, { subresource: 'status' })]],
    ['they were not applied', [entry('old', B, { operation: 'Update' })]],
    ['nothing is known of managers', undefined],
  ])('stay as they are where %s', (_why, entries) => {
    expect(renamedManagers(entries, NAMES)).toBeUndefined();
  });
});
