import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';

import { freePorts, startChild, type Child } from '@multicluster-engine/kube-apiserver';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

/** The namespace of Argo CD. */
export const NAMESPACE = 'argocd';
export const APPLICATIONS = `/apis/argoproj.io/v1alpha1/namespaces/${NAMESPACE}/applications`;
export const APPLICATION_SETS = `/apis/argoproj.io/v1alpha1/namespaces/${NAMESPACE}/applicationsets`;
const REFRESH = 'argocd.argoproj.io/application-set-refresh';
const MERGE_PATCH = 'application/merge-patch+json';

/** The parts of Argo CD that run as processes, by the name of their command. */
export type Part = 'applicationset-controller' | 'application-controller' | 'repo-server';

/** An Application, as far as tests read it. */
export interface Application {
  readonly name: string;
  readonly uid: string;
  /** The address or the name of its cluster. */
  readonly destination: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly sync: string;
  readonly health: string;
  /** The commit that it compares with. */
  readonly revision: string;
  /** What it reports beside these. */
  readonly conditions: readonly string[];
  /** `Kind/name sync health` of each of its objects. */
  readonly objects: readonly string[];
}

/** A cluster as Argo CD stores it in a Secret. */
export interface KnownCluster {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  /** The CA of `url` as PEM. */
  readonly ca: string;
}

/**
 * Argo CD on a hub: its definitions and rights from its module, and its controllers as processes with the tokens of their
 * ServiceAccounts. What its image has beside them, users and their interface, is left out.
 */
export class ArgoCd {
  readonly #server: ControlPlane;
  readonly #program: string;
  readonly #ports: readonly number[];
  readonly #running = new Map<Part, Child>();
  #asked = 0;

  private constructor(server: ControlPlane, program: string, ports: readonly number[]) {
    this.#server = server;
    this.#program = program;
    this.#ports = ports;
  }

