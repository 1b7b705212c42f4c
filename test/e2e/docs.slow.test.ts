import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from 'node:tls';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { describeWithKubectl, pathWithKubectl } from '../support/clients/kubectl.js';
import { pathWithPlugin, withContext } from '../support/clients/plugin.js';
import { Standalone } from '../support/processes/standalone.js';
import { AFTER_WALK, readPage, TASKS, TASKS_WITH_PLUGIN, walk } from '../support/repository/documents.js';
import { stepsIn, type Step } from '../support/repository/markdown.js';
import { ReaderSession } from '../support/repository/session.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { kubectlStream, type KubectlStream } from '@multicluster-engine/kube-apiserver/testing/kubectl';

const MINUTE = 60_000;
const DECISIONS =
  'kubectl get placementdecisions -A -o ' +
  `jsonpath='{range .items[*]}{.metadata.name} {.status.decisions[*].clusterName}{"\\n"}{end}'`;
/** The engine, the fleet and the placement of the README. */
const EXAMPLES = [
  'kubectl apply -f examples/engine.yaml',
  'kubectl wait --for=condition=Ready mce/engine --timeout=120s',
  'kubectl apply -f examples/fleet.yaml',
  'kubectl apply --server-side --subresource=status -f examples/status/claims.yaml',
  'kubectl apply -f examples/placement.yaml',
  'kubectl wait --for=condition=Ready placement/web -n shop --timeout=60s',
];
const PHASES = `kubectl get placements -A -o jsonpath='{range .items[*]}{.metadata.name} {.status.phase}{"\\n"}{end}'`;
const CLAIMS = `kubectl get mcl -o jsonpath='{range .items[*]}{.metadata.name} {.status.clusterClaims}{"\\n"}{end}'`;

/** The page about a cluster that joins the hub: it needs a second server, the cluster. */
const JOIN = 'docs/how-to/add-a-cluster.md';
const [BACKUP = '', RESTORE = ''] = readPage('docs/how-to/backup-and-restore.md').split(/^(?=## Restore$)/m);

interface Hub {
  readonly run: Standalone;
  readonly reader: ReaderSession;
}

/** The SHA-256 fingerprint of the certificate of the gateway, for a client that trusts `ca`. Rejects where it does not verify. */
async function servedBy(port: number, ca: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, servername: 'gateway.multicluster-engine.svc', ca });
  try {
    await once(socket, 'secureConnect');
    return socket.getPeerCertificate().fingerprint256;
  } finally {
    socket.destroy();
  }
}

/** A case for each step, with a title that fits on a line. */
function cases(steps: readonly Step[]): { readonly title: string; readonly step: Step }[] {
  return steps.map((step, at) => ({ title: `${at + 1}: ${step.command.split('\n', 1).join('').slice(0, 90)}`, step }));
}

