import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../../src/json.js';
import { inDecodingOrder, strictMessage } from '../../../src/verbs/decoding/strictdecoding.js';

const duplicate = (path: string): string => `duplicate field "${path}"`;
const unknown = (path: string): string => `unknown field "${path}"`;

describe('what strict decoding found', () => {
  it.each<[string, Json, readonly string[], readonly string[], readonly string[]]>([
    [
      'is told in the order of the document',
      { zz: 1, data: { x: '2' }, yy: 1 },
      [duplicate('data.x')],
      [unknown('zz'), unknown('yy')],
      [unknown('zz'), duplicate('data.x'), unknown('yy')],
    ],
    [
      'in lists too',
      { spec: { list: [{ a: 1 }, { b: 1, c: 2 }] } },
      [duplicate('spec.list[1].c')],
      [unknown('spec.list[0].a'), unknown('spec.list[1].b')],
      [unknown('spec.list[0].a'), unknown('spec.list[1].b'), duplicate('spec.list[1].c')],
    ],
    [
      'of YAML begins with what its reader said',
      { zz: 1, a: 2 },
      ['line 3: key "a" already set in map'],
      [unknown('zz')],
      ['line 3: key "a" already set in map', unknown('zz')],
    ],
    [
      'in two ways only is put in order',
      { b: 1, a: 1 },
      [],
      [unknown('a'), unknown('b')],
      [unknown('a'), unknown('b')],
    ],
  ])('%s', (_what, value, duplicates, unknowns, told) => {
    expect(inDecodingOrder(value, duplicates, unknowns)).toEqual(told);
  });

  it.each<[readonly string[], string]>([
    [[unknown('a'), duplicate('b')], 'strict decoding error: unknown field "a", duplicate field "b"'],
    [
      ['line 3: key "a" already set in map', 'line 5: key "b" already set in map', unknown('c')],
      'strict decoding error: yaml: unmarshal errors:\n  line 3: key "a" already set in map\n  line 5: key "b" already set in map, unknown field "c"',
    ],
  ])('%j refuses with a text', (findings, text) => {
    expect(strictMessage(findings)).toBe(text);
  });
});
