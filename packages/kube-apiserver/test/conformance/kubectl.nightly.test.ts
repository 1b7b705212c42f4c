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

const recordingRelease: Kubectl = { title: 'kubectl 1.36', program: binary('kubectl'), recorded: true };
// Nightly runs, and runs with KUBECTL, repeat the transcripts with a second release.
const secondRun = process.env['NIGHTLY'] === 'true' || (process.env['KUBECTL'] ?? '') !== '';
const secondKubectl = secondRun ? kubectlOnPath() : undefined;
if (secondRun && secondKubectl === undefined)
  process.stderr.write('not run: the transcripts with a second kubectl: there is none in the PATH or in KUBECTL\n');
const KUBECTLS: readonly Kubectl[] =
  secondKubectl === undefined
    ? [recordingRelease]
    : [recordingRelease, { title: 'the kubectl of this machine', program: secondKubectl, recorded: false }];

describeOnAllServers('the output of kubectl', (targets) => {
  beforeAll(async () => {
    await Promise.all(targets().map(installWidgets));
  });

  describe.each(KUBECTLS)('$title', ({ program, recorded }) => {
    let sessions: readonly KubectlShell[] = [];
    beforeAll(async () => {
      sessions = await Promise.all(targets().map((target) => KubectlShell.open(target, program)));
    });
    afterAll(async () => {
      await Promise.all(sessions.map(({ home }) => rm(home, { recursive: true, force: true })));
    });

    it.each(SCENARIOS.map((scenario, at) => ({ ...scenario, at })))(
      '$title',
      async ({ commands, at }) => {
        const namespace = `console-${at}-${recorded ? 'ours' : 'other'}`;
        const shells = await Promise.all(sessions.map((session) => session.openNamespace(namespace)));
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
    { script, output: recordedOutput }: Scenario['commands'][number],
    outputs: readonly (readonly string[])[],
    recorded: boolean,
  ): void {
    for (const [at, output] of outputs.entries()) {
      const where = `$ ${script}\n(${targets()[at]?.name})`;
      if (recorded && !matchesOutput(output, recordedOutput))
        expect([where, ...output]).toEqual([where, ...recordedOutput]);
      expect([where, ...output]).toEqual([where, ...(outputs[0] ?? [])]);
    }
  }
});
