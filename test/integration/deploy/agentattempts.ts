import type { AnyObject, ApiRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { apply, get, merge, post, remove } from './attempts.js';

export const AGENTS = 'multicluster-engine-agents';
export const CLUSTERS = '/apis/cluster.fleetmgmt.io/v1alpha1/managedclusters';
export const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${AGENTS}/leases`;
export const SECRETS = `/api/v1/namespaces/${AGENTS}/secrets`;
export const ACCOUNTS = `/api/v1/namespaces/${AGENTS}/serviceaccounts`;
/** The cluster id that the Leases of these tests have as their holder. */
export const HOLDER = '11111111-2222-4333-8444-555555555555';

/** A request with the token of an agent. */
export type AgentAttempt = readonly [way: string, request: ApiRequest];

/** The status as an agent applies it. */
export function report(name: string, status: Readonly<Record<string, unknown>>): ApiRequest {
  return apply(`${CLUSTERS}/${name}/status`, {
    apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
    kind: 'ManagedCluster',
    metadata: { name },
    status,
  });
}

export function lease(name: string, spec: object = {}, meta: object = {}): AnyObject {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: AGENTS, ...meta },
    spec: { holderIdentity: HOLDER, leaseDurationSeconds: 60, ...spec },
  };
}

export function token(
  name: string,
  spec: Readonly<Record<string, unknown>> = { expirationSeconds: 604_800 },
): ApiRequest {
  return post(`${ACCOUNTS}/${name}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec,
  });
}

/** What an agent sends; allowed for its own name alone. */
export function ownWays(name: string): readonly AgentAttempt[] {
  return [
    ['apply the status', report(name, { clusterClaims: [{ name: 'platform', value: 'aws' }] })],
    ['patch the status', merge(`${CLUSTERS}/${name}/status`, { status: { version: { kubernetes: 'v1.36.3' } } })],
    ['renew the Lease', merge(`${LEASES}/${name}`, { spec: { renewTime: '2026-11-22T12:00:00.000000Z' } })],
    ['apply the Lease', apply(`${LEASES}/${name}`, lease(name))],
    ['request a token', token(name)],
    ['delete the Secret', remove(`${SECRETS}/${name}`)],
  ];
}

/** What no agent may send, not even for its own name: RBAC has no rule for it. */
export function otherWays(name: string): readonly AgentAttempt[] {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name } };
  const cluster = { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'ManagedCluster', metadata: { name } };
  const put = (path: string, body: AnyObject): ApiRequest => ({ method: 'PUT', path: `${path}?dryRun=All`, body });
  return [
    ['read the cluster', get(`${CLUSTERS}/${name}`)],
    ['read its status', get(`${CLUSTERS}/${name}/status`)],
    ['create the cluster', post(CLUSTERS, cluster)],
    ['label the cluster', merge(`${CLUSTERS}/${name}`, { metadata: { labels: { tier: 'gold' } } })],
    ['replace its status', put(`${CLUSTERS}/${name}/status`, cluster)],
    ['delete the cluster', remove(`${CLUSTERS}/${name}`)],
    ['read the Lease', get(`${LEASES}/${name}`)],
    ['replace the Lease', put(`${LEASES}/${name}`, lease(name))],
    ['delete the Lease', remove(`${LEASES}/${name}`)],
    ['read the Secret', get(`${SECRETS}/${name}`)],
    ['create a Secret', post(SECRETS, secret)],
    ['patch the Secret', merge(`${SECRETS}/${name}`, { data: {} })],
    ['read the ServiceAccount', get(`${ACCOUNTS}/${name}`)],
    ['create a ServiceAccount', post(ACCOUNTS, account)],
    ['patch the ServiceAccount', merge(`${ACCOUNTS}/${name}`, { metadata: { labels: { a: 'b' } } })],
    ['delete the ServiceAccount', remove(`${ACCOUNTS}/${name}`)],
  ];
}

/** Whole collections, other namespaces, and more rights. */
export const BEYOND: readonly AgentAttempt[] = [
  ...[CLUSTERS, LEASES, SECRETS, ACCOUNTS].flatMap((path): AgentAttempt[] => [
    [`list ${path}`, get(path)],
    [`watch ${path}`, get(`${path}?watch=true&timeoutSeconds=1`)],
    [`delete all of ${path}`, remove(path)],
  ]),
  ['read the Placements', get('/apis/cluster.fleetmgmt.io/v1alpha1/placements')],
  ['read the decisions', get('/apis/cluster.fleetmgmt.io/v1alpha1/placementdecisions')],
  ['create a pod', post(`/api/v1/namespaces/${AGENTS}/pods`, { metadata: { name: 'edge-1' } })],
  [
    'request a token of kube-system',
    post('/api/v1/namespaces/kube-system/serviceaccounts/default/token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    }),
  ],
  ['take the Lease of a controller', merge('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/edge-1', {})],
  ['name a Lease by the server', post(LEASES, lease('', {}, { generateName: 'edge-1' }))],
];
