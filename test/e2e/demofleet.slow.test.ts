import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { describeWithKubectl, pathWithKubectl } from '../support/clients/kubectl.js';
import { Standalone } from '../support/processes/standalone.js';
import { readPage } from '../support/repository/documents.js';
import { masked, stepsIn, type Step } from '../support/repository/markdown.js';
import { ReaderSession } from '../support/repository/session.js';

const MINUTE = 60_000;
const [, SECTION = ''] = /^(## A demo fleet\n[^]*?)^## /m.exec(readPage('docs/how-to/standalone.md')) ?? [];
const STEPS = stepsIn(SECTION);

describeWithKubectl('docs/how-to/standalone.md: a demo fleet', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-fleet-'));
  const env = { PATH: pathWithKubectl(), KUBECONFIG: path.join(folder, 'kubeconfig') };
  const reader = new ReaderSession(folder, env);
  let run: Standalone;

  beforeAll(async () => {
    run = await Standalone.start(folder, [], { deadlineMs: 3 * MINUTE });
    await reader.succeeds('kubectl apply -f examples/engine.yaml');
    await reader.succeeds('kubectl wait --for=condition=Ready mce/engine --timeout=120s');
  }, 8 * MINUTE);
  afterAll(async () => {
    await run.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 3 * MINUTE);

  /** The hub is started again on the same folder, as the page says. */
  async function restart(step: Step): Promise<void> {
    const planned = await reader.succeeds(`make --no-print-directory -n ${step.command.slice('make '.length)}`);
    expect(planned.at(-1)).toBe('node dist/src/main.js standalone --demo-fleet 12');
    expect(await run.interrupt()).toEqual({ code: 0, signal: null });
    run = await Standalone.start(folder, ['--demo-fleet=12'], { deadlineMs: 3 * MINUTE });
    await run.line('that the fleet has joined', (line) => line === step.output.at(-1), { deadlineMs: 2 * MINUTE });
    expect(masked(run.printed)).toEqual(expect.arrayContaining(masked(step.output)));
  }

  it('the section starts a fleet, and shows a cluster that falls silent', () => {
    expect(STEPS.map(({ command }) => command).filter((one) => one.startsWith('make '))).toHaveLength(1);
    expect(STEPS.length).toBeGreaterThanOrEqual(9);
  });

  it.each(STEPS.map((step) => ({ ...step, title: step.command.slice(0, 100) })))(
    'a command of the section prints what the page shows: $title',
    async (step) => {
      if (step.command.startsWith('make ')) await restart(step);
      else await reader.shows(step);
    },
    8 * MINUTE,
  );
});
