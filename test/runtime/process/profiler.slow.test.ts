import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Profiler } from '../../../src/runtime/process/profile.js';

/** Every text that a process with a Secret holds: in a variable, in an object, as the name of a field, and in base64. */
const SECRET = ['hunter2', 'of', 'the', 'engine'].join('-');
const ENCODED = Buffer.from(SECRET).toString('base64');

let folder: string;
let written: (readonly string[])[];
let failures: unknown[];

function openProfiler(into = folder): Profiler {
  return new Profiler(into, 'operator-1', {
    written: (files) => void written.push(files),
    failed: (error) => void failures.push(error),
  });
}

/** Keeps objects with the secret, several times the interval of the samples. */
function rememberSecrets(): object[] {
  return Array.from({ length: 20_000 }, (_, index) => {
    const text = `${SECRET}/${index}`;
    return { [text]: text, data: { token: Buffer.from(text).toString('base64') } };
  });
}

describe('profiles of a process', () => {
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'profiles-'));
    written = [];
    failures = [];
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('a stopped profile has written where the time and the memory went, before stop returns', () => {
    const profiler = openProfiler();
    profiler.start();
    const kept = rememberSecrets();
    profiler.stop();
    const names = readdirSync(folder).sort();
    const [cpu, heap] = names.map((name) => readFileSync(path.join(folder, name), 'utf8'));
    profiler.close();

    expect(kept).toHaveLength(20_000);
    expect(names).toEqual(['operator-1-1.cpuprofile', 'operator-1-1.heapprofile']);
    expect(written).toEqual([names.map((name) => path.join(folder, name))]);
    expect(JSON.parse(cpu ?? '')).toMatchObject({ nodes: expect.any(Array), samples: expect.any(Array) });
    expect(heap).toContain('rememberSecrets');
  });

  it('no profile holds a value of the process', () => {
    const profiler = openProfiler();
    profiler.start();
    const kept = rememberSecrets();
    profiler.stop();
    const texts = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
    profiler.close();

    expect(kept).toHaveLength(20_000);
    expect(texts).toHaveLength(2);
    expect(texts.filter((text) => text.includes(SECRET) || text.includes(ENCODED.slice(0, 16)))).toEqual([]);
  });

  it('only the owner can read a profile', () => {
    const profiler = openProfiler();
    profiler.start();
    profiler.close();

    expect(readdirSync(folder).map((name) => statSync(path.join(folder, name)).mode & 0o777)).toEqual([0o600, 0o600]);
  });

  it('each profile has files of its own', () => {
    const profiler = openProfiler();
    profiler.start();
    profiler.stop();
    profiler.start();
    profiler.close();

    expect(readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))).toEqual([
      'operator-1-1.cpuprofile',
      'operator-1-2.cpuprofile',
    ]);
  });

  it('stop without a profile writes nothing', () => {
    openProfiler().close();

    expect(readdirSync(folder)).toEqual([]);
  });

  it('a profile that cannot be written is reported, and the next one is tried', () => {
    const inside = path.join(folder, 'inside');
    const profiler = openProfiler(inside);
    profiler.start();
    rmSync(inside, { recursive: true });
    profiler.stop();
    profiler.start();
    profiler.close();

    expect(failures).toHaveLength(2);
    expect(written).toEqual([]);
  });

  it('a folder that cannot be made is an error', () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');

    expect(() => openProfiler(path.join(file, 'inside'))).toThrow(/ENOTDIR/);
  });
});
