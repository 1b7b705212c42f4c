import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePorts, startChild, type Child } from '@multicluster-engine/kube-apiserver';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { writeKubeconfig } from '@multicluster-engine/kube-apiserver/testing/kubeconfig';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import type { ManagedCluster } from '../../src/api/generated/managedcluster.js';
import type { KubeObject } from '../../src/runtime/vocabulary/meta.js';
import { AGENT_NAMESPACE, AGENT_TOKEN_SECRET, AGENTS_NAMESPACE, JOIN_FIELD_MANAGER } from '../../src/api/names.js';
import { ManagedClusters } from '../../src/api/resources.js';
import { Leases, Secrets } from '../../src/runtime/vocabulary/kinds.js';
import { prepareJoin } from '../../src/cli/commands/cluster/join.js';
import { joinSecretData, ownTokenData, type JoinData } from '../../src/domain/agent/hubtoken.js';
import { createIdentityClient } from '../../src/runtime/client/identity.js';
import { createClient } from '../../src/runtime/client/rest.js';
import type { KubeClient } from '../../src/runtime/client/client.js';
import type { Transport } from '../../src/runtime/transport/transport.js';
import { transportOf } from '../support/clients/transport.js';
import { applyOverlay } from '../support/hub/overlays.js';
import { HomeRig } from '../support/rigs/agent/home.js';

const PROGRAM = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const CLUSTER = 'edge-1';
const NAME = { name: CLUSTER, namespace: AGENTS_NAMESPACE };
const OPTIONS = { fieldManager: 'kubectl', force: false };

/** A process of `multicluster-engine agent` in a cluster. */
interface Running {
  readonly child: Child;
  /** Code and text of an endpoint. */
  readonly read: (port: 'metrics' | 'health', target: string) => Promise<string>;
}

