import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import { freePorts, startChild, type Child } from '@multicluster-engine/kube-apiserver';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { installCrds, kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor, type WaitOptions } from '@multicluster-engine/kube-apiserver/testing/wait';

/** The namespace of Flux. */
export const NAMESPACE = 'flux-system';
const KUSTOMIZATIONS = `/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/${NAMESPACE}/kustomizations`;
const SOURCES = `/apis/source.toolkit.fluxcd.io/v1/namespaces/${NAMESPACE}/gitrepositories`;
const MERGE_PATCH = 'application/merge-patch+json';

/** The kinds of source-controller that kustomize-controller watches, by their resources. */
const SOURCE_KINDS = {
  gitrepositories: 'GitRepository',
  ocirepositories: 'OCIRepository',
  buckets: 'Bucket',
  externalartifacts: 'ExternalArtifact',
} as const;

/** What a Kustomization reports. */
export interface Report {
  /** Status, reason and message of its condition Ready. */
  readonly ready: readonly [status: string, reason: string, message: string];
  /** The message of its condition Reconciling; empty while it does nothing. */
  readonly doing: string;
  /** The revision that it has applied last, and the one that it has tried last. */
  readonly applied: string;
  readonly attempted: string;
}

/**
 * kustomize-controller on a hub, a process with the rights of its ServiceAccount. source-controller is simulated: an HTTP server
 * has the archives, and the status of a GitRepository says which one is the latest.
 */
export class Flux {
  readonly #server: ControlPlane;
  readonly #folder: string;
  readonly #archives: Server;
  readonly #controller: Child;
  #revisions = 0;
  #asked = 0;

  private constructor(server: ControlPlane, folder: string, parts: { archives: Server; controller: Child }) {
    this.#server = server;
    this.#folder = folder;
    this.#archives = parts.archives;
    this.#controller = parts.controller;
  }

  /** `program`: the one of build.sh, with the definitions of its module beside it. */
  static async install(server: ControlPlane, program: string): Promise<Flux> {
    const options = { kubeconfig: server.adminKubeconfig };
    await kubectlOk(['create', 'namespace', NAMESPACE], options);
    await kubectlOk(['apply', '-f', '-'], { ...options, input: JSON.stringify(list(sourceDefinitions())) });
    await installCrds(server, path.join(path.dirname(program), 'flux-definitions'));
    await kindsServed(server);
    await kubectlOk(['create', 'serviceaccount', 'kustomize-controller', '-n', NAMESPACE], options);
    const source = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository', metadata: { name: 'fleet' } };
    await kubectlOk(['apply', '-n', NAMESPACE, '-f', '-'], { ...options, input: JSON.stringify(source) });
    const account = `--serviceaccount=${NAMESPACE}:kustomize-controller`;
    await kubectlOk(['create', 'clusterrolebinding', 'flux', '--clusterrole=cluster-admin', account], options);
    const folder = path.join(server.folder, 'flux');
    mkdirSync(folder, { recursive: true });
    const archives = await serve(folder);
    return new Flux(server, folder, { archives, controller: await startController(server, program, folder) });
  }

  async stop(): Promise<void> {
    await this.#controller.stop();
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
    this.#revisions += 1;
    const name = `${this.#revisions}.tar.gz`;
    const tree = path.join(this.#folder, 'tree');
    rmSync(tree, { recursive: true, force: true });
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.join(tree, path.dirname(file)), { recursive: true });
      writeFileSync(path.join(tree, file), text);
    }
    execFileSync('tar', ['-czf', path.join(this.#folder, name), '-C', tree, '.']);
    const digest = createHash('sha256')
      .update(readFileSync(path.join(this.#folder, name)))
      .digest('hex');
    const { port } = this.#archives.address() as AddressInfo;
    const revision = `main@sha1:${String(this.#revisions).padStart(40, '0')}`;
    const artifact = {
      url: `http://127.0.0.1:${port}/${name}`,
      path: name,
      revision,
      digest: `sha256:${digest}`,
      lastUpdateTime: new Date().toISOString(),
    };
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'Succeeded',
      message: 'stored',
      lastTransitionTime: artifact.lastUpdateTime,
    };
    await this.#patch(`${SOURCES}/fleet/status`, { status: { artifact, conditions: [ready] } });
    return revision;
  }

  /** A report of the Kustomization that passes. */
  report(
    name: string,
    what: string,
    passes: (report: Report) => boolean,
    options: WaitOptions = { deadlineMs: 120_000 },
  ): Promise<Report> {
    return waitFor(
      `Kustomization ${name} ${what}`,
      async (seen) => {
        const { body } = await this.#server.call({ path: `${KUSTOMIZATIONS}/${name}` });
        const report = reportOf(body);
        seen(report);
        return passes(report) ? report : undefined;
      },
      options,
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

async function startController(server: ControlPlane, program: string, folder: string): Promise<Child> {
  const [metrics, health] = await freePorts(2);
  const serviceAccount = { namespace: NAMESPACE, name: 'kustomize-controller' };
  const log = openSync(path.join(server.folder, 'kustomize-controller.log'), 'a');
  try {
    return await startChild({
      command: [
        program,
        '--watch-all-namespaces',
        '--log-level=info',
        `--metrics-addr=127.0.0.1:${metrics}`,
        `--health-addr=127.0.0.1:${health}`,
      ],
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        TMPDIR: folder,
        RUNTIME_NAMESPACE: NAMESPACE,
        KUBECONFIG: await server.kubeconfigFor({ serviceAccount }),
      },
      output: log,
    });
  } finally {
    closeSync(log);
  }
}
