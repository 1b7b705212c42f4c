import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { startControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/start';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { binaryFolder } from '@multicluster-engine/kube-apiserver/testing/controlplane/binaries';
import { root } from '../repository/root.js';
import { Kubelets, type Executable } from './kubelets.js';
import type { Installable } from './release.js';

const LONG = { deadlineMs: 180_000 };

/** A real control plane with two nodes, whose pods are processes of the images that their Deployments name. */
export class RehearsalHub {
  readonly server: ControlPlane;
  readonly kubelets: Kubelets;

  constructor(server: ControlPlane, images: readonly Installable[]) {
    this.server = server;
    this.kubelets = new Kubelets(server, (image) => programOf(image, images));
  }

  static async start(images: readonly Installable[]): Promise<RehearsalHub> {
    const server = await startControlPlane({ size: 'hub', label: 'rehearsal' });
    for (const name of ['node-a', 'node-b']) await server.addNode({ name });
    return new RehearsalHub(server, images);
  }

  kubectl(...args: readonly string[]): Promise<string> {
    return kubectlOk(args, { kubeconfig: this.server.adminKubeconfig });
  }

  async apply(input: string): Promise<void> {
    await kubectlOk(['apply', '--server-side', '-f', '-'], { kubeconfig: this.server.adminKubeconfig, input });
  }

  /** Runs a line of the shell, with kubectl. */
  async shell(line: string): Promise<void> {
    const env = { ...process.env, PATH: pathWith(binaryFolder()), KUBECONFIG: this.server.adminKubeconfig };
    await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', line], { env });
  }

  helm(...args: readonly string[]): Promise<string> {
    return helm(this.server, args);
  }

  /** Creates an engine, and waits until it is Ready in this version with the pods of this image. */
  async engineReady(file: string, { version, image }: Installable): Promise<void> {
    await kindsServed(this.server);
    await this.kubectl('apply', '--server-side', '-f', file);
    await this.upgraded({ version, image });
  }

  /** Waits until the engine is Ready in this version, and its pods and those of the operator run this image alone. */
  async upgraded({ version, image }: Pick<Installable, 'version' | 'image'>): Promise<void> {
    await waitFor(
      `an engine that is Ready with ${version}`,
      async (seen) => {
        const state = "jsonpath={.status.currentVersion} {.status.conditions[?(@.type=='Ready')]}";
        const found = await this.kubectl('get', 'mce', 'engine', '-o', state);
        seen([found, this.kubelets.problem]);
        return found.startsWith(`${version} `) && found.includes('"status":"True"');
      },
      LONG,
    );
    for (const key of this.kubelets.deployments)
      await waitFor(`${key} to run ${image}`, () => this.kubelets.runs(key, image), LONG);
  }

  /** The clusters of a Placement, once they are as many as it wants. */
  async decided(namespace: string, name: string): Promise<string> {
    await this.kubectl('wait', '--for=condition=Ready', `placement/${name}`, '-n', namespace, '--timeout=120s');
    return this.decision(namespace, name);
  }

  async decision(namespace: string, name: string): Promise<string> {
    const clusters = 'jsonpath={.items[*].status.decisions[*].clusterName}';
    const label = `cluster.fleetmgmt.io/placement=${name}`;
    return this.kubectl('get', 'placementdecisions', '-n', namespace, '-l', label, '-o', clusters);
  }

  async stop(): Promise<void> {
    await this.kubelets.stop();
    await this.server.stop();
  }
}

/** Where programs are looked for, with these folders before all others. */
export function pathWith(...folders: readonly string[]): string {
  return [...folders, process.env['PATH'] ?? ''].join(path.delimiter);
}

/** A program of test/support/programs/build.sh. */
export function builtProgram(name: string): string {
  return path.join(root, '.bin', name);
}

/** Runs helm with a server. */
export async function helm(server: ControlPlane, args: readonly string[]): Promise<string> {
  const home = (name: string): string => path.join(server.folder, 'helm', name);
  const env = {
    ...process.env,
    KUBECONFIG: server.adminKubeconfig,
    HELM_CACHE_HOME: home('cache'),
    HELM_CONFIG_HOME: home('config'),
    HELM_DATA_HOME: home('data'),
  };
  return (await promisify(execFile)(builtProgram('helm'), args, { env })).stdout;
}

/** The program of an image. @throws Error for another image than those that were made here. */
export function programOf(image: string, images: readonly Installable[]): Executable {
  const found = images.find((one) => one.image === image);
  if (found === undefined) throw new Error(`nobody has made the image ${image}`);
  return found.program;
}
