import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { masked, type Step } from './markdown.js';
import { root } from './root.js';

/** How a command ended, with its output on stdout and stderr together. */
export interface Ended {
  readonly code: number | null;
  readonly lines: readonly string[];
}

/** kube-apiserver retries the deletion of a definition after five minutes. */
const COMMAND_DEADLINE_MS = 660_000;
const DEADLINE_MS = 180_000;
/** Names the server of the reader, and a file of theirs: pages leave it out. */
const WRITES_TO = /^(?:multicluster-engine|kubectl mce) [a-z ]+: writes to /;

/**
 * The terminal of a reader who follows a document: commands run in bash, in the repository's root folder, and a variable
 * that one of them exports is set for the next.
 */
export class ReaderSession {
  readonly #env: Readonly<Record<string, string>>;
  readonly #exportsFile: string;
  #exports = '';

  /** `folder`: the home folder of the reader. `env` has to contain PATH. */
  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#env = { HOME: folder, ...env };
    this.#exportsFile = path.join(folder, '.exports');
  }

  /** Runs commands, whatever their exit code is; they are ended after eleven minutes. */
  type(command: string): Promise<Ended> {
    const script = `set -euo pipefail\n${this.#exports}\n${command}\nexport -p > '${this.#exportsFile}'\n`;
    const options = { cwd: root, env: this.#env, timeout: COMMAND_DEADLINE_MS };
    const child = spawn('/bin/bash', ['-c', script], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => (printed += part));
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => {
        if (code === 0) this.#exports = readFileSync(this.#exportsFile, 'utf8');
        resolve({ code, lines: printed.split('\n').filter((line) => line !== '') });
      });
    });
  }

  /** Runs commands that have to succeed at once; returns their output. */
  async succeeds(command: string): Promise<readonly string[]> {
    const { code, lines } = await this.type(command);
    if (code !== 0) throw new Error(`exit code ${code} of: ${command}\n${lines.join('\n')}`);
    return lines;
  }

  /**
   * Runs a step, which has to print what the document shows, except for times and the widths of columns. A `kubectl get`
   * is repeated until it does, any other command runs once. Returns what it printed.
   */
  async shows({ command, output }: Step): Promise<readonly string[]> {
    const wanted = masked(output);
    if (!command.startsWith('kubectl get ')) {
      const lines = masked((await this.succeeds(command)).filter((line) => !WRITES_TO.test(line)));
      if (wanted.length > 0 && !isDeepStrictEqual(lines, wanted))
        throw new Error(`${command}\nprinted:\n${lines.join('\n')}\nthe page shows:\n${wanted.join('\n')}`);
      return lines;
    }
    return waitFor(
      `${command} to print what the page shows`,
      async (seen) => {
        const { code, lines } = await this.type(command);
        seen({ code, lines: masked(lines) });
        const passes = code === 0 && (wanted.length === 0 || isDeepStrictEqual(masked(lines), wanted));
        return passes ? lines : undefined;
      },
      { deadlineMs: DEADLINE_MS, everyMs: 200 },
    );
  }
}
