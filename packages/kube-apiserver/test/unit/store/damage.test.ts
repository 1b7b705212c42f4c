import { describe, expect, it } from '@jest/globals';
import { FolderInUse, lockFolder, type Processes } from '../../../src/store/lock.js';
import { openStore } from '../../../src/store/open.js';
import type { Store } from '../../../src/store/store.js';
import { ManualClock, settle } from '../../../testing/clock.js';
import { FaultyDisk } from './faultydisk.js';
import { put, remove, entryTexts } from './things.js';

const FIRST = '/data/segment-000000000001.log';
const SECOND = '/data/segment-000000000002.log';
const HEAD = 32;
/** Size in bytes of the record of `put(store, 'a', 'one')`: header, names, object. */
const RECORD =
  36 +
  'things'.length +
  'a'.length +
  '{"apiVersion":"v1","kind":"Thing","metadata":{"name":"a","resourceVersion":"2"},"data":"one"}'.length;

function machineWith(pid: number, running: readonly number[], marks: Readonly<Record<number, string>> = {}): Processes {
  return { pid, alive: (one) => running.includes(one), mark: (one) => marks[one] };
}

function open(files: FaultyDisk, segment = 64_000_000): Promise<Store> {
  return openStore({
    folder: '/data',
    clock: new ManualClock(),
    onFatal: () => undefined,
    files,
    processes: machineWith(1, []),
    log: { segment, garbage: 1_000_000 },
  });
}

/** A folder with `count` records of one size, each in its own batch, in segments of `segment` bytes. */
async function filled(count: number, segment?: number): Promise<FaultyDisk> {
  const files = new FaultyDisk();
  const store = await open(files, segment);
  for (let index = 0; index < count; index++) await put(store, 'abcdefgh'.charAt(index), 'one');
  await store.close();
  return files;
}

function flip(at: number): (content: Buffer) => Buffer {
  return (content) => {
    content.writeUInt8(content.readUInt8(at) ^ 1, at);
    return content;
  };
}

describe('the tail of the last segment', () => {
  it.each([
    ['ends within the head of a record', (content: Buffer) => content.subarray(0, HEAD + 2 * RECORD + 10)],
    ['ends within an object', (content: Buffer) => content.subarray(0, HEAD + 3 * RECORD - 1)],
    ['has a wrong byte in its last record', flip(HEAD + 3 * RECORD - 5)],
    ['ends in zeros', (content: Buffer) => content.fill(0, HEAD + 2 * RECORD + 3)],
    [
      'ends in noise',
      (content: Buffer) => Buffer.concat([content.subarray(0, HEAD + 2 * RECORD), Buffer.alloc(5_000, 0xa5)]),
    ],
    [
      'has a length that goes on beyond the end',
      (content: Buffer) => (content.writeUInt32LE(5_000_000, HEAD + 2 * RECORD + 8), content),
    ],
  ])('a tail of the last segment that %s is truncated and overwritten', async (_what, edit) => {
    const files = await filled(3);
    files.edit(FIRST, edit);
    const store = await open(files);

    expect(entryTexts(store.list('things', ''))).toEqual(['a@2=one', 'b@3=one']);
    await put(store, 'z', 'two');
    await store.close();
    expect(entryTexts((await open(files)).list('things', ''))).toEqual(['a@2=one', 'b@3=one', 'z@4=two']);
  });

  it('an only segment without a header is started anew', async () => {
    const files = new FaultyDisk();
    await (await open(files)).close();
    await files.remove('/data/begun');
    files.edit(FIRST, (content) => content.subarray(0, 7));
    const store = await open(files);
    expect((await put(store, 'a', 'one')).revision).toBe(2);
  });
});

