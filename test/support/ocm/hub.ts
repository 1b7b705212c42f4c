import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { startChild, type Child } from '@multicluster-engine/kube-apiserver';
import { pathWithPlugin, withContext } from '../clients/plugin.js';
import { Standalone } from '../processes/standalone.js';
import { readPage } from '../repository/documents.js';
import { stepsIn, type Step } from '../repository/markdown.js';
import { root } from '../repository/root.js';
import { ReaderSession } from '../repository/session.js';

const MINUTE = 60_000;
export const GROUP = 'cluster.open-cluster-management.io';
const DEFINITIONS = [
  'ocmmanagedclusters',
  'ocmmanagedclustersets',
  'ocmmanagedclustersetbindings',
  'ocmplacements',
  'ocmplacementdecisions',
  'ocmaddonplacementscores',
].map((name) => path.join('test', 'support', 'definitions', `${name}.yaml`));

/** The steps of the page on the migration: those by which a reader comes, and those by which one leaves. */
export function stepsOf(page: string): { readonly coming: readonly Step[]; readonly leaving: readonly Step[] } {
  const steps = stepsIn(readPage(page));
  const leaves = steps.findIndex(({ command }) => command.startsWith('kubectl delete fpl '));
  return { coming: steps.slice(0, leaves), leaving: steps.slice(leaves) };
}

const ALL_DECISIONS = `-n bakery -o jsonpath='{range .items[*]}{.metadata.name} {.status.decisions[*].clusterName}{"\\n"}{end}'`;
/** Prints the name of each decision object, and its clusters: of this project, and of OCM. */
export const OUR_DECISION = `kubectl get placementdecisions.cluster.fleetmgmt.io ${ALL_DECISIONS}`;
export const THEIR_DECISION = `kubectl get placementdecisions.${GROUP} ${ALL_DECISIONS}`;

/** A case for each step, with a title that fits on a line. */
export function cases(steps: readonly Step[]): { readonly title: string; readonly step: Step }[] {
  return steps.map((step, at) => ({ title: `${at + 1}: ${step.command.split('\n', 1).join('').slice(0, 90)}`, step }));
}

/** What the agent of OCM reports of its cluster: that it is available, and its platform. */
export function reportOf(name: string): object {
  return {
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
  };
}

/** A hub of OCM, a cluster paris-1, and the terminal of a reader of the page on the migration. */
export class OcmHub {
  readonly reader: ReaderSession;
  readonly kubeconfig: string;
  readonly #folder: string;
  readonly #clusters: readonly Standalone[];
  #adapter: Child | undefined;

  private constructor(folder: string, hub: Standalone, paris: Standalone) {
    this.#folder = folder;
    this.#clusters = [hub, paris];
    this.kubeconfig = path.join(folder, 'kubeconfig');
    writeFileSync(this.kubeconfig, withContext(hub.kubeconfig, 'paris-1', paris.kubeconfig));
    this.reader = new ReaderSession(folder, {
      PATH: pathWithPlugin(path.join(folder, 'bin')),
      TMPDIR: folder,
      KUBECONFIG: this.kubeconfig,
    });
  }

  /** With the definitions of OCM, those of `more` (files) included, and the namespace of its Placement. */
  static async start(folder: string, more: readonly string[] = []): Promise<OcmHub> {
    const hub = await Standalone.start(path.join(folder, 'hub'), [], { deadlineMs: 3 * MINUTE });
    const paris = await Standalone.start(path.join(folder, 'paris'), [], { deadlineMs: 3 * MINUTE });
    const started = new OcmHub(folder, hub, paris);
    const files = [...DEFINITIONS, ...more].map((file) => `-f ${file}`).join(' ');
    await started.reader.succeeds(`kubectl apply --server-side ${files}`);
    await started.reader.succeeds(`kubectl wait --for=condition=Established crd/placementdecisions.${GROUP}`);
    await started.reader.succeeds('kubectl create namespace bakery');
    return started;
  }

  /** Runs `kubectl COMMAND -f` with these objects. */
  async write(command: string, ...items: readonly object[]): Promise<void> {
    const file = path.join(this.#folder, 'objects.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    await this.reader.succeeds(`kubectl ${command} -f ${file}`);
  }

  /** The agents of OCM report these clusters. */
  report(...names: readonly string[]): Promise<void> {
    return this.write('apply --server-side --subresource=status', ...names.map(reportOf));
  }

  /** What the page takes as done: an engine of this project, and the adapter. */
  async install(): Promise<void> {
    await this.reader.succeeds('kubectl apply -f examples/engine.yaml');
    await this.reader.succeeds('kubectl wait --for=condition=Ready mce/engine --timeout=120s');
    const program = path.join(root, 'dist', 'src', 'main.js');
    const flags = ['--controllers=inventories', '--ocm-clusters', `--kubeconfig=${this.#clusters[0]?.kubeconfig}`];
    const listen = ['--metrics-listen=127.0.0.1:0', '--health-listen=127.0.0.1:0'];
    this.#adapter = await startChild({
      command: [process.execPath, program, 'operator', ...flags, ...listen],
      env: { PATH: process.env['PATH'] ?? '' },
      output: 'pipe',
    });
  }

  /** As if the reader had removed `deploy/inventories`. */
  async removeAdapter(): Promise<void> {
    await this.#adapter?.stop();
    this.#adapter = undefined;
  }

  async stop(): Promise<void> {
    await this.removeAdapter();
    await Promise.all(this.#clusters.map((cluster) => cluster.stop()));
  }
}