describeWithServer('the process of an agent', { own: true, capabilities: ['requestLog'] }, (server) => {
  const homes: HomeRig[] = [];
  const children: Child[] = [];
  let folder = '';
  let transport: Transport;
  let client: KubeClient;
  let first: HomeRig;
  let agent: Running;
  let join: JoinData;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'agent-process-'));
    await applyOverlay(server(), 'default');
    transport = transportOf(server().adminKubeconfig);
    client = createClient(transport);
  });
  afterAll(async () => {
    await Promise.all(children.map((one) => one.stop()));
    await Promise.all([transport.close(), ...homes.map((one) => one.server.close())]);
    await rm(folder, { recursive: true, force: true });
  });

  async function manifestOf(renew: boolean): Promise<JoinData> {
    const request = { name: CLUSTER, clusterSet: undefined, validSeconds: 3_600, renew };
    const identity = createIdentityClient(transport);
    const made = await waitFor('a manifest', () => prepareJoin({ client, identity }, request));
    return {
      cluster: CLUSTER,
      clusterUid: made.clusterUid,
      hubUrl: server().url,
      hubCa: (await readFile(server().caFile, 'utf8')).trim(),
      joinToken: made.token,
      joinSecretUid: made.secretUid,
    };
  }

  async function home(): Promise<HomeRig> {
    const made = await HomeRig.start();
    homes.push(made);
    return made;
  }

  async function start(at: HomeRig): Promise<Running> {
    const token = await at.server.tokenOf(AGENT_NAMESPACE, 'multicluster-engine-agent', { expirationSeconds: 3_600 });
    const access = { server: at.server.api.url, caFile: at.server.api.caFile, token };
    const kubeconfig = await writeKubeconfig(path.join(folder, String(children.length)), access);
    const [metrics = 0, health = 0] = await freePorts(2);
    const flags = [`--metrics-listen=127.0.0.1:${metrics}`, `--health-listen=127.0.0.1:${health}`];
    const child = await startChild({
      command: [process.execPath, PROGRAM, 'agent', `--kubeconfig=${kubeconfig}`, '--token-lifetime=600', ...flags],
      env: { PATH: process.env['PATH'] ?? '' },
      output: 'pipe',
    });
    child.output.resume();
    children.push(child);
    const ports = { metrics, health };
    const read: Running['read'] = async (port, target) => {
      const response = await fetch(`http://127.0.0.1:${ports[port]}${target}`);
      return `${response.status} ${await response.text()}`;
    };
    return { child, read };
  }

  async function ready({ read }: Running, text: string | RegExp): Promise<void> {
    await waitFor(`/readyz with ${String(text)}`, async (seen) => {
      const answer = await read('health', '/readyz');
      seen(answer);
      return typeof text === 'string' ? answer === text : text.test(answer);
    });
  }

  it('the process of an agent joins a hub that is installed by deploy/overlays/default', async () => {
    join = await manifestOf(false);
    // The agent learns of the duration with its first report.
    const spec = { hubAcceptsClient: true, leaseDurationSeconds: 10 };
    const accepted = {
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      kind: 'ManagedCluster',
      metadata: { name: CLUSTER },
      spec,
    };
    await client.apply(ManagedClusters, accepted, { fieldManager: JOIN_FIELD_MANAGER, force: false });
    first = await home();
    await first.join(join);
    agent = await start(first);
    await ready(agent, '200 ok');
    const created = await client.get(Leases, NAME);
    await waitFor('a renewal', async () => {
      const renewed = await client.get(Leases, NAME);
      return renewed?.metadata.resourceVersion !== created?.metadata.resourceVersion;
    });
    await waitFor('the end of the join token', async () => (await client.get(Secrets, NAME)) === undefined);

    expect((await client.get<ManagedCluster>(ManagedClusters, { name: CLUSTER }))?.status).toMatchObject({
      nodes: { total: 1, ready: 0 },
      clusterClaims: expect.arrayContaining([{ name: 'region.cluster.fleetmgmt.io', value: 'eu-west-1' }]),
    });
    expect(await agent.read('metrics', '/metrics')).toMatch(
      /^multicluster_agent_renewals_total\{result="success"\} [1-9]/m,
    );
  });

  it('the process of an agent uses each of its rights at home, and has no request refused there', async () => {
    const requests = await first.server.requestsOf(
      `system:serviceaccount:${AGENT_NAMESPACE}:multicluster-engine-agent`,
    );

    expect([...new Set(requests.map((one) => one.trim()))].sort()).toEqual([
      'get  200',
      'get configmaps 404',
      'get namespaces 200',
      'get secrets 200',
      'list configmaps 200',
      'list nodes 200',
      'patch secrets 200',
      'watch configmaps 200',
    ]);
  });

  it('the process of an agent has read nothing on the hub, and no request of it was refused', async () => {
    // Up to two seconds after the deletion of the Secret the agent asks whether it is gone.
    const requests = await waitFor('the deletion to be repeated', async (seen) => {
      const log = await server().requestLog({ user: `system:serviceaccount:${AGENTS_NAMESPACE}:${CLUSTER}` });
      const words = log.map(({ verb, resource, subresource, code }) => `${verb} ${resource}/${subresource} ${code}`);
      seen(words);
      return words.includes('delete secrets/ 404') && words;
    });

    expect([...new Set(requests)].sort()).toEqual([
      'create leases/ 201',
      'create serviceaccounts/token 201',
      'delete secrets/ 200',
      'delete secrets/ 404',
      'patch leases/ 200',
      'patch managedclusters/status 200',
    ]);
  });

  it('the process of an agent names the command when its tokens are revoked, and joins by a new manifest', async () => {
    const renewed = await manifestOf(true);
    await ready(agent, /the hub rejects the token: .* kubectl mce cluster add edge-1 --renew/);
    await first.join(renewed);
    await ready(agent, '200 ok');

    expect((await client.get(Secrets, NAME))?.metadata.uid).not.toBe(join.joinSecretUid);
    join = renewed;
  });

  it('the process of an agent in a copy of the cluster finds another holder of the Lease, and stays up to say so', async () => {
    const copy = await home();
    const secret = await first.secret();
    const token = secret.kind === 'complete' ? (secret.token ?? '') : '';
    await copy.join(join);
    const metadata = { name: AGENT_TOKEN_SECRET, namespace: AGENT_NAMESPACE };
    const data = { ...joinSecretData(join), ...ownTokenData(token, join) };
    await copy.server.client.apply<KubeObject & { data: object }>(Secrets, { metadata, data }, OPTIONS);
    const second = await start(copy);

    await ready(second, /another cluster is edge-1 on the hub/);
    expect(second.child.exit()).toBeUndefined();
    await ready(agent, '200 ok');
  });

  it('the process of an agent ends with 0 after SIGTERM', async () => {
    expect(await agent.child.stop()).toEqual({ code: 0, signal: null });
  });
});
