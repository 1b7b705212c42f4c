import { describe, expect, it } from '@jest/globals';
import type { RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { applied, MissingObjectError, overlay, type Change } from '../../../src/answers/world/overlay.js';
import { exampleWorld } from '../../support/builders/examplefleet.js';
import { rawCluster, rawPlacement, rawSet } from '../../support/builders/world.js';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** A live Placement, of which `last` was applied. */
function live(spec: unknown, last?: unknown): RawObject {
  const object = rawPlacement(spec);
  if (last === undefined) return object;
  const annotations = { note: 'live', [LAST_APPLIED]: JSON.stringify({ ...rawPlacement(last), metadata: {} }) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function manifest(spec: unknown): RawObject {
  return { metadata: { name: 'web', namespace: 'shop' }, spec };
}

describe('applied', () => {
  it.each([
    ['a field of the manifest is set', live({ a: 1 }), { b: 2 }, { a: 1, b: 2 }],
    ['objects are merged', live({ a: { x: 1 } }), { a: { y: 2 } }, { a: { x: 1, y: 2 } }],
    ['lists are replaced', live({ a: [1, 2] }), { a: [3] }, { a: [3] }],
    ['an object replaces a value', live({ a: 1 }), { a: { x: 1 } }, { a: { x: 1 } }],
    ['a field that was applied and is left out is removed', live({ a: 1, b: 2 }, { a: 1, b: 2 }), { a: 1 }, { a: 1 }],
    ['a nested one too', live({ a: { x: 1, y: 2 } }, { a: { x: 1, y: 2 } }), { a: { x: 1 } }, { a: { x: 1 } }],
    ['what others have set stays', live({ a: 1, b: 2 }, { a: 1 }), { a: 3 }, { a: 3, b: 2 }],
    ['nothing is removed that was not applied', live({ a: 1, b: 2 }), { a: 1 }, { a: 1, b: 2 }],
    ['null removes what is there', live({ a: 1, b: 2, d: 3 }, { a: 1 }), { a: null, b: null, c: null }, { d: 3 }],
    ['null in a list stays', live({}), { a: [null] }, { a: [null] }],
    ['a name that objects inherit is a name', live({ toString: 'x' }, { toString: 'x' }), {}, {}],
  ])('%s', (_what, object, spec, expected) => {
    expect(applied(object, manifest(spec)).spec).toEqual(expected);
  });

  it('status and the metadata of the API server are those of the live object', () => {
    const object = { ...live({ a: 1 }), status: { phase: 'Satisfied' } };
    const text = { ...manifest({ a: 1 }), status: { phase: 'Pending' } };
    const after = applied(object, { ...text, metadata: { ...text.metadata, uid: 'other', generation: 9 } });

    expect(after.status).toEqual({ phase: 'Satisfied' });
    expect(after.metadata).toMatchObject({ uid: object.metadata.uid, generation: 1 });
  });

  it('a changed spec has a new generation, and so has a new object', () => {
    expect(applied(live({ a: 1 }), manifest({ a: 2 })).metadata.generation).toBe(2);
    expect(applied(undefined, manifest({ a: 2 })).metadata.generation).toBe(1);
  });

  it('the API server sorts fields: another order of them is no change of the spec', () => {
    const object = live({ a: [{ x: 1, y: 2 }] }, { a: [{ y: 2, x: 1 }] });

    expect(applied(object, manifest({ a: [{ y: 2, x: 1 }] })).metadata.generation).toBe(1);
  });

  it('what the API server fills in again is no change of the spec', () => {
    const object = live({ a: 1, b: 'default' }, { a: 1, b: 'default' });
    const stored = (merged: RawObject): RawObject => ({ ...merged, spec: { b: 'default', ...Object(merged.spec) } });

    expect(applied(object, manifest({ a: 1 }), stored)).toMatchObject({
      spec: object.spec,
      metadata: { generation: 1 },
    });
  });

  it('labels and annotations of others stay, those of the last manifest go', () => {
    const first = applied(rawCluster('a', { set: 'edge', labels: { zone: '1' } }), {
      metadata: { name: 'a', labels: { tier: 'gold' }, annotations: { note: 'x' } },
    });
    const second = applied(first, { metadata: { name: 'a', labels: { size: 'large' } } });

    expect(first.metadata.labels).toEqual({ 'cluster.fleetmgmt.io/clusterset': 'edge', zone: '1', tier: 'gold' });
    expect(second.metadata.labels).toEqual({ 'cluster.fleetmgmt.io/clusterset': 'edge', zone: '1', size: 'large' });
    expect(Object.keys(second.metadata.annotations ?? {})).toEqual([LAST_APPLIED]);
  });

  it('a new object has the fields of the manifest, without status', () => {
    const after = applied(undefined, { ...rawCluster('a', { claims: { platform: 'aws' } }), spec: { x: null, y: 1 } });

    expect(after.status).toBeUndefined();
    expect(after.spec).toEqual({ y: 1 });
  });

  it('applying the same manifest twice changes nothing more', () => {
    const once = applied(live({ a: 1, b: 2 }, { b: 2 }), manifest({ a: 3 }));

    expect(applied(once, manifest({ a: 3 }))).toEqual(once);
  });
});

describe('overlay', () => {
  const world = exampleWorld();
  const after = (...changes: readonly Change[]): ReturnType<typeof overlay>['objects'] =>
    overlay(world, changes).objects;

  it('an object is replaced, and what no change names is the same value', () => {
    const objects = after({ kind: 'apply', resource: 'placements', object: manifest({ numberOfClusters: 2 }) });

    expect(objects.placements).toMatchObject([{ spec: { numberOfClusters: 2 } }]);
    expect(objects.managedclusters).toBe(world.objects.managedclusters);
  });

  it('a label is set and removed', () => {
    const label = (key: string, value: string | undefined): Change => {
      return { kind: 'label', resource: 'managedclusters', object: { name: 'edge-eu-1' }, key, value };
    };
    const objects = after(label('tier', undefined), label('zone', 'a'));
    const found = objects.managedclusters.find(({ metadata }) => metadata.name === 'edge-eu-1');

    expect(found?.metadata.labels).toEqual({ 'cluster.fleetmgmt.io/clusterset': 'edge', zone: 'a' });
  });

  it('an object without finalizers is gone, one with finalizers is being deleted', () => {
    const kept = { ...rawSet('kept'), metadata: { name: 'kept', finalizers: ['x/y'] } };
    const before = exampleWorld({}, { managedclustersets: [rawSet('edge'), kept] });
    const { objects } = overlay(before, [
      { kind: 'delete', resource: 'managedclustersets', object: { name: 'edge' } },
      { kind: 'delete', resource: 'managedclustersets', object: { name: 'kept' } },
    ]);

    expect(objects.managedclustersets.map(({ metadata }) => metadata.name)).toEqual(['kept']);
    expect(objects.managedclustersets[0]?.metadata.deletionTimestamp).toBeDefined();
  });

  it('a change of what does not exist is an error, unless it could not be read', () => {
    const change: Change = { kind: 'delete', resource: 'managedclustersets', object: { name: 'nope' } };
    const unread = exampleWorld({}, {}, [{ resource: 'managedclustersets', verb: 'list', status: 403 }]);

    expect(() => overlay(world, [change])).toThrow(MissingObjectError);
    expect(overlay(unread, [change]).objects.managedclustersets).toEqual(unread.objects.managedclustersets);
  });
});
