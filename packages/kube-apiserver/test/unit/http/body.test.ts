import { describe, expect, it } from '@jest/globals';

import { decodeProtobuf } from '../../../src/http/protobuf/body.js';
import { createRouter } from '../../../src/http/router.js';
import { isObject } from '@multicluster-engine/values/json';
import { notFound } from '../../../src/status.js';
import { FakeVerbs, request, RESOURCES, routerDeps } from './routerfixture.js';

const CONFIGMAPS = '/api/v1/namespaces/ns/configmaps';
const PREFIX = 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]';

/** Verbs that report decoding errors, as the real ones do. */
class RecordedVerbs extends FakeVerbs {
  override delete: FakeVerbs['delete'] = async (_target, body) => {
    throw body?.refusal ?? new Error('nothing is wrong');
  };
}

async function messageFor(line: string, body: string): Promise<unknown> {
  const router = createRouter(routerDeps(new RecordedVerbs(), { protobuf: decodeProtobuf }));
  const answer = await router.dispatch({
    ...request(line, { 'content-type': 'application/vnd.kubernetes.protobuf' }),
    body: Buffer.from(body, 'latin1'),
  });
  return answer.body.kind === 'value' && isObject(answer.body.value) ? answer.body.value['message'] : undefined;
}

describe('a body that is no protobuf', () => {
  it.each([
    ['', 'empty data (<empty>)'],
    ['k8s', `${PREFIX} (6b3873)`],
    [
      'xyz not protobuf at all, long enough to be cut',
      `${PREFIX} (78797a206e6f742070726f746f62756620617420616c6c2c206c6f6e6720 ...)`,
    ],
    ['k8s\0', 'empty body (6b387300)'],
    ['k8s\0\xff\xff\xff\xff', 'unexpected EOF (6b387300ffffffff)'],
  ])('a body %j that is not protobuf is refused with the expected prefix and its first bytes', async (body, why) => {
    expect(await messageFor(`POST ${CONFIGMAPS}`, body)).toBe(
      `the object provided is unrecognized (must be of type ConfigMap): ${why}`,
    );
  });

  it.each([
    ['xyz', PREFIX],
    ['k8s\0', 'empty body'],
    ['k8s\0\xff\xff\xff\xff', 'unexpected EOF'],
  ])('DeleteOptions %j that are not protobuf are refused with the reason alone', async (body, why) => {
    expect(await messageFor(`DELETE ${CONFIGMAPS}/a`, body)).toBe(why);
  });
});

describe('a name in a refusal', () => {
  it('a name in an error is quoted as Go quotes it', () => {
    const [resource] = RESOURCES;
    if (resource === undefined) throw new Error('no resource');
    expect(notFound(resource, '\0\u0001\u007f\u0007"').message).toBe(
      String.raw`configmaps "\x00\x01\x7f\a\"" not found`,
    );
  });
});
