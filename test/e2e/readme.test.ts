import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { startChild } from '@multicluster-engine/kube-apiserver';
import { binaryFolder, missingPrograms } from '@multicluster-engine/kube-apiserver/testing/controlplane/binaries';
import { root } from '../support/root.js';
import { Standalone } from '../support/standalone.js';
import { masked, stepsIn, type Step } from '../support/walk.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const MINUTE = 60_000;
const STEPS = stepsIn(readFileSync(path.join(root, 'README.md'), 'utf8'));

const missing = missingPrograms('api');
const suite = missing === undefined || process.env['CI'] === 'true' ? describe : describe.skip;

suite('README.md', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-readme-'));
  const env: Record<string, string> = {
    HOME: folder,
    PATH: `${binaryFolder()}:${process.env['PATH'] ?? ''}`,
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

  /** Runs a command line as a reader would, in the folder of the repository; what it printed, and how it ended. */
  async function typed(command: string): Promise<readonly string[]> {
    const lines: string[] = [];
    const child = await startChild({ command: ['/bin/sh', '-c', `exec ${command}`], env, cwd: root, output: 'pipe' });
    const ended = new Promise<void>((resolve) =>
      createInterface({ input: child.output })
        .on('line', (line) => lines.push(line))
        .on('close', resolve),
    );
    const done = await waitFor(
      `${command} to end`,
      async (seen) => {
        seen(lines);
        return child.exit() !== undefined;
      },
      { deadlineMs: 3 * MINUTE },
    );
    expect(done).toBe(true);
    expect([command, child.exit(), lines]).toEqual([command, { code: 0, signal: null }, lines]);
    await ended;
    return lines;
  }

  /** Until it prints what the document shows: a reader looks again, too. */
  async function shows({ command, output }: Step): Promise<void> {
    const reads = command.startsWith('kubectl get ');
    const last = await waitFor(
      `${command} to print what README.md shows`,
      async (seen) => {
        const lines = masked(await typed(command));
        seen(lines);
        return output.length === 0 || !reads || lines.join('\n') === masked(output).join('\n') ? lines : undefined;
      },
      { deadlineMs: 2 * MINUTE, everyMs: 200 },
    );
    if (output.length > 0) expect(last).toEqual(masked(output));
  }

  it('shows the commands that it promises', () => {
    expect(STEPS.filter(({ command }) => command.startsWith('kubectl ')).length).toBeGreaterThanOrEqual(12);
    expect(STEPS.filter(({ output }) => output.length > 0).length).toBeGreaterThanOrEqual(8);
  });

  it.each(STEPS.map((step) => ({ ...step, title: step.command.slice(0, 100) })))(
    '$title',
    async (step) => {
      if (!step.command.startsWith('make ')) {
        await shows(step);
        return;
      }
      const planned = await typed(`make --no-print-directory -n ${step.command.slice('make '.length)}`);
      expect(planned).not.toEqual([]);
      if (step.command !== 'make run') return;
      expect(planned.at(-1)).toBe('node dist/src/main.js standalone');
      const preset = run.printed.map((line) => line.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:6443'));
      expect(masked(preset)).toEqual(expect.arrayContaining(masked(step.output)));
    },
    5 * MINUTE,
  );
});