describeWithKubectl('a reader of the documents', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-docs-'));
  const env = { PATH: pathWithKubectl(), TMPDIR: folder };
  const withPlugin = { ...env, PATH: pathWithPlugin(path.join(folder, 'bin')) };
  const hubs: Hub[] = [];
  let first: Hub;
  /** The cluster that joins, and at the end moves to another hub. */
  let edge: Hub;

  /** Starts a standalone hub in a folder of its own. */
  async function startHub(name: string): Promise<Hub> {
    const data = path.join(folder, name);
    const run = await Standalone.start(data, [], { deadlineMs: 3 * MINUTE });
    const hub = { run, reader: new ReaderSession(folder, { ...env, KUBECONFIG: run.kubeconfig }) };
    hubs.push(hub);
    return hub;
  }

  beforeAll(async () => {
    first = await startHub('first');
    for (const command of EXAMPLES.slice(0, 2)) await first.reader.succeeds(command);
  }, 8 * MINUTE);
  afterAll(async () => {
    await Promise.all(hubs.map(({ run }) => run.stop()));
    rmSync(folder, { recursive: true, force: true });
  }, 3 * MINUTE);

  /** The terminal of a reader with the plugin, whose kubeconfig has the hub and, as context `edge-1`, the cluster. */
  function readerWithEdge(hub: Hub, edge: Hub): ReaderSession {
    const kubeconfig = `${hub.run.kubeconfig}.both`;
    writeFileSync(kubeconfig, withContext(hub.run.kubeconfig, 'edge-1', edge.run.kubeconfig));
    return new ReaderSession(folder, { ...withPlugin, KUBECONFIG: kubeconfig });
  }

  describe(JOIN, () => {
    let reader: ReaderSession;

    beforeAll(async () => {
      edge = await startHub('edge');
      reader = readerWithEdge(first, edge);
    }, 8 * MINUTE);

    it.each(cases(stepsIn(readPage(JOIN))))(
      'a command of the page prints what the page shows: $title',
      async ({ step }) => {
        await reader.shows(step);
      },
      5 * MINUTE,
    );
  });

  describe.each(TASKS)('%s', (page) => {
    it.each(cases(stepsIn(readPage(page))))(
      'a command of the page prints what the page shows: $title',
      async ({ step }) => {
        await first.reader.shows(step);
      },
      5 * MINUTE,
    );
  });

  describe.each(TASKS_WITH_PLUGIN)('%s', (page) => {
    let reader: ReaderSession;

    beforeAll(() => {
      reader = new ReaderSession(folder, { ...withPlugin, KUBECONFIG: first.run.kubeconfig });
    });

    it.each(cases(stepsIn(readPage(page))))(
      'a command of the page prints what the page shows: $title',
      async ({ step }) => {
        await reader.shows(step);
      },
      5 * MINUTE,
    );
  });

  describe('after the walk of the README', () => {
    let reader: ReaderSession;

    beforeAll(async () => {
      const { run } = await startHub('walked');
      reader = new ReaderSession(folder, { ...env, KUBECONFIG: run.kubeconfig });
      for (const step of walk()) await reader.shows(step);
    }, 8 * MINUTE);

    it.each(AFTER_WALK.flatMap((page) => cases(stepsIn(readPage(page))).map((one) => ({ page, ...one }))))(
      'a command of $page prints what the page shows: $title',
      async ({ step }) => {
        await reader.shows(step);
      },
      5 * MINUTE,
    );
  });

  describe('docs/how-to/rotate-the-certificate.md', () => {
    it('the copy of the clients has the new certificate behind the previous one', async () => {
      const certificates = await first.reader.succeeds(`grep -c 'BEGIN CERTIFICATE' "$TMPDIR/gateway-ca.crt"`);
      expect(certificates).toEqual(['2']);
      const served = await first.reader.succeeds(
        `kubectl get secret gateway-tls -n multicluster-engine -o jsonpath='{.data.tls\\.crt}' | base64 -d`,
      );
      const trusted = await first.reader.succeeds('cat "$TMPDIR/gateway-ca.crt"');
      expect(trusted.slice(-served.length)).toEqual(served);
    });

    it('the gateway serves with the new certificate, which clients accept with the copy and not with the previous one alone', async () => {
      const copy = readFileSync(path.join(folder, 'gateway-ca.crt'), 'utf8');
      const [previous = '', next = ''] = copy.match(/-----BEGIN[^]+?-----END CERTIFICATE-----\n/g) ?? [];
      const port = first.run.gatewayPort;
      const wanted = new X509Certificate(next).fingerprint256;

      await waitFor('the gateway to serve the new certificate', async () => (await servedBy(port, copy)) === wanted);

      await expect(servedBy(port, previous)).rejects.toThrow(/self-signed|unable to verify/);
    });
  });

  describe('docs/how-to/backup-and-restore.md', () => {
    const backup = stepsIn(BACKUP);
    const restore = stepsIn(RESTORE);
    let second: Hub;
    let restorer: ReaderSession;
    let before: readonly string[] = [];
    let phases: readonly string[] = [];
    let claims: readonly string[] = [];
    let watch: KubectlStream;

    beforeAll(async () => {
      const { reader } = first;
      for (const command of EXAMPLES) await reader.succeeds(command);
      // The decision then depends on what it was before: a hub without it would select prod-us-1.
      await reader.succeeds('kubectl label mcl prod-us-1 tier=silver --overwrite');
      const output = ['edge-eu-2 prod-eu-2 prod-eu-1'];
      const read = 'kubectl get placementdecision web-decision-1 -n shop';
      await reader.shows({ command: `${read} -o jsonpath='{.status.decisions[*].clusterName}'`, output });
      await reader.succeeds('kubectl label mcl prod-us-1 tier=gold --overwrite');
      await reader.succeeds('kubectl wait --for=jsonpath={.status.phase}=Satisfied placement/web -n shop');
      const joins =
        'kubectl mce cluster add edge-1 --set berlin --image registry.example.com/engine:1 | kubectl --context edge-1 apply -f -';
      await readerWithEdge(first, edge).succeeds(joins);
      await reader.succeeds('kubectl wait --for=condition=ManagedClusterConditionAvailable mcl/edge-1 --timeout=120s');
      const selected = 'kubectl wait --for=jsonpath={.status.phase}=Satisfied placement/catalogue -n library';
      await reader.succeeds(`${selected} --timeout=60s`);
      before = await reader.succeeds(DECISIONS);
      phases = await reader.succeeds(PHASES);
      claims = await reader.succeeds(CLAIMS);
      for (const step of backup) await reader.shows(step);
      await first.run.stop();
      second = await startHub('second');
      restorer = readerWithEdge(second, edge);
      const format = `jsonpath={.metadata.name} {.status.decisions[*].clusterName}{"\\n"}`;
      watch = await kubectlStream(['get', 'placementdecisions', '-A', '--watch', '-o', format], second.run.kubeconfig);
    }, 8 * MINUTE);
    afterAll(() => watch.stop());

    it('the page has a part for the old hub and a part for the new one', () => {
      expect([backup.length, restore.length]).toEqual([1, 6]);
      expect(before).toContain('web-decision-1 edge-eu-2 prod-eu-2 prod-eu-1');
      expect(before).toContain('catalogue-decision-1 edge-1');
    });

    it.each(cases(restore))(
      'a command of the page restores the hub: $title',
      async ({ step }) => {
        // As the reader exported it on the old hub.
        await restorer.succeeds(`export BACKUP="$TMPDIR/hub-backup"`);
        const printed = await restorer.shows(step);
        if (step.command === 'kubectl get mce -o name') expect(printed).toEqual([]);
      },
      6 * MINUTE,
    );

    it('the restored hub has the decisions of the old one, and at no time had others', async () => {
      expect(await second.reader.succeeds(DECISIONS)).toEqual(before);
      expect(await second.reader.succeeds(PHASES)).toEqual(phases);
      await watch.line('the decision', (line) => line.startsWith('web-decision-1 '));
      expect(watch.lines.filter((line) => !before.includes(line))).toEqual([]);
    });

    it('the restored clusters have their claims', async () => {
      const restored = await second.reader.succeeds(CLAIMS);
      expect(restored).toEqual(claims);
      expect(restored.join('\n')).toContain('bare metal');
    });
  });
});
