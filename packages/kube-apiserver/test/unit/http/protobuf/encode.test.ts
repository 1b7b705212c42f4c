import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { encodeEvent, encodeProtobuf } from '../../../../src/http/protobuf/envelope.js';
import { fieldsOf } from '../../../../src/http/protobuf/reader.js';
import type { KubeObject } from '@multicluster-engine/values/object';
import { root } from '../../../../testing/root.js';

/** The encoding equals, byte by byte, that of Go's encoders for the same objects (tools/samples.go). */
interface Sample {
  readonly name: string;
  readonly protobuf: string;
  readonly json: KubeObject;
}

const samples = readFileSync(path.join(root, 'test/unit/http/protobuf/samples.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Sample)
  .filter(({ json }) => json.kind !== 'DeleteOptions');

describe('a protobuf answer', () => {
  it.each(samples.map(({ name }) => name))('the protobuf response of %s is what Go writes', (name) => {
    const { json, protobuf } = samples.find((one) => one.name === name) ?? {
      json: { apiVersion: '', kind: '', metadata: {} },
      protobuf: '',
    };

    expect(encodeProtobuf(json).toString('latin1')).toBe(Buffer.from(protobuf, 'base64').toString('latin1'));
  });

  it('the protobuf response of a list has its metadata and its items', () => {
    const list = {
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '7', continue: 'x', remainingItemCount: 3 },
      items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
    };
    const text = encodeProtobuf(list).toString('latin1');

    expect(text.startsWith('k8s\0\n\x13\n\x02v1\x12\rConfigMapList\x12')).toBe(true);
    expect(text).toContain('\n\n\n\0\x12\x017\x1a\x01x\x20\x03');
    for (const name of ['a', 'b'])
      expect(text).toContain(contentOf({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } }));
  });

  it('the protobuf response of metadata has nothing else', () => {
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } };

    expect(encodeProtobuf({ ...partial, spec: { a: 'b' } })).toEqual(encodeProtobuf(partial));
  });

  it('a watch event in protobuf is a frame with its length', () => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } };
    const inner = encodeProtobuf(object);
    const frame = encodeEvent({ type: 'ADDED', object });

    expect(frame.readUInt32BE()).toBe(frame.length - 4);
    expect(frame.subarray(4, 11).toString('latin1')).toBe('\n\x05ADDED');
    expect(frame.subarray(frame.length - inner.length)).toEqual(inner);
  });

  it('a negative number in protobuf has ten bytes', () => {
    const node = { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', metadata: {}, spec: { leaseTransitions: -1 } };

    expect(encodeProtobuf(node).toString('latin1')).toContain('\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01');
  });
});

/** The message in the envelope. */
function contentOf(object: KubeObject): string {
  const field = fieldsOf(encodeProtobuf(object).subarray(4)).find(({ number }) => number === 2);
  return field?.value.wire === 'bytes' ? Buffer.from(field.value.bytes).toString('latin1') : 'none';
}
