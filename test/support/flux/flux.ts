import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import { freePorts, startChild, type Child } from '@multicluster-engine/kube-apiserver';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { installCrds, kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

/** The namespace of Flux. */
export const NAMESPACE = 'flux-system';
const KUSTOMIZATIONS = `/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/${NAMESPACE}/kustomizations`;
const RELEASE = `/apis/helm.toolkit.fluxcd.io/v2/namespaces/${NAMESPACE}/helmreleases/chart`;
const SOURCES = `/apis/source.toolkit.fluxcd.io/v1/namespaces/${NAMESPACE}`;
const MERGE_PATCH = 'application/merge-patch+json';

/** The kinds of source-controller that the controllers watch, by their resources. */
const SOURCE_KINDS = {
  gitrepositories: 'GitRepository',
  ocirepositories: 'OCIRepository',
  buckets: 'Bucket',
  helmcharts: 'HelmChart',
  externalartifacts: 'ExternalArtifact',
} as const;

/** The programs of build.sh, with the definitions of their modules beside them. */
export interface Programs {
  readonly flux: string;
  readonly 'helm-controller': string;
}

/** What a Kustomization or a HelmRelease reports. */
export interface Report {
  /** Status, reason and message of its condition Ready. */
  readonly ready: readonly [status: string, reason: string, message: string];
  /** The message of its condition Reconciling; empty while it does nothing. */
  readonly doing: string;
  /** The revision that it has applied last (none of a HelmRelease), and the one that it has tried last. */
  readonly applied: string;
  readonly attempted: string;
}

/**
 * kustomize-controller and helm-controller on a hub, processes with the rights of their ServiceAccounts. source-controller is
 * simulated: an HTTP server has the archives, and the status of a GitRepository or a HelmChart says which one is the latest.
 */
export class Flux {
  readonly #server: ControlPlane;
  readonly #folder: string;
  readonly #archives: Server;
  readonly #controllers: readonly Child[];
  #revisions = 0;
  #asked = 0;

  private constructor(
    server: ControlPlane,
    folder: string,
    parts: { archives: Server; controllers: readonly Child[] },
  ) {
    this.#server = server;
    this.#folder = folder;
    this.#archives = parts.archives;
    this.#controllers = parts.controllers;
  }

  static async install(server: ControlPlane, programs: Programs): Promise<Flux> {
    const options = { kubeconfig: server.adminKubeconfig };
    await kubectlOk(['create', 'namespace', NAMESPACE], options);
    await kubectlOk(['apply', '-f', '-'], { ...options, input: JSON.stringify(list(sourceDefinitions())) });
    for (const [name, program] of Object.entries(programs))
      await installCrds(server, path.join(path.dirname(program), `${name}-definitions`));
    await kindsServed(server);
    const apiVersion = 'source.toolkit.fluxcd.io/v1';
    const repository = { apiVersion, kind: 'GitRepository', metadata: { name: 'fleet', namespace: NAMESPACE } };
    const chart = { apiVersion, kind: 'HelmChart', metadata: { name: 'chart', namespace: NAMESPACE } };
    await kubectlOk(['apply', '-f', '-'], { ...options, input: JSON.stringify(list([repository, chart])) });
    const folder = path.join(server.folder, 'flux');
    mkdirSync(folder, { recursive: true });
    const archives = await serve(folder);
    const controllers = [
      await startController(server, 'kustomize-controller', { program: programs.flux, folder }),
      await startController(server, 'helm-controller', { program: programs['helm-controller'], folder }),
    ];
    return new Flux(server, folder, { archives, controllers });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#controllers.map((one) => one.stop()));
    await new Promise((resolve) => this.#archives.close(resolve));
  }

  /** A Kustomization of a folder of the source, which prunes; `wait`: for the health of what it applies. */
  async kustomize(name: string, wait: boolean): Promise<void> {
    const metadata = { name, namespace: NAMESPACE };
    const sourceRef = { kind: 'GitRepository', name: 'fleet' };
    const spec = { interval: '10m', timeout: '2m', sourceRef, path: `./${name}`, prune: true, wait };
    const object = { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', metadata, spec };
    await kubectlOk(['apply', '-f', '-'], { kubeconfig: this.#server.adminKubeconfig, input: JSON.stringify(object) });
  }

  /** Makes these files the whole of the source; returns its revision. */
  async commit(files: Readonly<Record<string, string>>): Promise<string> {
    const artifact = await this.#archive(files);
    const revision = `main@sha1:${String(this.#revisions).padStart(40, '0')}`;
    await this.#publish('gitrepositories/fleet', { ...artifact, revision });
    return revision;
  }

  /** Makes a chart of these templates the latest, and a HelmRelease of it. */
  async release(version: string, templates: Readonly<Record<string, string>>): Promise<void> {
    const all = Object.entries(templates).map(([file, text]) => [`chart/templates/${file}`, text]);
    const files = {
      'chart/Chart.yaml': `apiVersion: v2\nname: chart\nversion: ${version}\n`,
      ...Object.fromEntries(all),
    };
    await this.#publish('helmcharts/chart', { ...(await this.#archive(files)), revision: version });
    const spec = { interval: '10m', timeout: '20s', chartRef: { kind: 'HelmChart', name: 'chart' } };
    const metadata = { name: 'chart', namespace: NAMESPACE };
    const object = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata, spec };
    await kubectlOk(['apply', '-f', '-'], { kubeconfig: this.#server.adminKubeconfig, input: JSON.stringify(object) });
  }

  async #archive(files: Readonly<Record<string, string>>): Promise<object> {
    this.#revisions += 1;
    const name = `${this.#revisions}.tar.gz`;
    const tree = path.join(this.#folder, 'tree');
    rmSync(tree, { recursive: true, force: true });
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.join(tree, path.dirname(file)), { recursive: true });
      writeFileSync(path.join(tree, file), text);
    }
    const archive = path.join(this.#folder, name);
    execFileSync('tar', ['-czf', archive, '-C', tree, ...readdirSync(tree)]);
    const digest = createHash('sha256').update(readFileSync(archive)).digest('hex');
    const { port } = this.#archives.address() as AddressInfo;
    const lastUpdateTime = new Date().toISOString();
    return { url: `http://127.0.0.1:${port}/${name}`, path: name, digest: `sha256:${digest}`, lastUpdateTime };
  }

  #publish(source: string, artifact: object): Promise<void> {
    const ready = { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'stored' };
    const conditions = [{ ...ready, lastTransitionTime: new Date().toISOString() }];
    return this.#patch(`${SOURCES}/${source}/status`, { status: { observedGeneration: 1, artifact, conditions } });
  }

  /** A report of the HelmRelease that passes. */
  released(what: string, passes: (report: Report) => boolean): Promise<Report> {
    return this.#reported(`the HelmRelease ${what}`, RELEASE, passes);
  }

  /** A report of the Kustomization that passes. */
  report(name: string, what: string, passes: (report: Report) => boolean): Promise<Report> {
    return this.#reported(`Kustomization ${name} ${what}`, `${KUSTOMIZATIONS}/${name}`, passes);
  }

  #reported(what: string, uri: string, passes: (report: Report) => boolean): Promise<Report> {
    return waitFor(
      what,
      async (seen) => {
        const { body } = await this.#server.call({ path: uri });
        const report = reportOf(body);
        seen(report);
        return passes(report) ? report : undefined;
      },
      { deadlineMs: 120_000 },
    );
  }

  /** Waits until the Kustomization is ready at the revision. */
  async applied(name: string, revision: string): Promise<void> {
    await this.report(name, `to be ready at ${revision}`, ({ ready, applied }) => {
      return ready[0] === 'True' && applied === revision;
    });
  }

  /** Lets the controller reconcile now, as `flux reconcile` does, and waits until it has. */
  async reconcile(name: string): Promise<void> {
    this.#asked += 1;
    const asked = String(this.#asked);
    const uri = `${KUSTOMIZATIONS}/${name}`;
    await this.#patch(uri, { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': asked } } });
    await waitFor(`${name} to be reconciled`, async (seen) => {
      const { body } = await this.#server.call({ path: uri });
      seen(body.status);
      const { lastHandledReconcileAt } = Object(body.status);
      return lastHandledReconcileAt === asked && reportOf(body).ready[0] !== 'Unknown';
    });
  }

  async #patch(uri: string, body: unknown): Promise<void> {
    const { status, text } = await this.#server.call({ method: 'PATCH', path: uri, body, contentType: MERGE_PATCH });
    if (status !== 200) throw new Error(`PATCH ${uri}: ${status} ${text}`);
  }
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

function reportOf({ status }: AnyObject): Report {
  const { conditions = [], lastAppliedRevision = '', lastAttemptedRevision = '' } = Object(status);
  const found = (type: string): Condition | undefined => conditions.find((one: Condition) => one.type === type);
  const ready = found('Ready');
  return {
    ready: [ready?.status ?? '', ready?.reason ?? '', ready?.message ?? ''],
    doing: found('Reconciling')?.message ?? '',
    applied: lastAppliedRevision,
    attempted: lastAttemptedRevision,
  };
}

function list(items: readonly AnyObject[]): AnyObject {
  return { apiVersion: 'v1', kind: 'List', items: [...items] };
}

/** The kinds of source-controller without their schemas: nobody checks what the tests write. */
function sourceDefinitions(): AnyObject[] {
  const group = 'source.toolkit.fluxcd.io';
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const version = { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema };
  return Object.entries(SOURCE_KINDS).map(([plural, kind]) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names: { kind, plural }, versions: [version] },
  }));
}

/** The files of a folder over HTTP. */
async function serve(folder: string): Promise<Server> {
  const server = createServer(({ url = '' }, response) => {
    response.end(readFileSync(path.join(folder, path.basename(url))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Starts a controller with the rights of its own ServiceAccount, which may do everything, as Flux installs it. */
async function startController(
  server: ControlPlane,
  name: string,
  { program, folder }: { readonly program: string; readonly folder: string },
): Promise<Child> {
  const options = { kubeconfig: server.adminKubeconfig };
  await kubectlOk(['create', 'serviceaccount', name, '-n', NAMESPACE], options);
  const account = `--serviceaccount=${NAMESPACE}:${name}`;
  await kubectlOk(['create', 'clusterrolebinding', name, '--clusterrole=cluster-admin', account], options);
  const [metrics, health] = await freePorts(2);
  const ports = [`--metrics-addr=127.0.0.1:${metrics}`, `--health-addr=127.0.0.1:${health}`];
  const log = openSync(path.join(server.folder, `${name}.log`), 'a');
  try {
    return await startChild({
      command: [program, '--watch-all-namespaces', '--log-level=info', ...ports],
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        TMPDIR: folder,
        RUNTIME_NAMESPACE: NAMESPACE,
        KUBECONFIG: await server.kubeconfigFor({ serviceAccount: { namespace: NAMESPACE, name } }),
      },
      output: log,
    });
  } finally {
    closeSync(log);
  }
}
