import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { sameQuantity } from '../../../../src/domain/engine/manifest/resources.js';
import { driftedFields } from '../../../../src/domain/engine/steps/drift.js';
import { sameJson, type JsonRecord } from '../../../../src/runtime/vocabulary/json.js';

/** A Deployment whose pod template holds `pod`. */
function pods(pod: object): JsonRecord {
  return { spec: { template: { spec: pod } } };
}

describe('no drift', () => {
  it.each<[string, JsonRecord, unknown]>([
    [
      'a default that the server added',
      { spec: { replicas: 2 } },
      { spec: { replicas: 2, progressDeadlineSeconds: 600 }, status: {} },
    ],
    ["somebody's label", { metadata: { labels: { a: '1' } } }, { metadata: { labels: { a: '1', theirs: '2' } } }],
    [
      "somebody's container",
      pods({ containers: [{ name: 'a' }] }),
      pods({ containers: [{ name: 'sidecar' }, { name: 'a', image: 'x' }] }),
    ],
    [
      "somebody's variable",
      pods({ containers: [{ name: 'a', env: [{ name: 'X', value: '1' }] }] }),
      pods({
        containers: [
          {
            name: 'a',
            env: [
              { name: 'Y', value: '2' },
              { name: 'X', value: '1' },
            ],
          },
        ],
      }),
    ],
    [
      'the same amount in another form',
      pods({ containers: [{ name: 'a', resources: { limits: { cpu: '0.5', memory: '128Mi' } } }] }),
      pods({ containers: [{ name: 'a', resources: { limits: { cpu: '500m', memory: '134217728' } } }] }),
    ],
    [
      'what lists leave out',
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } },
      { metadata: { name: 'a' } },
    ],
    [
      'what a metadata-only answer calls itself',
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } },
      { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: { name: 'a', uid: 'x' } },
    ],
    [
      'a second owner',
      { metadata: { ownerReferences: [{ uid: 'a', controller: true }] } },
      { metadata: { ownerReferences: [{ uid: 'b' }, { uid: 'a', controller: true, blockOwnerDeletion: true }] } },
    ],
    ['an equal node selector', pods({ nodeSelector: { a: '1', b: '2' } }), pods({ nodeSelector: { b: '2', a: '1' } })],
  ])('drift is not found for %s', (_name, wanted, stored) => {
    expect(driftedFields(wanted, stored)).toEqual([]);
  });
});

