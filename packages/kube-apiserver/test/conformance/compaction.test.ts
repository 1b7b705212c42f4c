import { afterAll, beforeAll, expect, it } from '@jest/globals';

import type { ApiAnswer } from '../../testing/controlplane/api.js';
import { waitFor } from '../../testing/wait.js';
import { describeConformance } from './suite.js';
import { WatchStream } from './watchstream.js';
import { HttpsClient } from './httpsclient.js';

const SECRETS = '/api/v1/namespaces/compaction/secrets';
const TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

describeConformance('compacted history', { compaction: true }, (target) => {
  let wire: HttpsClient;
  let token = '';
  let version = '';

  const get = (query: string): Promise<ApiAnswer> => target().call({ path: `${SECRETS}?${query}` });
  const namesOf = ({ body }: ApiAnswer): unknown => body.items?.map(({ metadata }) => metadata?.name);

  beforeAll(async () => {
    await target().call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'compaction' } } });
    for (const name of ['a', 'b', 'c'])
      version =
        (await target().call({ method: 'POST', path: SECRETS, body: { metadata: { name } } })).body.metadata
          ?.resourceVersion ?? '';
    token = (await get('limit=1')).body.metadata?.continue ?? '';
    await target().call({ method: 'DELETE', path: `${SECRETS}/b` });
    await target().call({ method: 'POST', path: SECRETS, body: { metadata: { name: 'd' } } });
    await target().compactHistory?.();
    await waitFor('the server to answer again', async () => (await get('limit=1')).status === 200);
    await target().call({ method: 'POST', path: SECRETS, body: { metadata: { name: 'e' } } });
    wire = new HttpsClient(target());
  }, 300_000);
  afterAll(() => wire.close());

  it('a watch from a compacted resourceVersion gets an Expired error event', async () => {
    const watching = await WatchStream.open(wire, `${SECRETS}?watch=true&resourceVersion=${version}`);
    const [event] = await watching.take(1);
    expect(event).toEqual({
      type: 'ERROR',
      object: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: expect.stringMatching(new RegExp(`^too old resource version: ${version} \\(\\d+\\)$`)),
        reason: 'Expired',
        code: 410,
      },
    });
    await watching.end();
  });

  it('a watch with sendInitialEvents accepts a compacted resourceVersion', async () => {
    const watching = await WatchStream.open(
      wire,
      `${SECRETS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=${version}`,
    );
    const events = await watching.take(4);
    watching.close();
    expect(events.map(({ type, object }) => `${type} ${object.metadata?.name}`).sort()).toEqual([
      'ADDED a',
      'ADDED c',
      'ADDED d',
      'ADDED e',
    ]);
  });

  it('an exact list at a compacted resourceVersion is rejected with Expired', async () => {
    expect((await get(`resourceVersion=${version}&resourceVersionMatch=Exact`)).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'The resourceVersion for the provided list is too old.',
      reason: 'Expired',
      code: 410,
    });
    expect(namesOf(await get(`resourceVersion=${version}`))).toEqual(['a', 'c', 'd', 'e']);
  });

  it('an expired continue token is answered with an inconsistent continue token', async () => {
    const { status, body } = await get(`limit=1&continue=${token}`);
    expect([status, { ...body, metadata: {} }]).toEqual([
      410,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: TOO_OLD,
        reason: 'Expired',
        code: 410,
      },
    ]);
    const inconsistent = body.metadata?.continue ?? '';
    const position = JSON.parse(Buffer.from(inconsistent, 'base64url').toString());
    expect([position.v, position.rv, String(position.start).endsWith('a\0')]).toEqual(['meta.k8s.io/v1', -1, true]);
    expect(namesOf(await get(`continue=${inconsistent}`))).toEqual(['c', 'd', 'e']);
  });
});
