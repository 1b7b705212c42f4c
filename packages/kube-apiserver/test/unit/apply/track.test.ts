import { describe, expect, it } from '@jest/globals';

import { keepUnchangedTimes, trackUpdate } from '../../../src/apply/track.js';
import { builtinSchema } from '@multicluster-engine/values/schema/builtin';
import type { FieldsResource } from '../../../src/apply/resource.js';
import type { Json } from '@multicluster-engine/values/json';
import type { KubeObject, ManagedFieldsEntry } from '@multicluster-engine/values/object';
import { apply, MINUTE, owned, put, START, THING } from './fixture.js';

const DEPLOYMENT: FieldsResource = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  custom: false,
  schema: builtinSchema('io.k8s.api.apps.v1.Deployment'),
  subresources: [{ name: 'status' }],
};

function entry(fields: Partial<ManagedFieldsEntry>): ManagedFieldsEntry {
  return {
    manager: 'm',
    operation: 'Update',
    apiVersion: 'facts.example.com/v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:flag': {} } },
    ...fields,
  };
}

/** An update of the color of the live object by `u` with these managedFields in the body. */
function edited(live: KubeObject, managedFields: readonly ManagedFieldsEntry[], subresource = ''): KubeObject {
  const next: KubeObject = {
    ...live,
    metadata: { ...live.metadata, managedFields },
    spec: { ...(live['spec'] as object), color: 'new' },
  };
  return trackUpdate({ live, next, manager: 'u', subresource, resource: THING, now: START });
}

describe('managedFields of a new object', () => {
  it('the manager of a new object owns its fields, containers that are set as a whole included', () => {
    expect(owned(put(undefined, 'u', { o: { a: 'x' }, set: ['a'], map: [{ k: 'a' }], m: {}, list: [] }))).toEqual({
      'u Update': {
        '.': {},
        'f:list': {},
        'f:m': {},
        'f:map': { '.': {}, 'k:{"k":"a"}': { '.': {}, 'f:k': {} } },
        'f:o': { '.': {}, 'f:a': {} },
        'f:set': { '.': {}, 'v:"a"': {} },
      },
    });
  });

  it('the creator of a built-in object does not own empty structs and zero values', () => {
    const next: KubeObject = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd', labels: { a: 'b' } },
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: 'b' } },
        strategy: { type: 'Recreate' },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: {
            containers: [{ name: 'c', image: 'i', resources: {}, ports: [{ containerPort: 80, protocol: 'TCP' }] }],
            securityContext: {},
          },
        },
      },
      status: { replicas: 5 },
    };
    const made = trackUpdate({ live: undefined, next, manager: '', subresource: '', resource: DEPLOYMENT, now: START });
    expect(made.metadata.managedFields).toEqual([
      {
        manager: 'unknown',
        operation: 'Update',
        apiVersion: 'apps/v1',
        time: '2026-01-02T03:04:05Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
          'f:spec': {
            'f:replicas': {},
            'f:selector': {},
            'f:strategy': { 'f:type': {} },
            'f:template': {
              'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
              'f:spec': {
                'f:containers': {
                  'k:{"name":"c"}': {
                    '.': {},
                    'f:image': {},
                    'f:name': {},
                    'f:resources': {},
                    'f:ports': {
                      '.': {},
                      'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {}, 'f:protocol': {} },
                    },
                  },
                },
                'f:securityContext': {},
              },
            },
          },
        },
      },
    ]);
  });

  it('a new object keeps readable managedFields of its author', () => {
    const next: KubeObject = {
      apiVersion: 'facts.example.com/v1',
      kind: 'Thing',
      metadata: { name: 'x', managedFields: [entry({})] },
      spec: { flag: true, color: 'a' },
    };
    expect(
      owned(trackUpdate({ live: undefined, next, manager: 'u', subresource: '', resource: THING, now: START })),
    ).toEqual({ 'u Update': { '.': {}, 'f:color': {}, 'f:flag': {} } });
  });
});

