import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { startChild, type Child, type Exit } from '@multicluster-engine/kube-apiserver';
import { writeKubeconfig } from '@multicluster-engine/kube-apiserver/testing/kubeconfig';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { ACCOUNT } from './deployed.js';

/** The compiled program that these tests were compiled with. */
const MAIN = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../src/main.js');

export interface ControllerOptions {
  readonly server: ControlPlane;
  /** Where it finds the API: the server itself, or a proxy in front of it. */
  readonly url: string;
  /** Its name in the Lease, and of its log file. */
  readonly identity: string;
  /** Default: placement. */
  readonly controllers?: readonly string[];
}

/** The placement controller as a child process, with the token of its own ServiceAccount and the rights of `deploy/`. */
export class Controller {
  readonly #options: ControllerOptions;
  readonly #kubeconfig: string;
  #child: Child | undefined;
  #starts = 0;

  private constructor(options: ControllerOptions, kubeconfig: string) {
    this.#options = options;
    this.#kubeconfig = kubeconfig;
  }

  /** It does not run yet. */
  static async open(options: ControllerOptions): Promise<Controller> {
    const { server, url, identity } = options;
    const token = await server.tokenFor(ACCOUNT);
    const folder = path.join(server.folder, `controller-${identity}`);
    await mkdir(folder, { recursive: true });
    return new Controller(options, await writeKubeconfig(folder, { server: url, caFile: server.caFile, token }));
  }

  static async start(options: ControllerOptions): Promise<Controller> {
    const controller = await Controller.open(options);
    await controller.start();
    return controller;
  }

  /** Starts it, again with the same flags after it has ended. */
  async start(): Promise<void> {
    const { identity, controllers = ['placement'] } = this.#options;
    const folder = path.dirname(this.#kubeconfig);
    const log = await open(path.join(folder, 'controller.log'), 'a');
    try {
      const args = [
        'operator',
        `--controllers=${controllers.join(',')}`,
        `--identity=${identity}`,
        `--kubeconfig=${this.#kubeconfig}`,
      ];
      const listen = ['--metrics-listen=127.0.0.1:0', '--health-listen=127.0.0.1:0'];
      this.#child = await startChild({
        command: [process.execPath, MAIN, ...args, ...listen],
        env: { PATH: process.env['PATH'] ?? '', HOME: folder },
        output: log.fd,
      });
      this.#starts += 1;
    } finally {
      await log.close();
    }
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** How often it was started. */
  get starts(): number {
    return this.#starts;
  }

  /** How it ended; undefined while it runs. */
  exit(): Exit | undefined {
    return this.#child?.exit();
  }

  /** SIGSTOP and SIGCONT. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal);
  }

  /** SIGKILL; returns when it is gone. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#child?.exited;
  }

  /** SIGTERM, as a kubelet ends a pod. */
  async stop(): Promise<void> {
    this.#child?.kill('SIGCONT');
    await this.#child?.stop();
  }
}
