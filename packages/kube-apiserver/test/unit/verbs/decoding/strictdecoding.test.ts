import { describe, expect, it } from '@jest/globals';
import type { Json } from '@multicluster-engine/values/json';
import { inDecodingOrder, strictMessage } from '../../../../src/verbs/decoding/strictdecoding.js';

const duplicate = (path: string): string => `duplicate field "${path}"`;
const unknown = (path: string): string => `unknown field "${path}"`;

describe('strict decoding', () => {
  it.each<[string, Json, readonly string[], readonly string[], readonly string[]]>([
    [
      'in the order of the document',
      { zz: 1, data: { x: '2' }, yy: 1 },
      [duplicate('data.x')],
      [unknown('zz'), unknown('yy')],
      [unknown('zz'), duplicate('data.x'), unknown('yy')],
    ],
    [
      'in lists',
      { spec: { list: [{ a: 1 }, { b: 1, c: 2 }] } },
      [duplicate('spec.list[1].c')],
      [unknown('spec.list[0].a'), unknown('spec.list[1].b')],
      [unknown('spec.list[0].a'), unknown('spec.list[1].b'), duplicate('spec.list[1].c')],
    ],
    [
      'with the errors of the YAML reader first',
      { zz: 1, a: 2 },
      ['line 3: key "a" already set in map'],
      [unknown('zz')],
      ['line 3: key "a" already set in map', unknown('zz')],
    ],
    ['with unknown fields only', { b: 1, a: 1 }, [], [unknown('a'), unknown('b')], [unknown('a'), unknown('b')]],
  ])('strict decoding reports its errors %s', (_what, value, duplicates, unknowns, expected) => {
    expect(inDecodingOrder(value, duplicates, unknowns)).toEqual(expected);
  });

  it.each<[readonly string[], string]>([
    [[unknown('a'), duplicate('b')], 'strict decoding error: unknown field "a", duplicate field "b"'],
    [
      ['line 3: key "a" already set in map', 'line 5: key "b" already set in map', unknown('c')],
      'strict decoding error: yaml: unmarshal errors:\n  line 3: key "a" already set in map\n  line 5: key "b" already set in map, unknown field "c"',
    ],
  ])('the strict errors %j become one message', (errors, text) => {
    expect(strictMessage(errors)).toBe(text);
  });
});
