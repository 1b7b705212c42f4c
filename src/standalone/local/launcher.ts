import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { V1Container, V1EnvVar } from '@kubernetes/client-node';
import { startChild, type Child, freePorts } from '@multicluster-engine/kube-apiserver';
import { systemClock, type Clock } from '../../runtime/clock.js';
import { bareHost } from '../../runtime/vocabulary/url.js';

/** Its args, env and volumeMounts are used; image and command are not. */
export interface Container extends V1Container {}

export interface LaunchRequest {
  readonly container: Container;
  /** The values for `fieldRef`. */
  readonly pod: { readonly name: string; readonly namespace: string };
  /** The program that runs in place of the image, and its first arguments, e.g. node and the compiled entry. */
  readonly executable: readonly [string, ...string[]];
  /** A folder of the process alone: working directory, HOME, and parent of its volumes. */
  readonly folder: string;
  /** Address and credentials of the API server, in place of the token that a kubelet mounts; absent for none. */
  readonly kubeconfig?: string | undefined;
  /** `https://HOST:PORT` of the API server, for KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT. */
  readonly server?: string | undefined;
  readonly volumes?: Volumes;
  /** An open file for its output; the stream `output` when absent, which must be read. */
  readonly output?: number;
  /** Override the container's environment. */
  readonly overrides?: Readonly<Record<string, string>>;
}

export type Files = Readonly<Record<string, string | Uint8Array>>;
/** Files of each volume, by volume and file name. */
export type Volumes = Readonly<Record<string, Files>>;

/** A container that runs as a child process. */
export interface LaunchedProcess extends Child {
  /** Replaces the files of mounted volumes that differ, each atomically, as a kubelet does when their source has changed. */
  readonly putVolumes: (volumes: Volumes) => Promise<void>;
  /** Its listen addresses, `127.0.0.1:PORT`, by variable. */
  readonly addresses: Readonly<Record<string, string>>;
}

/**
 * Runs a container as a child process, without kubelet, image or network of its own.
 *
 * Substitutions: each variable that ends in `_LISTEN` gets a free port of 127.0.0.1; a value that is a path below a
 * mount path becomes the path below `folder/volumes/<volume>`; credentials are passed in `KUBECONFIG`. Arguments are
 * passed unchanged: they hold no paths and no ports.
 * Guarantee: the process cannot outlive this one (`startChild`).
 * Errors: a `valueFrom` other than fieldRef metadata.name or metadata.namespace, a mount of a volume whose files are
 * not given, a program that cannot be started.
 */
export async function launch(request: LaunchRequest, clock: Clock = systemClock): Promise<LaunchedProcess> {
  const { container, executable, folder, kubeconfig, server, output = 'pipe', overrides = {} } = request;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const mounts = await writeVolumes(request);
  const variables = Object.fromEntries((container.env ?? []).map((one) => [one.name, valueOf(one, request, mounts)]));
  const listening = Object.keys(variables).filter((name) => name.endsWith('_LISTEN'));
  const ports = await freePorts(listening.length);
  const addresses = Object.fromEntries(listening.map((name, index) => [name, `127.0.0.1:${ports[index] ?? 0}`]));
  const env = {
    ...variables,
    HOME: folder,
    ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }),
    ...(server !== undefined && serviceOf(new URL(server))),
    ...addresses,
    ...overrides,
  };
  const child = await startChild(
    { command: [...executable, ...(container.args ?? [])], env, cwd: folder, output },
    clock,
  );
  const putVolumes = async (volumes: Volumes): Promise<void> => void (await writeVolumes({ ...request, volumes }));
  return { ...child, addresses: { ...addresses, ...overrides }, putVolumes };
}

function serviceOf({ hostname, port }: URL): Record<string, string> {
  return {
    KUBERNETES_SERVICE_HOST: bareHost(hostname),
    KUBERNETES_SERVICE_PORT: port === '' ? '443' : port,
  };
}

/** Writes the volumes that the container mounts; returns the folder of each mount path. */
async function writeVolumes({ container, folder, volumes = {} }: LaunchRequest): Promise<Map<string, string>> {
  const mounts = new Map<string, string>();
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    const files = volumes[name];
    if (files === undefined)
      throw new Error(
        `container ${container.name}: volumeMounts: no files are given for volume ${JSON.stringify(name)}`,
      );
    const place = path.join(folder, 'volumes', name);
    await mkdir(place, { recursive: true, mode: 0o700 });
    for (const [file, content] of Object.entries(files)) await replaceFile(path.join(place, file), content);
    mounts.set(path.posix.normalize(mountPath).replace(/\/$/, ''), place);
  }
  return mounts;
}

async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const before = await readFile(file).catch(() => undefined);
  if (before?.equals(Buffer.from(content)) === true) return;
  await writeFile(`${file}.next`, content, { mode: 0o600 });
  await rename(`${file}.next`, file);
}

function valueOf(
  { name, value = '', valueFrom }: V1EnvVar,
  { container, pod }: LaunchRequest,
  mounts: ReadonlyMap<string, string>,
): string {
  if (valueFrom !== undefined) {
    const wanted = valueFrom.fieldRef?.fieldPath;
    if (wanted === 'metadata.name') return pod.name;
    if (wanted === 'metadata.namespace') return pod.namespace;
    throw new Error(
      `container ${container.name}: env ${name}: valueFrom must be a fieldRef of metadata.name or metadata.namespace, ` +
        `got ${wanted === undefined ? 'no fieldRef' : JSON.stringify(wanted)}`,
    );
  }
  for (const [mountPath, place] of mounts)
    if (`${value}/`.startsWith(`${mountPath}/`)) return path.join(place, value.slice(mountPath.length));
  return value;
}
