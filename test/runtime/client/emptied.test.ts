import { describe, expect, it } from '@jest/globals';
import { removalOf } from '../../../src/runtime/client/object.js';
import { ApiError, type StatusCause } from '../../../src/runtime/errors.js';

const refusal = (...causes: readonly (readonly [reason: string, field: string])[]): ApiError =>
  new ApiError({
    kind: 'Invalid',
    message: 'refused',
    call: { verb: 'patch', resource: 'managedclusters' },
    causes: causes.map(([reason, field]): StatusCause => ({ reason, field, message: '' })),
  });
const TYPE = 'FieldValueTypeInvalid';

describe('a refused apply', () => {
  it.each<[string, ApiError, object, object | undefined]>([
    ['that leaves null removes the field', refusal([TYPE, 'status']), {}, { status: null }],
    [
      'that leaves null in two fields removes both',
      refusal([TYPE, 'status.conditions'], [TYPE, 'status.taintTimes'], ['FieldValueInvalid', '<nil>']),
      { status: {} },
      { status: { conditions: null, taintTimes: null } },
    ],
    [
      'of an empty list removes the list',
      refusal([TYPE, 'spec.taints']),
      { spec: { taints: [] } },
      { spec: { taints: null } },
    ],
    [
      'of a value of the wrong type removes nothing',
      refusal([TYPE, 'spec.taints']),
      { spec: { taints: 'a' } },
      undefined,
    ],
    [
      'of a field with content removes nothing',
      refusal([TYPE, 'status']),
      { status: { nodes: { total: 1 } } },
      undefined,
    ],
    ['of a number removes nothing', refusal([TYPE, 'spec.taints']), { spec: { taints: 1 } }, undefined],
    ['for another reason removes nothing', refusal(['FieldValueInvalid', 'spec.taints']), {}, undefined],
    ['of an item of a list removes nothing', refusal([TYPE, 'spec.taints[0].key']), {}, undefined],
    ['of metadata removes nothing', refusal([TYPE, 'metadata.labels']), {}, undefined],
  ])('%s', (_what, error, applied, expected) => {
    expect(removalOf(error, applied)).toEqual(expected);
  });

  it('that is no refusal of the content removes nothing', () => {
    const { message, call, causes } = refusal([TYPE, 'status']);
    expect(removalOf(new ApiError({ kind: 'Conflict', message, call, causes }), {})).toBeUndefined();
  });
});
