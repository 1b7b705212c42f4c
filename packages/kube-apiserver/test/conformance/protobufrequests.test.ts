import { readFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { root } from '../../testing/root.js';
import { Masks } from './differential/mask.js';
import { NAMESPACE, nameOf, SAMPLES } from './protobuf/objects.js';
import { describeConformance } from './suite.js';
import { HttpsClient } from './httpsclient.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
/** Each sample as the real server writes it. */
const recorded: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(path.join(root, 'test', 'conformance', 'protobuf', 'recorded.json'), 'utf8'),
);

describeConformance('a protobuf body', {}, (target) => {
  let wire: HttpsClient;
  beforeAll(async () => {
    await target().call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } });
    wire = new HttpsClient(target());
  });
  afterAll(() => wire.close());

  it.each(SAMPLES.map((sample) => ({ ...sample, title: nameOf(sample) })))(
    'of $title makes what its JSON makes',
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

  /** Asks again for JSON alone where the answer came in protobuf. */
  async function inJson(
    answer: Awaited<ReturnType<HttpsClient['send']>>,
    place: string,
    body: Uint8Array,
  ): Promise<typeof answer> {
    if (answer.headers['content-type']?.startsWith('application/json') === true) return answer;
    expect([answer.code, answer.headers['content-type']]).toEqual([201, PROTOBUF]);
    return wire.send({ method: 'POST', path: `${place}?dryRun=All`, body, headers: { 'content-type': PROTOBUF } });
  }

  it('that is none is refused', async () => {
    const answer = await wire.send({
      method: 'POST',
      path: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
      body: 'no protobuf',
      headers: { 'content-type': PROTOBUF },
    });
    expect(answer.code).toBe(400);
  });
});

/** Without what the server makes up; the sample was written by another client at another time. */
function plain(object: { readonly metadata?: object }): unknown {
  const { managedFields: _managers, ...metadata }: { managedFields?: unknown } = object.metadata ?? {};
  return new Masks().value({ ...object, metadata });
}
