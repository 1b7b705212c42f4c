import { readFileSync } from 'node:fs';
import path from 'node:path';

import { field } from '../../../../src/runtime/vocabulary/json.js';
import type { KubeObject, ObjectMeta } from '../../../../src/runtime/vocabulary/meta.js';
import { AGENTS_NAMESPACE, CLI_FIELD_MANAGER } from '../../../../src/api/names.js';
import { ManagedClusters } from '../../../../src/api/resources.js';
import { Leases, Secrets, ServiceAccounts } from '../../../../src/runtime/vocabulary/kinds.js';
import type { ManagedCluster } from '../../../../src/api/generated/managedcluster.js';
import type { JoinData } from '../../../../src/domain/agent/hubtoken.js';
import type { Lease } from '../../../../src/runtime/leaderelection/leaserecord.js';
import { parseManifests, readManifests } from '../../../../src/runtime/manifests.js';
import type { Clock } from '../../../../src/runtime/clock.js';
import { root } from '../../repository/root.js';
import { TestServer } from './server.js';

/** A hub with what clusters need to join: the definition, the rights and the policies of agents. */
export class HubRig {
  readonly server: TestServer;

  private constructor(server: TestServer) {
    this.server = server;
  }

  static async start(clock?: Clock): Promise<HubRig> {
    const server = await TestServer.start(clock);
    const base = path.join(root, 'deploy', 'base');
    const objects = [
      ...parseManifests(readFileSync(path.join(root, 'crds', 'managedcluster.yaml'), 'utf8'), 'crds'),
      ...parseManifests(
        readFileSync(path.join(root, 'deploy', 'definitions', 'agents-namespace.yaml'), 'utf8'),
        'agents',
      ),
      ...readManifests(path.join(base, 'agents')),
      ...['agents', 'argo-cd'].flatMap((policy) =>
        parseManifests(readFileSync(path.join(base, 'policies', `${policy}.yaml`), 'utf8'), policy),
      ),
    ];
    const isNamespace = ({ kind }: KubeObject): boolean => kind === 'Namespace';
    await server.apply([...objects.filter(isNamespace), ...objects.filter((one) => !isNamespace(one))]);
    return new HubRig(server);
  }

  /** The content of the manifest that makes a cluster join. `isRenewal`: every token given so far ends. */
  async enroll(cluster: string, { isRenewal = false } = {}): Promise<JoinData> {
    const { client } = this.server;
    const name = { name: cluster, namespace: AGENTS_NAMESPACE };
    if (isRenewal) for (const type of [ServiceAccounts, Leases, Secrets]) await this.#delete(type, name);
    const options = { fieldManager: CLI_FIELD_MANAGER, force: false };
    const accepted = { metadata: { name: cluster }, spec: { hubAcceptsClient: true } };
    const managed = await client.apply<ManagedCluster>(ManagedClusters, accepted, options);
    const clusterUid = managed.metadata.uid ?? '';
    const { apiVersion = '', kind = '' } = managed;
    const ownerReferences = [{ apiVersion, kind, name: cluster, uid: clusterUid }];
    const metadata: ObjectMeta = { ...name, ownerReferences };
    await client.apply(ServiceAccounts, { metadata }, options);
    await this.#delete(Secrets, name);
    const secret = await client.create(Secrets, { metadata }, options);
    const joinSecretUid = secret.metadata.uid ?? '';
    const bound = { apiVersion: 'v1', kind: 'Secret', name: cluster, uid: joinSecretUid };
    const spec = { expirationSeconds: 3600, boundObjectRef: bound };
    const joinToken = await this.server.tokenOf(AGENTS_NAMESPACE, cluster, spec);
    return {
      cluster,
      clusterUid,
      hubUrl: this.server.api.url,
      hubCa: this.server.api.ca.trim(),
      joinToken,
      joinSecretUid,
    };
  }

  lease(cluster: string): Promise<Lease | undefined> {
    return this.server.client.get<Lease>(Leases, { name: cluster, namespace: AGENTS_NAMESPACE });
  }

  joinSecret(cluster: string): Promise<KubeObject | undefined> {
    return this.server.client.get(Secrets, { name: cluster, namespace: AGENTS_NAMESPACE });
  }

  cluster(name: string): Promise<ManagedCluster | undefined> {
    return this.server.client.get<ManagedCluster>(ManagedClusters, { name });
  }

  /** The requests of a cluster's agent, in order. */
  requestsOf(cluster: string): Promise<string[]> {
    return this.server.requestsOf(`system:serviceaccount:${AGENTS_NAMESPACE}:${cluster}`);
  }

  async #delete(type: typeof Secrets, name: { readonly name: string; readonly namespace: string }): Promise<void> {
    const found = await this.server.client.get(type, name);
    const { uid = '', resourceVersion = '' } = found?.metadata ?? {};
    if (found !== undefined) await this.server.client.delete(type, name, { preconditions: { uid, resourceVersion } });
  }
}

/** `status.clusterClaims` by name. */
export function claimsOf(cluster: ManagedCluster | undefined): Record<string, string> {
  const claims = field(cluster?.status, 'clusterClaims');
  return Object.fromEntries(Array.isArray(claims) ? claims.map(({ name, value }) => [name, value]) : []);
}