describe('managedFields of an update', () => {
  it('the manager of an update becomes the only owner of the changed fields', () => {
    const live = put(apply(apply(undefined, 'm', { color: 'red', flag: true }), 'n', { color: 'red' }), 'u', {
      color: 'blue',
      flag: true,
    });
    expect(owned(live)).toEqual({ 'm Apply': { 'f:flag': {} }, 'u Update': { 'f:color': {} } });
  });

  it('an update removes deleted fields from all owners', () => {
    expect(owned(put(apply(undefined, 'm', { color: 'red', flag: true }), 'u', { flag: true }))).toEqual({
      'm Apply': { 'f:flag': {} },
    });
  });

  it('an update adds to the fields of its manager and changes the timestamp only then', () => {
    const first = put(undefined, 'u', { color: 'red' });
    const second = put(first, 'u', { color: 'red', flag: true }, START + MINUTE);
    expect(owned(second)).toEqual({ 'u Update': { '.': {}, 'f:color': {}, 'f:flag': {} } });
    expect(second.metadata.managedFields?.[0]?.time).toBe('2026-01-02T03:05:05Z');
    expect(put(second, 'u', { color: 'red' }, START + 2 * MINUTE).metadata.managedFields?.[0]?.time).toBe(
      '2026-01-02T03:05:05Z',
    );
  });

  it('an update without changes returns the live object itself', () => {
    const live = put(undefined, 'u', { color: 'red', map: [{ k: 'a' }] });
    const next: KubeObject = JSON.parse(JSON.stringify(live));
    expect(trackUpdate({ live, next, manager: 'w', subresource: '', resource: THING, now: START + MINUTE })).toBe(live);
  });

  it('an update of the status owns only the status, and one of the main resource everything else', () => {
    const live = put(undefined, 'u', { color: 'red' });
    const next: KubeObject = {
      ...live,
      metadata: { ...live.metadata, labels: { a: 'b' } },
      spec: { color: 'blue' },
      status: { ready: true },
    };
    const parts = { live, next, manager: 's', resource: THING, now: START };
    expect(owned(trackUpdate({ ...parts, subresource: 'status' }))).toEqual({
      's Update status': { 'f:status': { '.': {}, 'f:ready': {} } },
      'u Update': { '.': {}, 'f:color': {} },
    });
    expect(
      trackUpdate({ ...parts, subresource: '' }).metadata.managedFields?.map(({ manager, fieldsV1 }) => [
        manager,
        Object.keys(fieldsV1 ?? {}),
      ]),
    ).toEqual([
      ['s', ['f:metadata', 'f:spec']],
      ['u', ['f:spec']],
    ]);
  });

  it('a status update of a Deployment cannot own labels and spec, but can own annotations', () => {
    const live: KubeObject = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd', uid: 'u', managedFields: [entry({ apiVersion: 'apps/v1' })] },
      spec: {},
    };
    const next: KubeObject = {
      ...live,
      metadata: { ...live.metadata, labels: { a: 'b' }, annotations: { a: 'b' } },
      spec: { replicas: 1 },
      status: { replicas: 1 },
    };
    const made = trackUpdate({ live, next, manager: 's', subresource: 'status', resource: DEPLOYMENT, now: START });
    expect(made.metadata.managedFields?.find(({ manager }) => manager === 's')?.fieldsV1).toEqual({
      'f:metadata': { 'f:annotations': { '.': {}, 'f:a': {} } },
      'f:status': { '.': {}, 'f:replicas': {} },
    });
  });

  it('an update merges the oldest entries above ten', () => {
    let live = put(undefined, 'u0', { any: {} });
    for (let index = 1; index <= 11; index += 1) {
      live = put(
        live,
        `u${index}`,
        { any: Object.fromEntries(Array.from({ length: index }, (_, key) => [`k${key}`, key])) },
        START + index * MINUTE,
      );
    }
    const fields = owned(live);
    expect(Object.keys(fields)).toEqual([
      'ancient-changes Update',
      ...[3, 4, 5, 6, 7, 8, 9, 10, 11].map((index) => `u${index} Update`),
    ]);
    expect(fields['ancient-changes Update']).toEqual({ '.': {}, 'f:any': { '.': {}, 'f:k0': {}, 'f:k1': {} } });
  });
});