describe('drift', () => {
  it.each<[string, JsonRecord, unknown, string[]]>([
    ['a changed value', { spec: { replicas: 2 } }, { spec: { replicas: 0 } }, ['spec.replicas']],
    ['a number that became a text', { spec: { replicas: 2 } }, { spec: { replicas: '2' } }, ['spec.replicas']],
    [
      'a label taken off',
      { metadata: { labels: { 'x.io/a': '1' } } },
      { metadata: { labels: {} } },
      ['metadata.labels[x.io/a]'],
    ],
    ['a whole part taken off', { spec: { strategy: { type: 'Recreate' } } }, { spec: {} }, ['spec.strategy']],
    [
      'a container taken off',
      pods({ containers: [{ name: 'a' }, { name: 'b' }] }),
      pods({ containers: [{ name: 'b' }] }),
      ['spec.template.spec.containers[a]'],
    ],
    [
      'another image',
      pods({ containers: [{ name: 'a', image: 'x' }] }),
      pods({ containers: [{ name: 'a', image: 'y' }] }),
      ['spec.template.spec.containers[a].image'],
    ],
    [
      'an argument added',
      pods({ containers: [{ name: 'a', args: ['x'] }] }),
      pods({ containers: [{ name: 'a', args: ['x', 'y'] }] }),
      ['spec.template.spec.containers[a].args'],
    ],
    [
      'arguments in another order',
      pods({ containers: [{ name: 'a', args: ['x', 'y'] }] }),
      pods({ containers: [{ name: 'a', args: ['y', 'x'] }] }),
      ['spec.template.spec.containers[a].args'],
    ],
    [
      'a toleration added',
      pods({ tolerations: [{ key: 'a' }] }),
      pods({ tolerations: [{ key: 'a' }, { operator: 'Exists' }] }),
      ['spec.template.spec.tolerations'],
    ],
    [
      'a node selector widened',
      pods({ nodeSelector: { a: '1' } }),
      pods({ nodeSelector: { a: '1', b: '2' } }),
      ['spec.template.spec.nodeSelector'],
    ],
    [
      'a port range opened in a network policy',
      { spec: { egress: [{ ports: [{ port: 443 }] }] } },
      { spec: { egress: [{ ports: [{ port: 443, endPort: 65535 }] }] } },
      ['spec.egress'],
    ],
    [
      'a rule opened to everybody',
      { spec: { ingress: [{ ports: [{ port: 1 }] }] } },
      { spec: { ingress: [{ ports: [{ port: 1 }] }, {}] } },
      ['spec.ingress'],
    ],
    [
      'a subject added to a binding',
      { subjects: [{ name: 'a' }] },
      { subjects: [{ name: 'a' }, { name: 'b' }] },
      ['subjects'],
    ],
    [
      'a selector changed',
      { spec: { podSelector: { matchLabels: { a: '1' } } } },
      { spec: { podSelector: { matchLabels: { a: '1' }, matchExpressions: [] } } },
      ['spec.podSelector'],
    ],
    [
      'another amount',
      pods({ containers: [{ name: 'a', resources: { limits: { cpu: '1' } } }] }),
      pods({ containers: [{ name: 'a', resources: { limits: { cpu: '2' } } }] }),
      ['spec.template.spec.containers[a].resources.limits.cpu'],
    ],
    [
      'a list that became something else',
      pods({ containers: [{ name: 'a' }] }),
      pods({ containers: 'none' }),
      ['spec.template.spec.containers[a]'],
    ],
    [
      'the controller flag taken off',
      { metadata: { ownerReferences: [{ uid: 'a', controller: true }] } },
      { metadata: { ownerReferences: [{ uid: 'a' }] } },
      ['metadata.ownerReferences[a].controller'],
    ],
    ['nothing stored', { spec: {} }, undefined, ['the whole object']],
    [
      'a nonsensical template',
      pods({ containers: ['a'] }),
      pods({ containers: ['a'] }),
      ['spec.template.spec.containers'],
    ],
    ['two fields', { a: 1, b: 2 }, { a: 2, b: 1 }, ['a', 'b']],
  ])('drift is found for %s', (_name, wanted, stored, fields) => {
    expect(driftedFields(wanted, stored)).toEqual(fields);
  });

  it('drift is found where a desired value differs and not where fields were added', () => {
    const tree = fc.dictionary(
      fc.string({ minLength: 1 }),
      fc.oneof(fc.integer(), fc.string(), fc.dictionary(fc.string({ minLength: 1 }), fc.integer())),
    );
    fc.assert(
      fc.property(tree, tree, (wanted, more) => {
        expect(driftedFields({ metadata: wanted }, { metadata: { ...more, ...wanted }, status: more })).toEqual([]);
        for (const field of Object.keys(wanted)) {
          expect(driftedFields({ metadata: wanted }, { metadata: { ...wanted, [field]: ['other'] } })).not.toEqual([]);
        }
      }),
    );
  });
});

describe('quantities', () => {
  it.each([
    ['500m', '0.5', true],
    ['1', 1, true],
    ['1', '1000m', true],
    ['1Ki', '1024', true],
    ['1k', '1e3', true],
    ['1k', '1E3', true],
    ['5E', '5000P', true],
    ['1.50', '1.5', true],
    ['.5', '500m', true],
    ['-1', '-1000m', true],
    ['1Gi', '1G', false],
    ['1', '2', false],
    ['1', undefined, false],
    ['.', '.', true],
    ['.', '0', true],
    ['x', 'y', false],
    ['x', 'x', true],
    ['1n', '0.000000001', true],
  ])('the quantities %j and %j are the same: %j', (a, b, same) => {
    expect(sameQuantity(a, b)).toBe(same);
  });
});

describe('values', () => {
  it.each([
    [[1, 2], [1, 2], true],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1 }, { a: 1, b: undefined }, false],
    [{ a: undefined }, { b: undefined }, false],
    [{}, [], false],
    [null, null, true],
    [null, {}, false],
  ])('the values %j and %j are the same: %j', (a, b, same) => {
    expect(sameJson(a, b)).toBe(same);
  });
});
