import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, it } from '@jest/globals';

import { describeWithKubectl } from '../support/clients/kubectl.js';
import { pathWithPlugin } from '../support/clients/plugin.js';
import { Standalone } from '../support/processes/standalone.js';
import { AFTER_WALK, readPage, TASKS, TASKS_WITH_PLUGIN, walk } from '../support/repository/documents.js';
import { stepsIn, type Step } from '../support/repository/markdown.js';
import { ReaderSession } from '../support/repository/session.js';

const MINUTE = 60_000;
const ENGINE = { command: 'kubectl apply -f examples/engine.yaml', output: [] };
/** Somebody has edited the engine before: its generation is not that of a new one. */
const EDITED = [
  `kubectl patch mce engine --type=merge -p '{"spec":{"adoption":"IfUnowned"}}'`,
  `kubectl patch mce engine --type=json -p '[{"op":"remove","path":"/spec/adoption"}]'`,
  'kubectl wait --for=condition=Ready mce/engine --timeout=120s',
];

interface Part {
  readonly name: string;
  readonly before: readonly Step[];
  /** In the order of `docs.slow.test.ts`. */
  readonly pages: readonly string[];
}

const PARTS: readonly Part[] = [
  { name: 'single tasks', before: [ENGINE], pages: [...TASKS, ...TASKS_WITH_PLUGIN] },
  { name: 'after the walk of the README', before: walk(), pages: AFTER_WALK },
];

// Nobody reads the pages in the order in which they were written.
describeWithKubectl('a reader of the documents who begins at the end', () => {
  describe.each(PARTS)('$name', ({ name, before, pages }) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-order-'));
    const hub = path.join(folder, name.split(' ')[0] ?? name);
    let run: Standalone;
    let reader: ReaderSession;

    beforeAll(async () => {
      run = await Standalone.start(hub, [], { deadlineMs: 3 * MINUTE });
      const env = { PATH: pathWithPlugin(path.join(folder, 'bin')), TMPDIR: folder, KUBECONFIG: run.kubeconfig };
      reader = new ReaderSession(folder, env);
      for (const step of before) await reader.shows(step);
      for (const command of EDITED) await reader.succeeds(command);
    }, 10 * MINUTE);
    afterAll(async () => {
      await run.stop();
      rmSync(folder, { recursive: true, force: true });
    }, 3 * MINUTE);

    it.each([...pages].reverse())(
      'the commands of %s print what the page shows',
      async (page) => {
        for (const step of stepsIn(readPage(page))) await reader.shows(step);
      },
      10 * MINUTE,
    );
  });
});
