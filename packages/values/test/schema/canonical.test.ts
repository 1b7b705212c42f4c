import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../src/json.js';
import type { KubeObject } from '../../src/object.js';
import { canonical } from '../../src/schema/struct/canonical.js';

const CORE = 'io.k8s.api.core.v1.';

function of(kind: string, more: Readonly<Record<string, unknown>>): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name: 'a' }, ...more };
}

describe('canonical form of built-in objects', () => {
  it('canonical returns the same object when nothing changes', () => {
    const object = of('ConfigMap', { data: { a: 'b' } });
    expect(canonical(`${CORE}ConfigMap`, object)).toBe(object);
  });

  it('canonical drops nulls, zero values and empty lists of optional fields', () => {
    expect(canonical(`${CORE}ConfigMap`, of('ConfigMap', { data: null, binaryData: {}, immutable: null }))).toEqual(
      of('ConfigMap', {}),
    );
    expect(
      canonical(`${CORE}ServiceAccount`, of('ServiceAccount', { secrets: [], automountServiceAccountToken: false })),
    ).toEqual(of('ServiceAccount', { automountServiceAccountToken: false }));
  });

  it('canonical adds the fields that are always written', () => {
    expect(canonical(`${CORE}Node`, of('Node', {}))).toMatchObject({
      spec: {},
      status: { daemonEndpoints: { kubeletEndpoint: { Port: 0 } } },
    });
    expect(
      canonical('io.k8s.api.rbac.v1.Role', {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'a' },
      }),
    ).toHaveProperty('rules', null);
  });

  it('canonical keeps an empty list of a required field until the object is stored', () => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'a' }, rules: [] };
    expect(canonical('io.k8s.api.rbac.v1.Role', role, 'read')).toHaveProperty('rules', []);
    expect(canonical('io.k8s.api.rbac.v1.Role', role)).toHaveProperty('rules', null);
  });

  it('canonical normalizes quantities and times', () => {
    const node = canonical(
      `${CORE}Node`,
      of('Node', {
        status: {
          capacity: { cpu: '1000m', memory: 1024 },
          conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2020-01-01T02:00:00+02:00' }],
        },
      }),
    );
    expect(node).toMatchObject({
      status: { capacity: { cpu: '1', memory: '1024' }, conditions: [{ lastHeartbeatTime: '2020-01-01T00:00:00Z' }] },
    });
  });

  it('canonical drops zero values of nested schemas', () => {
    const schema = { type: 'object', nullable: false, allOf: [], 'x-kubernetes-validations': [{ message: 'm' }] };
    const clean = { type: 'object', 'x-kubernetes-validations': [{ message: 'm', rule: '' }] };
    const crd = (openAPIV3Schema: Json): KubeObject => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'a' },
      spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema } }] },
    });
    const read = canonical(
      'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
      crd({ items: schema, additionalProperties: schema, not: { items: [schema] } }),
    );
    expect(read).toHaveProperty('spec.versions.0.schema.openAPIV3Schema', {
      items: clean,
      additionalProperties: clean,
      not: { items: [clean] },
    });
    expect(
      canonical(
        'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
        crd({ items: [] }),
      ),
    ).toHaveProperty('spec.versions.0.schema.openAPIV3Schema', {});
  });

  it('canonical keeps keys that are members of Object.prototype', () => {
    const data = Object.fromEntries([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    expect(JSON.stringify(canonical(`${CORE}ConfigMap`, of('ConfigMap', { data, immutable: null })))).toContain(
      '"data":{"__proto__":"a","constructor":"b"}',
    );
  });
});
