import { describe, expect, it } from '@jest/globals';
import { parseBody, readBody } from '../../../src/schema/body/parse.js';
import { MalformedBody } from '@multicluster-engine/values/read/malformed';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');

function failure(text: string, mediaType: 'json' | 'yaml' = 'json'): string {
  try {
    return JSON.stringify(parseBody(bytes(text), mediaType, 'ConfigMap'));
  } catch (error) {
    return error instanceof Error ? error.message : 'not an error';
  }
}

/**
 * The start and the end of all these messages, as recorded from kube-apiserver 1.36.3; the table has the part between
 * them.
 */
const BEFORE =
  "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ";

describe('malformed bodies', () => {
  it.each([
    ['', 'unexpected end of JSON input (<empty>)'],
    ['{', 'unexpected end of JSON input ({)'],
    ['{"a":1', 'unexpected end of JSON input ({"a":1)'],
    ['[1', 'unexpected end of JSON input (5b31)'],
    ['{"a":01}', `invalid character '1' after object key:value pair ({"a":01})`],
    ['{"a":1.}', `invalid character '}' after decimal point in numeric literal ({"a":1.})`],
    ['{"a":1.2.3}', `invalid character '.' after object key:value pair ({"a":1.2.3})`],
    ['{"a":1.2e3.4}', `invalid character '.' after object key:value pair ({"a":1.2e3.4})`],
    ['{"a":1e}', `invalid character '}' in exponent of numeric literal ({"a":1e})`],
    ['{"a":-}', `invalid character '}' in numeric literal ({"a":-})`],
    ['{"a":1ex}', `invalid character 'x' in exponent of numeric literal ({"a":1ex})`],
    ['{"a" 1}', `invalid character '1' after object key ({"a" 1})`],
    ['{a:1}', `invalid character 'a' looking for beginning of object key string ({a:1})`],
    ['{"a":tru}', `invalid character '}' in literal true (expecting 'e') ({"a":tru})`],
    ['{"a":trux}', `invalid character 'x' in literal true (expecting 'e') ({"a":trux})`],
    ['"\\x"', `invalid character 'x' in string escape code (225c7822)`],
    ['{"a":"b', 'unexpected end of JSON input ({"a":"b)'],
    ['é', `invalid character 'Ã' looking for beginning of value (c3a9)`],
    ['{"a":1}x', `invalid character 'x' after top-level value ({"a":1}x)`],
    ["'", `invalid character '\\'' looking for beginning of value (27)`],
    ['{"a":"\t"}', `invalid character '\\t' in string literal ({"a":"\t"})`],
    ['{"kind":5}', 'json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})'],
    [
      '[]',
      'json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)',
    ],
  ])('the malformed JSON body %j is rejected with the message of kube-apiserver', (text, after) => {
    expect(failure(text)).toBe(BEFORE + after);
  });

  it.each([
    [
      'a: *b',
      "the object provided is unrecognized (must be of type ConfigMap): yaml: unknown anchor 'b' referenced (613a202a62)",
    ],
    [
      'a: .nan\nb: *c',
      "the object provided is unrecognized (must be of type ConfigMap): yaml: unknown anchor 'c' referenced (613a202e6e616e0a623a202a63)",
    ],
    [
      'a: .nan\n~: 5\n',
      'the object provided is unrecognized (must be of type ConfigMap): unsupported map key of type: %!s(<nil>), key: <nil> (613a202e6e616e0a7e3a20350a)',
    ],
    [
      'a: .nan\nkind: ConfigMap',
      'the object provided is unrecognized (must be of type ConfigMap): json: unsupported value: NaN (613a202e6e616e0a6b696e643a20436f6e6669674d6170)',
    ],
    [
      '- a',
      `${BEFORE}json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (2d2061)`,
    ],
  ])('the malformed YAML body %j is rejected with the message of kube-apiserver', (text, message) => {
    expect(failure(text, 'yaml')).toBe(message);
  });

  it('a body that nests too deeply is rejected', () => {
    expect(failure('['.repeat(501) + ']'.repeat(501))).toMatch(/invalid character '\[' exceeded max depth/);
    expect(readBody(bytes('['.repeat(500) + ']'.repeat(500)), 'json').duplicates).toEqual([]);
    expect(failure('{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000))).toMatch(
      /invalid character '\{' exceeded max depth/,
    );
  });

  it('a body with an integer that a double cannot represent is rejected', () => {
    expect(failure('{"a":9007199254740993}')).toMatch(
      /cannot unmarshal number 9007199254740993 into Go value of type int64/,
    );
    expect(failure('{"a":1e400}')).toMatch(/cannot unmarshal number 1e400 into Go value of type float64/);
    expect(readBody(bytes('[9007199254740992,1e300,12345678901234567890123,-0]'), 'json').value).toEqual([
      9007199254740992, 1e300, 1.2345678901234568e22, 0,
    ]);
  });
});

describe('JSON', () => {
  it.each([
    ['{"a":1,"a":2}', { a: 2 }, ['duplicate field "a"']],
    ['{"spec":{"l":[1,{"x":1,"x":2,"x":3}]}}', { spec: { l: [1, { x: 3 }] } }, ['duplicate field "spec.l[1].x"']],
    ['{"a":{"b":1},"a":{"c":1}}', { a: { c: 1 } }, ['duplicate field "a"']],
    [' {"a" : [ ] , "b":{ }, "c":[ true,false , null ] } ', { a: [], b: {}, c: [true, false, null] }, []],
    ['"\\u00e9\\n\\/\\ud83d\\ude00 é😀"', 'é\n/😀 é😀', []],
    ['"\\ud83d x"', '\ufffd x', []],
    ['-1.5e-3', -0.0015, []],
  ])('the JSON body %j is parsed as in Go', (text, value, duplicates) => {
    expect(readBody(bytes(text), 'json')).toEqual({ value, duplicates });
  });

  it('a JSON body keeps keys of Object.prototype as plain keys', () => {
    const { value } = readBody(bytes('{"__proto__":{"a":1},"constructor":2}'), 'json');

    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1},"constructor":2}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe('YAML', () => {
  it.each([
    ['in the block of 512 bytes in which the first document ends', 504, 511, false],
    ['in the next block, which contains the last byte of the document', 509, 600, false],
    ['after the last block that is read', 508, 512, true],
  ])('YAML with an invalid character %s is parsed as far as kube-apiserver parses it', (_where, end, place, isRead) => {
    const document = `a: b\n#${'x'.repeat(end - 7)}\n---\n`;
    const text = `${document}#${'x'.repeat(Math.max(0, place - document.length - 1))}\0`;
    if (isRead) expect(readBody(bytes(text), 'yaml').value).toEqual({ a: 'b' });
    else expect(() => readBody(bytes(text), 'yaml')).toThrow(MalformedBody);
  });

  it.each([
    [
      'a: yes\nb: 010\nc: 1_000\nd: 0x1F\ne: 2001-01-01\nf: 1.50\ng: ~\nh: "yes"\ni: 0b11\nj: 1:30',
      { a: true, b: 8, c: 1000, d: 31, e: '2001-01-01', f: 1.5, g: null, h: 'yes', i: 3, j: '1:30' },
    ],
    ['1: a\ny: b\n1.50: c', { '1': 'a', '1.5': 'c', true: 'b' }],
    ['a: b\n---\nc: d', { a: 'b' }],
    ['', null],
    ['x: &a [1]\nz: *a', { x: [1], z: [1] }],
    ['b: &b {p: 1, q: 2}\nc:\n  <<: *b\n  q: 3', { b: { p: 1, q: 2 }, c: { p: 1, q: 3 } }],
    ['a: !!str 5\nb: !!binary aGk=\nc: !!int "7"\nd: !other x', { a: '5', b: 'hi', c: 7, d: 'x' }],
    ['{"a": {"b": [1, "x"]}}', { a: { b: [1, 'x'] } }],
    ['.nan: a\n-.inf: b\n? .inf\n: c', { '-.inf': 'b', '.inf': 'c', '.nan': 'a' }],
  ])('the YAML body %j is parsed as in Kubernetes', (text, value) => {
    expect(readBody(bytes(text), 'yaml')).toEqual({ value, duplicates: [] });
  });

  it('the error for a duplicate YAML key contains its line', () => {
    const text = 'metadata:\n  name: a\ndata:\n  a: "1"\n  a: "2"\n1: a\n1: b\n';

    expect(readBody(bytes(text), 'yaml')).toEqual({
      value: { '1': 'b', data: { a: '2' }, metadata: { name: 'a' } },
      duplicates: ['line 5: key "a" already set in map', 'line 7: key 1 already set in map'],
    });
  });

  it('YAML that expands aliases excessively is rejected', () => {
    const levels = Array.from(
      { length: 20 },
      (_, at) => `a${at + 1}: &a${at + 1} [${Array.from({ length: 10 }, () => `*a${at}`).join(', ')}]`,
    );

    expect(failure(['a0: &a0 x', ...levels].join('\n'), 'yaml')).toMatch(/yaml: document contains excessive aliasing/);
    expect(failure('a: &a [*a]', 'yaml')).toMatch(/yaml: anchor 'a' value contains itself/);
  });

  it.each([
    ['half of a letter', [0xc3], 'yaml: invalid leading UTF-8 octet'],
    ['half of a pair', [0xed, 0xa0, 0xbd], 'yaml: invalid leading UTF-8 octet'],
    ['a delete', [0x7f], 'yaml: control characters are not allowed'],
    ['no character', [0xef, 0xbf, 0xbe], 'yaml: control characters are not allowed'],
  ])('YAML with %s is rejected, although JSON allows it', (_what, octets, message) => {
    const text = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(octets), Buffer.from('"}')]);
    expect(() => readBody(text, 'yaml')).toThrow(new MalformedBody(message));
    expect(Object.keys(Object(readBody(text, 'json').value))).toEqual(['a']);
  });
});
