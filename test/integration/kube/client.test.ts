import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { ManagedClusterSetBindings, Placements } from '../../../src/api/resources.js';
import {
  ConfigMaps,
  Deployments,
  Namespaces,
  Secrets,
  ServiceAccounts,
  Services,
} from '../../../src/runtime/vocabulary/kinds.js';
import type { KubeClient } from '../../../src/runtime/client/client.js';
import { createClient } from '../../../src/runtime/client/rest.js';
import type { Transport } from '../../../src/runtime/transport/transport.js';
import { ApiError } from '../../../src/runtime/errors.js';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { ownName } from '@multicluster-engine/kube-apiserver/testing/names';
import { transportOf } from '../../support/clients/transport.js';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

const fieldManager = 'test';
const options = { fieldManager };
const Nothings = {
  group: 'cluster.fleetmgmt.io',
  version: 'v1alpha1',
  plural: 'nothings',
  kind: 'Nothing',
  namespaced: true,
};

describeWithServer('the client', {}, (server) => {
  const namespace = ownName('client');
  let transport: Transport;
  let client: KubeClient;

  beforeAll(async () => {
    transport = transportOf(server().adminKubeconfig);
    client = createClient(transport);
    await client.create(Namespaces, { metadata: { name: namespace } }, options);
  });
  afterAll(() => transport.close());

  const configMap = (name: string, data: Record<string, string> = { a: '1' }): ConfigMap => ({
    metadata: { namespace, name },
    data,
  });
  const failure = async (call: Promise<unknown>): Promise<ApiError> => {
    const error = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof ApiError) return error;
    throw new Error(`an ApiError was expected, not ${String(error)}`);
  };

  it('the client reads metadata alone when that is asked for', async () => {
    await client.create(
      Secrets,
      { metadata: { namespace, name: 'hidden' }, data: { key: 'c2VjcmV0' } } as KubeObject,
      options,
    );

    const one = await client.get(Secrets, { namespace, name: 'hidden' }, { metadataOnly: true });
    const all = await client.list(Secrets, namespace, { metadataOnly: true, fieldSelector: 'metadata.name=hidden' });

    expect(Object.keys(one ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    expect(one).toMatchObject({ apiVersion: 'v1', kind: 'Secret' });
    expect(all.map((secret) => Object.keys(secret).sort())).toEqual([['apiVersion', 'kind', 'metadata']]);
  });

  it('the client lists more than one page, selected, with kind and apiVersion on every item', async () => {
    const names = Array.from({ length: 520 }, (_, index) => `many-${String(index).padStart(3, '0')}`);
    await Promise.all(
      names.map((name) =>
        client.create(ConfigMaps, { metadata: { namespace, name, labels: { many: 'yes' } } }, options),
      ),
    );

    const listed = await client.list(ConfigMaps, namespace, { labelSelector: 'many=yes' });

    expect(listed.map((one) => one.metadata.name)).toEqual(names);
    expect(new Set(listed.map((one) => `${one.apiVersion} ${one.kind}`))).toEqual(new Set(['v1 ConfigMap']));
  });

  it('the client applies: creates, changes its own fields, and keeps those of others', async () => {
    await client.apply(ConfigMaps, configMap('applied'), { fieldManager, force: false });
    const foreign = await client.get<ConfigMap>(ConfigMaps, { namespace, name: 'applied' });
    if (foreign === undefined) throw new Error('the object was not created');
    await client.update(
      ConfigMaps,
      { ...foreign, data: { ...foreign.data, foreign: 'stays' } },
      { fieldManager: 'somebody' },
    );
    const { uid = '' } = foreign.metadata;

    const applied = await client.apply<ConfigMap>(
      ConfigMaps,
      { metadata: { namespace, name: 'applied', uid }, data: { a: '2' } },
      { fieldManager, force: true },
    );

    expect(applied.data).toEqual({ a: '2', foreign: 'stays' });
  });

  it('the client patches metadata with uid and resourceVersion as preconditions', async () => {
    const created = await client.create(ConfigMaps, configMap('patched'), options);
    const { uid, resourceVersion } = preconditionsOf(created);

    const patched = await client.patchMetadata(
      ConfigMaps,
      { namespace, name: 'patched' },
      { uid, resourceVersion, finalizers: ['example.com/held'], annotations: { a: 'b' } },
      options,
    );
    const stale = await failure(
      client.patchMetadata(
        ConfigMaps,
        { namespace, name: 'patched' },
        { uid, resourceVersion, finalizers: [] },
        options,
      ),
    );
    const deleting = await client.delete(
      ConfigMaps,
      { namespace, name: 'patched' },
      { preconditions: preconditionsOf(patched) },
    );
    const dying = await client.get(ConfigMaps, { namespace, name: 'patched' });
    const freed = await client.patchMetadata(
      ConfigMaps,
      { namespace, name: 'patched' },
      { uid, resourceVersion: dying?.metadata.resourceVersion ?? '', finalizers: [] },
      options,
    );

    expect(patched.metadata).toMatchObject({ finalizers: ['example.com/held'], annotations: { a: 'b' } });
    expect(stale.kind).toBe('Conflict');
    expect(deleting).toBe('deleting');
    expect(freed.metadata.uid).toBe(uid);
    expect(await client.get(ConfigMaps, { namespace, name: 'patched' })).toBeUndefined();
  });

  it.each([
    { type: ServiceAccounts, object: {} },
    { type: Services, object: { spec: { ports: [{ port: 80 }] } } },
    { type: Placements, object: { spec: {} } },
  ])('the client reports that a $type.kind without finalizers is gone after its deletion', async ({ type, object }) => {
    const created = await client.create(type, { metadata: { namespace, name: 'brief' }, ...object }, options);

    expect(await client.delete(type, { namespace, name: 'brief' }, { preconditions: preconditionsOf(created) })).toBe(
      'gone',
    );
    expect(await client.get(type, { namespace, name: 'brief' })).toBeUndefined();
  });

  it('the client reports that an object with dependents in the foreground is still being deleted', async () => {
    const created = await client.create(ConfigMaps, configMap('foreground'), options);

    const outcome = await client.delete(
      ConfigMaps,
      { namespace, name: 'foreground' },
      { preconditions: preconditionsOf(created), propagation: 'Foreground' },
    );

    expect(outcome).toBe('deleting');
  });

  it('the client reports that a namespace is still being deleted', async () => {
    const name = ownName('short');
    const created = await client.create(Namespaces, { metadata: { name } }, options);

    expect(await client.delete(Namespaces, { name }, { preconditions: preconditionsOf(created) })).toBe('deleting');
  });

  it.each<[string, () => Promise<unknown>, Partial<ApiError>]>([
    ['a missing type', () => client.get(Nothings, { namespace, name: 'x' }), { kind: 'ResourceMissing', status: 404 }],
    ['a list of a missing type', () => client.list(Nothings, namespace), { kind: 'ResourceMissing', status: 404 }],
    [
      'a missing version of a built-in group',
      () => client.get({ ...Deployments, version: 'v0' }, { namespace, name: 'x' }),
      { kind: 'ResourceMissing' },
    ],
    [
      'a missing resource of a built-in group',
      () => client.list({ ...Deployments, plural: 'nothings' }, namespace),
      { kind: 'ResourceMissing' },
    ],
    [
      'an object that is there already',
      () => client.create(ConfigMaps, configMap('applied'), options),
      { kind: 'AlreadyExists', status: 409 },
    ],
    [
      "another manager's field",
      () =>
        client.apply(ConfigMaps, configMap('applied', { foreign: 'mine' }), { fieldManager: 'third', force: false }),
      { kind: 'Conflict', status: 409 },
    ],
    [
      'an old resourceVersion',
      () =>
        client.update(
          ConfigMaps,
          { ...configMap('applied'), metadata: { namespace, name: 'applied', resourceVersion: '1' } },
          options,
        ),
      { kind: 'Conflict' },
    ],
    [
      'another uid',
      () =>
        client.delete(
          ConfigMaps,
          { namespace, name: 'applied' },
          { preconditions: { uid: 'zz', resourceVersion: '1' } },
        ),
      { kind: 'Conflict' },
    ],
    [
      'an update of what is not there',
      () => client.update(ConfigMaps, { metadata: { namespace, name: 'nowhere', resourceVersion: '1' } }, options),
      { kind: 'NotFound', status: 404 },
    ],
    [
      'a namespace that is not there',
      () => client.create(ConfigMaps, { metadata: { namespace: 'nowhere', name: 'x' } }, options),
      { kind: 'NotFound', status: 404 },
    ],
    [
      'an invalid object',
      () =>
        client.create(
          ManagedClusterSetBindings,
          { metadata: { namespace, name: 'x' }, spec: { clusterSet: 'y' } } as KubeObject,
          options,
        ),
      { kind: 'Invalid', status: 422 },
    ],
    [
      'a body of more than 3 MiB',
      () => client.create(ConfigMaps, configMap('big', { a: 'x'.repeat(3_200_000) }), options),
      { kind: 'TooLarge', status: 413 },
    ],
  ])('the client distinguishes %s by code and details', async (_, call, expected) => {
    expect(await failure(call())).toMatchObject(expected);
  });

  it('the client returns the causes of an invalid object with reason and field', async () => {
    const error = await failure(
      client.create(
        Placements,
        { metadata: { namespace, name: 'bad' }, spec: { numberOfClusters: -1 } } as KubeObject,
        options,
      ),
    );

    expect(error).toMatchObject({
      kind: 'Invalid',
      reason: 'Invalid',
      call: { verb: 'create', resource: 'placements.cluster.fleetmgmt.io', namespace, name: 'bad' },
    });
    expect(error.causes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ reason: 'FieldValueInvalid', field: 'spec.numberOfClusters' }),
      ]),
    );
  });

  it('the client reports a missing permission as Forbidden', async () => {
    const bob = transportOf(await server().kubeconfigFor({ user: 'bob' }));
    try {
      const error = await failure(createClient(bob).list(Secrets, namespace));
      expect(error).toMatchObject({
        kind: 'Forbidden',
        status: 403,
        causes: [],
        call: { verb: 'list', resource: 'secrets', namespace },
      });
    } finally {
      await bob.close();
    }
  });

  it('the client does not pass on what the server says about a Secret', async () => {
    const error = await failure(
      client.create(
        Secrets,
        { metadata: { namespace, name: 'Bad_Name' }, stringData: { key: 'canary' } } as KubeObject,
        options,
      ),
    );

    expect(error.kind).toBe('Invalid');
    expect(JSON.stringify(error) + error.message).not.toContain('canary');
    expect(error.causes.map((cause) => cause.message).join('')).toBe('');
  });
});

function preconditionsOf(object: KubeObject): { uid: string; resourceVersion: string } {
  return { uid: object.metadata.uid ?? '', resourceVersion: object.metadata.resourceVersion ?? '' };
}