describe('managedFields in a request body', () => {
  const live = apply(put(undefined, 'u0', { flag: true }), 'm', { color: 'red' });

  it.each<[string, ManagedFieldsEntry[], Json]>([
    [
      'count as they are',
      [entry({ manager: 'other' })],
      { 'other Update': { 'f:flag': {} }, 'u Update': { 'f:color': {} } },
    ],
    [
      'are read in any order and spelling',
      [
        entry({
          fieldsV1: {
            'f:spec': { 'f:set': { 'v:"a"': { '.': {} } }, 'f:ports': { 'k:{"protocol":"TCP", "port":80}': {} } },
          },
          manager: 'other',
          time: '2020-01-01T02:00:00+02:00',
        }),
      ],
      {
        'other Update': { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': {} }, 'f:set': { 'v:"a"': {} } },
        'u Update': { 'f:color': {} },
      },
    ],
    [
      'lose steps that are not known',
      [entry({ manager: 'other', fieldsV1: { 'f:spec': { 'f:flag': {}, 'x:y': {} } } })],
      { 'other Update': { 'f:flag': {} }, 'u Update': { 'f:color': {} } },
    ],
    ['of an empty list are not there', [], { 'u Update': { 'f:color': {} }, 'u0 Update': { '.': {}, 'f:flag': {} } }],
    [
      'without operation are not taken',
      [entry({ operation: 'Foo' })],
      { 'u Update': { 'f:color': {} }, 'u0 Update': { '.': {}, 'f:flag': {} } },
    ],
    [
      'without version are not taken',
      [entry({ apiVersion: '' })],
      { 'u Update': { 'f:color': {} }, 'u0 Update': { '.': {}, 'f:flag': {} } },
    ],
    [
      'of another type are not taken',
      [entry({ fieldsType: 'FieldsV2' })],
      { 'u Update': { 'f:color': {} }, 'u0 Update': { '.': {}, 'f:flag': {} } },
    ],
    [
      'with a broken step are not taken',
      [entry({ fieldsV1: { bad: {} } })],
      { 'u Update': { 'f:color': {} }, 'u0 Update': { '.': {}, 'f:flag': {} } },
    ],
    [
      'with a broken value are not taken',
      [entry({ fieldsV1: { 'v:{': {} } })],
      { 'u Update': { 'f:color': {} }, 'u0 Update': { '.': {}, 'f:flag': {} } },
    ],
    [
      'with a number are not taken',
      [entry({ fieldsV1: { 'f:a': 5 } })],
      { 'u Update': { 'f:color': {} }, 'u0 Update': { '.': {}, 'f:flag': {} } },
    ],
    ['reset with one empty entry', [{}], {}],
    ['in a version that is not there reset, too', [entry({ apiVersion: 'facts.example.com/v9' })], {}],
  ])('managedFields in a request body are handled as in kube-apiserver: %s', (_name, managedFields, expected) => {
    expect(owned(edited(live, managedFields))).toEqual(expected);
  });

  it('managedFields in a request body are ignored on a subresource', () => {
    const made = edited(live, [entry({ manager: 'other' })], 'status');
    expect(made.metadata.managedFields).toEqual(live.metadata.managedFields);
  });

  it('managedFields are not recorded after a reset until the next apply', () => {
    const reset = edited(live, [{}]);
    expect(owned(put(reset, 'w', { color: 'x' }))).toEqual({});
    expect(owned(apply(reset, 'm', { color: 'new' }))).toEqual({
      'm Apply': { 'f:color': {} },
      'before-first-apply Update': { '.': {}, 'f:color': {}, 'f:flag': {} },
    });
  });

  it('an empty list resets managedFields of a built-in kind', () => {
    const stored: KubeObject = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd', uid: 'u', managedFields: [entry({ apiVersion: 'apps/v1' })] },
      spec: {},
    };
    const next: KubeObject = { ...stored, metadata: { ...stored.metadata, managedFields: [] } };
    expect(
      trackUpdate({ live: stored, next, manager: 'w', subresource: '', resource: DEPLOYMENT, now: START }).metadata
        .managedFields,
    ).toBeUndefined();
  });
});

describe('timestamps of managedFields', () => {
  it('an object that differs only in timestamps of managedFields becomes the live object', () => {
    const live = put(undefined, 'u', { color: 'red' });
    const later: KubeObject = {
      ...live,
      metadata: {
        ...live.metadata,
        managedFields: live.metadata.managedFields?.map((one) => ({ ...one, time: '2026-02-02T00:00:00Z' })) ?? [],
      },
    };
    expect(keepUnchangedTimes(later, live)).toBe(live);
    const other: KubeObject = { ...later, spec: { color: 'blue' } };
    expect(keepUnchangedTimes(other, live)).toBe(other);
  });
});
