import { createInterface } from 'node:readline';
import path from 'node:path';
import { spawn } from 'node:child_process';

import { startChild } from '../src/process/child.js';
import { kubectlProgram, missingKubectl } from './controlplane/binaries.js';
import { waitFor, type WaitOptions } from './wait.js';

export interface KubectlOptions {
  readonly kubeconfig: string;
  /** Given to stdin, e.g. for `-f -`. */
  readonly input?: string;
  /** Killed after this many ms; 180,000 when left out. */
  readonly deadlineMs?: number;
}

export interface KubectlResult {
  /** The exit code; -1 when it was killed. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real kubectl to its end. Never throws for a bad exit code: the caller looks at it. */
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

/** As {@link kubectl}, but a bad exit code throws, with what kubectl said; gives stdout. */
export async function kubectlOk(args: readonly string[], options: KubectlOptions): Promise<string> {
  const { code, stdout, stderr } = await kubectl(args, options);
  if (code === 0) return stdout;
  throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr.trim()}`);
}

/** A kubectl that goes on by itself, such as `get -w`. */
export interface KubectlStream {
  /** What it has printed so far, line by line, stderr too. */
  readonly lines: readonly string[];
  /** Waits until a line passes and gives it. */
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

// The cache of what a server serves lies beside the kubeconfig: ports come back with other servers behind them.
function environment(kubeconfig: string): Record<string, string> {
  const home = path.dirname(kubeconfig);
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    KUBECONFIG: kubeconfig,
    KUBECACHEDIR: path.join(home, 'cache'),
  };
}
