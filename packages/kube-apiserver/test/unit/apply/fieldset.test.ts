import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { elementOrder, elementText, readElement } from '../../../src/apply/fieldpath/element.js';
import {
  difference,
  has,
  intersection,
  pathsOf,
  recursiveDifference,
  sameFields,
  setOf,
  union,
} from '../../../src/apply/fieldpath/fieldset.js';
import type { FieldSet } from '../../../src/apply/fieldpath/fieldset.js';
import { readFields, writeFields } from '../../../src/apply/fieldpath/fieldsv1.js';
import { goDefault, goSyntax } from '@multicluster-engine/values/schema/go/format';
import { compareBytes, goJson, goQuote } from '@multicluster-engine/values/text';
import type { Json } from '@multicluster-engine/values/json';

const element = fc.constantFrom('f:a', 'f:b', 'v:1', 'v:"x"', 'k:{"k":"a"}', 'k:{"k":"b"}', 'i:0', 'f:__proto__');
const path = fc.array(element, { minLength: 1, maxLength: 3 });
const paths = fc.array(path, { maxLength: 8 });

/** The paths of a set as strings. */
function texts(set: FieldSet): Set<string> {
  return new Set(pathsOf(set).map((one) => one.join(' ')));
}

function plain(list: readonly (readonly string[])[]): Set<string> {
  return new Set(list.map((one) => one.join(' ')));
}

describe('field sets', () => {
  it('every operation on field sets equals that on sets of paths', () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const [a, b] = [setOf(...left), setOf(...right)];
        const [x, y] = [plain(left), plain(right)];
        expect(texts(union(a, b))).toEqual(new Set([...x, ...y]));
        expect(texts(intersection(a, b))).toEqual(new Set([...x].filter((one) => y.has(one))));
        expect(texts(difference(a, b))).toEqual(new Set([...x].filter((one) => !y.has(one))));
        expect(texts(recursiveDifference(a, b))).toEqual(
          new Set([...x].filter((one) => ![...y].some((top) => one === top || one.startsWith(`${top} `)))),
        );
        expect([...x].every((one) => has(a, one.split(' ')))).toBe(true);
        expect(sameFields(a, b)).toBe(x.size === y.size && [...x].every((one) => y.has(one)));
        expect([texts(a), texts(b)]).toEqual([x, y]);
      }),
    );
  });

  it('an operation on a field set returns the same set when nothing changes', () => {
    const a = setOf(['f:a', 'f:b'], ['f:c']);
    expect(union(a, setOf(['f:c']))).toBe(a);
    expect(difference(a, setOf(['f:d']))).toBe(a);
    expect(recursiveDifference(a, setOf(['f:a', 'f:z']))).toBe(a);
  });

  it('a field set is unchanged after encoding and decoding', () => {
    fc.assert(
      fc.property(paths, (list) => {
        const set = setOf(...list);
        const json: Json = JSON.parse(JSON.stringify(writeFields(set)));
        expect(sameFields(readFields(json), set)).toBe(true);
        expect(writeFields(readFields(json))).toEqual(json);
      }),
    );
  });

  it('a field set is encoded in the order of kube-apiserver', () => {
    const set = setOf(
      ['v:2'],
      ['v:10'],
      ['v:"b"'],
      ['v:true'],
      ['v:"a"'],
      ['i:10'],
      ['i:9'],
      ['k:{"a":2,"b":1}'],
      ['k:{"a":10}'],
      ['k:{"b":1}'],
      ['f:b'],
      ['f:a', 'f:x'],
      ['f:a'],
    );
    expect(JSON.stringify(writeFields(set))).toBe(
      '{"f:a":{".":{},"f:x":{}},"f:b":{},"k:{\\"a\\":2,\\"b\\":1}":{},"k:{\\"a\\":10}":{},"k:{\\"b\\":1}":{},"v:2":{},"v:10":{},"v:\\"a\\"":{},"v:\\"b\\"":{},"v:true":{},"i:9":{},"i:10":{}}',
    );
  });

  it('encoding a field set of a hundred thousand values parses each value once', () => {
    const values = Array.from({ length: 100_000 }, (_none, at) => `v:"${((at * 7919) % 100_000).toString(36)}"`);
    const real = JSON.parse;
    let reads = 0;
    JSON.parse = (text: string): Json => {
      reads += 1;
      return real(text);
    };
    try {
      values.sort(elementOrder());
    } finally {
      JSON.parse = real;
    }
    expect(reads).toBe(values.length);
    expect(values.every((value, at) => at === 0 || compareBytes(values[at - 1] ?? '', value) < 0)).toBe(true);
  });

  it.each([
    ['f:name', '.name'],
    ['k:{"name":"a","port":80}', '[name="a",port=80]'],
    ['v:"x\\"y"', '[="x\\"y"]'],
    ['v:1.5', '[=1.5]'],
    ['v:null', '[=null]'],
    ['v:[1,"a"]', '[=[1,"a"]]'],
    ['i:3', '[3]'],
  ])('the path element %s is formatted as %s', (text, expected) => {
    expect(elementText(readElement(text) ?? '')).toBe(expected);
  });

  it.each([
    ['k:{"b":1, "a":"<"}', 'k:{"a":"\\u003c","b":1}'],
    ['v:1.0', 'v:1'],
    ['i:007', 'i:7'],
    ['x:y', undefined],
  ])('the path element %s is normalized to %s', (text, expected) => {
    expect(readElement(text)).toBe(expected);
  });

  it.each(['', 'f', 'name', 'v:', 'k:[]', 'k:{', 'i:x'])('the key %j is rejected as a path element', (text) => {
    expect(() => readElement(text)).toThrow(Error);
  });
});

describe('Go formats of values', () => {
  it.each<[string, string, string]>([
    ['%q', goQuote('a"\\\n\t\u0001\u007f\u00a0é😀'), '"a\\"\\\\\\n\\t\\x01\\x7f\\u00a0é😀"'],
    ['%v', goDefault({ b: [1, 'x', null], a: { c: true } }), 'map[a:map[c:true] b:[1 x <nil>]]'],
    [
      '%#v',
      goSyntax({ b: [1, 'x', null], a: 1.5 }),
      'map[string]interface {}{"a":1.5, "b":[]interface {}{1, "x", interface {}(nil)}}',
    ],
    ['JSON', goJson({ b: '<&>\u2028', a: 1 }), '{"a":1,"b":"\\u003c\\u0026\\u003e\\u2028"}'],
  ])('a value is formatted as by Go with %s', (_verb, text, expected) => {
    expect(text).toBe(expected);
  });

  it('strings are sorted by code point', () => {
    expect(['\uff5e', '😀', 'a', 'ab', ''].sort(compareBytes)).toEqual(['', 'a', 'ab', '\uff5e', '😀']);
  });
});
