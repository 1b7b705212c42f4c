import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ApiAnswer, ApiRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { ManagedCluster } from '../../../src/api/generated/managedcluster.js';
import { INVENTORIES_FIELD_MANAGER, OPERATOR_NAMESPACE } from '../../../src/api/names.js';
import { ManagedClusters } from '../../../src/api/resources.js';
import { applyFolder, withComponents } from '../../support/hub/overlays.js';
import { Fleet } from '../../support/rigs/server/placement.js';
import { apply, merge, remove } from './attempts.js';

const LONG_MS = 240_000;
const ACCOUNT = { namespace: OPERATOR_NAMESPACE, name: 'multicluster-engine-inventories' };
const CLUSTERS = '/apis/cluster.fleetmgmt.io/v1alpha1/managedclusters';
const SOURCE = { 'cluster.fleetmgmt.io/source': 'clusterprofiles.multicluster.x-k8s.io/cluster-inventory/x' };
const options = { fieldManager: 'people', force: false };

/** Server-side apply of a ManagedCluster as the controller of inventories applies it, as a dry run. */
function applied(name: string, metadata: object, spec: Readonly<Record<string, unknown>> = {}): ApiRequest {
  const body = {
    apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
    kind: 'ManagedCluster',
    metadata: { name, ...metadata },
    spec,
  };
  const request = apply(`${CLUSTERS}/${name}`, body);
  return { ...request, path: request.path.replace(/fieldManager=[^&]+/, `fieldManager=${INVENTORIES_FIELD_MANAGER}`) };
}

/** What the policy has to refuse: RBAC allows all of it. */
const GUARDED: readonly (readonly [way: string, request: ApiRequest])[] = [
  ['make a cluster without a source', applied('new', {})],
  ['take a cluster of people over', applied('own', { annotations: SOURCE })],
  ['change the status of a cluster of people', merge(`${CLUSTERS}/own/status`, { status: { clusterClaims: [] } })],
  ['delete a cluster of people', remove(`${CLUSTERS}/own`)],
  ['let an agent in', applied('new', { annotations: SOURCE }, { hubAcceptsClient: true })],
  ['write a cluster with an agent', applied('joined', { annotations: SOURCE })],
  ['delete a cluster with an agent', remove(`${CLUSTERS}/joined`)],
  ['choose a set', applied('new', { annotations: SOURCE, labels: { 'cluster.fleetmgmt.io/clusterset': 'prod' } })],
];

describeWithServer('the token of the controller of inventories', { own: true }, (server) => {
  let fleet: Fleet;
  let token = '';
  const send = (request: ApiRequest): Promise<ApiAnswer> => server().call({ ...request, token });

  beforeAll(async () => {
    const folder = await withComponents(server(), 'default', ['inventories']);
    await applyFolder(server(), folder);
    await kindsServed(server());
    fleet = new Fleet(server());
    for (const [name, metadata, spec] of [
      ['own', {}, {}],
      ['joined', { annotations: SOURCE }, { hubAcceptsClient: true }],
    ] as const)
      await fleet.client.apply<ManagedCluster>(ManagedClusters, { metadata: { name, ...metadata }, spec }, options);
    token = await server().tokenFor({ serviceAccount: ACCOUNT });
    await waitFor(
      'the policy to be in force',
      async () => (await send(GUARDED[0]?.[1] ?? { path: '' })).status === 403,
    );
  }, LONG_MS);
  afterAll(() => fleet.close());

  it('the token of the controller of inventories can make a marked cluster', async () => {
    expect((await send(applied('new', { annotations: SOURCE, labels: { tier: 'gold' } }))).status).toBe(201);
  });

  it(
    'the policy refuses all but marked clusters without an agent to the controller of inventories, and nothing else does',
    async () => {
      const answers = await Promise.all(
        GUARDED.map(async ([way, request]) => [way, (await send(request)).text] as const),
      );
      const policy = 'multicluster-engine-inventories';
      expect(answers.filter(([, text]) => !text.includes(`ValidatingAdmissionPolicy '${policy}'`))).toEqual([]);

      const binding = `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/${policy}`;
      expect((await server().call({ method: 'DELETE', path: binding })).status).toBe(200);
      await waitFor('the policy to end', async () => (await send(GUARDED[0]?.[1] ?? { path: '' })).status < 300);
      const allowed = await Promise.all(
        GUARDED.map(async ([way, request]) => [way, (await send(request)).status] as const),
      );
      expect(allowed.filter(([, status]) => status >= 300)).toEqual([]);
    },
    LONG_MS,
  );
});
