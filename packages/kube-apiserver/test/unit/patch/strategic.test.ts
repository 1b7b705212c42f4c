import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { builtinSchema } from '@multicluster-engine/values/schema/builtin';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import { strategicMerge } from '../../../src/patch/strategic.js';
import { StatusError } from '../../../src/status.js';

const DEPLOYMENT = builtinSchema('io.k8s.api.apps.v1.Deployment');
const POD = 'io.k8s.api.core.v1.PodSpec';

const A: JsonObject = {
  name: 'a',
  image: 'i',
  env: [
    { name: 'E', value: '1' },
    { name: 'F', value: '2' },
  ],
};
const B: JsonObject = { name: 'b', image: 'j' };

/** The pod spec of a Deployment with the containers a and b after a patch. */
function merged(pod: JsonObject, patch: Json): Json {
  const result = strategicMerge(
    DEPLOYMENT,
    { spec: { template: { spec: pod } } },
    { spec: { template: { spec: patch } } },
  );
  return JSON.parse(JSON.stringify(result)).spec.template.spec;
}

function refusal(run: () => unknown): { code: number; message: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('a strategic merge patch', () => {
  it.each<[string, Json, Json]>([
    ['merges an item by its key', [{ name: 'b', image: 'k' }], [A, { ...B, image: 'k' }]],
    ['puts what is new first', [{ name: 'c', image: 'k' }], [{ name: 'c', image: 'k' }, A, B]],
    ['takes the order of the patch for the items that it names', [{ name: 'b' }, { name: 'a' }], [B, A]],
    ['deletes an item', [{ name: 'a', $patch: 'delete' }], [B]],
    ['deletes what is not there', [{ name: 'z', $patch: 'delete' }], [A, B]],
    ['replaces all items', [{ $patch: 'replace' }, { name: 'q' }], [{ name: 'q' }]],
    [
      'merges lists inside of items',
      [
        {
          name: 'a',
          env: [
            { name: 'G', value: '3' },
            { name: 'E', $patch: 'delete' },
          ],
        },
      ],
      [
        {
          ...A,
          env: [
            { name: 'G', value: '3' },
            { name: 'F', value: '2' },
          ],
        },
        B,
      ],
    ],
    ['replaces a list that has no strategy', [{ name: 'b', args: ['x'] }], [A, { ...B, args: ['x'] }]],
    ['of no items changes nothing', [], [A, B]],
  ])('a strategic merge patch merges fields: %s', (_name, containers, expected) => {
    expect(merged({ containers: [A, B] }, { containers })).toEqual({ containers: expected });
  });

  it.each<[string, string[], JsonObject, string[]]>([
    ['items of the patch first, in its order', ['a', 'b'], { containers: [{ name: 'c' }] }, ['c', 'a', 'b']],
    [
      'what the server had before an item stays before it',
      ['a', 'b', 'c'],
      { containers: [{ name: 'c' }] },
      ['a', 'b', 'c'],
    ],
    ['two items swapped', ['a', 'b', 'c'], { containers: [{ name: 'c' }, { name: 'a' }] }, ['b', 'c', 'a']],
    [
      'an order without a patch of the list',
      ['a', 'b'],
      { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] },
      ['b', 'a'],
    ],
    [
      'an order that leaves a server item out',
      ['a', 'x', 'b'],
      { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] },
      ['x', 'b', 'a'],
    ],
    [
      'an order with a new item',
      ['a', 'b'],
      { containers: [{ name: 'c' }], '$setElementOrder/containers': [{ name: 'a' }, { name: 'c' }, { name: 'b' }] },
      ['a', 'c', 'b'],
    ],
    [
      'an order with a deleted item',
      ['a', 'b'],
      { containers: [{ name: 'a', $patch: 'delete' }], '$setElementOrder/containers': [{ name: 'b' }] },
      ['b'],
    ],
    [
      'an order of a list that is new',
      [],
      { containers: [{ name: 'c' }, { name: 'd' }], '$setElementOrder/containers': [{ name: 'c' }, { name: 'd' }] },
      ['c', 'd'],
    ],
  ])('a strategic merge patch orders list items: %s', (_name, live, patch, expected) => {
    const pod = live.length === 0 ? {} : { containers: live.map((name) => ({ name })) };
    expect(merged(pod, patch)).toEqual({ containers: expected.map((name) => ({ name })) });
  });

  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['a null removes', { replicas: 1, paused: true }, { paused: null }, { replicas: 1 }],
    ['a null of what is not there is nothing', { replicas: 1 }, { paused: null }, { replicas: 1 }],
    [
      'nulls in new content are dropped',
      {},
      { strategy: { type: 'x', rollingUpdate: null } },
      { strategy: { type: 'x' } },
    ],
    [
      'retained keys drop the others',
      { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
      { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
      { strategy: { type: 'Recreate' } },
    ],
    [
      'an object is replaced',
      { strategy: { type: 'a', rollingUpdate: {} } },
      { strategy: { $patch: 'replace', type: 'b' } },
      { strategy: { type: 'b' } },
    ],
    ['an object is emptied', { strategy: { type: 'a' } }, { strategy: { $patch: 'delete' } }, { strategy: {} }],
    ['a directive with nothing to work on vanishes', {}, { strategy: { $patch: 'delete' } }, {}],
    ['another type takes the place', { strategy: { type: 'a' } }, { strategy: ['x'] }, { strategy: ['x'] }],
  ])('a strategic merge patch merges list items by key: %s', (_name, live, patch, expected) => {
    expect(strategicMerge(DEPLOYMENT, { spec: live }, { spec: patch })).toEqual({ spec: expected });
  });

  it.each<[string, string[] | undefined, JsonObject, string[] | undefined]>([
    ['adds to a set', ['a'], { finalizers: ['b'] }, ['b', 'a']],
    ['does not add twice', ['a', 'b'], { finalizers: ['b'] }, ['a', 'b']],
    ['deletes from a set', ['a', 'b'], { '$deleteFromPrimitiveList/finalizers': ['a'] }, ['b']],
    ['deletes from no set', undefined, { '$deleteFromPrimitiveList/finalizers': ['a'] }, undefined],
    ['orders a set', ['a', 'b'], { '$setElementOrder/finalizers': ['b', 'a'] }, ['b', 'a']],
    [
      'all at once',
      ['a', 'b'],
      { finalizers: ['c'], '$deleteFromPrimitiveList/finalizers': ['a'], '$setElementOrder/finalizers': ['c', 'b'] },
      ['c', 'b'],
    ],
  ])('a strategic merge patch processes directives: %s', (_name, live, patch, expected) => {
    const result = strategicMerge(
      DEPLOYMENT,
      { metadata: live === undefined ? {} : { finalizers: live } },
      { metadata: patch },
    );
    expect(result).toEqual({ metadata: expected === undefined ? {} : { finalizers: expected } });
  });

  it('a strategic merge patch of long sets keeps the first of duplicate items', () => {
    const live = Array.from({ length: 50_000 }, (_, index) => `f${index}`);
    const result = strategicMerge(
      DEPLOYMENT,
      { metadata: { finalizers: live } },
      { metadata: { finalizers: ['f49999', 'new'] } },
    );
    expect(result).toEqual({ metadata: { finalizers: [...live, 'new'] } });
  });

  it.each<[string, Json, number, string]>([
    ['retained keys that are no list', { strategy: { $retainKeys: 'x' } }, 400, 'invalid patch format of retainKeys'],
    [
      'a key that is not retained',
      { strategy: { $retainKeys: ['rollingUpdate'], type: 'x' } },
      400,
      'invalid patch format of retainKeys',
    ],
    ['an unknown directive', { $patch: 'foo' }, 500, 'unknown patch type: foo in map: map[$patch:foo]'],
    ['a directive that is no text', { $patch: 5 }, 500, 'unknown patch type: %!s(int64=5) in map: map[$patch:5]'],
    ['an order without a field', { $setElementOrder: [] }, 400, 'invalid patch format of setElementOrder list'],
    [
      'an order of an unknown field',
      { '$setElementOrder/nope': ['a'] },
      500,
      'unable to find api field in struct DeploymentSpec for the json field "nope"',
    ],
    [
      'an order that is no list',
      { '$setElementOrder/nope': 'x' },
      500,
      'expected a []interface {}, but received a string',
    ],
    ['a deletion without a field', { $deleteFromPrimitiveList: ['a'] }, 400, 'invalid patch format of primitive list'],
  ])('a strategic merge patch is rejected for %s', (_name, spec, code, message) => {
    expect(refusal(() => strategicMerge(DEPLOYMENT, { spec: { strategy: { type: 'a' } } }, { spec }))).toEqual({
      code,
      message,
    });
  });

  it.each<[string, JsonObject, number, string]>([
    [
      'an unknown directive',
      { containers: [{ $patch: 'foo', name: 'a' }] },
      500,
      'unknown patch type: foo in map: map[$patch:foo name:a]',
    ],
    [
      'a merge directive',
      { containers: [{ $patch: 'merge', name: 'a' }] },
      500,
      'merging lists cannot yet be specified in the patch',
    ],
    [
      'a deletion without key',
      { containers: [{ $patch: 'delete' }] },
      500,
      'map: map[$patch:delete] does not contain declared merge key: name',
    ],
    [
      'an item without key',
      { containers: [{ image: 'x' }] },
      500,
      'map: map[image:x] does not contain declared merge key: name',
    ],
    [
      'items of two types',
      { containers: ['x'] },
      500,
      'list element types are not identical: [[map[image:j name:b]] [x]]',
    ],
    ['an order with another type', { '$setElementOrder/containers': ['b'] }, 500, 'value for key 0 is not a map'],
    [
      'another order than it says',
      { containers: [{ name: 'a' }, { name: 'b' }], '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] },
      500,
      "The order in patch list:\n[map[name:a] map[name:b]]\n doesn't match $setElementOrder list:\n[map[name:b] map[name:a]]\n",
    ],
  ])('a strategic merge patch of a list is rejected for %s', (_name, patch, code, message) => {
    expect(refusal(() => merged({ containers: [B] }, patch))).toEqual({ code, message });
  });

  it.each([
    ['[]', 'array'],
    ['"x"', 'string'],
    ['5', 'number'],
    ['true', 'bool'],
  ])('a strategic merge patch that is %s is rejected with 400', (patch, kind) => {
    expect(refusal(() => strategicMerge(DEPLOYMENT, {}, JSON.parse(patch)))).toEqual({
      code: 400,
      message: `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
    });
  });

  it('a strategic merge patch sets keys of Object.prototype as plain members', () => {
    const patch: Json = JSON.parse('{"metadata":{"annotations":{"__proto__":"x","constructor":"y"}}}');
    expect(JSON.stringify(strategicMerge(DEPLOYMENT, { metadata: { annotations: { a: 'b' } } }, patch))).toBe(
      '{"metadata":{"annotations":{"a":"b","__proto__":"x","constructor":"y"}}}',
    );
    expect(() =>
      strategicMerge(DEPLOYMENT, { spec: { strategy: {} } }, JSON.parse('{"spec":{"__proto__":{"x":1}}}')),
    ).not.toThrow();
  });

  it('a strategic merge patch does not modify its inputs and returns a result or a StatusError for every input', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const item = fc.record(
      {
        name,
        $patch: fc.constantFrom('delete', 'replace', 'merge', 'x'),
        image: fc.string({ maxLength: 2 }),
        args: fc.array(name, { maxLength: 2 }),
        tty: fc.constant(null),
      },
      { requiredKeys: [] },
    );
    const key = fc.constantFrom(
      'containers',
      '$setElementOrder/containers',
      '$deleteFromPrimitiveList/containers',
      '$retainKeys',
      '$patch',
      'nodeSelector',
      '__proto__',
      'volumes',
    );
    const pod = fc.dictionary(key, fc.oneof(fc.array(item, { maxLength: 3 }), fc.jsonValue({ maxDepth: 2 })));
    fc.assert(
      fc.property(pod, pod, (original, patch) => {
        const text = JSON.stringify([original, patch]);
        try {
          strategicMerge(builtinSchema(POD), original, patch);
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError);
        }
        expect(JSON.stringify([original, patch])).toBe(text);
      }),
    );
  });
});
