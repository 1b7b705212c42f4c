import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { load } from 'js-yaml';

import { freePorts } from '@multicluster-engine/kube-apiserver';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { field, recordsIn, textField } from '../../src/runtime/vocabulary/json.js';
import { rootAbove } from '../../test/support/repository/root.js';
import type { ProbeRequest, Sample } from './probe.js';

/** The program as it was compiled. */
export const COMPILED = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const PROBE = new URL('./probe.js', import.meta.url).href;
/** Concurrent reconciles: the default of the operator. */
export const WORKERS = 8;

const DEPLOYMENT = path.join('deploy', 'components', 'placement-controller', 'deployment.yaml');

/**
 * NODE_OPTIONS of the Deployment that belongs to `main`, and the heap that Node allows itself within the container's limit
 * of memory, half of it: what is measured is what is shipped, and V8 collects more often the nearer it is to its limit.
 * @throws Error where `main` is in no checkout, or its Deployment has no limit of memory in Mi
 */
function nodeOptions(main: string): string {
  const file = path.join(rootAbove(path.dirname(path.resolve(main))), DEPLOYMENT);
  const template = field(field(field(load(readFileSync(file, 'utf8')), 'spec'), 'template'), 'spec');
  const [container] = recordsIn(field(template, 'containers'));
  const found = recordsIn(field(container, 'env')).find((one) => one['name'] === 'NODE_OPTIONS');
  const limit = /^(\d+)Mi$/.exec(textField(field(field(container, 'resources'), 'limits'), 'memory'))?.[1];
  if (limit === undefined) throw new Error(`${file}: no limit of memory in Mi`);
  const heap = `--max-old-space-size=${Number(limit) / 2}`;
  // Earlier versions have none.
  return found === undefined ? heap : `${textField(found, 'value')} ${heap}`;
}

/** The placement controller in a process of its own, with a probe in it. */
export class ControllerProcess {
  readonly #child: ChildProcess;
  readonly #ports: { readonly metrics: number; readonly health: number };
  /** Resolves when its modules are loaded. */
  readonly #started: Promise<unknown>;
  #answered: Promise<unknown> = Promise.resolve();

  private constructor(child: ChildProcess, ports: { readonly metrics: number; readonly health: number }) {
    this.#child = child;
    this.#ports = ports;
    const { stdout } = child;
    this.#started = stdout === null ? Promise.resolve() : once(stdout, 'data');
  }

  /** Starts `main`, the file of the program, without the limits of its client. `log`: the file for its log. */
  static async start(
    main: string,
    kubeconfig: string,
    log: string,
    controllers = 'placement',
  ): Promise<ControllerProcess> {
    const [metrics = 0, health = 0] = await freePorts(2);
    const flags = [
      `--controllers=${controllers}`,
      `--kubeconfig=${kubeconfig}`,
      '--leader-election-namespace=default',
      `--workers=${WORKERS}`,
      '--kube-api-qps=10000',
      '--kube-api-burst=20000',
      `--metrics-listen=127.0.0.1:${metrics}`,
      `--health-listen=127.0.0.1:${health}`,
    ];
    const child = fork(main, ['operator', ...flags], {
      execArgv: ['--expose-gc', '--import', PROBE],
      env: { PATH: process.env['PATH'] ?? '', NODE_OPTIONS: nodeOptions(main) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const file = createWriteStream(log, { flags: 'a' });
    child.stdout?.pipe(file);
    child.stderr?.pipe(file);
    await once(child, 'spawn');
    return new ControllerProcess(child, { metrics, health });
  }

  /** Waits until its caches are synced. */
  async ready(): Promise<void> {
    await waitFor(
      'the controller to be ready',
      async () => (await fetch(`http://127.0.0.1:${this.#ports.health}/readyz`)).ok,
      { deadlineMs: 300_000 },
    );
  }

  /** Resolves when it has loaded its modules, which blocks the event loop, and begins to read the fleet. */
  async loaded(): Promise<void> {
    await this.#started;
  }

  /** One question at a time. @throws Error when the process has ended. */
  ask(request: ProbeRequest): Promise<Sample> {
    const asked = this.#answered.then(async () => {
      if (!this.#child.connected) throw new Error('the controller has ended: see its log');
      const answer = once(this.#child, 'message');
      this.#child.send(request);
      const [sample]: Sample[] = await answer;
      if (sample === undefined) throw new Error('the probe has not answered');
      return sample;
    });
    this.#answered = asked.catch(() => undefined);
    return asked;
  }

  /** Reads its metrics, as Prometheus does. */
  async metrics(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.#ports.metrics}/metrics`)).text();
  }

  /** How many reconciles of Placements have ended. */
  async reconciles(): Promise<number> {
    const counts = (await this.metrics()).matchAll(
      /^controller_runtime_reconcile_total\{(?=.*controller="placement").*\} (\d+)$/gm,
    );
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Returns when it is gone, for a signal that ends it at once. */
  async kill(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const exited = signal === 'SIGKILL' ? once(this.#child, 'exit') : undefined;
    this.#child.kill(signal);
    await exited;
  }

  /** Ends it and waits; its Lease is released. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exited;
  }
}
