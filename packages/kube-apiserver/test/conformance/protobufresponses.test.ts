import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { definitionName, META } from '../../src/discovery/schemanames.js';
import { decodeProtobuf } from '../../src/http/protobuf/body.js';
import { decodeStruct } from '../../src/http/protobuf/message.js';
import { fieldsOf, type WireField } from '../../src/http/protobuf/reader.js';
import type { KubeObject } from '@multicluster-engine/values/object';
import { sorted } from '../unit/discovery/digest.js';
import { canonical } from '@multicluster-engine/values/schema/struct/canonical';
import { Masks } from './differential/mask.js';
import { NAMESPACE, nameOf, SAMPLES } from './protobuf/objects.js';
import { describeConformance } from './suite.js';
import { HttpsClient, type RawResponse } from './httpsclient.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const MAGIC_BYTES = 4;

describeConformance('protobuf responses', {}, (target) => {
  let wire: HttpsClient;
  beforeAll(async () => {
    await target().call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } });
    for (const name of ['a', 'b'])
      await target().call({
        method: 'POST',
        path: MAPS,
        body: { metadata: { name, labels: { n: name } }, data: { key: name } },
      });
    wire = new HttpsClient(target());
  });
  afterAll(() => wire.close());

  const get = (path: string, accept: string): Promise<RawResponse> => wire.send({ path, headers: { accept } });

  it.each(SAMPLES.map((sample) => ({ ...sample, title: nameOf(sample) })))(
    'the protobuf response for $title equals the JSON response',
    async ({ path, object }) => {
      const body = JSON.stringify(object);
      const [json, binary] = await Promise.all(
        ['application/json', `${PROTOBUF},application/json`].map((accept) =>
          wire.send({
            method: 'POST',
            path: `${path}?dryRun=All`,
            body,
            headers: { accept, 'content-type': 'application/json' },
          }),
        ),
      );
      expect([json?.code, binary?.code, binary?.headers['content-type']]).toEqual([201, 201, PROTOBUF]);
      const objects = [JSON.parse(json?.text ?? ''), decodeProtobuf(binary?.bytes ?? Buffer.alloc(0)).value].map(
        (one) => plain(one as KubeObject),
      );
      expect(objects[1]).toEqual(objects[0]);
    },
  );

  it('the protobuf response for a list has its items', async () => {
    const { headers, bytes } = await get(`${MAPS}?labelSelector=n`, PROTOBUF);
    const items = messages(content(bytes), 2).map((item) => decodeStruct('io.k8s.api.core.v1.ConfigMap', item));

    expect([
      headers['content-type'],
      items.map(({ metadata, data }) => [(metadata as { name: string }).name, data]),
    ]).toEqual([
      PROTOBUF,
      [
        ['a', { key: 'a' }],
        ['b', { key: 'b' }],
      ],
    ]);
  });

  it('a protobuf PartialObjectMetadataList has only metadata', async () => {
    const { headers, bytes } = await get(
      `${MAPS}?labelSelector=n`,
      `${PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`,
    );
    const [first = new Uint8Array()] = messages(content(bytes), 2);

    expect([headers['content-type'], fieldsOf(first).map(({ number }) => number)]).toEqual([PROTOBUF, [1]]);
  });

  it('an error in protobuf is a Status', async () => {
    const { code, headers, bytes } = await get(`${MAPS}/nope`, `${PROTOBUF},application/json`);
    const { kind, reason, message } = decodeStruct(
      `${META}Status`,
      messages(fieldsOf(bytes.subarray(MAGIC_BYTES)), 2)[0] ?? new Uint8Array(),
    );

    expect([code, headers['content-type'], kind, reason, message]).toEqual([
      404,
      PROTOBUF,
      undefined,
      'NotFound',
      'configmaps "nope" not found',
    ]);
  });

  it('a Table is not available in protobuf', async () => {
    const table = 'as=Table;g=meta.k8s.io;v=v1';
    expect((await get(MAPS, `${PROTOBUF};${table},application/json;${table}`)).headers['content-type']).toBe(
      'application/json',
    );
    expect((await get(MAPS, `${PROTOBUF};${table}`)).code).toBe(406);
  });
});

function plain(object: KubeObject): unknown {
  const [first = '', second] = object.apiVersion.split('/');
  const definition = definitionName({
    group: second === undefined ? '' : first,
    version: second ?? first,
    kind: object.kind,
  });
  const { managedFields: _managers, ...metadata } = canonical(definition, object).metadata;
  return new Masks().value(sorted({ ...canonical(definition, object), metadata }));
}

/** The message within the envelope. */
function content(bytes: Buffer): readonly WireField[] {
  return fieldsOf(messages(fieldsOf(bytes.subarray(MAGIC_BYTES)), 2)[0] ?? new Uint8Array());
}

function messages(fields: readonly WireField[], number: number): Uint8Array[] {
  return fields.flatMap((field) =>
    field.number === number && field.value.wire === 'bytes' ? [field.value.bytes] : [],
  );
}
