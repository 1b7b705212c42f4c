import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { Json } from '@multicluster-engine/values/json';
import { mergePatch } from '../../../src/patch/merge.js';

function parsed(text: string): Json {
  const value: Json = JSON.parse(text);
  return value;
}

describe('a merge patch (RFC 7386)', () => {
  it.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['["a"]', '{"a":1}', '{"a":1}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    ['{"a":{}}', '{}', '{"a":{}}'],
    ['{"a":{"b":1}}', '{"a":{}}', '{"a":{"b":1}}'],
    ['{"a":1}', '{"missing":null}', '{"a":1}'],
  ])('a merge patch of %s with %s results in %s', (target, patch, expected) => {
    expect(mergePatch(parsed(target), parsed(patch))).toEqual(parsed(expected));
  });

  it.each([
    ['nulls in objects of a new list are dropped', '{}', '{"a":[{"b":null,"c":1},null]}', '{"a":[{"c":1},null]}'],
    ['and of a list that takes the place of another', '{"a":[1]}', '{"a":[{"b":null}]}', '{"a":[{}]}'],
    ['but not of one that takes the place of an object', '{"a":{"x":1}}', '{"a":[{"b":null}]}', '{"a":[{"b":null}]}'],
  ])('a merge patch deviates from RFC 7386 as in kube-apiserver: %s', (_name, target, patch, expected) => {
    expect(mergePatch(parsed(target), parsed(patch))).toEqual(parsed(expected));
  });

  it.each([
    ['null', 'Invalid JSON Patch'],
    ['[]', 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['true', 'error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}'],
  ])('a merge patch that is %s is rejected with 400', (patch, message) => {
    expect(() => mergePatch({ a: 1 }, parsed(patch))).toThrow(expect.objectContaining({ code: 400, message }));
  });

  it('a merge patch without changes returns the same object, and others share unchanged parts', () => {
    const target = { a: { b: [1, { c: 2 }] }, d: { e: 1 } };
    expect(mergePatch(target, { a: { b: [1, { c: 2 }] }, z: null })).toBe(target);
    expect(mergePatch(target, { d: { e: 2 } })).toHaveProperty('a', target.a);
  });

  it('a merge patch sets keys of Object.prototype as plain members', () => {
    const result = mergePatch(
      parsed('{"a":{}}'),
      parsed('{"a":{"__proto__":{"x":1}},"constructor":{"prototype":{"y":1}}}'),
    );
    expect(JSON.stringify(result)).toBe('{"a":{"__proto__":{"x":1}},"constructor":{"prototype":{"y":1}}}');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('a merge patch does not modify its inputs and is idempotent after two applications (a list that replaces an object keeps nulls once)', () => {
    const value = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor'), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(value, value, (target, patch) => {
        const text = JSON.stringify([target, patch]);
        const twice = mergePatch(mergePatch(target, patch), patch);
        expect(mergePatch(twice, patch)).toBe(twice);
        expect(JSON.stringify([target, patch])).toBe(text);
      }),
    );
  });
});
