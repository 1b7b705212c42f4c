import { describe, expect, it } from '@jest/globals';
import type { Schema } from '../../src/schema/schema.js';
import { causesOf, type Row } from './fixture.js';

describe('types of values', () => {
  it.each<Row>([
    [
      { type: 'string' },
      1,
      ['spec.x|TypeInvalid|Invalid value: "integer": spec.x in body must be of type string: "integer"'],
    ],
    [{ type: 'integer' }, 1, []],
    [{ type: 'number' }, 1, []],
    [
      { type: 'boolean' },
      1,
      ['spec.x|TypeInvalid|Invalid value: "integer": spec.x in body must be of type boolean: "integer"'],
    ],
    [
      { type: 'array', items: { type: 'string' } },
      1,
      ['spec.x|TypeInvalid|Invalid value: "integer": spec.x in body must be of type array: "integer"'],
    ],
    [
      { type: 'object', properties: {} },
      1,
      ['spec.x|TypeInvalid|Invalid value: "integer": spec.x in body must be of type object: "integer"'],
    ],
    [{ 'x-kubernetes-int-or-string': true }, 1, []],
    [
      { type: 'string' },
      1.5,
      ['spec.x|TypeInvalid|Invalid value: "number": spec.x in body must be of type string: "number"'],
    ],
    [
      { type: 'integer' },
      1.5,
      [
        '<nil>|Invalid|Invalid value: "": Checked value must be of type integer (default format) in spec.x',
        'spec.x|TypeInvalid|Invalid value: "number": spec.x in body must be of type integer: "number"',
      ],
    ],
    [{ type: 'number' }, 1.5, []],
    [
      { type: 'boolean' },
      1.5,
      ['spec.x|TypeInvalid|Invalid value: "number": spec.x in body must be of type boolean: "number"'],
    ],
    [
      { type: 'array', items: { type: 'string' } },
      1.5,
      ['spec.x|TypeInvalid|Invalid value: "number": spec.x in body must be of type array: "number"'],
    ],
    [
      { type: 'object', properties: {} },
      1.5,
      ['spec.x|TypeInvalid|Invalid value: "number": spec.x in body must be of type object: "number"'],
    ],
    [
      { 'x-kubernetes-int-or-string': true },
      1.5,
      ['spec.x|TypeInvalid|Invalid value: "number": spec.x in body must be of type integer,string: "number"'],
    ],
    [{ type: 'string' }, 'a', []],
    [
      { type: 'integer' },
      'a',
      ['spec.x|TypeInvalid|Invalid value: "string": spec.x in body must be of type integer: "string"'],
    ],
    [
      { type: 'number' },
      'a',
      ['spec.x|TypeInvalid|Invalid value: "string": spec.x in body must be of type number: "string"'],
    ],
    [
      { type: 'boolean' },
      'a',
      ['spec.x|TypeInvalid|Invalid value: "string": spec.x in body must be of type boolean: "string"'],
    ],
    [
      { type: 'array', items: { type: 'string' } },
      'a',
      ['spec.x|TypeInvalid|Invalid value: "string": spec.x in body must be of type array: "string"'],
    ],
    [
      { type: 'object', properties: {} },
      'a',
      ['spec.x|TypeInvalid|Invalid value: "string": spec.x in body must be of type object: "string"'],
    ],
    [{ 'x-kubernetes-int-or-string': true }, 'a', []],
    [
      { type: 'string' },
      true,
      ['spec.x|TypeInvalid|Invalid value: "boolean": spec.x in body must be of type string: "boolean"'],
    ],
    [
      { type: 'integer' },
      true,
      ['spec.x|TypeInvalid|Invalid value: "boolean": spec.x in body must be of type integer: "boolean"'],
    ],
    [
      { type: 'number' },
      true,
      ['spec.x|TypeInvalid|Invalid value: "boolean": spec.x in body must be of type number: "boolean"'],
    ],
    [{ type: 'boolean' }, true, []],
    [
      { type: 'array', items: { type: 'string' } },
      true,
      ['spec.x|TypeInvalid|Invalid value: "boolean": spec.x in body must be of type array: "boolean"'],
    ],
    [
      { type: 'object', properties: {} },
      true,
      ['spec.x|TypeInvalid|Invalid value: "boolean": spec.x in body must be of type object: "boolean"'],
    ],
    [
      { 'x-kubernetes-int-or-string': true },
      true,
      ['spec.x|TypeInvalid|Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"'],
    ],
    [
      { type: 'string' },
      [],
      ['spec.x|TypeInvalid|Invalid value: "array": spec.x in body must be of type string: "array"'],
    ],
    [
      { type: 'integer' },
      [],
      ['spec.x|TypeInvalid|Invalid value: "array": spec.x in body must be of type integer: "array"'],
    ],
    [
      { type: 'number' },
      [],
      ['spec.x|TypeInvalid|Invalid value: "array": spec.x in body must be of type number: "array"'],
    ],
    [
      { type: 'boolean' },
      [],
      ['spec.x|TypeInvalid|Invalid value: "array": spec.x in body must be of type boolean: "array"'],
    ],
    [{ type: 'array', items: { type: 'string' } }, [], []],
    [
      { type: 'object', properties: {} },
      [],
      ['spec.x|TypeInvalid|Invalid value: "array": spec.x in body must be of type object: "array"'],
    ],
    [
      { 'x-kubernetes-int-or-string': true },
      [],
      ['spec.x|TypeInvalid|Invalid value: "array": spec.x in body must be of type integer,string: "array"'],
    ],
    [
      { type: 'string' },
      {},
      ['spec.x|TypeInvalid|Invalid value: "object": spec.x in body must be of type string: "object"'],
    ],
    [
      { type: 'integer' },
      {},
      ['spec.x|TypeInvalid|Invalid value: "object": spec.x in body must be of type integer: "object"'],
    ],
    [
      { type: 'number' },
      {},
      ['spec.x|TypeInvalid|Invalid value: "object": spec.x in body must be of type number: "object"'],
    ],
    [
      { type: 'boolean' },
      {},
      ['spec.x|TypeInvalid|Invalid value: "object": spec.x in body must be of type boolean: "object"'],
    ],
    [
      { type: 'array', items: { type: 'string' } },
      {},
      ['spec.x|TypeInvalid|Invalid value: "object": spec.x in body must be of type array: "object"'],
    ],
    [{ type: 'object', properties: {} }, {}, []],
    [
      { 'x-kubernetes-int-or-string': true },
      {},
      ['spec.x|TypeInvalid|Invalid value: "object": spec.x in body must be of type integer,string: "object"'],
    ],
    [
      { type: 'object', properties: {}, 'x-kubernetes-preserve-unknown-fields': true },
      5,
      ['spec.x|TypeInvalid|Invalid value: "integer": spec.x in body must be of type object: "integer"'],
    ],
    [{ 'x-kubernetes-preserve-unknown-fields': true }, [1, 'a'], []],
    [
      { type: 'array', items: { type: 'string' } },
      [null, 'a', 1],
      [
        'spec.x[0]|TypeInvalid|Invalid value: "null": spec.x[0] in body must be of type string: "null"',
        'spec.x[2]|TypeInvalid|Invalid value: "integer": spec.x[2] in body must be of type string: "integer"',
      ],
    ],
    [{ type: 'array', items: { type: 'string', nullable: true } }, [null], []],
    [{ type: 'string', nullable: true }, null, []],
    [
      { type: 'string', nullable: true, enum: ['a'] },
      null,
      ['spec.x|NotSupported|Unsupported value: null: supported values: "a"'],
    ],
    [
      { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
      [[1], ['a']],
      ['spec.x[1][0]|TypeInvalid|Invalid value: "string": spec.x[1][0] in body must be of type integer: "string"'],
    ],
    [
      { type: 'object', additionalProperties: { type: 'integer' } },
      { a: 1, 'b.c': 'x' },
      ['spec.x.b.c|TypeInvalid|Invalid value: "string": spec.x.b.c in body must be of type integer: "string"'],
    ],
    [
      { type: 'string', format: 'date-time' },
      5,
      ['spec.x|TypeInvalid|Invalid value: "int64": spec.x in body must be of type date-time: "int64"'],
    ],
    [
      { type: 'string', format: 'date-time' },
      true,
      ['spec.x|TypeInvalid|Invalid value: "": spec.x in body must be of type date-time: ""'],
    ],
    [{ type: 'string', format: 'date-time' }, ['x'], []],
    [
      { type: 'string', format: 'date-time' },
      {},
      ['spec.x|TypeInvalid|Invalid value: "": spec.x in body must be of type date-time: ""'],
    ],
    [
      { type: 'integer', format: 'int32' },
      'x',
      ['spec.x|TypeInvalid|Invalid value: "string": spec.x in body must be of type integer: "string"'],
    ],
    [
      { type: 'integer', format: 'int32' },
      2147483648,
      ['<nil>|Invalid|Invalid value: "": Checked value must be of type integer with format int32 in spec.x'],
    ],
    [
      { type: 'integer', format: 'int64' },
      1.5,
      [
        '<nil>|Invalid|Invalid value: "": Checked value must be of type integer with format int64 in spec.x',
        'spec.x|TypeInvalid|Invalid value: "float64": spec.x in body must be of type int64: "float64"',
      ],
    ],
    [
      { type: 'number', format: 'float' },
      1e39,
      ['<nil>|Invalid|Invalid value: "": Checked value must be of type number with format float in spec.x'],
    ],
    [{ type: 'number', format: 'double' }, 1e300, []],
    [
      { type: 'number', format: 'double' },
      'x',
      ['spec.x|TypeInvalid|Invalid value: "string": spec.x in body must be of type number: "string"'],
    ],
    [
      { type: 'integer', format: 'unknown' },
      'x',
      ['spec.x|TypeInvalid|Invalid value: "string": spec.x in body must be of type integer: "string"'],
    ],
    [
      { type: 'integer', format: 'int32' },
      true,
      ['spec.x|TypeInvalid|Invalid value: "": spec.x in body must be of type int32: ""'],
    ],
    [
      { type: 'integer' },
      1.0000000001,
      ['<nil>|Invalid|Invalid value: "": Checked value must be of type integer (default format) in spec.x'],
    ],
    [
      { type: 'integer' },
      -1.5,
      [
        '<nil>|Invalid|Invalid value: "": Checked value must be of type integer (default format) in spec.x',
        'spec.x|TypeInvalid|Invalid value: "number": spec.x in body must be of type integer: "number"',
      ],
    ],
    [{ type: 'integer' }, 1000000000000000, []],
    [{ type: 'integer' }, 9007199254740991, []],
    [{ type: 'number' }, -0.1, []],
    [
      { type: 'integer' },
      10000000000000000000,
      [
        '<nil>|Invalid|Invalid value: "": Checked value must be of type integer (default format) in spec.x',
        'spec.x|TypeInvalid|Invalid value: "number": spec.x in body must be of type integer: "number"',
      ],
    ],
    [
      { type: 'integer' },
      1.5e300,
      [
        '<nil>|Invalid|Invalid value: "": Checked value must be of type integer (default format) in spec.x',
        'spec.x|TypeInvalid|Invalid value: "number": spec.x in body must be of type integer: "number"',
      ],
    ],
  ])('the type check of schema %j for value %j reports the causes of kube-apiserver', (schema, value, causes) => {
    expect(causesOf(schema, value)).toEqual(causes);
  });
});

describe('bounds of numbers', () => {
  it.each<Row>([
    [{ type: 'integer', maximum: 10 }, 10, []],
    [
      { type: 'integer', maximum: 10 },
      11,
      ['spec.x|Invalid|Invalid value: 11: spec.x in body should be less than or equal to 10'],
    ],
    [
      { type: 'integer', maximum: 10, exclusiveMaximum: true },
      10,
      ['spec.x|Invalid|Invalid value: 10: spec.x in body should be less than 10'],
    ],
    [
      { type: 'integer', minimum: 1 },
      0,
      ['spec.x|Invalid|Invalid value: 0: spec.x in body should be greater than or equal to 1'],
    ],
    [
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      1,
      ['spec.x|Invalid|Invalid value: 1: spec.x in body should be greater than 1'],
    ],
    [
      { type: 'number', maximum: 1.5 },
      1.6,
      ['spec.x|Invalid|Invalid value: 1.6: spec.x in body should be less than or equal to 1.5'],
    ],
    [
      { type: 'number', maximum: 10.5 },
      11,
      ['spec.x|Invalid|Invalid value: 11: spec.x in body should be less than or equal to 10'],
    ],
    [
      { type: 'number', maximum: 10.5 },
      10.7,
      ['spec.x|Invalid|Invalid value: 10.7: spec.x in body should be less than or equal to 10.5'],
    ],
    [{ type: 'number', minimum: 0.5 }, 0, []],
    [
      { type: 'number', minimum: 0.5 },
      0.25,
      ['spec.x|Invalid|Invalid value: 0.25: spec.x in body should be greater than or equal to 0.5'],
    ],
    [
      { type: 'number', minimum: -1e21 },
      -1e22,
      ['spec.x|Invalid|Invalid value: -1e+22: spec.x in body should be greater than or equal to -1e+21'],
    ],
    [
      { type: 'number', minimum: 0.00001 },
      0.000001,
      ['spec.x|Invalid|Invalid value: 1e-06: spec.x in body should be greater than or equal to 1e-05'],
    ],
    [
      { type: 'integer', maximum: 10.5 },
      11,
      [
        '<nil>|Invalid|Invalid value: "": Maximum boundary value must be of type integer (default format) in spec.x',
        'spec.x|Invalid|Invalid value: 11: spec.x in body should be less than or equal to 10.5',
      ],
    ],
    [
      { type: 'integer', maximum: 10.5 },
      3,
      ['<nil>|Invalid|Invalid value: "": Maximum boundary value must be of type integer (default format) in spec.x'],
    ],
    [
      { type: 'integer', multipleOf: 5 },
      7,
      ['spec.x|Invalid|Invalid value: 7: spec.x in body should be a multiple of 5'],
    ],
    [{ type: 'integer', multipleOf: 5 }, 10, []],
    [{ type: 'number', multipleOf: 0.1 }, 0.3, []],
    [
      { type: 'number', multipleOf: 0.5 },
      0.75,
      ['spec.x|Invalid|Invalid value: 0.75: spec.x in body should be a multiple of 0.5'],
    ],
    [
      { type: 'number', multipleOf: 0.5 },
      3,
      ['spec.x|Invalid|Invalid value: 0: factor MultipleOf declared for spec.x must be positive: 0'],
    ],
    [
      { type: 'number', multipleOf: 2.5 },
      5,
      ['spec.x|Invalid|Invalid value: 5: spec.x in body should be a multiple of 2'],
    ],
    [
      { type: 'integer', multipleOf: 0.5 },
      3,
      ['<nil>|Invalid|Invalid value: "": MultipleOf value must be of type integer (default format) in spec.x'],
    ],
    [
      { type: 'integer', minimum: 5, maximum: 3 },
      4,
      [
        'spec.x|Invalid|Invalid value: 4: spec.x in body should be greater than or equal to 5',
        'spec.x|Invalid|Invalid value: 4: spec.x in body should be less than or equal to 3',
      ],
    ],
    [
      { type: 'integer', maximum: 10 },
      'x',
      ['spec.x|TypeInvalid|Invalid value: "string": spec.x in body must be of type integer: "string"'],
    ],
    [
      { type: 'integer', maximum: 10 },
      20.5,
      [
        '<nil>|Invalid|Invalid value: "": Checked value must be of type integer (default format) in spec.x',
        'spec.x|Invalid|Invalid value: 20.5: spec.x in body should be less than or equal to 10',
        'spec.x|TypeInvalid|Invalid value: "number": spec.x in body must be of type integer: "number"',
      ],
    ],
    [
      { type: 'number', maximum: 1e21 },
      1e22,
      ['spec.x|Invalid|Invalid value: 1e+22: spec.x in body should be less than or equal to 1e+21'],
    ],
    [
      { 'x-kubernetes-int-or-string': true, maximum: 10 },
      11,
      ['spec.x|Invalid|Invalid value: 11: spec.x in body should be less than or equal to 10'],
    ],
    [
      { 'x-kubernetes-int-or-string': true, maximum: 10.5 },
      11,
      ['spec.x|Invalid|Invalid value: 11: spec.x in body should be less than or equal to 10'],
    ],
    [
      { 'x-kubernetes-int-or-string': true, maxLength: 2 },
      'abc',
      ['spec.x|TooLong|Too long: may not be more than 2 bytes'],
    ],
    [{ 'x-kubernetes-int-or-string': true, maxLength: 2, maximum: 3 }, 'ab', []],
    [
      { type: 'string', maximum: 3 },
      4,
      [
        'spec.x|Invalid|Invalid value: 4: spec.x in body should be less than or equal to 3',
        'spec.x|TypeInvalid|Invalid value: "integer": spec.x in body must be of type string: "integer"',
      ],
    ],
    [
      { type: 'number', multipleOf: 0.1 },
      -0.35,
      ['spec.x|Invalid|Invalid value: -0.35: spec.x in body should be a multiple of 0.1'],
    ],
    [
      { type: 'integer', maximum: 2147483648 },
      2147483649,
      ['spec.x|Invalid|Invalid value: 2147483649: spec.x in body should be less than or equal to 2147483648'],
    ],
    [
      { type: 'number', maximum: 5 },
      1234567.5,
      ['spec.x|Invalid|Invalid value: 1.2345675e+06: spec.x in body should be less than or equal to 5'],
    ],
    [
      { type: 'number', maximum: 10000000 },
      20000000,
      ['spec.x|Invalid|Invalid value: 20000000: spec.x in body should be less than or equal to 10000000'],
    ],
    [
      { type: 'integer', maximum: 2.5 },
      1000000,
      [
        '<nil>|Invalid|Invalid value: "": Maximum boundary value must be of type integer (default format) in spec.x',
        'spec.x|Invalid|Invalid value: 1e+06: spec.x in body should be less than or equal to 2.5',
      ],
    ],
    [
      { type: 'number', maximum: 1234567.5 },
      7654321.5,
      ['spec.x|Invalid|Invalid value: 7.6543215e+06: spec.x in body should be less than or equal to 1.2345675e+06'],
    ],
    [
      { type: 'integer', minimum: -0.5 },
      -3000000,
      [
        '<nil>|Invalid|Invalid value: "": Minimum boundary value must be of type integer (default format) in spec.x',
        'spec.x|Invalid|Invalid value: -3e+06: spec.x in body should be greater than or equal to -0.5',
      ],
    ],
    [
      { type: 'number', multipleOf: 0.5 },
      1234567.3,
      ['spec.x|Invalid|Invalid value: 1.2345673e+06: spec.x in body should be a multiple of 0.5'],
    ],
    [
      { type: 'integer', maximum: 3 },
      10000000000000000000,
      [
        '<nil>|Invalid|Invalid value: "": Checked value must be of type integer (default format) in spec.x',
        'spec.x|Invalid|Invalid value: 1e+19: spec.x in body should be less than or equal to 3',
        'spec.x|TypeInvalid|Invalid value: "number": spec.x in body must be of type integer: "number"',
      ],
    ],
    [
      { type: 'number' },
      'x',
      ['spec.x|TypeInvalid|Invalid value: "string": spec.x in body must be of type number: "string"'],
    ],
    [
      { type: 'number', enum: [1234567.5] },
      1234568.5,
      ['spec.x|NotSupported|Unsupported value: 1.2345685e+06: supported values: "1234567.5"'],
    ],
    [
      { type: 'integer', enum: [3000000000] },
      5,
      ['spec.x|NotSupported|Unsupported value: 5: supported values: "3000000000"'],
    ],
  ])('the numeric bounds of schema %j for value %j report the causes of kube-apiserver', (schema, value, causes) => {
    expect(causesOf(schema, value)).toEqual(causes);
  });
});

describe('length and pattern', () => {
  it.each<Row>([
    [{ type: 'string', maxLength: 2 }, 'abc', ['spec.x|TooLong|Too long: may not be more than 2 bytes']],
    [{ type: 'string', maxLength: 1 }, 'abc', ['spec.x|TooLong|Too long: may not be more than 1 byte']],
    [{ type: 'string', maxLength: 2 }, 'é😀', []],
    [{ type: 'string', maxLength: 2 }, 'é😀x', ['spec.x|TooLong|Too long: may not be more than 2 bytes']],
    [
      { type: 'string', minLength: 1 },
      '',
      ['spec.x|Invalid|Invalid value: "": spec.x in body should be at least 1 chars long'],
    ],
    [
      { type: 'string', minLength: 3 },
      'é😀',
      ['spec.x|Invalid|Invalid value: "é😀": spec.x in body should be at least 3 chars long'],
    ],
    [
      { type: 'string', pattern: '^a+$' },
      'b',
      [`spec.x|Invalid|Invalid value: "b": spec.x in body should match '^a+$'`],
    ],
    [{ type: 'string', pattern: '^a+$' }, 'aaa', []],
    [{ type: 'string', pattern: 'b', maxLength: 1 }, 'aa', ['spec.x|TooLong|Too long: may not be more than 1 byte']],
    [
      { type: 'string', pattern: '^(a+)+$' },
      'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!',
      [
        `spec.x|Invalid|Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!": spec.x in body should match '^(a+)+$'`,
      ],
    ],
    [
      { type: 'string', pattern: '^\\d{3}"\\\\<>&$' },
      'x<"y">\n&',
      [`spec.x|Invalid|Invalid value: "x<\\"y\\">\\n&": spec.x in body should match '^\\d{3}"\\\\<>&$'`],
    ],
    [{ type: 'string', pattern: '(?i)^abc$' }, 'ABC', []],
    [
      { type: 'string', enum: ['a', 'b"c'] },
      'z',
      ['spec.x|NotSupported|Unsupported value: "z": supported values: "a", "b\\"c"'],
    ],
    [{ type: 'string', enum: ['a', 'b'] }, 'a', []],
    [
      { type: 'string', minLength: 2, enum: ['aa'], pattern: 'a' },
      'b',
      [
        'spec.x|Invalid|Invalid value: "b": spec.x in body should be at least 2 chars long',
        'spec.x|NotSupported|Unsupported value: "b": supported values: "aa"',
      ],
    ],
    [
      { type: 'string', pattern: 'a' },
      'x'.repeat(300),
      [
        `spec.x|Invalid|Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": spec.x in body should match 'a'`,
      ],
    ],
  ])('length and pattern of schema %j for value %j report the causes of kube-apiserver', (schema, value, causes) => {
    expect(causesOf(schema, value)).toEqual(causes);
  });
});

describe('enumerations', () => {
  it.each<Row>([
    [{ type: 'integer', enum: [1, 2] }, 3, ['spec.x|NotSupported|Unsupported value: 3: supported values: "1", "2"']],
    [
      { type: 'integer', enum: [1, 2] },
      'x',
      [
        'spec.x|NotSupported|Unsupported value: "x": supported values: "1", "2"',
        'spec.x|TypeInvalid|Invalid value: "string": spec.x in body must be of type integer: "string"',
      ],
    ],
    [{ type: 'number', enum: [1, 2.5] }, 1.5, []],
    [{ type: 'number', enum: [2.5] }, 2.5, []],
    [{ type: 'number', enum: [2.5] }, 2.25, ['spec.x|NotSupported|Unsupported value: 2.25: supported values: "2.5"']],
    [
      { type: 'boolean', enum: [true] },
      false,
      ['spec.x|NotSupported|Unsupported value: false: supported values: "true"'],
    ],
    [
      { type: 'object', properties: { a: { type: 'integer' } }, enum: [{ a: 1 }] },
      { a: 2 },
      ['spec.x|NotSupported|Unsupported value: {"a":2}: supported values: "{\\"a\\":1}"'],
    ],
    [{ type: 'object', properties: { a: { type: 'integer' } }, enum: [{ a: 1 }] }, { a: 1 }, []],
    [
      { type: 'array', items: { type: 'integer' }, enum: [[1], [2]] },
      [1, 2],
      ['spec.x|NotSupported|Unsupported value: [1,2]: supported values: "[1]", "[2]"'],
    ],
    [
      { type: 'string', enum: ['A'] },
      65,
      ['spec.x|TypeInvalid|Invalid value: "integer": spec.x in body must be of type string: "integer"'],
    ],
    [
      { 'x-kubernetes-int-or-string': true, enum: [1, 'a'] },
      2,
      ['spec.x|NotSupported|Unsupported value: 2: supported values: "1", "a"'],
    ],
    [
      { 'x-kubernetes-int-or-string': true, enum: [1, 'a'] },
      'b',
      ['spec.x|NotSupported|Unsupported value: "b": supported values: "1", "a"'],
    ],
  ])('the enumeration of schema %j for value %j reports the causes of kube-apiserver', (schema, value, causes) => {
    expect(causesOf(schema, value)).toEqual(causes);
  });
});

describe('additionalProperties: false', () => {
  const closed: Schema = { type: 'object', additionalProperties: false };
  it.each<Row>([
    [closed, {}, []],
    [closed, { a: 'a' }, ['spec.x|Invalid|Invalid value: "a": spec.x.a in body is a forbidden property']],
    [
      closed,
      { a: 'a', b: { c: 1 } },
      [
        'spec.x|Invalid|Invalid value: "a": spec.x.a in body is a forbidden property',
        'spec.x|Invalid|Invalid value: "b": spec.x.b in body is a forbidden property',
      ],
    ],
    [
      { type: 'array', items: closed },
      [{}, { a: 1 }],
      ['spec.x[1]|Invalid|Invalid value: "a": spec.x[1].a in body is a forbidden property'],
    ],
    [
      { type: 'object', additionalProperties: closed },
      { y: { z: 1 } },
      ['spec.x.y|Invalid|Invalid value: "z": spec.x.y.z in body is a forbidden property'],
    ],
    [
      { ...closed, 'x-kubernetes-preserve-unknown-fields': true },
      { a: 1 },
      ['spec.x|Invalid|Invalid value: "a": spec.x.a in body is a forbidden property'],
    ],
    [
      { ...closed, maxProperties: 0 },
      { a: 1 },
      [
        'spec.x|Invalid|Invalid value: "a": spec.x.a in body is a forbidden property',
        'spec.x|TooMany|Too many: 1: must have at most 0 items',
      ],
    ],
  ])('the schema %j limits the keys of %j with the causes %j', (schema, value, causes) => {
    expect(causesOf(schema, value)).toEqual(causes);
  });
});
