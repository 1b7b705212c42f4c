import { readFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { root } from '../../testing/root.js';
import { Masks } from './differential/mask.js';
import { NAMESPACE, nameOf, SAMPLES } from './protobuf/objects.js';
import { describeConformance } from './suite.js';
import { HttpsClient } from './httpsclient.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
/** Each sample in protobuf, as kube-apiserver encoded it. */
const recorded: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(path.join(root, 'test', 'conformance', 'protobuf', 'recorded.json'), 'utf8'),
);

describeConformance('protobuf requests', {}, (target) => {
  let wire: HttpsClient;
  beforeAll(async () => {
    await target().call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } });
    wire = new HttpsClient(target());
  });
  afterAll(() => wire.close());

  it.each(SAMPLES.map((sample) => ({ ...sample, title: nameOf(sample) })))(
    'a protobuf request for $title creates the same object as JSON',
    async ({ path: place, object, title }) => {
      const made = await wire.send({ method: 'POST', path: `${place}?dryRun=All`, body: JSON.stringify(object) });
      const bytes = Buffer.from(recorded[title] ?? '', 'base64');
      const same = await wire.send({
        method: 'POST',
        path: `${place}?dryRun=All`,
        body: bytes,
        headers: {
          'content-type': PROTOBUF,
          accept: `${PROTOBUF},application/json;q=0.5`,
          'user-agent': 'conformance/1',
        },
      });
      const answers = [made, await inJson(same, place, bytes)].map(({ code, text }) => ({
        code,
        object: plain(JSON.parse(text)),
      }));
      expect(answers[0]?.code).toBe(201);
      expect(answers[1]).toEqual(answers[0]);
    },
  );

  /** Repeats the request with JSON as the only accepted type where the response is protobuf. */
  async function inJson(
    answer: Awaited<ReturnType<HttpsClient['send']>>,
    place: string,
    body: Uint8Array,
  ): Promise<typeof answer> {
    if (answer.headers['content-type']?.startsWith('application/json') === true) return answer;
    expect([answer.code, answer.headers['content-type']]).toEqual([201, PROTOBUF]);
    return wire.send({ method: 'POST', path: `${place}?dryRun=All`, body, headers: { 'content-type': PROTOBUF } });
  }

  it('a body that is no protobuf is rejected', async () => {
    const answer = await wire.send({
      method: 'POST',
      path: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
      body: 'no protobuf',
      headers: { 'content-type': PROTOBUF },
    });
    expect(answer.code).toBe(400);
  });
});

/** Removes managedFields, which differ by client and time, and masks values that the server sets. */
function plain(object: { readonly metadata?: object }): unknown {
  const { managedFields: _managers, ...metadata }: { managedFields?: unknown } = object.metadata ?? {};
  return new Masks().value({ ...object, metadata });
}
