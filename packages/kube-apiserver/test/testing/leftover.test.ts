import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL, fileURLToPath } from 'node:url';

import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { chosenBackend } from '../../testing/controlplane/start.js';
import { describeWithServer } from '../../testing/controlplane/suite.js';
import { waitFor } from '../../testing/wait.js';

const start = fileURLToPath(new URL('../../testing/controlplane/start.js', import.meta.url));

/** The processes whose command line contains the folder. */
function processesOf(folder: string): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(commandLine).filter((line) => line.includes(folder) && !line.includes('--eval'));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** The processes of a control plane: etcd and kube-apiserver, or the embedded server. */
const PROGRAMS = chosenBackend() === 'real' ? 2 : 1;
const withProc = existsSync('/proc/self/cmdline') ? test : test.skip;

describeWithServer('what a control plane leaves behind', {}, () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'leftover-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const script = (end: string): string => `
    const { startControlPlane } = await import(${JSON.stringify(pathToFileURL(start).href)});
    const server = await startControlPlane({ size: 'api', parent: ${JSON.stringify(folder)} });
    process.stdout.write('up\\n');
    ${end}`;

  async function owner(end: string): Promise<{ readonly pid: number; readonly ended: Promise<unknown> }> {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script(end)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    return { pid: child.pid ?? 0, ended };
  }

  withProc.each(['SIGKILL', 'SIGINT'] as const)('nothing runs on after its owner got %s', async (signal) => {
    const { pid, ended } = await owner('setInterval(() => undefined, 1000);');
    expect(processesOf(folder)).toHaveLength(PROGRAMS);

    process.kill(pid, signal);
    await ended;

    await waitFor('no process of it to be left', (seen) => {
      seen(processesOf(folder));
      return processesOf(folder).length === 0;
    });
  });

  withProc('nothing runs on, and no data stays, after stop()', async () => {
    const { ended } = await owner('await server.stop();');
    await ended;

    expect(processesOf(folder)).toEqual([]);
    const [own = ''] = readdirSync(folder);
    expect(readdirSync(path.join(folder, own))).not.toContain('data');
  });
});
