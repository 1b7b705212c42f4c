import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { profile, type ProfilingDeps } from '../../../src/runtime/process/profile.js';

/** Every text that a process with a Secret holds: in a variable, in an object, as the name of a field, and in base64. */
const SECRET = ['hunter2', 'of', 'the', 'engine'].join('-');
const ENCODED = Buffer.from(SECRET).toString('base64');

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

/** Keeps objects with the secret, several times the interval of the samples. */
function rememberSecrets(): object[] {
  return Array.from({ length: 20_000 }, (_, index) => {
    const text = `${SECRET}/${index}`;
    return { [text]: text, data: { token: Buffer.from(text).toString('base64') } };
  });
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

  it('a profile says where the time and the memory went, holds no value of the process, and is for its owner alone', () => {
    start();
    const kept = rememberSecrets();
    receive('exit');
    const files = readdirSync(folder).sort();
    const texts = files.map((name) => readFileSync(path.join(folder, name), 'utf8'));

    expect(kept).toHaveLength(20_000);
    expect(files).toEqual(['operator-7-1.cpuprofile', 'operator-7-1.heapprofile']);
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({ nodes: expect.any(Array), samples: expect.any(Array) });
    expect(texts[1]).toContain('rememberSecrets');
    expect(texts.filter((text) => text.includes(SECRET) || text.includes(ENCODED.slice(0, 16)))).toEqual([]);
    expect(files.map((name) => statSync(path.join(folder, name)).mode & 0o777)).toEqual([0o600, 0o600]);
  });

  it('a profile that cannot be written is reported, and the next one is tried', () => {
    const inside = path.join(folder, 'inside');
    start(inside);
    rmSync(inside, { recursive: true });
    receive('SIGUSR2');
    receive('SIGUSR2');
    receive('exit');

    const failed = 'multicluster-engine operator: the profile cannot be written: no such file\n';
    expect(lines).toEqual([failed, failed]);
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
