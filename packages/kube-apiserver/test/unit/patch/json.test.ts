import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { Json } from '@multicluster-engine/values/json';
import { jsonPatch, jsonPatchFindings } from '../../../src/patch/json.js';
import { StatusError } from '../../../src/status.js';

const TERSE = 'the server rejected our request due to an error in our request';

function parsed(text: string): Json {
  const value: Json = JSON.parse(text);
  return value;
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

describe('a JSON patch (RFC 6902)', () => {
  it.each([
    ['adds a member', '{"a":1}', '[{"op":"add","path":"/b","value":[1]}]', '{"a":1,"b":[1]}'],
    ['adds an item before another', '{"a":[1,3]}', '[{"op":"add","path":"/a/1","value":2}]', '{"a":[1,2,3]}'],
    ['adds an item at the end by its index', '{"a":[1]}', '[{"op":"add","path":"/a/1","value":2}]', '{"a":[1,2]}'],
    ['adds an item at the end by -', '{"a":[1]}', '[{"op":"add","path":"/a/-","value":[2]}]', '{"a":[1,[2]]}'],
    ['adds an object', '{"a":1}', '[{"op":"add","path":"/b","value":{"c":{}}}]', '{"a":1,"b":{"c":{}}}'],
    ['adds over what is there', '{"a":1}', '[{"op":"add","path":"/a","value":2}]', '{"a":2}'],
    ['adds null', '{}', '[{"op":"add","path":"/a","value":null}]', '{"a":null}'],
    ['removes a member', '{"a":1,"b":2}', '[{"op":"remove","path":"/b"}]', '{"a":1}'],
    ['removes an item', '{"a":[1,2,3]}', '[{"op":"remove","path":"/a/1"}]', '{"a":[1,3]}'],
    ['replaces a member', '{"a":1,"b":2}', '[{"op":"replace","path":"/a","value":"x"}]', '{"a":"x","b":2}'],
    ['replaces an item', '{"a":[1,2]}', '[{"op":"replace","path":"/a/0","value":3}]', '{"a":[3,2]}'],
    ['replaces the whole document', '{"a":1}', '[{"op":"replace","path":"","value":{"b":2}}]', '{"b":2}'],
    ['moves a member', '{"a":{"b":1},"c":{}}', '[{"op":"move","from":"/a/b","path":"/c/d"}]', '{"a":{},"c":{"d":1}}'],
    ['moves an item', '{"a":[1,2,3,4]}', '[{"op":"move","from":"/a/1","path":"/a/3"}]', '{"a":[1,3,4,2]}'],
    ['copies a value', '{"a":{"b":[1]}}', '[{"op":"copy","from":"/a","path":"/c"}]', '{"a":{"b":[1]},"c":{"b":[1]}}'],
    [
      'copies so that a later change of one leaves the other',
      '{"a":[1]}',
      '[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/-","value":2}]',
      '{"a":[1],"b":[1,2]}',
    ],
    [
      'tests equal values',
      '{"a":{"x":1,"y":[2]}}',
      '[{"op":"test","path":"/a","value":{"y":[2],"x":1}}]',
      '{"a":{"x":1,"y":[2]}}',
    ],
    ['tests the whole document', '{"a":1}', '[{"op":"test","path":"","value":{"a":1}}]', '{"a":1}'],
    [
      'reads ~1 as / and ~0 as ~',
      '{"a/b":1,"c~d":2}',
      '[{"op":"remove","path":"/a~1b"},{"op":"replace","path":"/c~0d","value":3}]',
      '{"c~d":3}',
    ],
    ['reads ~01 as ~1', '{"~1":10}', '[{"op":"test","path":"/~01","value":10}]', '{"~1":10}'],
    ['has the empty key', '{"":1}', '[{"op":"replace","path":"/","value":2}]', '{"":2}'],
    [
      'ignores members that an operation has no use for',
      '{"a":1}',
      '[{"op":"remove","path":"/a","value":5,"xyz":1}]',
      '{}',
    ],
    [
      'runs operations in order',
      '{}',
      '[{"op":"add","path":"/a","value":{}},{"op":"add","path":"/a/b","value":1},{"op":"remove","path":"/a/b"}]',
      '{"a":{}}',
    ],
    ['of nothing changes nothing', '{"a":1}', '[]', '{"a":1}'],
    ['of null changes nothing', '{"a":1}', 'null', '{"a":1}'],
  ])('a JSON patch is applied by RFC 6902: %s', (_name, document, patch, expected) => {
    expect(jsonPatch(parsed(document), parsed(patch))).toEqual(parsed(expected));
  });

  it.each([
    ['replace of a missing member adds it', '{"a":{}}', '[{"op":"replace","path":"/a/y","value":1}]', '{"a":{"y":1}}'],
    ['a missing member tests as null', '{"a":{}}', '[{"op":"test","path":"/a/y","value":null}]', '{"a":{}}'],
    ['a missing member tests as no value', '{"a":{}}', '[{"op":"test","path":"/a/y"}]', '{"a":{}}'],
    ['a missing member copies as null', '{"a":{}}', '[{"op":"copy","from":"/a/y","path":"/a/z"}]', '{"a":{"z":null}}'],
    ['index -1 reads the last item', '{"a":[1,2]}', '[{"op":"replace","path":"/a/-1","value":3}]', '{"a":[1,3]}'],
    ['index -1 adds at the end', '{"a":[1,2]}', '[{"op":"add","path":"/a/-1","value":3}]', '{"a":[1,2,3]}'],
    ['index -1 removes the last item', '{"a":[1,2]}', '[{"op":"remove","path":"/a/-1"}]', '{"a":[1]}'],
    ['what stands before the first slash is not read', '{"a":1}', '[{"op":"remove","path":"x/a"}]', '{}'],
    [
      'an added null tests as null',
      '{}',
      '[{"op":"add","path":"/a"},{"op":"test","path":"/a","value":null}]',
      '{"a":null}',
    ],
  ])('a JSON patch deviates from RFC 6902 as in kube-apiserver: %s', (_name, document, patch, expected) => {
    expect(jsonPatch(parsed(document), parsed(patch))).toEqual(parsed(expected));
  });

  it.each([
    ['add below a missing parent', '{}', '[{"op":"add","path":"/a/b","value":1}]'],
    ['replace below a missing parent', '{}', '[{"op":"replace","path":"/a/b","value":1}]'],
    ['test below a missing parent', '{}', '[{"op":"test","path":"/a/b","value":null}]'],
    ['add below a scalar', '{"a":1}', '[{"op":"add","path":"/a/b","value":1}]'],
    ['add below null', '{"a":null}', '[{"op":"add","path":"/a/b","value":1}]'],
    ['remove of a missing member', '{}', '[{"op":"remove","path":"/a"}]'],
    ['move of a missing member', '{}', '[{"op":"move","from":"/a","path":"/b"}]'],
    ['move without from', '{"a":1}', '[{"op":"move","path":"/b"}]'],
    ['a test that fails', '{"a":1}', '[{"op":"test","path":"/a","value":2}]'],
    ['a test of another type', '{"a":"1"}', '[{"op":"test","path":"/a","value":1}]'],
    ['a test of null where there is a value', '{"a":1}', '[{"op":"test","path":"/a","value":null}]'],
    ['an unknown operation', '{}', '[{"op":"spam","path":"/a"}]'],
    ['an operation that is null', '{}', '[null]'],
    ['an operation without path', '{}', '[{"op":"add","value":1}]'],
    ['a path without a slash', '{"a":1}', '[{"op":"remove","path":"a"}]'],
    ['remove of the whole', '{"a":1}', '[{"op":"remove","path":""}]'],
    ['an index out of range', '{"a":[1]}', '[{"op":"add","path":"/a/2","value":1}]'],
    ['an index out of range below zero', '{"a":[1]}', '[{"op":"remove","path":"/a/-2"}]'],
    ['an index that is no number', '{"a":[1]}', '[{"op":"replace","path":"/a/x","value":1}]'],
    ['- where an item is read', '{"a":[1]}', '[{"op":"remove","path":"/a/-"}]'],
    ['a scalar for the whole document', '{"a":1}', '[{"op":"replace","path":"","value":1}]'],
    [
      'a later operation, after earlier ones that fit',
      '{"a":1}',
      '[{"op":"remove","path":"/a"},{"op":"remove","path":"/a"}]',
    ],
  ])('a JSON patch is rejected with a 422 without details for %s', (_name, document, patch) => {
    expect(refusal(() => jsonPatch(parsed(document), parsed(patch)))).toEqual({ code: 422, message: TERSE });
  });

  it.each([
    ['{}', 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    ['"x"', 'error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp'],
    ['[1]', 'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
    [
      '[{"op":1}]',
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    ],
    [
      '[{"op":"add","path":["a"]}]',
      'error decoding patch: json: cannot unmarshal array into Go struct field jsonPatchOp.path of type string',
    ],
  ])('the JSON patch %s is rejected with 400', (patch, message) => {
    expect(refusal(() => jsonPatch({}, parsed(patch)))).toEqual({ code: 400, message });
  });

  it('a JSON patch may have at most 10,000 operations', () => {
    const operation = { op: 'test', path: '/a', value: 1 };
    expect(
      jsonPatch(
        { a: 1 },
        Array.from({ length: 10_000 }, () => operation),
      ),
    ).toEqual({ a: 1 });
    expect(
      refusal(() =>
        jsonPatch(
          { a: 1 },
          Array.from({ length: 10_001 }, () => operation),
        ),
      ),
    ).toEqual({
      code: 413,
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });

  it('a JSON patch may copy at most 3 MiB', () => {
    const copies = (count: number): Json =>
      Array.from({ length: count }, (_, index) => ({ op: 'copy', from: '/a', path: `/b${index}` }));
    const document = { a: 'x'.repeat(1024 * 1024 - 2) };
    expect(Object.keys(jsonPatch(document, copies(3)) ?? {})).toHaveLength(4);
    expect(refusal(() => jsonPatch(document, copies(4)))).toEqual({ code: 422, message: TERSE });
  });

  it('strict validation of a JSON patch reports unknown members of operations', () => {
    expect(
      jsonPatchFindings([
        { op: 'add', path: '/a' },
        { op: 'add', zz: 1, from: '', value: 1, aa: 2 },
      ]),
    ).toEqual(['json patch unknown field "[1].zz"', 'json patch unknown field "[1].aa"']);
  });

  it('a JSON patch sets keys of Object.prototype as plain members', () => {
    const document = parsed('{"a":{}}');
    const result = jsonPatch(
      document,
      parsed(
        '[{"op":"add","path":"/a/__proto__","value":{"x":1}},{"op":"add","path":"/a/__proto__/y","value":2},{"op":"add","path":"/constructor","value":3}]',
      ),
    );
    expect(JSON.stringify(result)).toBe('{"a":{"__proto__":{"x":1,"y":2}},"constructor":3}');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('a JSON patch does not modify its inputs and returns a result or a StatusError for every input', () => {
    const key = fc.constantFrom('a', 'b', '0', '-', '__proto__', 'constructor', '');
    const path = fc.array(key, { maxLength: 3 }).map((keys) => keys.map((one) => `/${one}`).join(''));
    const operation = fc.record({
      op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
      path,
      from: path,
      value: fc.jsonValue({ maxDepth: 2 }),
    });
    const document = fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(document, fc.array(operation, { maxLength: 6 }), (before, patch) => {
        const text = JSON.stringify([before, patch]);
        try {
          jsonPatch(before, patch);
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError);
        }
        expect(JSON.stringify([before, patch])).toBe(text);
      }),
    );
  });
});