describe('damage', () => {
  it.each([
    ['emptied', async (files: FaultyDisk) => files.edit(FIRST, (content) => content.subarray(0, 0))],
    ['removed', (files: FaultyDisk) => files.remove(FIRST)],
  ])('a log that was %s is not mistaken for a new store', async (_what, harm) => {
    const files = await filled(3);
    await harm(files);
    await expect(open(files)).rejects.toThrow(
      `${FIRST} is damaged at offset 0: it is missing or empty, though this folder has held a store`,
    );
  });

  it.each([
    ['the checksum', HEAD + 4],
    ['the magic', HEAD],
    ['the length', HEAD + 9],
    ['the revision', HEAD + 18],
    ['the key', HEAD + 36 + 'things'.length],
    ['the object', HEAD + RECORD - 1],
  ])('damage of %s of a record is refused with file and offset when later records follow', async (_what, at) => {
    const files = await filled(3);
    files.edit(FIRST, flip(at));
    await expect(open(files)).rejects.toMatchObject({
      name: 'Damaged',
      file: FIRST,
      offset: HEAD,
      message: `${FIRST} is damaged at offset ${HEAD}: a record cannot be read, and a later one follows at offset ${HEAD + RECORD}`,
    });
    await expect(open(files)).rejects.toThrow('is damaged');
  });

  it.each([
    ['a byte of an earlier segment', FIRST, flip(HEAD + RECORD + 50), HEAD + RECORD],
    ['the tail of an earlier segment', FIRST, (content: Buffer) => content.subarray(0, -1), HEAD + RECORD],
    [
      'a record at the end of an earlier segment',
      FIRST,
      (content: Buffer) => content.subarray(0, HEAD + RECORD),
      HEAD + RECORD,
    ],
    ['the head of an earlier segment', FIRST, flip(3), 0],
    ['the head of the last segment, which has records', SECOND, flip(20), 0],
  ])('damage of %s is refused with file and offset', async (_what, file, edit, offset) => {
    const files = await filled(3, HEAD + 2 * RECORD);
    files.edit(file, edit);

    await expect(open(files)).rejects.toMatchObject({ name: 'Damaged', file, offset });
  });

  it('a missing segment is refused', async () => {
    const files = await filled(5, HEAD + 2 * RECORD);
    await files.remove(SECOND);

    await expect(open(files)).rejects.toThrow(
      '/data/segment-000000000003.log is damaged at offset 0: segment 2 is missing',
    );
  });

  it('a damaged snapshot is refused with file and offset', async () => {
    const files = new FaultyDisk();
    const store = await openStore({
      folder: '/data',
      clock: new ManualClock(),
      onFatal: () => undefined,
      files,
      processes: machineWith(1, []),
      log: { segment: 64_000_000, garbage: 100 },
    });
    for (const data of ['one', 'two', 'three', 'four']) await put(store, 'a', data);
    await settle();
    await store.close();
    const snapshot = files.names.find((name) => name.startsWith('snapshot')) ?? 'none';
    files.edit(`/data/${snapshot}`, (content) => content.subarray(0, HEAD));
    await expect(open(files)).rejects.toMatchObject({ file: `/data/${snapshot}`, offset: HEAD });
    files.edit(`/data/${snapshot}`, flip(1));
    await expect(open(files)).rejects.toMatchObject({ file: `/data/${snapshot}`, offset: 0 });
  });
});

describe('reading back', () => {
  it('the store reads back what was written: any key, any text, deletions, and the order of keys in an object', async () => {
    const files = new FaultyDisk();
    const store = await open(files);
    const object = {
      kind: 'Thing',
      apiVersion: 'v1',
      metadata: { name: 'n' },
      ...JSON.parse('{"__proto__":{"a":1},"constructor":null}'),
      text: '\uD800 é \u0000',
    };
    await store.put('things.example.com', 'ns/ü', () => object);
    await put(store, 'a', 'x'.repeat(1_400_000));
    await put(store, 'b', 'one');
    await remove(store, 'b');
    const bytes = store.get('things.example.com', 'ns/ü')?.bytes.toString();
    await store.close();
    const again = await open(files);

    expect(again.revision).toBe(5);
    expect(again.get('things.example.com', 'ns/ü')?.bytes.toString()).toBe(bytes);
    expect(Object.keys(again.get('things.example.com', 'ns/ü')?.object ?? {})).toEqual([
      'kind',
      'apiVersion',
      'metadata',
      '__proto__',
      'constructor',
      'text',
    ]);
    expect(again.list('things', '').map((entry) => [entry.key, entry.bytes.length])).toEqual([
      ['a', store.get('things', 'a')?.bytes.length],
    ]);
    expect(again.collections()).toEqual(['things', 'things.example.com']);
    expect(again.oldest('things')).toBe(1);
  });
});

describe('the lock of a folder', () => {
  it('the lock refuses a second process, and names the id of the first', async () => {
    const files = new FaultyDisk();
    await lockFolder(files, '/data', machineWith(10, [10]));

    await expect(lockFolder(files, '/data', machineWith(11, [10, 11]))).rejects.toThrow(
      '/data is in use by process 10',
    );
    await expect(lockFolder(files, '/data', machineWith(11, [10, 11]))).rejects.toBeInstanceOf(FolderInUse);
  });

  it.each([
    ['whose process is gone', machineWith(11, [11])],
    ['whose process id is now another process', machineWith(11, [10, 11], { 10: 'later' })],
  ])('the lock is taken over from a holder %s', async (_what, processes) => {
    const files = new FaultyDisk();
    await lockFolder(files, '/data', machineWith(10, [10], { 10: 'first' }));
    await lockFolder(files, '/data', processes);

    expect(files.names).toEqual(['lock-2']);
    await expect(lockFolder(files, '/data', machineWith(12, [11, 12]))).rejects.toThrow('in use by process 11');
  });

  it('a released lock can be acquired again', async () => {
    const files = new FaultyDisk();
    await (await lockFolder(files, '/data', machineWith(10, [10]))).release();
    await lockFolder(files, '/data', machineWith(11, [10, 11]));

    expect(files.names).toEqual(['lock-2']);
  });

  it('one of many processes that find a stale lock acquires it', async () => {
    for (let round = 0; round < 20; round++) {
      const files = new FaultyDisk();
      await lockFolder(files, '/data', machineWith(1, []));
      const pids = [10, 11, 12, 13, 14];
      const slow = new Set(pids.filter((pid) => (pid * 7 + round * 3) % 5 < 2));
      const tries = await Promise.allSettled(
        pids.map(async (pid) => {
          if (slow.has(pid)) await settle();
          return lockFolder(files, '/data', machineWith(pid, pids));
        }),
      );

      expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
      for (const one of tries) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(FolderInUse);
    }
  });
});
