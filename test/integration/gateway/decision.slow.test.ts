import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { pathWithKubectl } from '../../support/clients/kubectl.js';
import { builtProgram } from '../../support/programs/built.js';
import { root } from '../../support/repository/root.js';
import { Controller } from '../../support/hub/controller.js';
import { deploy } from '../../support/hub/deployed.js';
import { startGateway, type GatewayProcess } from './process.js';

const FLEET = '/apis/cluster.fleetmgmt.io/v1alpha1';
const API = 'cluster.fleetmgmt.io/v1alpha1';
const NAMESPACE = 'shop';
const PLACEMENTS = `/namespaces/${NAMESPACE}/placements`;
const DECISION = `/platform/${API}${PLACEMENTS}/web/decision`;

const ENGINE_NAMESPACE = 'multicluster-engine';
const SERVICE = 'gateway.multicluster-engine.svc';
const PAGE = readFileSync(path.join(root, 'docs/how-to/follow-a-decision.md'), 'utf8');
const [COMMANDS = ''] = /(?<=^```sh\n)[\s\S]*?(?=^```$)/m.exec(PAGE) ?? [];
const [PROMETHEUS = ''] = /^scrape_configs:\n[\s\S]*?(?=^```$)/m.exec(PAGE) ?? [];

const promtool = process.env['NIGHTLY'] === 'true' ? builtProgram('promtool') : undefined;

describeWithServer('the decision of a placement over HTTPS', { own: true }, (server) => {
  let gateway: GatewayProcess;
  let controller: Controller | undefined;
  let token = '';
  let config = '';
  let folder = '';

  beforeAll(async () => {
    await deploy(server());
    gateway = await startGateway(server());
    token = await server().tokenFor({ user: 'admin' });
    folder = await mkdtemp(path.join(server().folder, 'reader-'));
    config = path.join(folder, 'prometheus.yaml');
    await writeFile(config, PROMETHEUS.replace(SERVICE, `localhost:${gateway.port}`).replace('30s', '1s'));
    const ca = { metadata: { name: 'gateway-ca' }, data: { 'ca.crt': gateway.ca } };
    await apply(`/api/v1/namespaces/${ENGINE_NAMESPACE}/configmaps`, ca);
    await apply('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    await apply(`${FLEET}/managedclustersets`, {
      apiVersion: API,
      kind: 'ManagedClusterSet',
      metadata: { name: 'eu' },
    });
    for (const name of ['eu-1', 'eu-2', 'eu-3'])
      await apply(`${FLEET}/managedclusters`, {
        apiVersion: API,
        kind: 'ManagedCluster',
        metadata: { name, labels: { 'cluster.fleetmgmt.io/clusterset': 'eu' } },
      });
    const binding = {
      apiVersion: API,
      kind: 'ManagedClusterSetBinding',
      metadata: { name: 'eu' },
      spec: { clusterSet: 'eu' },
    };
    await apply(`${FLEET}/namespaces/${NAMESPACE}/managedclustersetbindings`, binding);
  }, 300_000);
  afterAll(async () => {
    await controller?.stop();
    await gateway.stop();
  });

  async function apply(to: string, body: unknown): Promise<void> {
    const { status, text } = await server().call({ method: 'POST', path: to, body });
    if (status !== 201) throw new Error(`POST ${to}: ${status} ${text}`);
  }

  async function decided(count: number): Promise<readonly string[]> {
    const read = async (seen: (what: unknown) => void): Promise<string[] | undefined> => {
      const { status, body } = await gateway.ask({ path: DECISION, token });
      seen(`${status} ${body}`);
      const names: string[] = status === 200 ? JSON.parse(body).decisions.map(nameOf) : [];
      return status === 200 && names.length === count ? names : undefined;
    };
    return waitFor(`a decision of ${count} clusters`, read, { deadlineMs: 60_000 });
  }

  const nameOf = ({ clusterName }: { readonly clusterName: string }): string => clusterName;

  /** The addresses that Prometheus would scrape, with their label `cluster`: at night by its own program, which takes minutes to build. */
  async function targets(): Promise<readonly string[]> {
    if (promtool === undefined) {
      const { body } = await gateway.ask({ path: `${DECISION}?as=prometheus`, token });
      const groups: { targets: readonly string[] }[] = JSON.parse(body);
      return scraped(groups.flatMap((group) => group.targets));
    }
    const { code, stdout, output } = promtool(['check', 'service-discovery', '--timeout=2s', config, 'clusters']);
    if (code !== 0) throw new Error(output);
    const found: { labels: Record<string, string> }[] = JSON.parse(stdout);
    return [...new Set(found.map(({ labels }) => `${labels['cluster']} ${labels['__address__']}`))].sort();
  }

  /** Types the commands of the page, with the gateway of this test in place of the one of the hub; returns what they print. */
  async function typed(): Promise<string> {
    await writeFile(path.join(folder, '.curlrc'), `connect-to = "${SERVICE}:443:127.0.0.1:${gateway.port}"\n`);
    const env = { PATH: pathWithKubectl(), HOME: folder, KUBECONFIG: server().adminKubeconfig };
    const { stdout } = await promisify(execFile)('bash', ['-euc', COMMANDS], { cwd: folder, env, timeout: 60_000 });
    return stdout;
  }

  const scraped = (names: readonly string[]): string[] =>
    names.map((name) => `${name} prometheus.${name}.example.com:9090`).sort();

  async function resize(numberOfClusters: number): Promise<void> {
    const at = `${FLEET}${PLACEMENTS}/web`;
    const { body } = await server().call({ path: at });
    const { status } = await server().call({
      method: 'PUT',
      path: at,
      body: { ...body, spec: { numberOfClusters } },
    });
    expect(status).toBe(200);
  }

  test('there is no answer without a placement, and none before its first decision', async () => {
    expect((await gateway.ask({ path: DECISION, token })).status).toBe(404);
    await apply(`${FLEET}${PLACEMENTS}`, {
      apiVersion: API,
      kind: 'Placement',
      metadata: { name: 'web' },
      spec: { numberOfClusters: 2 },
    });
    expect(await gateway.ask({ path: `${DECISION}?as=prometheus`, token })).toMatchObject({ status: 503, body: '' });
  });

  test('the commands of the page print the decision, Prometheus follows it, and Argo CD and Flux get the same clusters', async () => {
    controller = await Controller.start({ server: server(), url: server().url, identity: 'decision-reader' });
    const two = await decided(2);
    const printed = await typed();
    expect(
      two.filter((name) => printed.includes(`"clusterName":"${name}"`) && printed.includes(`"targets":["${name}"]`)),
    ).toEqual(two);
    expect(await targets()).toEqual(scraped(two));

    await resize(3);
    const three = await decided(3);
    expect(await targets()).toEqual(scraped(three));
    const argocd = await gateway.ask({
      method: 'POST',
      path: `${DECISION}/api/v1/getparams.execute`,
      token,
      headers: { 'content-type': 'application/json' },
      body: '{"applicationSetName":"web","input":{"parameters":{}}}',
    });
    expect(JSON.parse(argocd.body).output.parameters.map(nameOf)).toEqual(three);
    const flux = JSON.parse((await gateway.ask({ path: `${DECISION}?as=flux`, token })).body);
    expect(flux.inputs.map(({ id }: { readonly id: string }) => id)).toEqual(three);

    await resize(0);
    await decided(0);
    expect(await targets()).toEqual([]);
    expect(await gateway.ask({ path: `${DECISION}?as=prometheus`, token })).toMatchObject({
      status: 200,
      body: '[]',
    });
  }, 120_000);

  test('decision objects that were deleted are no empty decision', async () => {
    await resize(2);
    await decided(2);
    await controller?.stop();
    const object = `${FLEET}/namespaces/${NAMESPACE}/placementdecisions/web-decision-1`;
    const { uid } = (await server().call({ path: object })).body.metadata ?? {};
    // As the garbage collector deletes: without preconditions it is refused.
    const { status } = await server().call({ method: 'DELETE', path: object, body: { preconditions: { uid } } });
    expect(status).toBe(200);

    expect((await gateway.ask({ path: `${DECISION}?as=argocd`, token })).status).toBe(503);
    await controller?.start();
    await decided(2);
  }, 120_000);

  test('a token without the right to read decisions gets 403', async () => {
    const rule = { apiGroups: ['cluster.fleetmgmt.io'], resources: ['placements'], verbs: ['get'] };
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}`;
    const reader = { namespace: NAMESPACE, name: 'placements-only' };
    await apply(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: reader.name } });
    await apply(`${rbac}/roles`, { metadata: { name: reader.name }, rules: [rule] });
    await apply(`${rbac}/rolebindings`, {
      metadata: { name: reader.name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: reader.name },
      subjects: [{ kind: 'ServiceAccount', ...reader }],
    });
    const limited = await server().tokenFor({ serviceAccount: reader });
    const placement = `/platform/${API}${PLACEMENTS}/web`;
    await waitFor('the role', async () => (await gateway.ask({ path: placement, token: limited })).status === 200);

    expect((await gateway.ask({ path: DECISION, token: limited })).status).toBe(403);
  });
});
