import { createInterface } from 'node:readline';
import path from 'node:path';
import { spawn } from 'node:child_process';

import { startChild } from '../src/process/child.js';
import { kubectlProgram, missingKubectl } from './controlplane/binaries.js';
import { waitFor, type WaitOptions } from './wait.js';

export interface KubectlOptions {
  readonly kubeconfig: string;
  /** Content of stdin, such as for `-f -`. */
  readonly input?: string;
  /** Time limit in ms, after which it is killed; defaults to 180,000. */
  readonly deadlineMs?: number;
}

export interface KubectlResult {
  /** The exit code; -1 where it was killed. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs kubectl to its end. A nonzero exit code is not an error. */
export function kubectl(args: readonly string[], options: KubectlOptions): Promise<KubectlResult> {
  const { kubeconfig, input, deadlineMs = 180_000 } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(program(), args, {
      env: environment(kubeconfig),
      timeout: deadlineMs,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', () => undefined);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
    child.stdin.end(input ?? '');
  });
}

/** Like {@link kubectl}, but throws for a nonzero exit code, with kubectl's message; returns stdout. */
export async function kubectlOk(args: readonly string[], options: KubectlOptions): Promise<string> {
  const { code, stdout, stderr } = await kubectl(args, options);
  if (code === 0) return stdout;
  throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr.trim()}`);
}

/** A running kubectl, such as `get -w`. */
export interface KubectlStream {
  /** The lines printed so far, including stderr. */
  readonly lines: readonly string[];
  /** Waits for a matching line and returns it. */
  line(description: string, passes: (line: string) => boolean, options?: WaitOptions): Promise<string>;
  stop(): Promise<void>;
}

export async function kubectlStream(args: readonly string[], kubeconfig: string): Promise<KubectlStream> {
  const lines: string[] = [];
  const child = await startChild({
    command: [program(), ...args],
    env: environment(kubeconfig),
    output: 'pipe',
  });
  createInterface({ input: child.output }).on('line', (line) => lines.push(line));
  return {
    lines,
    line(description, passes, options) {
      return waitFor(
        `kubectl ${args.join(' ')} to print ${description}`,
        (seen) => {
          seen(lines.join('\n'));
          return lines.find(passes);
        },
        options,
      );
    },
    async stop() {
      await child.stop(2000);
    },
  };
}

function program(): string {
  const found = kubectlProgram();
  if (found === undefined) throw new Error(missingKubectl());
  return found;
}

// kubectl's discovery cache is kept beside the kubeconfig, because ports are reused by other servers.
function environment(kubeconfig: string): Record<string, string> {
  const home = path.dirname(kubeconfig);
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    KUBECONFIG: kubeconfig,
    KUBECACHEDIR: path.join(home, 'cache'),
  };
}
