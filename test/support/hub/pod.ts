import { createWriteStream, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Exit } from '@multicluster-engine/kube-apiserver';
import { launch } from '../../../src/standalone/local/launcher.js';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { waitFor, type WaitOptions } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { Deployment, PodSpec, Volume } from './deployment.js';

/** The compiled entry that lies beside this compiled file: what is tested is what was built with the tests. */
const ENTRY = fileURLToPath(new URL('../../../src/main.js', import.meta.url));

export interface PodOptions {
  /** The pod's name, and so the identity in Leases. */
  readonly name: string;
  /** Appended to the container's arguments. */
  readonly flags?: readonly string[];
  /** Wins over the container's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The command that replaces the image; node and the compiled `src/main` when left out. */
  readonly executable?: readonly [string, ...string[]];
}

/** What one pod of a Deployment would run, as a process under the token of its ServiceAccount. */
export interface Pod {
  readonly name: string;
  /** User name of its requests. */
  readonly user: string;
  readonly pid: number;
  /** `127.0.0.1:PORT`, by the variable that named the address (`MULTICLUSTER_ENGINE_HEALTH_LISTEN` …). */
  readonly addresses: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly exited: Promise<Exit>;
  exit(): Exit | undefined;
  kill(signal: NodeJS.Signals): boolean;
  stop(graceMs?: number): Promise<Exit>;
  /** Takes over what the Secrets and ConfigMaps of its volumes hold by now, as a kubelet does within a minute. */
  refresh(): Promise<void>;
  /** The log so far, appended over restarts under the same name. */
  log(): string;
  /** GET of a path at its health or metrics address; the body where the answer is 200, else undefined. */
  health(uri: '/readyz' | '/livez'): Promise<string | undefined>;
  metrics(): Promise<string | undefined>;
  /** Waits until `/readyz` answers 200; fails at once when the process ends. */
  ready(options?: WaitOptions): Promise<void>;
}

/** Starts what a pod of `deployment` would run: its first container, with its own rights on `server`. */
export async function startPod(server: ControlPlane, deployment: Deployment, options: PodOptions): Promise<Pod> {
  const { namespace } = deployment.metadata;
  const spec = deployment.spec.template.spec;
  const [container] = spec.containers;
  if (container === undefined) throw new Error(`Deployment ${namespace}/${deployment.metadata.name} has no container`);
  const account = spec.serviceAccountName ?? 'default';
  const launched = await launch({
    container: { ...container, args: [...(container.args ?? []), ...(options.flags ?? [])] },
    pod: { name: options.name, namespace },
    executable: options.executable ?? [process.execPath, ENTRY],
    folder: path.join(server.folder, 'pods', `${namespace}.${options.name}`),
    // Set for pods without a token only: with it in their environment the others would look for a mounted token.
    ...(spec.automountServiceAccountToken === false ? { server: server.url } : {}),
    kubeconfig: await server.kubeconfigFor({ serviceAccount: { namespace, name: account } }),
    volumes: await volumesOf(server, namespace, spec),
    ...(options.env === undefined ? {} : { overrides: options.env }),
  });
  const logFile = path.join(server.folder, `${namespace}.${options.name}.log`);
  launched.output.pipe(createWriteStream(logFile, { flags: 'a' }));
  const get = (variable: string, uri: string): Promise<string | undefined> =>
    fetched(launched.addresses[variable], uri);
  const log = (): string => readFileSync(logFile, 'utf8');
  const pod: Pod = {
    name: options.name,
    user: `system:serviceaccount:${namespace}:${account}`,
    pid: launched.pid,
    addresses: launched.addresses,
    logFile,
    exited: launched.exited,
    exit: launched.exit,
    kill: launched.kill,
    stop: launched.stop,
    refresh: async () => launched.putVolumes(await volumesOf(server, namespace, spec)),
    log,
    health: (uri) => get('MULTICLUSTER_ENGINE_HEALTH_LISTEN', uri),
    metrics: () => get('MULTICLUSTER_ENGINE_METRICS_LISTEN', '/metrics'),
    ready: (wait) => ready(pod, wait),
  };
  return pod;
}

async function ready(pod: Pod, options: WaitOptions = { deadlineMs: 120_000 }): Promise<void> {
  const outcome = await waitFor(
    `pod ${pod.name} to be ready`,
    async (seen) => {
      const exit = pod.exit();
      if (exit !== undefined) return exit;
      seen(pod.log().slice(-2000));
      return (await pod.health('/readyz')) !== undefined;
    },
    options,
  );
  if (outcome !== true)
    throw new Error(`pod ${pod.name} ended with ${outcome.code ?? outcome.signal}:\n${pod.log().slice(-4000)}`);
}

async function fetched(address: string | undefined, uri: string): Promise<string | undefined> {
  if (address === undefined) throw new Error(`no address for ${uri}: the container sets no such variable`);
  try {
    const answer = await fetch(`http://${address}${uri}`, { signal: AbortSignal.timeout(30_000) });
    const text = await answer.text();
    return answer.status === 200 ? text : undefined;
  } catch {
    return undefined;
  }
}

type Files = Record<string, string | Uint8Array>;

async function volumesOf(server: ControlPlane, namespace: string, spec: PodSpec): Promise<Record<string, Files>> {
  const volumes: Record<string, Files> = {};
  for (const volume of spec.volumes ?? []) volumes[volume.name] = await filesOf(server, namespace, volume);
  return volumes;
}

async function filesOf(server: ControlPlane, namespace: string, volume: Volume): Promise<Files> {
  if (volume.emptyDir !== undefined) return {};
  if (volume.configMap !== undefined)
    return dataOf(server, `/api/v1/namespaces/${namespace}/configmaps/${volume.configMap.name}`);
  if (volume.secret === undefined) throw new Error(`volume ${volume.name} is neither emptyDir, configMap nor secret`);
  const data = await dataOf(server, `/api/v1/namespaces/${namespace}/secrets/${volume.secret.secretName}`);
  return Object.fromEntries(Object.entries(data).map(([file, text]) => [file, Buffer.from(text, 'base64')]));
}

async function dataOf(server: ControlPlane, uri: string): Promise<Record<string, string>> {
  const { status, body } = await server.call({ path: uri });
  if (status !== 200) throw new Error(`${uri}: ${status}`);
  const data: Record<string, string> = {};
  for (const [file, text] of Object.entries(body['data'] ?? {})) data[file] = String(text);
  return data;
}
