import { rm } from 'node:fs/promises';
import path from 'node:path';

import type { ReadClient } from '../../kube/client/client.js';
import type { Transport } from '../../kube/transport/transport.js';
import type { Clock } from '../../runtime/clock.js';
import { requestToken } from './serviceaccounttoken.js';
import { writeKubeconfig } from './kubeconfig.js';
import { launch, type LaunchedProcess, type Volumes } from '../process/launcher.js';
import type { TerminationMessage } from '../process/exitmessage.js';
import { PodLog } from '../process/podlog.js';
import { Tail } from '../process/tail.js';
import { readVolumes } from './volumes.js';
import type { PodContainer, PodSpec } from '../workload.js';

/** Where pods run and whom they talk to. */
export interface PodDeps {
  readonly transport: Transport;
  readonly client: ReadClient;
  readonly clock: Clock;
  /** `https://HOST:PORT` of the API as processes reach it, and the PEM file with its authority. */
  readonly server: string;
  readonly caFile: string;
  /** Parent of each pod's folder, and of `logs`. */
  readonly folder: string;
  /** What stands for every image: program and first arguments. */
  readonly executable: readonly [string, ...string[]];
  /** Fixed addresses in place of free ones: by Deployment name and variable. */
  readonly addresses: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface PodIdentity {
  readonly namespace: string;
  readonly deployment: string;
  /** Unique in its namespace. */
  readonly name: string;
}

const PODS = 'pods';
const RENEW_FRACTION = 0.8;

/** Removes what pods of an earlier process left in `folder` when it ended without warning. */
export async function removePodFolders({ folder }: Pick<PodDeps, 'folder'>): Promise<void> {
  await rm(path.join(folder, PODS), { recursive: true, force: true });
}

/** What a kubelet prepares for a pod and keeps fresh: token, volumes, log. */
export class Pod {
  readonly identity: PodIdentity;
  readonly #log: PodLog;
  readonly #site: PodDeps;
  readonly #spec: PodSpec;
  readonly #container: PodContainer;
  readonly #folder: string;
  #renewAt = Infinity;
  #volumes: string = '';
  #tail: Tail | undefined;

  constructor(
    site: PodDeps,
    identity: PodIdentity,
    spec: PodSpec & { readonly containers: readonly [PodContainer, ...PodContainer[]] },
  ) {
    this.#site = site;
    this.identity = identity;
    this.#spec = spec;
    this.#container = spec.containers[0];
    const own = `${identity.namespace}.${identity.name}`;
    this.#folder = path.join(site.folder, PODS, own);
    this.#log = new PodLog(path.join(site.folder, 'logs'), identity);
  }

  /** Throws what it still waits for, as `launch` would; leaves nothing behind. */
  async checkVolumesAndToken(): Promise<void> {
    const { client, transport } = this.#site;
    const { namespace } = this.identity;
    await readVolumes(client, namespace, this.#spec);
    if (this.#spec.automountServiceAccountToken !== false) await requestToken(transport, namespace, this.#account);
  }

  /** Starts its process. Throws what it still waits for: an account, a Secret, a ConfigMap. */
  async launch(): Promise<LaunchedProcess> {
    const { server, executable, addresses, clock } = this.#site;
    const { namespace, name, deployment } = this.identity;
    const volumes = await readVolumes(this.#site.client, namespace, this.#spec);
    const kubeconfig = await this.#credentials();
    await this.#log.removeOldLogs();
    const launched = await launch(
      {
        container: this.#container,
        pod: { name, namespace },
        executable,
        folder: this.#folder,
        ...(kubeconfig === undefined ? { server } : { kubeconfig }),
        volumes,
        overrides: addresses[deployment] ?? {},
      },
      clock,
    );
    this.#tail = new Tail(launched.output);
    this.#log.append(launched.output);
    this.#volumes = fingerprint(volumes);
    return { ...launched, addresses: { ...launched.addresses, ...addresses[deployment] } };
  }

  /** What its process said last, and where its log is: for a message about its end. */
  async terminationMessage(): Promise<TerminationMessage> {
    return { line: (await this.#tail?.lastLine(this.#site.clock)) ?? '', log: this.#log.file };
  }

  /** Renews its token when that is due, and takes over what its volumes hold by now. */
  async refresh(process: LaunchedProcess): Promise<void> {
    if (this.#site.clock.monotonic() >= this.#renewAt) await this.#credentials();
    if ((this.#spec.volumes ?? []).length === 0) return;
    const volumes = await readVolumes(this.#site.client, this.identity.namespace, this.#spec);
    if (fingerprint(volumes) === this.#volumes) return;
    await process.putVolumes(volumes);
    this.#volumes = fingerprint(volumes);
  }

  /** Removes its folder: neither a token nor a key outlives it. Its log stays, where there is something in it. */
  async remove(): Promise<void> {
    await this.#log.close(this.#site.clock);
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #account(): string {
    return this.#spec.serviceAccountName ?? 'default';
  }

  /** A kubeconfig with a fresh token; undefined for a pod that is to have none. */
  async #credentials(): Promise<string | undefined> {
    if (this.#spec.automountServiceAccountToken === false) return undefined;
    const { transport, server, caFile, clock } = this.#site;
    const { namespace } = this.identity;
    const { token, lifeSeconds } = await requestToken(transport, namespace, this.#account);
    this.#renewAt = clock.monotonic() + lifeSeconds * 1000 * RENEW_FRACTION;
    return writeKubeconfig(this.#folder, { server, caFile, token, namespace });
  }
}

function fingerprint(volumes: Volumes): string {
  return JSON.stringify(
    Object.entries(volumes).map(([name, files]) => [
      name,
      Object.entries(files).map(([file, content]) => [file, Buffer.from(content).toString('base64')]),
    ]),
  );
}
