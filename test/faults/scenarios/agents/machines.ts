import path from 'node:path';

import { AGENT_TOKEN_SECRET, AGENTS_NAMESPACE, CLUSTER_SET_LABEL } from '../../../../src/api/names.js';
import { ManagedClusters } from '../../../../src/api/resources.js';
import { agentManifest } from '../../../../src/domain/agent/manifest.js';
import type { JoinData } from '../../../../src/domain/agent/hubtoken.js';
import { objectPath } from '../../../../src/runtime/client/path.js';
import { readKustomization } from '../../../../src/runtime/manifests.js';
import { field, textField, type JsonRecord } from '../../../../src/runtime/vocabulary/json.js';
import {
  apiVersionOf,
  ConfigMaps,
  Leases,
  Namespaces,
  Secrets,
  ServiceAccounts,
} from '../../../../src/runtime/vocabulary/kinds.js';
import type { ResourceType } from '../../../../src/runtime/vocabulary/meta.js';
import { CLAIMS_LABEL } from '../../../../src/domain/agent/report/claims.js';
import { root } from '../../../support/repository/root.js';
import type { Hands } from '../../hub/hands.js';
import { AGENT_ACCOUNT, MACHINE_ANNOTATION, namespaceOf, readMachine, type Machine } from '../../hub/machine.js';
import { step, type Step, type Unnamed } from '../../scenario.js';
import { fleet } from '../fleet.js';

/** Sentences of scenarios about clusters with agents, and the machines that these run on. */

const HUB_URL = 'https://hub.example.com:6443';
/** Those that do not run, and that are not the cluster's own. */
const LEFT_OUT: readonly string[] = ['Namespace', 'Secret', 'Deployment', 'NetworkPolicy'];

const templates = readKustomization(path.join(root, 'deploy', 'agent', 'base'));

/** Predicates for clusters with the claim region=north. */
export const north = [
  {
    requiredClusterSelector: {
      claimSelector: { matchExpressions: [{ key: 'region', operator: 'In' as const, values: ['north'] }] },
    },
  },
];

export interface Member {
  /** Of the Lease, seconds; default: absent. */
  readonly leaseSeconds?: number;
  readonly set?: string;
}

/**
 * The operator with what judges clusters, and machines `homes`, as {@link machines} makes them. An agent that joins changes its cluster
 * four times, and so does the operator.
 */
export function hubWith(homes: string, member: Member = {}, joined = homes): Omit<Unnamed, 'steps'> {
  return {
    programs: [{ name: 'operator', controllers: ['placement', 'clusters'] }],
    mostPasses: 10,
    // The hub judges a cluster after its first renewal.
    startMs: 65_000,
    homes: homes.split(''),
    given: (hands) => machines(hands, homes, joined, member),
  };
}

/** The hub and the machines `homes`, of which all that are named in `joined` have the manifest of the cluster of that name. */
export async function machines(hands: Hands, homes: string, joined: string, member: Member = {}): Promise<void> {
  await fleet(hands, '');
  for (const home of homes) await addMachine(hands, home);
  for (const name of joined) await joinCluster(hands, name, name, member);
}

/** A machine on which nothing runs yet. */
async function addMachine(hands: Hands, home: string): Promise<void> {
  const metadata = { name: namespaceOf(home) };
  await hands.create({ apiVersion: apiVersionOf(Namespaces), kind: 'Namespace', metadata });
}

/** `kubectl mce cluster add`, and the manifest of it on a machine. */
export async function joinCluster(hands: Hands, cluster: string, home: string, member: Member = {}): Promise<void> {
  await applyManifest(hands, home, await enroll(hands, cluster, member));
}

/** As `kubectl mce cluster add`, with `--renew`: every token given so far ends. */
async function enroll(
  hands: Hands,
  cluster: string,
  { leaseSeconds, set = 'fleet', isRenewal = false }: Member & { readonly isRenewal?: boolean },
): Promise<JoinData> {
  const name = { name: cluster, namespace: AGENTS_NAMESPACE };
  const ended = isRenewal ? [ServiceAccounts, Leases, Secrets] : [Secrets];
  for (const type of ended) if ((await hands.find(type, name)) !== undefined) await hands.remove(type, name);
  const spec = { hubAcceptsClient: true, ...(leaseSeconds && { leaseDurationSeconds: leaseSeconds }) };
  const labels = { [CLUSTER_SET_LABEL]: set };
  const managed = objectOf(ManagedClusters, { metadata: { name: cluster, labels }, spec });
  const { uid: clusterUid = '' } = (
    (await hands.find(ManagedClusters, { name: cluster })) ?? (await hands.create(managed))
  ).metadata;
  const { apiVersion, kind } = managed;
  const metadata = { ...name, ownerReferences: [{ apiVersion, kind, name: cluster, uid: clusterUid }] };
  if ((await hands.find(ServiceAccounts, name)) === undefined)
    await hands.create(objectOf(ServiceAccounts, { metadata }));
  const secret = await hands.create(objectOf(Secrets, { metadata }));
  const { uid: joinSecretUid = '' } = secret.metadata;
  const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: cluster, uid: joinSecretUid };
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 3600, boundObjectRef },
  };
  const answer = await hands.send('POST', `${objectPath(ServiceAccounts, name)}/token`, request);
  const joinToken = textField(field(answer, 'status'), 'token');
  return { cluster, clusterUid, hubUrl: HUB_URL, joinToken, joinSecretUid };
}

