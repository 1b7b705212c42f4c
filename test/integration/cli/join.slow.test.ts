import { afterAll, beforeAll, expect, it } from '@jest/globals';

import type { KubeObject, ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import { AGENTS_NAMESPACE, CLUSTER_SET_LABEL, TAINTS } from '../../../src/api/names.js';
import { ManagedClusters } from '../../../src/api/resources.js';
import { Leases, Secrets, ServiceAccounts } from '../../../src/runtime/vocabulary/kinds.js';
import { cordon, startDrain, uncordon } from '../../../src/cli/commands/maintenance.js';
import { prepareJoin, type Join, type JoinRequest } from '../../../src/cli/commands/cluster/join.js';
import { removeCluster } from '../../../src/cli/commands/cluster/remove.js';
import { createIdentityClient } from '../../../src/runtime/client/identity.js';
import { createClient } from '../../../src/runtime/client/rest.js';
import type { KubeClient } from '../../../src/runtime/client/client.js';
import { objectPath } from '../../../src/runtime/client/path.js';
import type { Transport } from '../../../src/runtime/transport/transport.js';
import type { ApiAnswer } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { transportOf } from '../../support/clients/transport.js';
import { applyOverlay } from '../../support/hub/overlays.js';
import { at } from '../deploy/overlay.js';

const MERGE = 'application/merge-patch+json';
const REQUEST: Omit<JoinRequest, 'name'> = { clusterSet: undefined, validSeconds: 3_600, renew: false };
/** What `kubectl mce cluster add` needs, and what the enroller roles give. */
const RIGHTS = [
  'create managedclusters',
  'create secrets',
  'create serviceaccounts',
  'create serviceaccounts/token',
  'delete leases',
  'delete secrets',
  'delete serviceaccounts',
  'get leases',
  'get managedclusters',
  'patch managedclusters',
  'patch serviceaccounts',
];

describeWithServer('a person who lets clusters join', { own: true, capabilities: ['requestLog'] }, (server) => {
  let alice: Transport;
  let administrator: Transport;
  let admin: KubeClient;

  const add = (name: string, over: Partial<JoinRequest> = {}): Promise<Join> =>
    prepareJoin({ client: createClient(alice), identity: createIdentityClient(alice) }, { ...REQUEST, name, ...over });
  const stored = (type: ResourceType, name: string): Promise<KubeObject | undefined> =>
    admin.get<KubeObject>(type, { name, ...(type.namespaced ? { namespace: AGENTS_NAMESPACE } : {}) });
  const uidOf = async (type: ResourceType, name: string): Promise<string | undefined> =>
    (await stored(type, name))?.metadata.uid;
  const patch = (name: string, body: unknown): Promise<ApiAnswer> =>
    server().call({ method: 'PATCH', path: objectPath(ManagedClusters, { name }), contentType: MERGE, body });
  /** The code of a request of the agent: 200 for a token that is valid. */
  const report = async (name: string, token: string): Promise<number> => {
    const path = `${objectPath(ManagedClusters, { name })}/status?dryRun=All`;
    return (await server().call({ method: 'PATCH', path, token, contentType: MERGE, body: {} })).status;
  };
  const ended = (name: string, token: string): Promise<boolean> =>
    waitFor('the token to end', async () => (await report(name, token)) === 401);
  /** What an agent does in the end. */
  const join = async (name: string): Promise<void> => {
    const { uid = '' } = (await stored(ManagedClusters, name))?.metadata ?? {};
    const owner = { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'ManagedCluster', name, uid };
    const lease = { metadata: { name, namespace: AGENTS_NAMESPACE, ownerReferences: [owner] } };
    await admin.create(Leases, lease, { fieldManager: 'agent' });
  };

  beforeAll(async () => {
    await applyOverlay(server(), 'default');
    const kubectl = (...args: readonly string[]): Promise<string> =>
      kubectlOk(args, { kubeconfig: server().adminKubeconfig });
    const role = 'multicluster-engine-enroller';
    await kubectl('create', 'clusterrolebinding', 'enroller', `--clusterrole=${role}`, '--user=alice');
    await kubectl('create', 'rolebinding', 'enroller', '-n', AGENTS_NAMESPACE, `--role=${role}`, '--user=alice');
    alice = transportOf(await server().kubeconfigFor({ user: 'alice' }));
    administrator = transportOf(server().adminKubeconfig);
    admin = createClient(administrator);
    await waitFor('the CRDs to be established', async () => {
      const { status } = await server().call({ path: '/apis/cluster.fleetmgmt.io/v1alpha1/managedclusters' });
      return status === 200;
    });
  }, 120_000);
  afterAll(async () => {
    await Promise.all([alice.close(), administrator.close()]);
  });

  it('a cluster gets a ServiceAccount and a Secret of its name, which go with its ManagedCluster', async () => {
    const { clusterUid, secretUid, token } = await add('edge-1', { clusterSet: 'prod' });
    const cluster = await stored(ManagedClusters, 'edge-1');
    const owner = { kind: 'ManagedCluster', name: 'edge-1', uid: clusterUid };

    expect(cluster).toMatchObject({
      metadata: { uid: clusterUid, labels: { [CLUSTER_SET_LABEL]: 'prod' } },
      spec: { hubAcceptsClient: true },
    });
    expect(await stored(ServiceAccounts, 'edge-1')).toMatchObject({
      metadata: { ownerReferences: [owner] },
      automountServiceAccountToken: false,
    });
    const secret = await stored(Secrets, 'edge-1');
    expect(secret).toMatchObject({ metadata: { uid: secretUid, ownerReferences: [owner] }, type: 'Opaque' });
    expect(at(secret, 'data')).toBeUndefined();
    expect(await report('edge-1', token)).toBe(200);
  });

  it('the token for joining is valid for as long as was asked, and ends with its Secret', async () => {
    const begin = Date.now();
    const { token, expires } = await add('short', { validSeconds: 600 });
    const seconds = (Date.parse(expires) - begin) / 1_000;

    expect([seconds > 590, seconds < 700]).toEqual([true, true]);
    expect(await report('short', token)).toBe(200);
    await server().call({
      method: 'DELETE',
      path: objectPath(Secrets, { namespace: AGENTS_NAMESPACE, name: 'short' }),
    });
    await ended('short', token);
  });

  it('a token that was requested with the token for joining outlives it, and ends with a renewal', async () => {
    const { token } = await add('stolen');
    const tokens = `${objectPath(ServiceAccounts, { namespace: AGENTS_NAMESPACE, name: 'stolen' })}/token`;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 604_800 } };
    const answer = await server().call({ method: 'POST', path: tokens, token, body });
    const own = String(at(answer.body, 'status.token'));
    await server().call({
      method: 'DELETE',
      path: objectPath(Secrets, { namespace: AGENTS_NAMESPACE, name: 'stolen' }),
    });
    await ended('stolen', token);
    expect(await report('stolen', own)).toBe(200);

    await add('stolen', { renew: true });

    await ended('stolen', own);
  });

  it('until the cluster has joined, another call ends the token before it and changes nothing else', async () => {
    const first = await add('again', { clusterSet: 'prod' });
    const account = await uidOf(ServiceAccounts, 'again');
    const version = (await stored(ManagedClusters, 'again'))?.metadata.resourceVersion;
    const second = await add('again');

    await ended('again', first.token);
    expect(await report('again', second.token)).toBe(200);
    expect(second.secretUid).not.toBe(first.secretUid);
    expect(await uidOf(ServiceAccounts, 'again')).toBe(account);
    expect((await stored(ManagedClusters, 'again'))?.metadata.resourceVersion).toBe(version);
  });

  it('a cluster keeps its set when the hub accepts it once more', async () => {
    await add('back', { clusterSet: 'prod' });
    await patch('back', { spec: { hubAcceptsClient: null } });
    await add('back');

    expect(await stored(ManagedClusters, 'back')).toMatchObject({
      metadata: { labels: { [CLUSTER_SET_LABEL]: 'prod' } },
      spec: { hubAcceptsClient: true },
    });
  });

  it('a cluster that was written by hand gets an agent, and keeps its fields', async () => {
    const object = { metadata: { name: 'hand', labels: { tier: 'gold' } }, spec: { displayName: 'By hand' } };
    await admin.create(ManagedClusters, object, { fieldManager: 'kubectl-create' });
    await add('hand');

    expect(await stored(ManagedClusters, 'hand')).toMatchObject({
      metadata: { labels: { tier: 'gold' } },
      spec: { displayName: 'By hand', hubAcceptsClient: true },
    });
  });

  it('a cluster that somebody denies is not accepted, and gets no token', async () => {
    const object = { metadata: { name: 'denied' }, spec: { hubAcceptsClient: false } };
    await admin.create(ManagedClusters, object, { fieldManager: 'kubectl-create' });

    await expect(add('denied')).rejects.toThrow(
      'spec.hubAcceptsClient of denied is false, set by field manager kubectl-create: kubectl patch fmcl denied',
    );
    await expect(add('denied', { renew: true })).rejects.toThrow('the hub does not accept denied');
    expect(await stored(ServiceAccounts, 'denied')).toBeUndefined();
  });

  it('a cluster stays in the set into which somebody else has put it', async () => {
    const object = { metadata: { name: 'placed', labels: { [CLUSTER_SET_LABEL]: 'edge' } } };
    await admin.create(ManagedClusters, object, { fieldManager: 'kubectl-create' });
    const key = CLUSTER_SET_LABEL;

    await expect(add('placed', { clusterSet: 'prod' })).rejects.toThrow(
      `metadata.labels.${key} of placed is "edge", set by field manager kubectl-create: ` +
        `without --set it stays; kubectl label fmcl placed ${key}=prod --overwrite changes it, and kubectl mce plan --set mcl/placed:${key}=prod shows which Placements lose the cluster`,
    );
    expect((await stored(ManagedClusters, 'placed'))?.metadata.labels).toEqual(object.metadata.labels);
    await add('placed');
    expect(await stored(ManagedClusters, 'placed')).toMatchObject({ ...object, spec: { hubAcceptsClient: true } });
  });

  it('a cluster that has joined and is denied is told both what its agent and what a renewal needs', async () => {
    await add('expelled');
    await join('expelled');
    await patch('expelled', { spec: { hubAcceptsClient: false } });

    await expect(add('expelled')).rejects.toThrow(
      /has joined already, and the hub does not accept it: set spec\.hubAcceptsClient to true.*--renew.*needs that first/,
    );
  });

  it('a cluster that has joined is refused, and nothing is written', async () => {
    await add('joined');
    await join('joined');
    const before = await Promise.all([uidOf(ServiceAccounts, 'joined'), uidOf(Secrets, 'joined')]);

    await expect(add('joined')).rejects.toThrow('joined has joined already: --renew ends all its tokens');
    expect(await Promise.all([uidOf(ServiceAccounts, 'joined'), uidOf(Secrets, 'joined')])).toEqual(before);
  });

  it('renewal ends every token, and leaves the ManagedCluster as it is', async () => {
    const { token } = await add('renewed', { clusterSet: 'prod' });
    await join('renewed');
    const own = await server().tokenFor({ serviceAccount: { namespace: AGENTS_NAMESPACE, name: 'renewed' } });
    const before = await stored(ManagedClusters, 'renewed');
    const next = await add('renewed', { renew: true });

    await Promise.all([ended('renewed', token), ended('renewed', own)]);
    // The API server hears of the new ServiceAccount a moment later.
    await waitFor('the next token to count', async () => (await report('renewed', next.token)) === 200);
    expect(await stored(Leases, 'renewed')).toBeUndefined();
    expect(await stored(ManagedClusters, 'renewed')).toEqual(before);
    await expect(add('nobody', { renew: true })).rejects.toThrow('ManagedCluster nobody was not found');
  });

  it('a ManagedCluster that is made anew is another identity, whatever is left of the old one', async () => {
    const { token } = await add('anew');
    await join('anew');
    const old = await uidOf(ServiceAccounts, 'anew');
    await removeCluster(admin, { cluster: 'anew', force: true });
    await add('anew');

    expect(await uidOf(ServiceAccounts, 'anew')).not.toBe(old);
    expect((await stored(ServiceAccounts, 'anew'))?.metadata.ownerReferences).toHaveLength(1);
    expect(await stored(Leases, 'anew')).toBeUndefined();
    await ended('anew', token);
  });

  it('a cluster that is being deleted is refused', async () => {
    const object = { metadata: { name: 'leaving', finalizers: ['example.com/x'] } };
    await admin.create(ManagedClusters, object, { fieldManager: 'test' });
    expect(await removeCluster(admin, { cluster: 'leaving', force: false })).toMatch(/is being deleted/);

    await expect(add('leaving')).rejects.toThrow('ManagedCluster leaving is being deleted');
  });

  it('cordon and uncordon change neither the taints of people nor what makes a cluster join', async () => {
    await add('calm', { clusterSet: 'prod' });
    const taint = { key: 'maintenance', effect: 'NoSelect' };
    await patch('calm', { spec: { taints: [taint] } });
    const maintenance = async (): Promise<unknown> => at(await stored(ManagedClusters, 'calm'), 'spec.maintenance');

    expect(await cordon(admin, 'calm')).toBe('calm is cordoned');
    expect(await cordon(admin, 'calm')).toBe('calm is cordoned already');
    expect(await maintenance()).toBe('Cordoned');
    expect(await startDrain(admin, 'calm')).toBe(true);
    expect(await startDrain(admin, 'calm')).toBe(false);
    expect(await maintenance()).toBe('Draining');
    await add('calm');
    expect(await uncordon(admin, 'calm')).toBe('calm is not cordoned any more');
    expect(await uncordon(admin, 'calm')).toBe('calm is not cordoned');
    const calm = await stored(ManagedClusters, 'calm');
    expect(at(calm, 'metadata.labels')).toEqual({ [CLUSTER_SET_LABEL]: 'prod' });
    expect(at(calm, 'spec')).toEqual({ hubAcceptsClient: true, taints: [taint] });
    await expect(cordon(admin, 'nobody')).rejects.toThrow('ManagedCluster nobody was not found');
  });

  it.each([
    ['taint', { taints: [{ key: TAINTS.draining, effect: 'NoSelect' }] }, 'cluster.fleetmgmt.io/draining:NoSelect'],
    ['field', { maintenance: 'Cordoned' }, 'spec.maintenance Cordoned'],
  ])('uncordon says so where others have written the %s', async (what, spec, stays) => {
    const name = `their-${what}`;
    await add(name);
    await patch(name, { spec });

    await expect(uncordon(admin, name)).rejects.toThrow(`${stays} of ${name} stays: others have written it too`);
  });

  // Last: it reads what the tests above have asked for.
  it('the rights of the enroller roles are used, each of them, and no other', async () => {
    const log = await server().requestLog();
    const asked = log.filter(({ user, code }) => user === 'alice' && code < 300);
    const verbs = asked.flatMap(({ verb, code, resource, subresource }) => {
      const what = subresource === '' ? resource : `${resource}/${subresource}`;
      return verb === 'patch' && code === 201 ? [`patch ${what}`, `create ${what}`] : [`${verb} ${what}`];
    });

    expect([...new Set(verbs)].sort()).toEqual(RIGHTS);
    // A name that does not exist is compared with those that the caller may list; it is refused, and no name is proposed.
    const refused = log.filter(({ user, code }) => user === 'alice' && code === 403);
    expect(refused.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual(['list managedclusters']);
  });
});
