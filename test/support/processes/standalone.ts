import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

import { startChild, type Child, type Exit, freePorts } from '@multicluster-engine/kube-apiserver';
import { root } from '../repository/root.js';
import { waitFor, type WaitOptions } from '@multicluster-engine/kube-apiserver/testing/wait';

/** The program behind `make run`, as it was compiled with these tests. */
const PROGRAM = fileURLToPath(new URL('../../../src/main.js', import.meta.url));

interface LaunchOptions {
  /** The program to run instead of the compiled one, with the arguments before `standalone`; in the data folder. */
  readonly command?: readonly [string, ...string[]];
  /** Variables that differ from those of the tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** `default`: no flag sets the addresses; `none`: nor the data folder, which the environment sets to `folder`. */
  readonly addresses?: 'free' | 'default' | 'none';
}

/** `multicluster-engine standalone` as a process of its own, on free ports, with its data in a folder of the test. */
export class Standalone {
  readonly kubeconfig: string;
  readonly #child: Child;
  readonly #printed: string[];
  #begun = '';

  private constructor(child: Child, folder: string, printed: string[]) {
    this.#child = child;
    this.#printed = printed;
    child.output.on('data', (chunk: Buffer) => (this.#begun += chunk.toString('utf8')));
    this.kubeconfig = path.join(folder, 'kubeconfig');
  }

  /** Resolves when the process runs, not when it is up. `flags` win over the folder and the addresses. */
  static async launch(
    folder: string,
    flags: readonly string[] = [],
    { command, env = {}, addresses = 'free' }: LaunchOptions = {},
  ): Promise<Standalone> {
    const [api = 0, gateway = 0] = await freePorts(2);
    const listening = [
      `--listen=127.0.0.1:${api}`,
      `--gateway-listen=127.0.0.1:${gateway}`,
      '--console-listen=127.0.0.1:0',
    ];
    const preset = [
      ...(addresses === 'none' ? [] : [`--data-dir=${folder}`]),
      ...(addresses === 'free' ? listening : []),
    ];
    const own = preset.filter((flag) => !flags.some((given) => nameOf(given) === nameOf(flag)));
    const inherited = Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const child = await startChild({
      command: [...(command ?? ([process.execPath, PROGRAM] as const)), 'standalone', ...own, ...flags],
      env: { ...inherited, ...env },
      cwd: command === undefined ? root : folder,
      output: 'pipe',
    });
    const printed: string[] = [];
    createInterface({ input: child.output }).on('line', (line) => printed.push(line));
    return new Standalone(child, folder, printed);
  }

  /** As {@link launch}, and waits until it reports that it is up. */
  static async start(folder: string, flags: readonly string[] = [], options?: WaitOptions): Promise<Standalone> {
    const standalone = await Standalone.launch(folder, flags);
    await standalone.up(options);
    return standalone;
  }

  /** Waits until it reports that it is up. */
  async up(options: WaitOptions = { deadlineMs: 120_000 }): Promise<void> {
    await this.line('that it is up', (line) => line.startsWith('Ctrl-C stops it'), options);
  }

  /** For a process that fails to start: its exit code, and the line with the error. */
  async refusal(): Promise<readonly [code: number | null, why: string]> {
    const { code } = await this.exited;
    return [code, await this.line('why not', (line) => line.startsWith('multicluster-engine standalone: '))];
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Waits until it reports the start of a step. */
  begins(step: string): Promise<boolean> {
    return waitFor(`standalone to begin with ${step}`, () => this.#begun.includes(step));
  }

  /** What it has printed so far, line by line, errors too. */
  get printed(): readonly string[] {
    return this.#printed;
  }

  /** The port of the HTTPS interface, as it was printed. */
  get gatewayPort(): number {
    const port = /the HTTPS interface answers on https:\/\/[\d.]+:(\d+)/.exec(this.#printed.join('\n'))?.[1];
    if (port === undefined) throw new Error(`no address of the gateway in ${this.#printed.join('\n')}`);
    return Number(port);
  }

  /** The link to the console that was printed. */
  get link(): URL {
    return new URL(this.#printed.find((line) => line.includes('/login#code='))?.trim() ?? '');
  }

  /** Waits for a line that passes and returns it. */
  line(description: string, passes: (line: string) => boolean, options?: WaitOptions): Promise<string> {
    return waitFor(
      `standalone to print ${description}`,
      (seen) => {
        seen(this.#printed.join('\n'));
        return this.#printed.find(passes);
      },
      options,
    );
  }

  /** Ctrl-C. */
  interrupt(): Promise<Exit> {
    this.#child.kill('SIGINT');
    return this.#child.exited;
  }

  kill(): Promise<Exit> {
    this.#child.kill('SIGKILL');
    return this.#child.exited;
  }

  /** Waits until it ends without a signal of the test. */
  get exited(): Promise<Exit> {
    return this.#child.exited;
  }

  /** Stops the process, if it still runs, at the end of a test. */
  async stop(): Promise<void> {
    await this.#child.stop(30_000);
  }
}

function nameOf(flag: string): string {
  return flag.split('=', 1).join('');
}
