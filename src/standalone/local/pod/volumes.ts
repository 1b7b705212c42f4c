import path from 'node:path';
import { mkdir, writeFile } from 'node:fs/promises';
import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { ConfigMaps, Secrets } from '../../../runtime/vocabulary/kinds.js';
import type { ReadClient } from '../../../runtime/client/client.js';
import { field } from '../../../runtime/vocabulary/json.js';
import type { Volumes } from '../process/launcher.js';
import type { PodSpec, Volume } from '../workload.js';

type Files = Record<string, string | Uint8Array>;

/**
 * The current files of a pod's volumes: Secrets, ConfigMaps and emptyDirs.
 * Errors: one that names the missing object, or the volume of another kind; ApiError.
 */
export async function readVolumes(client: ReadClient, namespace: string, pod: PodSpec): Promise<Volumes> {
  const volumes: Record<string, Files> = {};
  for (const volume of pod.volumes ?? []) volumes[volume.name] = await filesOf(client, namespace, volume);
  return volumes;
}

async function filesOf(client: ReadClient, namespace: string, volume: Volume): Promise<Files> {
  const { secret, configMap, emptyDir } = volume;
  if (emptyDir !== undefined) return {};
  if (configMap !== undefined) {
    const found = await client.get(ConfigMaps, { namespace, name: configMap.name ?? '' });
    if (found === undefined && configMap.optional !== true)
      throw new Error(`volume ${volume.name}: ConfigMap ${namespace}/${configMap.name ?? ''} does not exist`);
    return mounted(textOf(found), configMap.items);
  }
  if (secret === undefined)
    throw new Error(`volume ${volume.name}: must be a secret, configMap or emptyDir: nothing else is mounted here`);
  const found = await client.get(Secrets, { namespace, name: secret.secretName ?? '' });
  if (found === undefined && secret.optional !== true)
    throw new Error(`volume ${volume.name}: Secret ${namespace}/${secret.secretName ?? ''} does not exist`);
  return Object.fromEntries(Object.entries(textOf(found)).map(([file, text]) => [file, Buffer.from(text, 'base64')]));
}

/** The files that `items` names. A key that is missing has no file: the kubelet accepts that of an optional volume alone. */
function mounted(
  data: Record<string, string>,
  items: NonNullable<Volume['configMap']>['items'],
): Record<string, string> {
  if (items === undefined) return data;
  const files = items.flatMap(({ key, path: file }) => (data[key] === undefined ? [] : [[file, data[key]] as const]));
  return Object.fromEntries(files);
}

function textOf(object: KubeObject | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(field(object, 'data') ?? {}).map(([file, text]) => [file, String(text)]));
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
export async function writeKubeconfig(folder: string, options: KubeconfigContent): Promise<string> {
  const file = path.join(folder, 'kubeconfig');
  const tokenFile = path.join(folder, 'token');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(tokenFile, options.token, { mode: 0o600 });
  await writeFile(file, kubeconfig(options, tokenFile), { mode: 0o600 });
  return file;
}

// A JSON string is a YAML string, so no YAML writer is needed.
function kubeconfig({ server, caFile, namespace = 'default' }: KubeconfigContent, tokenFile: string): string {
  const quote = (text: string): string => JSON.stringify(text);
  return [
    'apiVersion: v1',
    'kind: Config',
    'current-context: main',
    'clusters:',
    `- {name: main, cluster: {server: ${quote(server)}, certificate-authority: ${quote(caFile)}}}`,
    'users:',
    `- {name: main, user: {tokenFile: ${quote(tokenFile)}}}`,
    'contexts:',
    `- {name: main, context: {cluster: main, user: main, namespace: ${quote(namespace)}}}`,
    '',
  ].join('\n');
}
