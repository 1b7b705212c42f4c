import { describe, expect, it } from '@jest/globals';

import { addToArgoCd, argoCdManifest, checkNamespaces } from '../../../src/cli/commands/cluster/argocd.js';
import type { ReadClient, WriteClient } from '../../../src/runtime/client/client.js';
import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { hubError } from '../../support/fakes/agent.js';

const ACCESS = { namespaces: ['web', 'shop'], argoCdNamespace: 'argocd', context: 'edge-1' };
const CLUSTER = { cluster: 'edge-1', clusterUid: 'uid-1', server: 'https://edge-1.example.com', ca: undefined };

type Client = Pick<ReadClient, 'get'> & Pick<WriteClient, 'apply'>;

/** A hub that has this Secret, and fails writes with this error. Returns what is applied. */
function hub(secret: KubeObject | undefined, error?: Error): { readonly client: Client; readonly applied: string[] } {
  const applied: string[] = [];
  const client = {
    get: async () => secret,
    apply: async ({ kind }: { readonly kind: string }, { metadata }: KubeObject, { force }: { force: boolean }) => {
      if (error !== undefined) throw error;
      applied.push(`${kind} ${metadata.namespace}/${metadata.name} ${metadata.uid ?? '-'} ${force}`);
    },
  } as unknown as Client;
  return { client, applied };
}

const secretOf = (uid: string): KubeObject => ({
  metadata: {
    name: 'cluster-edge-1',
    uid: 'secret-1',
    ownerReferences: [{ apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'ManagedCluster', name: 'edge-1', uid }],
  },
});

describe('cluster add --argo-cd', () => {
  it.each(['kube-system', 'kube-public', 'multicluster-engine-agent'])(
    'namespace %s is refused, by which Argo CD would control the cluster or its agent',
    (name) => {
      expect(() => checkNamespaces({ ...ACCESS, namespaces: ['web', name] })).toThrow(`whoever may write to namespace`);
      expect(() => checkNamespaces(ACCESS)).not.toThrow();
    },
  );

  it('the Secret is made, or replaced by its uid with the token in it, and its Role and binding are applied', async () => {
    const added = hub(undefined);
    await addToArgoCd(added.client, ACCESS, CLUSTER);
    const again = hub(secretOf('uid-1'));
    await addToArgoCd(again.client, ACCESS, CLUSTER);
    const rights = ['Role argocd/cluster-edge-1 - false', 'RoleBinding argocd/cluster-edge-1 - false'];

    expect(added.applied).toEqual(['Secret argocd/cluster-edge-1 - false', ...rights]);
    expect(again.applied).toEqual(['Secret argocd/cluster-edge-1 secret-1 true', ...rights]);
  });

  it('a Secret of that name that is of another cluster, or of nobody, is not touched', async () => {
    for (const found of [secretOf('uid-2'), { metadata: { name: 'cluster-edge-1' } }]) {
      const { client, applied } = hub(found);
      await expect(addToArgoCd(client, ACCESS, CLUSTER)).rejects.toThrow('is not of this cluster');
      expect(applied).toEqual([]);
    }
  });

  it('a hub without the namespace of Argo CD is told how to name another', async () => {
    const { client } = hub(undefined, hubError('NotFound'));

    await expect(addToArgoCd(client, ACCESS, CLUSTER)).rejects.toThrow('name that of Argo CD with --argo-cd-namespace');
  });

  it('the manifest has an identity for Argo CD, and in each namespace rights, and no cluster-wide right', () => {
    const found = argoCdManifest(ACCESS).map(
      ({ kind, metadata }) => `${kind} ${metadata.namespace ?? '-'}/${metadata.name}`,
    );

    expect(found).toEqual([
      'ServiceAccount multicluster-engine-agent/argo-cd',
      'Role multicluster-engine-agent/argo-cd-token',
      'RoleBinding multicluster-engine-agent/argo-cd-token',
      ...['web', 'shop'].flatMap((name) => [
        `Namespace -/${name}`,
        `Role ${name}/argo-cd`,
        `RoleBinding ${name}/argo-cd`,
      ]),
    ]);
  });
});
