import { beforeEach, expect, it } from '@jest/globals';

import type { AnyObject, ApiAnswer } from '../../testing/controlplane/api.js';
import { waitFor } from '../../testing/wait.js';
import { describeConformance } from './suite.js';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

// kube-apiserver alone does not contain these controllers.
describeConformance('the controllers', { embeddedOnly: true }, (target) => {
  let namespaces = 0;
  let namespace = '';
  let secrets = '';

  const call = (method: 'POST' | 'PATCH' | 'DELETE' | 'GET', path: string, body?: unknown): Promise<ApiAnswer> =>
    target().call({
      method,
      path,
      ...(body === undefined ? {} : { body }),
      ...(method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {}),
    });
  const make = async (name: string, owner?: AnyObject, blocks = false): Promise<AnyObject> => {
    const ownerReferences =
      owner === undefined
        ? []
        : [
            {
              apiVersion: 'v1',
              kind: 'Secret',
              name: owner.metadata?.name,
              uid: owner.metadata?.uid,
              blockOwnerDeletion: blocks,
            },
          ];
    const { status, body } = await call('POST', secrets, { metadata: { name, ownerReferences } });
    expect(status).toBe(201);
    return body;
  };
  const deleted = (path: string): Promise<boolean> =>
    waitFor(`${path} to be deleted`, async () => (await call('GET', path)).status === 404);

  beforeEach(async () => {
    namespace = `collection-${++namespaces}`;
    secrets = `/api/v1/namespaces/${namespace}/secrets`;
    expect((await call('POST', '/api/v1/namespaces', { metadata: { name: namespace } })).status).toBe(201);
  });

  it('background deletion deletes dependents and their dependents after the owner', async () => {
    const owner = await make('owner');
    const middle = await make('middle', owner);
    await make('last', middle);
    await make('other');
    expect((await call('DELETE', `${secrets}/owner`, { propagationPolicy: 'Background' })).body.status).toBe('Success');
    await deleted(`${secrets}/last`);
    await deleted(`${secrets}/middle`);
    expect((await call('GET', `${secrets}/other`)).status).toBe(200);
  });

  it('foreground deletion keeps the owner until its blocking dependents are deleted', async () => {
    const owner = await make('owner');
    await make('dependent', owner, true);
    await call('PATCH', `${secrets}/dependent`, { metadata: { finalizers: ['example.com/hold'] } });
    const { body } = await call('DELETE', `${secrets}/owner`, { propagationPolicy: 'Foreground' });
    expect(body.metadata).toMatchObject({ finalizers: ['foregroundDeletion'], deletionTimestamp: expect.any(String) });
    await waitFor(
      'the dependent to be deleted',
      async () => (await call('GET', `${secrets}/dependent`)).body.metadata?.deletionTimestamp !== undefined,
    );
    expect((await call('GET', `${secrets}/owner`)).status).toBe(200);
    await call('PATCH', `${secrets}/dependent`, { metadata: { finalizers: null } });
    await deleted(`${secrets}/owner`);
  });

  it('orphaning keeps dependents and removes their owner references', async () => {
    const owner = await make('owner');
    await make('dependent', owner);
    await call('DELETE', `${secrets}/owner`, { propagationPolicy: 'Orphan' });
    await deleted(`${secrets}/owner`);
    const { body } = await call('GET', `${secrets}/dependent`);
    expect([body.metadata?.['ownerReferences'], body.metadata?.deletionTimestamp]).toEqual([undefined, undefined]);
  });

  it('the deletion of a namespace deletes its objects first', async () => {
    await make('inside');
    await call('PATCH', `${secrets}/inside`, { metadata: { finalizers: ['example.com/hold'] } });
    const { body } = await call('DELETE', `/api/v1/namespaces/${namespace}`);
    expect(body).toMatchObject({
      kind: 'Namespace',
      status: { phase: 'Terminating' },
      spec: { finalizers: ['kubernetes'] },
    });
    expect((await call('POST', secrets, { metadata: { name: 'late' } })).body).toMatchObject({
      code: 403,
      details: { causes: [{ reason: 'NamespaceTerminating' }] },
    });
    await waitFor(
      'the object to be deleted',
      async () => (await call('GET', `${secrets}/inside`)).body.metadata?.deletionTimestamp !== undefined,
    );
    await call('PATCH', `${secrets}/inside`, { metadata: { finalizers: null } });
    await deleted(`/api/v1/namespaces/${namespace}`);
  });

  it('the deletion of a definition deletes its instances first', async () => {
    const group = `${namespace}.example.com`;
    const things = `/apis/${group}/v1/things`;
    const spec = {
      group,
      scope: 'Cluster',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    };
    await call('POST', CRDS, { metadata: { name: `things.${group}` }, spec });
    await waitFor('its kind to be served', async () => (await call('GET', things)).status === 200);
    await call('POST', things, {
      apiVersion: `${group}/v1`,
      kind: 'Thing',
      metadata: { name: 'held', finalizers: ['example.com/hold'] },
    });
    const { body } = await call('DELETE', `${CRDS}/things.${group}`);
    expect(body.metadata).toMatchObject({ finalizers: ['customresourcecleanup.apiextensions.k8s.io'] });
    await waitFor(
      'its object to be deleted',
      async () => (await call('GET', `${things}/held`)).body.metadata?.deletionTimestamp !== undefined,
    );
    await call('PATCH', `${things}/held`, { metadata: { finalizers: null } });
    await deleted(`${CRDS}/things.${group}`);
    expect((await call('GET', things)).status).toBe(404);
  });

  it('a namespace gets its ServiceAccount and the CA certificates of the server', async () => {
    await waitFor('both', async () => {
      const answers = await Promise.all([
        call('GET', `/api/v1/namespaces/${namespace}/serviceaccounts/default`),
        call('GET', `/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`),
      ]);
      return answers.every(({ status }) => status === 200);
    });
    const { body } = await call('GET', `/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`);
    expect(body['data']).toEqual({ 'ca.crt': expect.stringMatching(/^-----BEGIN CERTIFICATE-----\n/) });
  });
});
