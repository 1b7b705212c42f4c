import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startChild, type Child } from '@multicluster-engine/kube-apiserver';
import { describeWithKubectl } from '../support/clients/kubectl.js';
import { pathWithPlugin, withContext } from '../support/clients/plugin.js';
import { Standalone } from '../support/processes/standalone.js';
import { readPage } from '../support/repository/documents.js';
import { stepsIn, type Step } from '../support/repository/markdown.js';
import { root } from '../support/repository/root.js';
import { ReaderSession } from '../support/repository/session.js';

const MINUTE = 60_000;
const STEPS = stepsIn(readPage('docs/how-to/migrate-from-ocm.md'));
const DEFINITIONS = [
  'ocmmanagedclusters',
  'ocmmanagedclustersets',
  'ocmmanagedclustersetbindings',
  'ocmplacements',
  'ocmplacementdecisions',
  'ocmaddonplacementscores',
].map((name) => path.join('test', 'support', 'definitions', `${name}.yaml`));
const GROUP = 'cluster.open-cluster-management.io';
const OCM_KINDS = [
  'managedclusters',
  'managedclustersets',
  'managedclustersetbindings',
  'placements',
  'placementdecisions',
].map((kind) => `${kind}.${GROUP}`);
/** The first of the steps by which a reader leaves. */
const LEAVES = STEPS.findIndex(({ command }) => command.startsWith('kubectl delete fpl '));
const CLUSTERS = ['lyon-1', 'nice-1', 'paris-1'];
/** The decision of this project, once it is there. */
const DECISION =
  'kubectl get placementdecisions.cluster.fleetmgmt.io -n bakery ' +
  `-o jsonpath='{range .items[*]}{.metadata.name} {.status.decisions[*].clusterName}{"\\n"}{end}'`;

/** What the agents of OCM have reported, and its placement controller has decided. */
function statusesOfOcm(): string {
  const reported = CLUSTERS.map((name) => ({
    apiVersion: `${GROUP}/v1`,
    kind: 'ManagedCluster',
    metadata: { name },
    status: {
      clusterClaims: [{ name: 'platform.open-cluster-management.io', value: 'AWS' }],
      conditions: [
        {
          type: 'ManagedClusterConditionAvailable',
          status: 'True',
          reason: 'ManagedClusterAvailable',
          message: 'Managed cluster is available',
          lastTransitionTime: '2026-11-22T10:00:00Z',
        },
      ],
    },
  }));
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...reported, decisionOfOcm()] });
}

/** nice-1 would do, too: a new Placement of this project selects that one. */
function decisionOfOcm(): object {
  return {
    apiVersion: `${GROUP}/v1beta1`,
    kind: 'PlacementDecision',
    metadata: {
      name: 'ovens-decision-1',
      namespace: 'bakery',
      labels: { [`${GROUP}/placement`]: 'ovens', [`${GROUP}/decision-group-index`]: '0' },
    },
    status: { decisions: [{ clusterName: 'paris-1', reason: '' }] },
  };
}

/** A case for each step, with a title that fits on a line. */
function cases(steps: readonly Step[]): { readonly title: string; readonly step: Step }[] {
  return steps.map((step, at) => ({ title: `${at + 1}: ${step.command.split('\n', 1).join('').slice(0, 90)}`, step }));
}

/**
 * The definitions of OCM are the real ones. Its controllers are not built, since the Go module proxy refuses their module. The test writes what
 * they would report and decide.
 */
describeWithKubectl('a reader who comes from Open Cluster Management', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-ocm-'));
  let hub: Standalone;
  let paris: Standalone;
  let adapter: Child;
  let reader: ReaderSession;
  let isDecided = false;
  let before: readonly string[] = [];

  beforeAll(async () => {
    hub = await Standalone.start(path.join(folder, 'hub'), [], { deadlineMs: 3 * MINUTE });
    paris = await Standalone.start(path.join(folder, 'paris'), [], { deadlineMs: 3 * MINUTE });
    const kubeconfig = path.join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, withContext(hub.kubeconfig, 'paris-1', paris.kubeconfig));
    reader = new ReaderSession(folder, {
      PATH: pathWithPlugin(path.join(folder, 'bin')),
      TMPDIR: folder,
      KUBECONFIG: kubeconfig,
    });
    await reader.succeeds(`kubectl apply --server-side ${DEFINITIONS.map((file) => `-f ${file}`).join(' ')}`);
    await reader.succeeds(`kubectl wait --for=condition=Established crd/placementdecisions.${GROUP}`);
    await reader.succeeds('kubectl create namespace bakery');
    await reader.succeeds('kubectl apply -f examples/ocm/open-cluster-management.yaml');
    const file = path.join(folder, 'reported.json');
    writeFileSync(file, JSON.stringify(decisionOfOcm()));
    await reader.succeeds(`kubectl create -f ${file}`);
    writeFileSync(file, statusesOfOcm());
    await reader.succeeds(`kubectl apply --server-side --subresource=status -f ${file}`);
    await reader.succeeds('kubectl apply -f examples/engine.yaml');
    await reader.succeeds('kubectl wait --for=condition=Ready mce/engine --timeout=120s');
    const program = path.join(root, 'dist', 'src', 'main.js');
    const flags = ['--controllers=inventories', '--ocm-clusters', `--kubeconfig=${hub.kubeconfig}`];
    const listen = ['--metrics-listen=127.0.0.1:0', '--health-listen=127.0.0.1:0'];
    adapter = await startChild({
      command: [process.execPath, program, 'operator', ...flags, ...listen],
      env: { PATH: process.env['PATH'] ?? '' },
      output: 'pipe',
    });
    before = await written();
  }, 8 * MINUTE);
  afterAll(async () => {
    await adapter.stop();
    await Promise.all([hub.stop(), paris.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }, 3 * MINUTE);

  /** Whoever writes an object of OCM changes this. */
  const written = (): Promise<readonly string[]> =>
    reader.succeeds(
      `kubectl get ${OCM_KINDS.join(',')} -A -o jsonpath='{range .items[*]}{.kind} {.metadata.name} {.metadata.resourceVersion}{"\\n"}{end}'`,
    );

  it.each(cases(STEPS.slice(0, LEAVES)))(
    'a command of the page prints what the page shows, and the decision that was there stays: $title',
    async ({ step }) => {
      isDecided ||= step.command.includes('kind: PlacementDecision');
      await reader.shows(step);

      const decided = await reader.succeeds(DECISION);
      expect(decided).toEqual(isDecided ? ['ovens-decision-1 paris-1'] : []);
    },
    5 * MINUTE,
  );

  it('nothing of OCM was written, and a cluster whose agent has left follows OCM again', async () => {
    expect(await written()).toEqual(before);

    await reader.succeeds(`kubectl label managedclusters.${GROUP} paris-1 floor=2`);
    await reader.shows({ command: `kubectl get fmcl paris-1 -o jsonpath='{.metadata.labels.floor}'`, output: ['2'] });
    expect(await reader.succeeds(DECISION)).toEqual(['ovens-decision-1 paris-1']);
  });

  it(
    'the last commands of the page leave OCM alone on the hub, as it was',
    async () => {
      await adapter.stop();
      for (const step of STEPS.slice(LEAVES)) await reader.shows(step);

      expect(await reader.succeeds('kubectl get fpl,fpd,fmcl,fmclset,fmclsetbinding -A -o name')).toEqual([]);
      expect((await written()).map((line) => line.split(' ')[1])).toEqual(before.map((line) => line.split(' ')[1]));
    },
    5 * MINUTE,
  );
});