/** `kubectl apply`: what the manifest does not name stays. */
async function applyManifest(hands: Hands, home: string, join: JoinData): Promise<void> {
  const objects = agentManifest(templates, { join, image: 'multicluster-engine:test' });
  for (const one of objects) {
    const object = ofMachine(home, one as unknown as JsonRecord);
    if (object['kind'] === 'Secret') await applySecret(hands, home, object);
    else if (!LEFT_OUT.includes(String(object['kind']))) await hands.put(object);
  }
  await setMachine(hands, home, { runs: true });
}

async function applySecret(hands: Hands, home: string, secret: JsonRecord): Promise<void> {
  const name = { name: AGENT_TOKEN_SECRET, namespace: namespaceOf(home) };
  if ((await hands.find(Secrets, name)) === undefined) await hands.create(secret);
  else await hands.patch(Secrets, name, { data: secret['data'] });
}

/** An object of the manifest in the namespace that stands for the cluster; of objects without one, each machine has its own. */
function ofMachine(home: string, object: JsonRecord): JsonRecord {
  const text = JSON.stringify(object).replaceAll(
    `"namespace":"${AGENT_ACCOUNT}"`,
    `"namespace":"${namespaceOf(home)}"`,
  );
  const moved = JSON.parse(text) as JsonRecord & {
    readonly metadata: { readonly name: string; readonly namespace?: string };
  };
  const { metadata } = moved;
  const isOwn = metadata.namespace === namespaceOf(home) || moved['kind'] === 'ClusterRole';
  const named = { ...metadata, name: isOwn ? metadata.name : `${metadata.name}-${home}` };
  const roleRef = moved['roleRef'] as { readonly kind: string; readonly name: string } | undefined;
  const isRenamed = roleRef?.kind === 'Role' && !isOwn;
  return { ...moved, metadata: named, ...(isRenamed && { roleRef: { ...roleRef, name: `${roleRef.name}-${home}` } }) };
}

export async function setMachine(hands: Hands, home: string, change: Partial<Machine>): Promise<void> {
  const name = { name: namespaceOf(home) };
  const machine = { ...readMachine(await hands.find(Namespaces, name)), ...change };
  await hands.patch(Namespaces, name, { metadata: { annotations: { [MACHINE_ANNOTATION]: JSON.stringify(machine) } } });
}

function objectOf(type: ResourceType, content: object): JsonRecord {
  return { apiVersion: apiVersionOf(type), kind: type.kind, ...content };
}

export const add = (cluster: string, home = cluster, member: Member = {}): Step =>
  step(`machine ${home} gets a manifest of cluster ${cluster}`, (hands) => joinCluster(hands, cluster, home, member));

export const renew = (cluster: string, home = cluster): Step =>
  step(`machine ${home} gets a renewed manifest of cluster ${cluster}`, async (hands) =>
    applyManifest(hands, home, await enroll(hands, cluster, { isRenewal: true })),
  );

/** Networks between the hub and machines, a letter each. */
export const cut = (homes: string): Step =>
  step(`no network between the hub and ${homes.split('').join(', ')}`, async (hands) => {
    for (const home of homes) await setMachine(hands, home, { isCut: true });
  });

export const connect = (homes: string): Step =>
  step(`a network between the hub and ${homes.split('').join(', ')} again`, async (hands) => {
    for (const home of homes) await setMachine(hands, home, { isCut: false });
  });

export const sicken = (home: string, isUnhealthy = true): Step =>
  step(`the API server of ${home} is ${isUnhealthy ? 'not ' : ''}ready`, (hands) =>
    setMachine(hands, home, { isUnhealthy }),
  );

export const setClock = (home: string, aheadMs: number): Step =>
  step(`the clock of machine ${home} is ${aheadMs} ms ahead`, (hands) => setMachine(hands, home, { aheadMs }));

/** `null` removes a claim. */
export const customClaims = (home: string, data: Readonly<Record<string, string | null>>): Step =>
  step(`machine ${home} has the claims ${JSON.stringify(data)}`, async (hands) => {
    const name = { name: 'claims', namespace: namespaceOf(home) };
    if ((await hands.find(ConfigMaps, name)) !== undefined) return hands.patch(ConfigMaps, name, { data });
    return hands.create(objectOf(ConfigMaps, { metadata: { ...name, labels: { [CLAIMS_LABEL]: 'true' } }, data }));
  });
