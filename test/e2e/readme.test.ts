import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { describeWithKubectl, pathWithKubectl } from '../support/clients/kubectl.js';
import { readPage } from '../support/repository/documents.js';
import { Standalone } from '../support/processes/standalone.js';
import { masked, stepsIn } from '../support/repository/markdown.js';
import { ReaderSession } from '../support/repository/session.js';

const MINUTE = 60_000;
const [TOP = '', ...SECTIONS] = readPage('README.md').split(/^(?=## )/m);
/** The block above the first section shows how the walk ends. */
const STEPS = stepsIn([...SECTIONS, TOP].join(''));

describeWithKubectl('README.md', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-readme-'));
  const reader = new ReaderSession(folder, {
    PATH: pathWithKubectl(),
    KUBECONFIG: path.join(folder, 'kubeconfig'),
  });
  let run: Standalone;

  beforeAll(async () => {
    run = await Standalone.start(folder, [], { deadlineMs: 3 * MINUTE });
  }, 8 * MINUTE);
  afterAll(async () => {
    await run.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 3 * MINUTE);

  it('the README has the commands of the main job', () => {
    expect(STEPS.filter(({ command }) => command.startsWith('kubectl ')).length).toBeGreaterThanOrEqual(9);
    expect(STEPS.filter(({ output }) => output.length > 0).length).toBeGreaterThanOrEqual(7);
  });

  it.each(STEPS.map((step) => ({ ...step, title: step.command.slice(0, 100) })))(
    'a command of the README prints what the page shows: $title',
    async (step) => {
      if (!step.command.startsWith('make ')) {
        await reader.shows(step);
        return;
      }
      const planned = await reader.succeeds(`make --no-print-directory -n ${step.command.slice('make '.length)}`);
      expect(planned).not.toEqual([]);
      if (step.command !== 'make run') return;
      expect(planned.at(-1)).toBe('node dist/src/main.js standalone');
      const preset = run.printed.map((line) => line.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:6443'));
      expect(masked(preset)).toEqual(expect.arrayContaining(masked(step.output)));
    },
    5 * MINUTE,
  );
});
