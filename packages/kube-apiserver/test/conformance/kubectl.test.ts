import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { binary } from '../../testing/controlplane/binaries.js';
import { root } from '../../testing/root.js';
import { kubectlOnPath } from './kubectl/path.js';
import { KubectlShell } from './kubectl/shell.js';
import { matchesOutput, readTranscript, type Scenario } from './kubectl/transcript.js';
import { installWidgets } from './kubectl/widgets.js';
import { describeOnAllServers } from './suite.js';

const FOLDER = path.join(root, 'test', 'conformance', 'kubectl');
const SCENARIOS = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.console'))
  .flatMap((name) => readTranscript(readFileSync(path.join(FOLDER, name), 'utf8')));
const SCENARIO_MS = 300_000;

interface Kubectl {
  readonly title: string;
  readonly program: string;
  /** Whether the transcripts were recorded with this release, so that its output is compared with them. */
  readonly recorded: boolean;
}

const ours: Kubectl = { title: 'kubectl 1.36', program: binary('kubectl'), recorded: true };
// The transcripts again, with a second release: at night, or where it is named.
const wanted = process.env['NIGHTLY'] === 'true' || (process.env['KUBECTL'] ?? '') !== '';
const older = wanted ? kubectlOnPath() : undefined;
if (wanted && older === undefined)
  process.stderr.write('not run: a second kubectl: none in the PATH, nor in KUBECTL\n');
const KUBECTLS: readonly Kubectl[] =
  older === undefined ? [ours] : [ours, { title: 'the kubectl of this machine', program: older, recorded: false }];

describeOnAllServers('the output of kubectl', (targets) => {
  beforeAll(async () => {
    await Promise.all(targets().map(installWidgets));
  });

  describe.each(KUBECTLS)('$title', ({ program, recorded }) => {
    let terminals: readonly KubectlShell[] = [];
    beforeAll(async () => {
      terminals = await Promise.all(targets().map((target) => KubectlShell.open(target, program)));
    });
    afterAll(async () => {
      await Promise.all(terminals.map(({ home }) => rm(home, { recursive: true, force: true })));
    });

    it.each(SCENARIOS.map((scenario, at) => ({ ...scenario, at })))(
      '$title',
      async ({ commands, at }) => {
        const namespace = `console-${at}-${recorded ? 'ours' : 'other'}`;
        const shells = await Promise.all(terminals.map((terminal) => terminal.openNamespace(namespace)));
        for (const command of commands) {
          const outputs = await Promise.all(shells.map((shell) => shell(command.script)));
          compare(command, outputs, recorded);
        }
      },
      SCENARIO_MS,
    );
  });

  /** The outputs of all servers have to be equal and, for the recorded release, those of the transcript. */
  function compare(
    { script, output: prints }: Scenario['commands'][number],
    outputs: readonly (readonly string[])[],
    recorded: boolean,
  ): void {
    for (const [at, output] of outputs.entries()) {
      const where = `$ ${script}\n(${targets()[at]?.name})`;
      if (recorded && !matchesOutput(output, prints)) expect([where, ...output]).toEqual([where, ...prints]);
      expect([where, ...output]).toEqual([where, ...(outputs[0] ?? [])]);
    }
  }
});
