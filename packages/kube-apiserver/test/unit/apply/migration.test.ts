import { describe, expect, it } from '@jest/globals';

import { serverSideApply } from '../../../src/apply/apply.js';
import { trackUpdate } from '../../../src/apply/track.js';
import { isObject } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import { apply, body, owned, START, stored, THING } from './fixture.js';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** An object as client-side `kubectl apply` creates it from a spec. */
function clientSide(spec: Json): KubeObject {
  const annotations = {
    [LAST_APPLIED]: JSON.stringify({ ...body(spec), metadata: { annotations: {}, name: 'x', namespace: 'n' } }),
  };
  const next: KubeObject = {
    apiVersion: 'facts.example.com/v1',
    kind: 'Thing',
    metadata: { name: 'x', namespace: 'n', annotations },
    spec,
  };
  return stored(
    trackUpdate({
      live: undefined,
      next,
      manager: 'kubectl-client-side-apply',
      subresource: '',
      resource: THING,
      now: START,
    }),
  );
}

function annotationOf(object: KubeObject): Json {
  return JSON.parse(object.metadata.annotations?.[LAST_APPLIED] ?? 'null');
}

describe('server-side apply by kubectl after its client-side apply', () => {
  it('server-side apply by kubectl changes fields of its client-side apply without a conflict and updates the annotation', () => {
    const next = apply(clientSide({ color: 'red', flag: true }), 'kubectl', { color: 'blue' });
    expect(next['spec']).toEqual({ color: 'blue', flag: true });
    expect(annotationOf(next)).toEqual(body({ color: 'blue' }));
    expect(next.metadata.annotations?.[LAST_APPLIED]).toBe(
      '{"apiVersion":"facts.example.com/v1","kind":"Thing","metadata":{"name":"x","namespace":"n"},"spec":{"color":"blue"}}\n',
    );
  });

  it('fields of client-side apply are a conflict for other managers and when they were changed since', () => {
    const live = clientSide({ color: 'red', flag: true });
    expect(() => apply(live, 'm', { color: 'blue' })).toThrow(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using facts.example.com/v1: .spec.color',
    );
    const changed = stored(
      trackUpdate({
        live,
        next: { ...live, spec: { color: 'green', flag: true } },
        manager: 'u',
        subresource: '',
        resource: THING,
        now: START,
      }),
    );
    expect(() => apply(changed, 'kubectl', { color: 'blue', flag: false })).toThrow(
      'Apply failed with 1 conflict: conflict with "u" using facts.example.com/v1: .spec.color',
    );
  });

  it.each<[string, string]>([
    ['is no JSON', '{'],
    ['is of another version', JSON.stringify({ ...body({ color: 'red' }), apiVersion: 'facts.example.com/v0' })],
    ['has unknown fields', JSON.stringify(body({ color: 'red', nope: 1 }))],
  ])('server-side apply by kubectl ignores a last-applied annotation that %s', (_name, text) => {
    const live = clientSide({ color: 'red' });
    const odd: KubeObject = { ...live, metadata: { ...live.metadata, annotations: { [LAST_APPLIED]: text } } };
    expect(() => apply(odd, 'kubectl', { color: 'blue' })).toThrow('Apply failed with 1 conflict');
  });

  it('server-side apply by kubectl removes a last-applied annotation that becomes too long', () => {
    const next = apply(clientSide({ color: 'red' }), 'kubectl', { color: 'x'.repeat(256 * 1024) });
    expect(next.metadata.annotations).toEqual({});
  });

  it('server-side apply by other managers keeps the last-applied annotation', () => {
    const live = clientSide({ color: 'red' });
    expect(apply(live, 'm', { flag: true }).metadata.annotations).toEqual(live.metadata.annotations);
  });
});

describe('owners in another version', () => {
  const other: Schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { colour: { type: 'string' }, flag: { type: 'boolean' } } } },
  };
  const renamed =
    (from: string, to: string) =>
    (object: JsonObject): JsonObject => {
      const { spec } = object;
      if (!isObject(spec)) return object;
      return {
        ...object,
        spec: Object.fromEntries(Object.entries(spec).map(([key, value]) => [key === from ? to : key, value])),
      };
    };
  const versions = (apiVersion: string) =>
    apiVersion === 'facts.example.com/v2'
      ? { schema: other, convert: renamed('color', 'colour'), restore: renamed('colour', 'color') }
      : undefined;

  function withEntry(fields: JsonObject, operation: string, apiVersion = 'facts.example.com/v2'): KubeObject {
    const entry = { manager: 'm', operation, apiVersion, fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': fields } };
    return {
      apiVersion: 'facts.example.com/v1',
      kind: 'Thing',
      metadata: { name: 'x', uid: 'u', managedFields: [entry] },
      spec: { color: 'red', flag: true },
    };
  }

  it('owners in another version conflict by the field names of their version', () => {
    const live = withEntry({ 'f:colour': {} }, 'Update');
    expect(() => apply(live, 'n', { color: 'blue' }, { other: versions })).toThrow(
      'conflict with "m" using facts.example.com/v2: .spec.colour',
    );
    expect(owned(apply(live, 'n', { color: 'blue' }, { other: versions, force: true }))).toEqual({
      'n Apply': { 'f:color': {} },
    });
  });

  it('an owner drops fields that it applied in another version', () => {
    const next = apply(withEntry({ 'f:colour': {}, 'f:flag': {} }, 'Apply'), 'm', { flag: true }, { other: versions });
    expect(next['spec']).toEqual({ flag: true });
    expect(owned(next)).toEqual({ 'm Apply': { 'f:flag': {} } });
  });

  it('an apply fails when an owner uses a removed version of a custom resource', () => {
    const live = withEntry({ 'f:colour': {} }, 'Update', 'facts.example.com/v9');
    expect(() => apply(live, 'n', { flag: true }, { other: versions })).toThrow(
      expect.objectContaining({
        code: 500,
        message: 'request to convert CR to an invalid group/version: facts.example.com/v9',
      }),
    );
  });

  it('an owner in a removed version of a built-in kind is dropped', () => {
    const builtin = { ...THING, custom: false };
    const live = withEntry({ 'f:colour': {} }, 'Update', 'facts.example.com/v9');
    expect(owned(apply(live, 'n', { flag: true }, { resource: builtin }))).toEqual({ 'n Apply': { 'f:flag': {} } });
  });
});

describe('changed schemas', () => {
  it('ownership of fields in a value that became atomic turns into ownership of the whole value', () => {
    const atomic: Schema = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            o: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'string' } } },
            set: { type: 'array', items: { type: 'string' } },
          },
        },
      },
    };
    const live = apply(undefined, 'm', { o: { a: 'x' }, set: ['a', 'b'] });
    const next = serverSideApply({
      live,
      applied: body({ o: { a: 'x' } }),
      manager: 'n',
      subresource: '',
      force: false,
      resource: { ...THING, schema: atomic },
      now: START,
    });
    expect(owned(next)).toEqual({ 'm Apply': { 'f:o': {}, 'f:set': {} }, 'n Apply': { 'f:o': {} } });
  });
});
