import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { profile, type ProfilingDeps } from '../../../src/runtime/process/profile.js';

let folder: string;
let clock: ManualClock;
let lines: string[];
let listeners: Map<string, (cause: unknown) => void>;

function start(profileDir = folder): boolean {
  const host: ProfilingDeps['host'] = { on: (event, listener) => listeners.set(event, listener) };
  return profile(
    { program: 'multicluster-engine', command: 'operator', profileDir },
    { host, pid: 7, clock, print: (line) => void lines.push(line) },
  );
}

function receive(event: 'SIGUSR2' | 'exit'): void {
  listeners.get(event)?.(undefined);
}

function profiles(): readonly string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
}

describe('--profile-dir', () => {
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'profiles-'));
    clock = new ManualClock();
    lines = [];
    listeners = new Map();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('the first minute of a process is profiled, and no later one', async () => {
    start();
    await clock.advance(59_000);
    expect(profiles()).toEqual([]);

    await clock.advance(1_000);
    expect(profiles()).toEqual(['operator-7-1.cpuprofile']);

    await clock.advance(120_000);
    receive('exit');
    expect(profiles()).toEqual(['operator-7-1.cpuprofile']);
  });

  it('a shorter process has a profile of all of it', () => {
    start();
    receive('exit');

    expect(profiles()).toEqual(['operator-7-1.cpuprofile']);
    expect(lines).toEqual([
      expect.stringMatching(/^multicluster-engine operator: profile written: \/.+\.heapprofile\n$/),
    ]);
  });

  it('SIGUSR2 profiles the next minute', async () => {
    start();
    await clock.advance(60_000);
    receive('SIGUSR2');
    expect(profiles()).toHaveLength(1);

    await clock.advance(60_000);
    expect(profiles()).toEqual(['operator-7-1.cpuprofile', 'operator-7-2.cpuprofile']);
    receive('exit');
  });

  it('SIGUSR2 during a profile ends it, and the minute with it', async () => {
    start();
    receive('SIGUSR2');
    expect(profiles()).toHaveLength(1);

    await clock.advance(60_000);
    expect(profiles()).toHaveLength(1);
    receive('exit');
  });

  it('a folder that cannot be used is named in one line, and the command does not run', () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');

    expect(start(path.join(file, 'inside'))).toBe(false);
    expect(lines).toEqual([
      expect.stringMatching(/^multicluster-engine operator: --profile-dir=\S+ cannot be used: .+\n$/),
    ]);
  });
});
