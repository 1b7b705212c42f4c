import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { systemClock, type Clock } from '../../../runtime/clock.js';
import { startChild, type Child, freePorts } from '@multicluster-engine/kube-apiserver';
import type { Container, EnvironmentVariable } from '../workload.js';

export interface LaunchRequest {
  readonly container: Container;
  /** The values for `fieldRef`. */
  readonly pod: { readonly name: string; readonly namespace: string };
  /** The program that runs in place of the image, and its first arguments, e.g. node and the compiled entry. */
  readonly executable: readonly [string, ...string[]];
  /** A folder of the process alone: working directory, HOME, and parent of its volumes. */
  readonly folder: string;
  /** Address and credentials of the API server, in place of the token that a kubelet mounts; absent for none. */
  readonly kubeconfig?: string;
  /** `https://HOST:PORT` of the API server, for KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT. */
  readonly server?: string;
  readonly volumes?: Volumes;
  /** Override the container's environment. */
  readonly overrides?: Readonly<Record<string, string>>;
}

/** Files of each volume, by volume and file name. */
export type Volumes = Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>>;

/** A container that runs as a child process. */
export interface LaunchedProcess extends Child {
  /** Replaces files of mounted volumes, each atomically, as a kubelet does when their source has changed. */
  readonly putVolumes: (volumes: Volumes) => Promise<void>;
  /** Its listen addresses, `127.0.0.1:PORT`, by variable. */
  readonly addresses: Readonly<Record<string, string>>;
}

const FIELDS = ['metadata.name', 'metadata.namespace'] as const;
const LISTEN_VARIABLE = /_LISTEN$/;

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
  const { container, executable, folder, kubeconfig, overrides = {} } = request;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const mounts = await writeVolumes(request);
  const variables = environment(request, mounts);
  const addresses = await listenAddresses(Object.keys(variables));
  const env = {
    ...variables,
    HOME: folder,
    ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }),
    ...serviceOf(request),
    ...addresses,
    ...overrides,
  };
  const [program, ...first] = executable;
  const command: [string, ...string[]] = [program, ...first, ...(container.args ?? [])];
  const child = await startChild({ command, env, cwd: folder, output: 'pipe' }, clock);
  const renew = async (volumes: Volumes): Promise<void> => void (await writeVolumes({ ...request, volumes }));
  return { ...child, addresses, putVolumes: renew };
}

function serviceOf({ server }: LaunchRequest): Record<string, string> {
  if (server === undefined) return {};
  const { hostname, port } = new URL(server);
  return {
    KUBERNETES_SERVICE_HOST: hostname.replace(/^\[|\]$/g, ''),
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
  await writeFile(`${file}.next`, content, { mode: 0o600 });
  await rename(`${file}.next`, file);
}

function environment({ container, pod }: LaunchRequest, mounts: ReadonlyMap<string, string>): Record<string, string> {
  const fields: Readonly<Record<string, string>> = { 'metadata.name': pod.name, 'metadata.namespace': pod.namespace };
  const variables: Record<string, string> = {};
  for (const { name, value, valueFrom } of container.env ?? []) {
    variables[name] =
      valueFrom === undefined
        ? mappedPath(value ?? '', mounts)
        : fieldRefValue(`${container.name}: env ${name}`, valueFrom, fields);
  }
  return variables;
}

function fieldRefValue(
  where: string,
  { fieldRef }: NonNullable<EnvironmentVariable['valueFrom']>,
  fields: Readonly<Record<string, string>>,
): string {
  const value = fields[fieldRef?.fieldPath ?? ''];
  if (value !== undefined) return value;
  const given = fieldRef === undefined ? 'no fieldRef' : JSON.stringify(fieldRef.fieldPath);
  throw new Error(`container ${where}: valueFrom must be a fieldRef of ${FIELDS.join(' or ')}, got ${given}`);
}

function mappedPath(value: string, mounts: ReadonlyMap<string, string>): string {
  for (const [mountPath, place] of mounts) {
    if (value === mountPath) return place;
    if (value.startsWith(`${mountPath}/`)) return path.join(place, value.slice(mountPath.length + 1));
  }
  return value;
}

async function listenAddresses(names: readonly string[]): Promise<Record<string, string>> {
  const listening = names.filter((name) => LISTEN_VARIABLE.test(name));
  const ports = await freePorts(listening.length);
  return Object.fromEntries(listening.map((name, index) => [name, `127.0.0.1:${ports[index] ?? 0}`]));
}
