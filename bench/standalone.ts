import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { startChild, type Child, freePorts } from '@multicluster-engine/kube-apiserver';
import { binary } from '@multicluster-engine/kube-apiserver/testing/controlplane/binaries';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { Figure } from '@multicluster-engine/kube-apiserver/testing/bench';

const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));
const RUNS = 5;
/** V8 collects the garbage of the start once the process has been quiet for some 25 s: that belongs to the start. */
const SETTLE_MS = 40_000;
const IDLE_MS = 30_000;

/** P13: how long a newcomer waits for the first answer, and what the process costs that nobody asks anything. */
export async function standaloneFigures(): Promise<readonly Figure[]> {
  const starts: number[] = [];
  const idle: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const folder = await mkdtemp(path.join(tmpdir(), 'bench-standalone-'));
    const began = performance.now();
    const child = await start(folder);
    await firstAnswer(path.join(folder, 'kubeconfig'));
    starts.push(performance.now() - began);
    await quietWindow(SETTLE_MS);
    const before = cpuSeconds(child.pid);
    await quietWindow(IDLE_MS);
    idle.push(((cpuSeconds(child.pid) - before) / (IDLE_MS / 1000)) * 100);
    await child.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return [
    {
      id: 'P13',
      measure: 'standalone: from its start to the first answered kubectl get',
      unit: 'ms',
      values: starts,
      atMost: 2_000,
    },
    { id: 'P13', measure: 'standalone: share of one core while idle', unit: '%', values: idle, atMost: 1 },
  ];
}

async function start(folder: string): Promise<Child> {
  const [api = 0, gateway = 0] = await freePorts(2);
  const flags = [`--data-dir=${folder}`, `--listen=127.0.0.1:${api}`, `--gateway-listen=127.0.0.1:${gateway}`];
  const child = await startChild({
    command: [process.execPath, MAIN, 'standalone', ...flags],
    env: { PATH: process.env['PATH'] ?? '', HOME: folder },
    output: 'pipe',
  });
  child.output.resume();
  return child;
}

async function firstAnswer(kubeconfig: string): Promise<void> {
  const asked = (): Promise<string> => kubectlOk(['get', 'namespaces'], { kubeconfig });
  await waitFor(`${binary('kubectl')} get namespaces`, asked, { everyMs: 20 });
}

/** User and system time of a process and its ended children, by /proc: bench runs on Linux. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks / 100;
}