  /** `program`: the one of build.sh, with the manifests of the module beside it. */
  static async install(server: ControlPlane, program: string): Promise<ArgoCd> {
    const manifests = path.join(path.dirname(program), 'argocd-manifests');
    const options = { kubeconfig: server.adminKubeconfig };
    await kubectlOk(['create', 'namespace', NAMESPACE], options);
    await kubectlOk(['apply', '--server-side', '-k', path.join(manifests, 'crds')], options);
    await kindsServed(server);
    const files = [
      ...['applicationset-controller', 'application-controller'].flatMap((part) =>
        ['sa', 'role', 'rolebinding'].map((kind) => `${folderOf(part)}/argocd-${part}-${kind}.yaml`),
      ),
      ...['cm', 'secret'].map((kind) => `config/argocd-${kind}.yaml`),
    ].flatMap((file) => ['-f', path.join(manifests, 'base', file)]);
    await kubectlOk(['apply', '-n', NAMESPACE, ...files], options);
    const secret = ['patch', 'secret', 'argocd-secret', '-n', NAMESPACE, '--type=merge'];
    await kubectlOk([...secret, '-p', JSON.stringify({ stringData: { 'server.secretkey': randomUUID() } })], options);
    // Its API server creates this key and this project.
    const project = { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] };
    const spec = { ...project, clusterResourceWhitelist: [{ group: '*', kind: '*' }] };
    const object = { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name: 'default' }, spec };
    await kubectlOk(['apply', '-n', NAMESPACE, '-f', '-'], { ...options, input: JSON.stringify(object) });
    return new ArgoCd(server, program, await freePorts(8));
  }

  /** Adds clusters, as `argocd cluster add` does. */
  async addClusters(clusters: readonly KnownCluster[]): Promise<void> {
    const items = clusters.map(({ name, url, token, ca }) => {
      const config = { bearerToken: token, tlsClientConfig: { caData: Buffer.from(ca).toString('base64') } };
      return {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: `cluster-${name}`,
          namespace: NAMESPACE,
          labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
        },
        stringData: { name, server: url, config: JSON.stringify(config) },
      };
    });
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await kubectlOk(['apply', '--server-side', '-f', '-'], { kubeconfig: this.#server.adminKubeconfig, input });
  }

  /** `env`: variables of its container that a page sets. */
  async start(part: Part, env: Readonly<Record<string, string>> = {}): Promise<void> {
    const folder = path.join(this.#server.folder, part);
    mkdirSync(folder, { recursive: true });
    const [redis = 0, repository = 0, ...own] = this.#ports;
    const log = openSync(path.join(this.#server.folder, `argocd-${part}.log`), 'a');
    try {
      const child = await startChild({
        command: [this.#program, part, ...flagsOf(part, repository, own)],
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: folder,
          TMPDIR: folder,
          REDIS_SERVER: `127.0.0.1:${redis}`,
          ARGOCD_GPG_ENABLED: 'false',
          ARGOCD_ASK_PASS_SOCK: path.join(folder, 'askpass.sock'),
          ...(part === 'repo-server' ? {} : { KUBECONFIG: await this.#kubeconfig(part) }),
          ...env,
        },
        output: log,
      });
      this.#running.set(part, child);
    } finally {
      closeSync(log);
    }
  }

  #kubeconfig(part: Part): Promise<string> {
    return this.#server.kubeconfigFor({ serviceAccount: { namespace: NAMESPACE, name: `argocd-${part}` } });
  }

  /** SIGTERM, as a kubelet ends a pod. */
  async stop(...parts: readonly Part[]): Promise<void> {
    const wanted = parts.length === 0 ? [...this.#running.keys()] : parts;
    await Promise.all(wanted.map(async (part) => this.#running.get(part)?.stop()));
    for (const part of wanted) this.#running.delete(part);
  }

  async restart(part: Part, env: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.stop(part);
    await this.start(part, env);
  }

  /** The Applications that are not being deleted, by name. */
  async applications(): Promise<ReadonlyMap<string, Application>> {
    const { status, text, body } = await this.#server.call({ path: APPLICATIONS });
    if (status !== 200) throw new Error(`GET ${APPLICATIONS}: ${status} ${text}`);
    const staying = (body.items ?? []).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    return new Map(staying.map(applicationOf).map((one) => [one.name, one]));
  }

  /**
   * Lets the controller read the decision now, as its own interface does, instead of after `requeueAfterSeconds`, and waits
   * until it has made the Applications.
   */
  async refresh(applicationSet: string): Promise<void> {
    await this.askRefresh(applicationSet);
    await waitFor(`the controller to refresh ${applicationSet}`, async (seen) => {
      const { body } = await this.#server.call({ path: `${APPLICATION_SETS}/${applicationSet}` });
      seen(body.status);
      return body.metadata?.annotations?.[REFRESH] === undefined;
    });
  }

  /** The same without the wait, which does not end while the controller cannot read the decision. */
  async askRefresh(applicationSet: string): Promise<void> {
    this.#asked += 1;
    // Another value than before: the controller leaves the annotation of a refresh that failed.
    const annotations = { [REFRESH]: String(this.#asked) };
    await this.#patch(`${APPLICATION_SETS}/${applicationSet}`, { metadata: { annotations } });
  }

  /** The state of each Application in a rolling sync. */
  async rollout(applicationSet: string): Promise<Readonly<Record<string, string>>> {
    const { body } = await this.#server.call({ path: `${APPLICATION_SETS}/${applicationSet}` });
    const { applicationStatus = [] } = Object(body.status);
    return Object.fromEntries(
      applicationStatus.map((one: { readonly application: string; readonly status: string; readonly step: string }) => [
        one.application,
        `${one.step} ${one.status}`,
      ]),
    );
  }

  /** Lets the application controller compare the Applications now. */
  async compare(names: Iterable<string>, how: 'normal' | 'hard' = 'normal'): Promise<void> {
    const key = 'argocd.argoproj.io/refresh';
    for (const name of names)
      await this.#patch(`${APPLICATIONS}/${name}`, { metadata: { annotations: { [key]: how } } });
    await waitFor(
      'the controller to compare the Applications',
      async (seen) => {
        const { body } = await this.#server.call({ path: APPLICATIONS });
        const waiting = (body.items ?? []).filter(({ metadata }) => metadata?.annotations?.[key] !== undefined);
        seen(waiting.map(({ metadata, status }) => [metadata?.name, status]));
        return waiting.length === 0;
      },
      { deadlineMs: 120_000 },
    );
  }

  /** What an ApplicationSet reports: the message of its condition ErrorOccurred while that is True, else undefined. */
  async errorOf(applicationSet: string): Promise<string | undefined> {
    const { body } = await this.#server.call({ path: `${APPLICATION_SETS}/${applicationSet}` });
    const { conditions = [] } = Object(body.status);
    return conditions.find((one: Condition) => one.type === 'ErrorOccurred' && one.status === 'True')?.message;
  }

  async #patch(uri: string, body: unknown): Promise<void> {
    const { status, text } = await this.#server.call({ method: 'PATCH', path: uri, body, contentType: MERGE_PATCH });
    if (status !== 200) throw new Error(`PATCH ${uri}: ${status} ${text}`);
  }
}

interface Condition {
  readonly type: string;
  readonly status?: string;
  readonly message: string;
}

interface Resource {
  readonly kind: string;
  readonly name: string;
  readonly status: string;
  readonly health?: { readonly status?: string };
}

function folderOf(part: string): string {
  return part === 'application-controller' ? 'application-controller-roles' : part;
}

function flagsOf(part: Part, repository: number, ports: readonly number[]): string[] {
  const [sets = 0, probes = 0, webhook = 0, metrics = 0, other = 0] = ports;
  const reader = [`--namespace=${NAMESPACE}`, '--repo-server-plaintext'];
  switch (part) {
    case 'applicationset-controller':
      return [
        ...reader,
        `--argocd-repo-server=127.0.0.1:${repository}`,
        `--metrics-addr=127.0.0.1:${sets}`,
        `--probe-addr=127.0.0.1:${probes}`,
        `--webhook-addr=127.0.0.1:${webhook}`,
      ];
    case 'application-controller':
      return [
        ...reader,
        `--repo-server=127.0.0.1:${repository}`,
        `--metrics-port=${metrics}`,
        '--persist-resource-health',
      ];
    case 'repo-server':
      return [
        '--disable-tls',
        '--address=127.0.0.1',
        `--port=${repository}`,
        '--metrics-address=127.0.0.1',
        `--metrics-port=${other}`,
      ];
  }
}

function applicationOf({ metadata, spec, status }: AnyObject): Application {
  const { server, name = '' } = Object(spec?.['destination']);
  const { sync = {}, health = {}, conditions = [], resources = [] } = Object(status);
  return {
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    destination: server ?? name,
    labels: metadata?.labels ?? {},
    sync: sync.status ?? '',
    health: health.status ?? '',
    revision: sync.revision ?? '',
    conditions: conditions.map(({ type, message }: Condition) => `${type}: ${message}`),
    objects: resources
      .map(
        ({ kind, name, status: state, health: own = {} }: Resource) => `${kind}/${name} ${state} ${own.status ?? '-'}`,
      )
      .sort(),
  };
}
