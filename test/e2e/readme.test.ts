import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { startChild, type Exit } from '@multicluster-engine/kube-apiserver';
import { describeWithKubectl, pathWithKubectl } from '../support/clients/kubectl.js';
import { root } from '../support/repository/root.js';
import { Standalone } from '../support/processes/standalone.js';
import { masked, stepsIn, type Step } from '../support/repository/markdown.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const MINUTE = 60_000;
const STEPS = stepsIn(readFileSync(path.join(root, 'README.md'), 'utf8'));

interface Ended {
  readonly exit: Exit;
  readonly lines: readonly string[];
}

const SUCCESS: Exit = { code: 0, signal: null };

describeWithKubectl('README.md', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-readme-'));
  const env: Record<string, string> = {
    HOME: folder,
    PATH: pathWithKubectl(),
    KUBECONFIG: path.join(folder, 'kubeconfig'),
  };
  let run: Standalone;

  beforeAll(async () => {
    run = await Standalone.start(folder, [], { deadlineMs: 3 * MINUTE });
  }, 8 * MINUTE);
  afterAll(async () => {
    await run.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 3 * MINUTE);

  /** Runs a command line in the folder of the repository; returns its output and its exit code, whatever that is. */
  async function typed(command: string): Promise<Ended> {
    const lines: string[] = [];
    const child = await startChild({ command: ['/bin/sh', '-c', `exec ${command}`], env, cwd: root, output: 'pipe' });
    const ended = new Promise<void>((resolve) =>
      createInterface({ input: child.output })
        .on('line', (line) => lines.push(line))
        .on('close', resolve),
    );
    const exit = await waitFor(
      `${command} to end`,
      (seen) => {
        seen(lines);
        return child.exit();
      },
      { deadlineMs: 3 * MINUTE },
    );
    await ended;
    return { exit, lines };
  }

  /** Runs a command line that has to succeed at once; returns its output. */
  async function succeeds(command: string): Promise<readonly string[]> {
    const { exit, lines } = await typed(command);
    expect({ command, exit, lines }).toEqual({ command, exit: SUCCESS, lines });
    return lines;
  }

  /** Expects the output of the document: a reading command is repeated until it prints it, any other runs once. */
  async function shows({ command, output }: Step): Promise<void> {
    const wanted = masked(output);
    if (!command.startsWith('kubectl get ')) {
      const lines = await succeeds(command);
      if (wanted.length > 0) expect(masked(lines)).toEqual(wanted);
      return;
    }
    await waitFor(
      `${command} to print what README.md shows`,
      async (seen) => {
        const { exit, lines } = await typed(command);
        seen({ exit, lines: masked(lines) });
        return isDeepStrictEqual(exit, SUCCESS) && (wanted.length === 0 || isDeepStrictEqual(masked(lines), wanted));
      },
      { deadlineMs: 2 * MINUTE, everyMs: 200 },
    );
  }

  it('the README has the commands of the main job', () => {
    expect(STEPS.filter(({ command }) => command.startsWith('kubectl ')).length).toBeGreaterThanOrEqual(12);
    expect(STEPS.filter(({ output }) => output.length > 0).length).toBeGreaterThanOrEqual(8);
  });

  it.each(STEPS.map((step) => ({ ...step, title: step.command.slice(0, 100) })))(
    'a command of the README prints what the page shows: $title',
    async (step) => {
      if (!step.command.startsWith('make ')) {
        await shows(step);
        return;
      }
      const planned = await succeeds(`make --no-print-directory -n ${step.command.slice('make '.length)}`);
      expect(planned).not.toEqual([]);
      if (step.command !== 'make run') return;
      expect(planned.at(-1)).toBe('node dist/src/main.js standalone');
      const preset = run.printed.map((line) => line.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:6443'));
      expect(masked(preset)).toEqual(expect.arrayContaining(masked(step.output)));
    },
    5 * MINUTE,
  );
});
