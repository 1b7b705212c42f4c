import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';

import type { KubeClient } from '../../runtime/client/client.js';
import { requestToken } from '../../runtime/client/identity.js';
import type { Clock } from '../../runtime/clock.js';
import type { Transport } from '../../runtime/transport/transport.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { launch } from './launcher.js';
import type { ContainerLogs } from './output.js';
import { readVolumes, writeKubeconfig } from './podfiles.js';
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
          : { kubeconfig: await writeKubeconfig(folder, { server, caFile, namespace, token: token.token }) }),
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
