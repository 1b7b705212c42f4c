import { beforeAll, expect, it } from '@jest/globals';

import { waitFor } from '../../testing/wait.js';
import { describeConformance } from './suite.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MOVES = '/apis/storage.conformance.example.com/v1/moves';

describeConformance('the storage version of a definition', {}, (target) => {
  const call = async (
    method: 'PATCH' | 'POST',
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly version: string }> => {
    const answer = await target().call({
      method,
      path,
      ...(body === undefined ? {} : { body }),
      ...(method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {}),
    });
    return { status: answer.status, version: answer.body.metadata?.resourceVersion ?? '' };
  };
  const patchNothing = async (): Promise<string> =>
    (await call('PATCH', `${MOVES}/one`, { spec: { size: 1 } })).version;

  beforeAll(async () => {
    expect((await call('POST', DEFINITIONS, definition('v1'))).status).toBe(201);
    const object = {
      apiVersion: 'storage.conformance.example.com/v1',
      kind: 'Move',
      metadata: { name: 'one' },
      spec: { size: 1 },
    };
    await waitFor('the kind to be served', async () => (await call('POST', MOVES, object)).status === 201);
  }, 180_000);

  it('an object is migrated to the new storage version by a write that changes nothing else', async () => {
    const before = await patchNothing();
    expect(await patchNothing()).toBe(before);
    expect((await call('PATCH', `${DEFINITIONS}/moves.storage.conformance.example.com`, definition('v2'))).status).toBe(
      200,
    );

    const moved = await waitFor('a patch of nothing to be written', async () => {
      const version = await patchNothing();
      return version === before ? undefined : version;
    });
    expect(await patchNothing()).toBe(moved);
  }, 180_000);
});

function definition(stored: string): object {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
    },
  };
  const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === stored, schema }));
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'moves.storage.conformance.example.com' },
    spec: {
      group: 'storage.conformance.example.com',
      scope: 'Cluster',
      names: { plural: 'moves', kind: 'Move' },
      versions,
    },
  };
}
