import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { definitionName, META } from '../../../../src/discovery/schemanames.js';
import { decodeProtobuf } from '../../../../src/http/protobuf/body.js';
import type { KubeObject } from '@multicluster-engine/values/object';
import { canonical } from '@multicluster-engine/values/schema/struct/canonical';
import { StatusError } from '../../../../src/status.js';
import { root } from '../../../../testing/root.js';

/** One object of each kind as Go's encoders write it (tools/samples.go). */
interface Sample {
  readonly name: string;
  readonly protobuf: string;
  readonly json: KubeObject;
}

const samples = readFileSync(path.join(root, 'test/unit/http/protobuf/samples.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Sample);
const MAGIC = [0x6b, 0x38, 0x73, 0];

function definitionOf({ apiVersion, kind }: KubeObject): string {
  const [first = '', second] = apiVersion.split('/');
  return kind === 'DeleteOptions'
    ? `${META}DeleteOptions`
    : definitionName({ group: second === undefined ? '' : first, version: second ?? first, kind });
}

/** A length-delimited field. */
function field(number: number, bytes: readonly number[]): number[] {
  return [(number << 3) | 2, bytes.length, ...bytes];
}

function envelope(apiVersion: string, kind: string, raw: readonly number[]): Uint8Array {
  const text = (value: string): number[] => [...Buffer.from(value)];
  return Uint8Array.from([
    ...MAGIC,
    ...field(1, [...field(1, text(apiVersion)), ...field(2, text(kind))]),
    ...field(2, raw),
  ]);
}

describe('a protobuf body', () => {
  it.each(samples.map(({ name }) => name))('the protobuf body of %s is decoded to its JSON', (name) => {
    const sample = samples.find((one) => one.name === name);
    if (sample === undefined) throw new Error('no sample');
    const { json, protobuf } = sample;
    const decoded = decodeProtobuf(Buffer.from(protobuf, 'base64'));

    expect({ apiVersion: decoded.apiVersion, kind: decoded.kind, duplicates: decoded.duplicates }).toEqual({
      apiVersion: json.apiVersion,
      kind: json.kind,
      duplicates: [],
    });
    expect(canonical(definitionOf(json), decoded.value as KubeObject)).toEqual(canonical(definitionOf(json), json));
  });

  it('zero values of fields that are no pointers are omitted, so that defaults apply', () => {
    const paused = [0x38, 0];
    const replicas = [0x08, 0];
    const strategy = field(4, []);
    const { value } = decodeProtobuf(
      envelope('apps/v1', 'Deployment', field(2, [...replicas, ...paused, ...strategy])),
    );

    expect(value).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 0, strategy: {} } });
  });

  it('fields of a newer release in a protobuf body are skipped', () => {
    expect(decodeProtobuf(envelope('v1', 'ConfigMap', [...field(15, [1, 2, 3]), 0x78, 5])).value).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
    });
  });

  it('prototype property names in a protobuf body are ordinary keys', () => {
    const entry = [...field(1, [...Buffer.from('__proto__')]), ...field(2, [...Buffer.from('x')])];
    const { value } = decodeProtobuf(envelope('v1', 'ConfigMap', field(2, entry)));

    expect(Object.entries((value as { data: object }).data)).toEqual([['__proto__', 'x']]);
  });

  it.each([
    ['without the prefix', Uint8Array.from([1, 2, 3]), /does not appear to be a protobuf message/],
    ['of nothing', new Uint8Array(), /empty data/],
    ['of an unknown kind', envelope('v1', 'Endpoints', []), /no kind "Endpoints" is registered for version "v1"/],
    [
      'of an unknown version',
      envelope('apps/v2', 'Deployment', []),
      /no kind "Deployment" is registered for version "apps\/v2"/,
    ],
    ['that is cut', envelope('v1', 'ConfigMap', [0x0a, 20, 1]), /unexpected EOF/],
    ['with a wrong fixture type', envelope('v1', 'ConfigMap', [0x08, 1]), /wrong wireType/],
    [
      'with a number that never ends',
      envelope('v1', 'ConfigMap', [...Array<number>(11).fill(0xff)]),
      /integer overflow/,
    ],
  ])('a protobuf body with %s is refused', (_name, bytes, text) => {
    expect(() => decodeProtobuf(bytes)).toThrow(text);
  });

  it('any bytes as a protobuf body are decoded or refused with 400', () => {
    const real = Buffer.from(
      samples.find(({ name }) => name.startsWith('apps/v1 Deployment with all'))?.protobuf ?? '',
      'base64',
    ).subarray(0, 2000);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(1999), fc.nat(255)), { minLength: 1, maxLength: 8 }), (changes) => {
        const bytes = Uint8Array.from(real);
        for (const [at, byte] of changes) bytes[at] = byte;
        expect(refusal(bytes)).toBe(400);
      }),
      { numRuns: 300 },
    );
  });
});

function refusal(bytes: Uint8Array): number {
  try {
    decodeProtobuf(bytes);
    return 400;
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
}
