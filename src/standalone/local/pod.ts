import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { V1PodSpec, V1Volume } from '@kubernetes/client-node';
import type { KubeClient, ReadClient } from '../../runtime/client/client.js';
import { requestToken } from '../../runtime/client/identity.js';
import type { Clock } from '../../runtime/clock.js';
import type { Transport } from '../../runtime/transport/transport.js';
import { asRecord, field } from '../../runtime/vocabulary/json.js';
import { ConfigMaps, Secrets } from '../../runtime/vocabulary/kinds.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { launch, type Files, type Volumes } from './launcher.js';
import type { ContainerLogs } from './output.js';
import type { PodObject } from './podobject.js';
import type { Run } from './replica.js';

/** What the processes of pods are started with. */
export interface PodTools {
  readonly transport: Transport;
  readonly client: KubeClient;
  readonly clock: Clock;
  /** `https://HOST:PORT` of the API server for the processes, and the PEM file with its CA. */
  readonly server: string;
  readonly caFile: string;
  /** Parent of `pods`, with a folder of each pod, and of `logs`. */
  readonly folder: string;
  /** The program that runs in place of every image, and its first arguments. */
  readonly executable: readonly [string, ...string[]];
  /** Listen addresses in place of free ports, by variable, for each start of a process of the Deployment. */
  readonly addressesFor: (deployment: string) => Promise<Readonly<Record<string, string>>>;
  /** Keeps the last output of the processes. */
  readonly logs: ContainerLogs;
}

/** A year: a token is not renewed while its process runs. It ends with the ServiceAccount, too. */
const TOKEN_SECONDS = 31_536_000;

/** Starts a run of the container of a Pod. Throws while a ServiceAccount, a Secret or a ConfigMap is missing. */
export async function startRun(tools: PodTools, pod: PodObject, number: number): Promise<Run> {
  const { client, transport, server, caFile, executable, addressesFor, clock, logs } = tools;
  const { metadata, spec } = pod;
  const { namespace = '', name, ownerReferences: [owner] = [] } = metadata;
  const folder = folderOf(tools, pod);
  const volumes = await readVolumes(client, namespace, spec);
  const account = { namespace, name: spec.serviceAccountName ?? 'default' };
  const token =
    spec.automountServiceAccountToken === false
      ? undefined
      : await requestToken(transport, account, { expirationSeconds: TOKEN_SECONDS });
  const log = path.join(tools.folder, 'logs', `${namespace}.${owner?.name}.log`);
  await mkdir(path.dirname(log), { recursive: true, mode: 0o700 });
  await logs.rotate(keyOf(metadata), log);
  const file = await open(log, 'a', 0o600);
  try {
    const process = await launch(
      {
        container: spec.containers[0],
        pod: { name, namespace },
        executable,
        folder,
        volumes,
        overrides: await addressesFor(owner?.name ?? ''),
        output: file.fd,
        ...(token === undefined
          ? { server }
          : { kubeconfig: await writeKubeconfig(folder, namespace, { server, caFile, token: token.token }) }),
      },
      clock,
    );
    const containerID = `process://${keyOf(metadata)}/${number}`;
    logs.add(keyOf(metadata), { containerID, file: log, isOver: () => process.exit() !== undefined });
    const refresh = async (): Promise<void> => process.putVolumes(await readVolumes(client, namespace, spec));
    return { containerID, process, log, refresh };
  } finally {
    await file.close();
  }
}

/** Removes what a Pod has left on the disk, so that no token and no key outlives it; without `pod`, that of all. Its log stays. */
export async function removePod(tools: Pick<PodTools, 'folder' | 'logs'>, pod?: PodObject): Promise<void> {
  if (pod !== undefined) tools.logs.forget(keyOf(pod.metadata));
  await rm(folderOf(tools, pod), { recursive: true, force: true });
}

function folderOf({ folder }: Pick<PodTools, 'folder'>, pod?: PodObject): string {
  const { namespace = '', name } = pod?.metadata ?? {};
  return path.join(folder, 'pods', ...(pod === undefined ? [] : [`${namespace}.${name}`]));
}

/**
 * The current files of a pod's volumes: Secrets, ConfigMaps and emptyDirs.
 * Errors: one that names the missing object, or the volume of another kind; ApiError.
 */
async function readVolumes(client: ReadClient, namespace: string, pod: V1PodSpec): Promise<Volumes> {
  const volumes: Record<string, Files> = {};
  for (const volume of pod.volumes ?? []) volumes[volume.name] = await filesOf(client, namespace, volume);
  return volumes;
}

async function filesOf(client: ReadClient, namespace: string, volume: V1Volume): Promise<Files> {
  const { secret, configMap, emptyDir } = volume;
  if (emptyDir !== undefined) return {};
  const source = configMap ?? secret;
  if (source === undefined)
    throw new Error(`volume ${volume.name}: must be a secret, configMap or emptyDir: nothing else is mounted here`);
  const type = configMap === undefined ? Secrets : ConfigMaps;
  const name = configMap?.name ?? secret?.secretName ?? '';
  const found = await client.get(type, { namespace, name });
  if (found === undefined && source.optional !== true)
    throw new Error(`volume ${volume.name}: ${type.kind} ${namespace}/${name} does not exist`);
  const data = asRecord(field(found, 'data'));
  const items = source.items ?? Object.keys(data).map((key) => ({ key, path: key }));
  // A key that is missing has no file: the kubelet accepts that of an optional volume alone.
  const present = items.filter(({ key }) => data[key] !== undefined);
  const encoding = type === Secrets ? 'base64' : 'utf8';
  return Object.fromEntries(present.map(({ key, path: file }) => [file, Buffer.from(String(data[key]), encoding)]));
}

/** Writes the kubeconfig of a process, readable by its owner only; returns its path. `caFile`: PEM, of the server's authority. */
async function writeKubeconfig(
  folder: string,
  namespace: string,
  { server, caFile, token }: Pick<PodTools, 'server' | 'caFile'> & { readonly token: string },
): Promise<string> {
  const file = path.join(folder, 'kubeconfig');
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    clusters: [{ name: 'main', cluster: { server, 'certificate-authority': caFile } }],
    users: [{ name: 'main', user: { token } }],
    contexts: [{ name: 'main', context: { cluster: 'main', user: 'main', namespace } }],
  };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // JSON is YAML.
  await writeFile(file, `${JSON.stringify(kubeconfig)}\n`, { mode: 0o600 });
  return file;
}
