import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { V1PodSpec, V1Volume } from '@kubernetes/client-node';
import { ConfigMaps, Secrets } from '../../runtime/vocabulary/kinds.js';
import type { ReadClient } from '../../runtime/client/client.js';
import { asRecord, field } from '../../runtime/vocabulary/json.js';
import type { Files, Volumes } from './launcher.js';

/**
 * The current files of a pod's volumes: Secrets, ConfigMaps and emptyDirs.
 * Errors: one that names the missing object, or the volume of another kind; ApiError.
 */
export async function readVolumes(client: ReadClient, namespace: string, pod: V1PodSpec): Promise<Volumes> {
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

interface KubeconfigContent {
  /** The API server, `https://…`. */
  readonly server: string;
  /** PEM file with the API's certificate authority. */
  readonly caFile: string;
  readonly token: string;
  /** The default namespace of kubectl; `default` when left out. */
  readonly namespace?: string;
}

/**
 * Writes `token` and `kubeconfig` (which names the token's file, so that a renewed token needs no new kubeconfig) into
 * `folder`, readable by the owner only, and returns the kubeconfig's path.
 */
export async function writeKubeconfig(
  folder: string,
  { server, caFile, token, namespace = 'default' }: KubeconfigContent,
): Promise<string> {
  const [file, tokenFile] = [path.join(folder, 'kubeconfig'), path.join(folder, 'token')];
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(tokenFile, token, { mode: 0o600 });
  // JSON is YAML.
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    clusters: [{ name: 'main', cluster: { server, 'certificate-authority': caFile } }],
    users: [{ name: 'main', user: { tokenFile } }],
    contexts: [{ name: 'main', context: { cluster: 'main', user: 'main', namespace } }],
  };
  await writeFile(file, `${JSON.stringify(kubeconfig)}\n`, { mode: 0o600 });
  return file;
}
