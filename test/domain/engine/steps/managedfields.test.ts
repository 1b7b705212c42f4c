import { describe, expect, it } from '@jest/globals';

import { takeOverSpec } from '../../../../src/domain/engine/steps/ownership.js';

const MINE = { manager: 'us', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1' };

function service(...managedFields: readonly object[]): object {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', managedFields } };
}

const port = (number: number): object => ({ [`k:{"port":${number},"protocol":"TCP"}`]: { '.': {}, 'f:port': {} } });

describe('the fields of a spec that others own', () => {
  it('the fields of a spec are taken over, and no other fields', () => {
    const ours = {
      ...MINE,
      time: '2026-11-21T10:00:00Z',
      fieldsV1: { 'f:metadata': { 'f:labels': { 'f:a': {} } }, 'f:spec': { 'f:ports': port(443), 'f:type': {} } },
    };
    const edit = {
      manager: 'kubectl-edit',
      operation: 'Update',
      apiVersion: 'v1',
      fieldsV1: { 'f:metadata': { 'f:labels': { 'f:theirs': {} } }, 'f:spec': { 'f:ports': { '.': {}, ...port(80) } } },
    };
    const status = {
      manager: 'cloud',
      operation: 'Update',
      apiVersion: 'v1',
      subresource: 'status',
      fieldsV1: { 'f:status': {} },
    };
    const scale = {
      manager: 'kubectl',
      operation: 'Update',
      apiVersion: 'v1',
      subresource: 'scale',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    };

    expect(takeOverSpec(service(edit, ours, status, scale), 'us')).toEqual([
      { ...edit, fieldsV1: { 'f:metadata': { 'f:labels': { 'f:theirs': {} } } } },
      status,
      scale,
      {
        ...MINE,
        fieldsV1: {
          'f:metadata': { 'f:labels': { 'f:a': {} } },
          'f:spec': { 'f:ports': { ...port(443), '.': {}, ...port(80) }, 'f:type': {} },
        },
      },
    ]);
  });

  it('a take-over leaves no entry that owns nothing', () => {
    const edit = {
      manager: 'kubectl-edit',
      operation: 'Update',
      apiVersion: 'v1',
      fieldsV1: { 'f:spec': { 'f:type': {} } },
    };

    expect(takeOverSpec(service(edit), 'us')).toEqual([{ ...MINE, fieldsV1: { 'f:spec': { 'f:type': {} } } }]);
  });

  it.each<[string, object]>([
    ['all are ours', service({ ...MINE, fieldsV1: { 'f:spec': {} } })],
    ['others own but metadata', service({ manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:metadata': {} } })],
    ['nobody owns any', { metadata: {} }],
  ])('there is nothing to take over where %s', (_name, object) => {
    expect(takeOverSpec(object, 'us')).toBeUndefined();
  });
});
