import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { machine } from '../../../src/store/lock.js';
import { openStore } from '../../../src/store/open.js';
import type { Store } from '../../../src/store/store.js';
import { ManualClock } from '../../../testing/clock.js';
import { put, entryTexts } from './things.js';

let above = '';
let folder = '';

beforeEach(async () => {
  above = await mkdtemp(path.join(tmpdir(), 'store-'));
  folder = path.join(above, 'deep', 'data');
});

afterEach(() => rm(above, { recursive: true }));

function open(log = {}): Promise<Store> {
  return openStore({ folder, clock: new ManualClock(), onFatal: () => undefined, log });
}

async function snapshots(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith('snapshot'));
}

describe('a store on the disk', () => {
  it('the files of a store have access for its owner only', async () => {
    const store = await open({ segment: 500, garbage: 500 });
    for (let count = 0; count < 20; count++) await put(store, `k${count % 3}`, 'x'.repeat(50));
    await store.close();

    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const names = await readdir(folder);
    expect(names.map((name) => name.split('-')[0])).toEqual(expect.arrayContaining(['lock', 'segment']));
    for (const name of names) expect([name, (await stat(path.join(folder, name))).mode & 0o777]).toEqual([name, 0o600]);
  });

  it('a store that is reopened on the disk has its state', async () => {
    const store = await open();
    await Promise.all(['a', 'b', 'c'].map((key) => put(store, key, `${key} `.repeat(400_000))));
    await store.close();
    const again = await open();

    expect(entryTexts(again.list('things', ''))).toEqual(
      ['a', 'b', 'c'].map((key, index) => `${key}@${index + 2}=${`${key} `.repeat(400_000)}`),
    );
    await again.close();
  });

  it('a store whose folder was removed refuses writes, and reports it', async () => {
    const fatal: unknown[] = [];
    const store = await openStore({ folder, clock: new ManualClock(), onFatal: (error) => fatal.push(error) });
    await put(store, 'a', 'x');
    await rm(folder, { recursive: true });

    await expect(put(store, 'b', 'x')).rejects.toMatchObject({ code: 500 });
    expect(String(fatal[0])).toMatch(/segment-\d+\.log was removed while it was in use$/);
    await store.close();
  });

  it('a snapshot of many slices is written beside other writes, and abandoned when the store closes', async () => {
    const log = { segment: 40_000_000, garbage: 500_000 };
    const store = await open(log);
    const fill = (data: string): Promise<unknown> =>
      Promise.all(Array.from({ length: 10 }, (_, index) => put(store, `big${index}`, data.repeat(1_000_000))));
    for (const data of ['a', 'b', 'e']) await fill(data);
    let count = 0;
    do await put(store, 'small', `${count++}`);
    while (!(await snapshots()).some((name) => name.endsWith('.log')));
    await fill('c');
    await fill('d');
    await store.close();
    expect((await snapshots()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    const again = await open(log);

    expect(again.count('things')).toBe(11);
    for (let index = 0; index < 10; index++)
      expect(again.get('things', `big${index}`)?.bytes.length).toBe(store.get('things', `big${index}`)?.bytes.length);
    expect(again.revision).toBe(store.revision);
    await again.close();
  }, 180_000);

  it('a second store on the same folder is refused, and names the process that has it open', async () => {
    const store = await open();
    await expect(open()).rejects.toThrow(`${folder} is in use by process ${process.pid}`);
    await store.close();
    await (await open()).close();
  });
});

describe('the machine', () => {
  it('the machine distinguishes a running process from one that ended', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    expect(machine.alive(pid)).toBe(true);
    expect(machine.mark(pid)).toBe(machine.mark(pid));
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(machine.alive(pid)).toBe(false);
  });
});
