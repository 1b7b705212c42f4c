import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';

import { binary } from '../../../testing/controlplane/binaries.js';
import { startBackend } from '../../../testing/controlplane/start.js';
import { root } from '../../../testing/root.js';
import { targetOf } from '../target.js';
import { KubectlShell } from './shell.js';
import { readTranscript, writeTranscript, type Scenario } from './transcript.js';
import { installWidgets } from './widgets.js';

/**
 * Runs the commands of the transcripts on kube-apiserver and records the output:
 * `node dist/test/conformance/kubectl/record.js`. Output that contains `…` is not recorded again.
 */
const FOLDER = path.join(root, 'test', 'conformance', 'kubectl');
const plane = await startBackend('real', { size: 'api', label: 'conformance-record' });
try {
  const target = await targetOf(plane, 'real');
  await installWidgets(target);
  const terminal = await KubectlShell.open(target, binary('kubectl'));
  for (const name of readdirSync(FOLDER).filter((file) => file.endsWith('.console'))) {
    const file = path.join(FOLDER, name);
    const scenarios: Scenario[] = [];
    for (const [at, { title, commands }] of readTranscript(readFileSync(file, 'utf8')).entries()) {
      const shell = await terminal.openNamespace(`record-${name.replace('.console', '')}-${at}`);
      const played: Scenario['commands'][number][] = [];
      for (const { script, output: expected } of commands) {
        const output = await shell(script);
        played.push({ script, output: expected.includes('…') ? expected : output });
      }
      scenarios.push({ title, commands: played });
    }
    writeFileSync(file, writeTranscript(scenarios));
  }
  await rm(terminal.home, { recursive: true, force: true });
} finally {
  await plane.stop();
}
