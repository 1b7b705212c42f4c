import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { quietWindow } from '@multicluster-engine/kube-apiserver/testing/wait';

import { Controller } from '../../support/hub/controller.js';
import { Proxy } from '../../support/proxy/proxy.js';
import type { Process } from '../hub/process.js';
import type { ProgramSpec } from '../hub/program.js';

/** The program as it is deployed, behind a proxy. */
export class RealProcess implements Process {
  readonly name: string;
  readonly isPeriodic = false;
  readonly passes = new Map<string, number>();
  readonly activeAt = 0;
  readonly proxy: Proxy;
  readonly controller: Controller;
  /** Ends when it runs again. */
  #back: Promise<void> = Promise.resolve();
  #state: 'ended' | 'starting' | 'runs' = 'ended';

  private constructor(name: string, proxy: Proxy, controller: Controller) {
    [this.name, this.proxy, this.controller] = [name, proxy, controller];
  }

  /** It does not run yet. */
  static async open(server: ControlPlane, { name, controllers }: ProgramSpec): Promise<RealProcess> {
    const proxy = await Proxy.start({ url: server.url, caFile: server.caFile, mark: name });
    return new RealProcess(name, proxy, await Controller.open({ server, url: proxy.url, identity: name, controllers }));
  }

  /** Whether it runs, if it should. */
  get isCurrent(): boolean {
    return this.#state === 'ended' || (this.#state === 'runs' && this.controller.exit() === undefined);
  }

  start(): void {
    this.#state = 'starting';
    this.#back = this.controller.start().then(() => void (this.#state = 'runs'));
  }

  /** SIGKILL; returns when it is gone. */
  async killed(): Promise<void> {
    this.#state = 'ended';
    await this.controller.kill();
  }

  /** The same, and it is started again after `ms`. */
  async crashed(ms: number): Promise<void> {
    if (this.#state !== 'runs') return;
    this.#state = 'starting';
    await this.controller.kill();
    this.#back = quietWindow(ms).then(() => this.start());
  }

  kill(): void {
    void this.killed();
  }

  crash(ms: number): void {
    void this.crashed(ms);
  }

  /** SIGSTOP, and SIGCONT after `ms`. */
  stop(ms: number): void {
    this.controller.signal('SIGSTOP');
    void quietWindow(ms).then(() => this.controller.signal('SIGCONT'));
  }

  async end(): Promise<void> {
    await this.#back;
    await this.#back; // of its start, after a crash
    await this.controller.stop();
    await this.proxy.stop();
  }
}
