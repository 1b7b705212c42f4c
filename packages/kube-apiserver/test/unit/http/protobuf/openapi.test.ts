import { describe, expect, it } from '@jest/globals';
import { openApiProtobuf } from '../../../../src/http/protobuf/openapi.js';
import { fieldsOf } from '../../../../src/http/protobuf/reader.js';
import type { JsonObject } from '@multicluster-engine/values/json';

/** Field numbers of `openapi.v2` of gnostic. */

/** A message as field numbers with values; bytes that are no text are decoded as a message where `deep` is set. */
function read(bytes: Uint8Array, ...path: readonly number[]): unknown[] {
  return fieldsOf(bytes).map(({ number, value }) => {
    if (value.wire === 'varint') return [number, Number(value.value)];
    if (value.wire === 'fixed') return [number, Buffer.from(value.bytes).readDoubleLE()];
    return [
      number,
      number === path[0] ? read(value.bytes, ...path.slice(1)) : Buffer.from(value.bytes).toString('utf8'),
    ];
  });
}

function schemaOf(schema: JsonObject): Uint8Array {
  return openApiProtobuf({ definitions: { X: schema } });
}

describe('OpenAPI v2 in protobuf', () => {
  it('the protobuf of an OpenAPI v2 document has its header', () => {
    expect(read(openApiProtobuf({ swagger: '2.0', info: { title: 'Kubernetes', version: '1.36' } }), 2)).toEqual([
      [1, '2.0'],
      [
        2,
        [
          [1, 'Kubernetes'],
          [2, '1.36'],
        ],
      ],
    ]);
  });

  it.each<[string, JsonObject, unknown[]]>([
    [
      'texts',
      { $ref: '#/definitions/Y', format: 'f', title: 't', description: 'é', pattern: 'p' },
      [
        [1, '#/definitions/Y'],
        [2, 'f'],
        [3, 't'],
        [4, 'é'],
        [13, 'p'],
      ],
    ],
    [
      'numbers',
      { maximum: 1.5, minLength: 3, maxItems: 300, exclusiveMaximum: true },
      [
        [7, 1.5],
        [12, 3],
        [14, 300],
        [8, 1],
      ],
    ],
    [
      'lists',
      { required: ['a', 'b'] },
      [
        [19, 'a'],
        [19, 'b'],
      ],
    ],
    [
      'values as YAML',
      { enum: ['a', 1] },
      [
        [20, '\u0012\u0003"a"'],
        [20, '\u0012\u00011'],
      ],
    ],
    [
      'extensions',
      { 'x-kubernetes-list-type': 'set' },
      [[31, '\n\u0016x-kubernetes-list-type\u0012\u0007\u0012\u0005"set"']],
    ],
    ['a type', { type: 'object' }, [[22, '\n\u0006object']]],
    ['schemas of items', { items: { type: 'string' } }, [[23, expect.stringContaining('string')]]],
    ['whether there may be more', { additionalProperties: true }, [[21, '\u0010\u0001']]],
  ])('the protobuf of a schema has %s', (_what, schema, fields) => {
    // The definitions, one of them, its value.
    expect(read(schemaOf(schema), 9, 1, 2)).toEqual([
      [
        9,
        [
          [
            1,
            [
              [1, 'X'],
              [2, fields],
            ],
          ],
        ],
      ],
    ]);
  });

  it('the protobuf of an operation has its parameters and responses', () => {
    const get = {
      description: 'd',
      operationId: 'o',
      tags: ['t'],
      consumes: ['c'],
      produces: ['p'],
      schemes: ['https'],
      parameters: [{ $ref: '#/parameters/x' }],
      responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/Y' } } },
      'x-kubernetes-action': 'get',
    };
    const written = openApiProtobuf({ paths: { '/a': { get } } });

    expect(read(written, 8, 2, 2, 2, 8, 2)).toEqual([
      [
        8,
        [
          [
            2,
            [
              [1, '/a'],
              [
                2,
                [
                  [
                    2,
                    [
                      [3, 'd'],
                      [5, 'o'],
                      [1, 't'],
                      [7, 'c'],
                      [6, 'p'],
                      [10, 'https'],
                      [8, [[2, [[1, '#/parameters/x']]]]],
                      [9, expect.stringContaining('#/definitions/Y')],
                      [13, '\n\u0013x-kubernetes-action\u0012\u0007\u0012\u0005"get"'],
                    ],
                  ],
                ],
              ],
            ],
          ],
        ],
      ],
    ]);
  });

  it.each([
    [
      'path',
      4,
      [
        [4, 'n'],
        [5, 'string'],
        [19, 1],
        [2, 'path'],
        [1, 1],
      ],
    ],
    [
      'query',
      3,
      [
        [4, 'n'],
        [6, 'string'],
        [20, 1],
        [2, 'query'],
        [1, 1],
      ],
    ],
  ])('the protobuf of a parameter in the %s', (place, number, fields) => {
    const parameter = { name: 'n', type: 'string', uniqueItems: true, in: place, required: true };

    expect(read(openApiProtobuf({ parameters: { n: parameter } }), 10, 1, 2, 2, number)).toEqual([
      [
        10,
        [
          [
            1,
            [
              [1, 'n'],
              [2, [[2, [[number, fields]]]]],
            ],
          ],
        ],
      ],
    ]);
  });
});
