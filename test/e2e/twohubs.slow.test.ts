import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import { describeWithKubectl } from '../support/clients/kubectl.js';
import { pathWithPlugin, withContext } from '../support/clients/plugin.js';
import { HAS_IPV6 } from '../support/ipv6.js';
import { Standalone } from '../support/processes/standalone.js';
import { readPage } from '../support/repository/documents.js';
import { stepsIn } from '../support/repository/markdown.js';
import { ReaderSession } from '../support/repository/session.js';

const MINUTE = 60_000;
/** `cluster add`, and the wait for what its agent reports. */
const JOIN = stepsIn(readPage('docs/how-to/add-a-cluster.md')).slice(0, 2);
/** The shortest lease duration, and a toleration that ends with the taint: edge-1 is replaced after 41 s. */
const OBJECTS = `
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: ManagedCluster
metadata: {name: edge-1}
spec: {leaseDurationSeconds: 10}
---
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: ManagedClusterSet
metadata: {name: berlin}
---
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: ManagedClusterSetBinding
metadata: {name: berlin, namespace: default}
spec: {clusterSet: berlin}
---
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: Placement
metadata: {name: catalogue, namespace: default}
spec:
  ClusterSets: [berlin]
  numberOfClusters: 1
  tolerations:
    - {key: cluster.fleetmgmt.io/unreachable, operator: Exists, effect: NoSelect, tolerationSeconds: 1}
`;
const SPARE = `
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: ManagedCluster
metadata: {name: spare, labels: {cluster.fleetmgmt.io/clusterset: berlin}}
`;
const DECISION = `kubectl get placementdecision catalogue-decision-1 -o jsonpath='{.status.decisions[*].clusterName}'`;
const DURATION = "kubectl get lease edge-1 -n multicluster-engine-agents -o jsonpath='{.spec.leaseDurationSeconds}'";
/** The hub is served by IPv6 alone where the machine has that, and the cluster by IPv4. */
const HUB_HOST = HAS_IPV6 ? '[::1]' : '127.0.0.1';
const HUB_LISTENERS = ['listen', 'gateway-listen', 'console-listen'].map((name) => `--${name}=${HUB_HOST}:0`);
const HUB_URL = `kubectl --context edge-1 get secret hub-token -n multicluster-engine-agent -o jsonpath='{.data.hub}'`;
const GATEWAY_CA = "kubectl get configmap gateway-ca -n multicluster-engine -o jsonpath='{.data.ca\\.crt}'";
const HEALTH =
  'kubectl get mcl edge-1 -o ' +
  `jsonpath='{.status.conditions[?(@.type=="ManagedClusterConditionAvailable")].status} {.spec.taints[*].key}'`;

/** The status code of the response. */
async function answerOf(request: ClientRequest): Promise<number | undefined> {
  const [response]: IncomingMessage[] = await once(request, 'response');
  response?.resume();
  return response?.statusCode;
}

describeWithKubectl('a standalone hub that has joined another one', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-two-'));
  let hub: Standalone;
  let edge: Standalone;
  let reader: ReaderSession;

  beforeAll(async () => {
    // The agents of the demo fleet go on: the brake holds the taint of a cluster that is the only one.
    [hub, edge] = await Promise.all([
      Standalone.start(path.join(folder, 'hub'), ['--demo-fleet=3', ...HUB_LISTENERS]),
      Standalone.start(path.join(folder, 'edge')),
    ]);
    const kubeconfig = path.join(folder, 'both.kubeconfig');
    writeFileSync(kubeconfig, withContext(hub.kubeconfig, 'edge-1', edge.kubeconfig));
    reader = new ReaderSession(folder, { PATH: pathWithPlugin(path.join(folder, 'bin')), KUBECONFIG: kubeconfig });
    await reader.succeeds('kubectl apply -f examples/engine.yaml');
    await reader.succeeds('kubectl wait --for=condition=Ready mce/engine --timeout=120s');
    await reader.succeeds(`kubectl apply -f - <<'EOF'${OBJECTS}EOF`);
  }, 5 * MINUTE);
  afterAll(async () => {
    await Promise.all([hub.stop(), edge.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }, 3 * MINUTE);

  /** Waits until a command prints this. */
  function prints(command: string, wanted: string): Promise<true> {
    return waitFor(
      `${command} to print ${wanted}`,
      async (seen) => {
        const lines = await reader.succeeds(command);
        seen(lines);
        return lines.join('\n').trim() === wanted || undefined;
      },
      { deadlineMs: 3 * MINUTE, everyMs: 500 },
    );
  }

  it('the hub answers at the addresses that it prints and publishes, of one family', async () => {
    const printed = hub.printed.join('\n');
    const at = (pattern: string): RegExp => new RegExp(pattern.replace('HOST', HUB_HOST.replaceAll(/[[\]]/g, '\\$&')));
    const [, gateway = ''] = at('answers on (https://HOST:\\d+)').exec(printed) ?? [];
    const [, link = ''] = at('(http://HOST:\\d+/)login').exec(printed) ?? [];

    expect(readFileSync(hub.kubeconfig, 'utf8')).toMatch(at('server: https://HOST:\\d+\n'));
    const ca = (await reader.succeeds(GATEWAY_CA)).join('\n');
    const verified = { ca, servername: 'gateway.multicluster-engine.svc', agent: false };
    expect(await answerOf(get(`${gateway}/readyz`, verified))).toBe(200);
    expect((await fetch(link)).status).toBe(200);
  });

  it(
    'it joins by the two commands of the page, and is selected',
    async () => {
      for (const step of JOIN) await reader.shows(step);
      const [hubUrl = ''] = await reader.succeeds(HUB_URL);
      expect(readFileSync(hub.kubeconfig, 'utf8')).toContain(`server: ${Buffer.from(hubUrl, 'base64').toString()}\n`);
      await prints(HEALTH, 'True');
      await prints(DECISION, 'edge-1');
      // Until the agent renews by it the hub goes by a longer one.
      await prints(DURATION, '10');
    },
    5 * MINUTE,
  );

  it(
    'it is Unknown and tainted after it was killed, and another cluster takes its place',
    async () => {
      await reader.succeeds(`kubectl apply -f - <<'EOF'${SPARE}EOF`);
      await edge.kill();

      await prints(DECISION, 'spare');
      expect(await reader.succeeds(HEALTH)).toEqual(['Unknown cluster.fleetmgmt.io/unreachable']);
    },
    5 * MINUTE,
  );

  it(
    'it is available again after its next start, without another manifest, and the decision stays',
    async () => {
      edge = await Standalone.start(path.join(folder, 'edge'));

      await prints(HEALTH, 'True');
      expect(await reader.succeeds(DECISION)).toEqual(['spare']);
    },
    5 * MINUTE,
  );
});
