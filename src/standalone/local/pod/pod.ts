import { rm } from 'node:fs/promises';
import path from 'node:path';

import type { ObjectName } from '../../../runtime/vocabulary/meta.js';
import type { ReadClient } from '../../../runtime/client/client.js';
import { requestToken } from '../../../runtime/client/identity.js';
import type { Transport } from '../../../runtime/transport/transport.js';
import type { Clock } from '../../../runtime/clock.js';
import { writeKubeconfig, readVolumes } from './volumes.js';
import type { ContainerLogs } from '../process/containerlogs.js';
import { launch, type LaunchedProcess, type Volumes } from '../process/launcher.js';
import { Tail, type TerminationMessage } from '../process/tail.js';
import { PodLog, type OpenLog } from '../process/podlog.js';
import type { PodContainer, PodSpec } from '../workload.js';

/** What pods are started with. */
export interface PodDeps {
  readonly transport: Transport;
  readonly client: ReadClient;
  readonly clock: Clock;
  /** `https://HOST:PORT` of the API server for the processes, and the PEM file with its CA. */
  readonly server: string;
  readonly caFile: string;
  /** Parent of each pod's folder, and of `logs`. */
  readonly folder: string;
  /** Opens the file of a log for appending. */
  readonly openLog: OpenLog;
  /** The program that runs in place of every image, and its first arguments. */
  readonly executable: readonly [string, ...string[]];
  /** Listen addresses in place of free ports, by variable, for each start of a process of the Deployment. */
  readonly addressesFor: (deployment: string) => Promise<Readonly<Record<string, string>>>;
  /** Keeps the last output of the processes. */
  readonly logs: ContainerLogs;
}

interface PodIdentity {
  readonly namespace: string;
  readonly deployment: string;
  /** Unique in its namespace. */
  readonly name: string;
}

const PODS = 'pods';
const RENEW_FRACTION = 0.8;
/** Requested for each token. */
const TOKEN_SECONDS = 3600;

/** Removes the folders of pods that an earlier process has left in `folder`. */
export async function removePodFolders({ folder }: Pick<PodDeps, 'folder'>): Promise<void> {
  await rm(path.join(folder, PODS), { recursive: true, force: true });
}

/** The parts of a pod that a kubelet prepares and refreshes: token, volumes and log. */
export class Pod {
  readonly identity: PodIdentity;
  readonly #log: PodLog;
  readonly #deps: PodDeps;
  readonly #spec: PodSpec;
  readonly #container: PodContainer;
  readonly #folder: string;
  #renewAt = Infinity;
  #volumes = '';
  #tail: Tail | undefined;

  constructor(
    deps: PodDeps,
    identity: PodIdentity,
    spec: PodSpec & { readonly containers: readonly [PodContainer, ...PodContainer[]] },
  ) {
    this.#deps = deps;
    this.identity = identity;
    this.#spec = spec;
    this.#container = spec.containers[0];
    const own = `${identity.namespace}.${identity.name}`;
    this.#folder = path.join(deps.folder, PODS, own);
    this.#log = new PodLog(path.join(deps.folder, 'logs'), identity, deps.openLog);
  }

  /** Throws the error that `launch` would have for its volumes and its token; writes no file. */
  async checkVolumesAndToken(): Promise<void> {
    const { client, transport } = this.#deps;
    const { namespace } = this.identity;
    await readVolumes(client, namespace, this.#spec);
    if (this.#spec.automountServiceAccountToken !== false)
      await requestToken(transport, this.#account, { expirationSeconds: TOKEN_SECONDS });
  }

  /** Starts its process, the run `containerID` of its container. Throws while a ServiceAccount, a Secret or a ConfigMap is missing. */
  async launch(containerID: string): Promise<LaunchedProcess> {
    const { server, executable, addressesFor, clock } = this.#deps;
    const { namespace, name, deployment } = this.identity;
    const volumes = await readVolumes(this.#deps.client, namespace, this.#spec);
    const kubeconfig = await this.#writeKubeconfig();
    await this.#log.removeOldLogs();
    const overrides = await addressesFor(deployment);
    const launched = await launch(
      {
        container: this.#container,
        pod: { name, namespace },
        executable,
        folder: this.#folder,
        ...(kubeconfig === undefined ? { server } : { kubeconfig }),
        volumes,
        overrides,
      },
      clock,
    );
    this.#tail = new Tail(launched.output);
    this.#deps.logs.record(`${namespace}/${name}`, containerID, launched.output);
    this.#log.append(launched.output);
    this.#volumes = fingerprint(volumes);
    return { ...launched, addresses: { ...launched.addresses, ...overrides } };
  }

  /** The last line that its process has printed, and the path of its log. */
  async terminationMessage(): Promise<TerminationMessage> {
    return { line: (await this.#tail?.lastLine(this.#deps.clock)) ?? '', log: this.#log.file };
  }

  /** Renews its token when that is due, and updates its volumes when their sources have changed. */
  async refresh(process: LaunchedProcess): Promise<void> {
    if (this.#deps.clock.monotonic() >= this.#renewAt) await this.#writeKubeconfig();
    if ((this.#spec.volumes ?? []).length === 0) return;
    const volumes = await readVolumes(this.#deps.client, this.identity.namespace, this.#spec);
    if (fingerprint(volumes) === this.#volumes) return;
    await process.putVolumes(volumes);
    this.#volumes = fingerprint(volumes);
  }

  /** Removes its folder, so that no token and no key outlives it. A log that is not empty is kept. */
  async remove(): Promise<void> {
    await this.#log.close(this.#deps.clock);
    this.#deps.logs.forget(`${this.identity.namespace}/${this.identity.name}`);
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** The ServiceAccount that it runs as. */
  get #account(): ObjectName {
    return { namespace: this.identity.namespace, name: this.#spec.serviceAccountName ?? 'default' };
  }

  /** Writes a kubeconfig with a new token; undefined for a pod without automountServiceAccountToken. */
  async #writeKubeconfig(): Promise<string | undefined> {
    if (this.#spec.automountServiceAccountToken === false) return undefined;
    const { transport, server, caFile, clock } = this.#deps;
    const { namespace } = this.identity;
    const { token } = await requestToken(transport, this.#account, { expirationSeconds: TOKEN_SECONDS });
    this.#renewAt = clock.monotonic() + TOKEN_SECONDS * 1000 * RENEW_FRACTION;
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
