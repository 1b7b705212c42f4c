import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { openStore } from '../../../src/store/open.js';
import type { Store } from '../../../src/store/store.js';
import { ManualClock, settle } from '../../../testing/clock.js';
import { FaultyDisk, failure, type Tear } from './faultydisk.js';
import { StoreModel } from './ledger.js';

/** So small that a few writes start segments and snapshots. */
const SMALL = { segment: 700, garbage: 300 };
const processes = { pid: 1, alive: () => false, mark: () => undefined };

function open(files: FaultyDisk, warn: (text: string) => void = () => undefined): Promise<Store> {
  return openStore({
    folder: '/data',
    clock: new ManualClock(),
    onFatal: () => undefined,
    warn,
    files,
    processes,
    log: SMALL,
    frozen: true,
  });
}

jest.setTimeout(600_000);

type Operation = readonly [type: 'put' | 'remove', key: string, size: number];

/** Batches of operations: those of a batch are written together. */
type Script = readonly (readonly Operation[])[];

const SCRIPT: Script = Array.from({ length: 16 }, (_, round) => [
  ['put', `k${round % 3}`, 100],
  ['put', `k${round}`, 10],
  round % 4 === 3 ? ['remove', `k${round - 2}`, 0] : ['put', 'k0', 30],
]);

async function run(store: Store, ledger: StoreModel, script: Script): Promise<void> {
  for (const batch of script) {
    const writes = batch.map(([type, key, size], index) => {
      if (type === 'remove' && !ledger.has(store, key)) return Promise.resolve('refused');
      return type === 'put' ? ledger.put(store, key, `${index}-`.padEnd(size, 'x')) : ledger.remove(store, key);
    });
    await Promise.all(writes);
  }
}

/** Opens a store, runs the batches, and waits for background work. */
async function life(files: FaultyDisk, ledger: StoreModel, script: Script): Promise<void> {
  try {
    const store = await open(files);
    ledger.restart(store);
    await run(store, ledger, script);
    await store.close();
  } catch (error) {
    expect(error).toMatchObject({ code: 'ECRASHED' });
  }
  await settle();
}

async function check(files: FaultyDisk, ledger: StoreModel): Promise<void> {
  const store = await open(files);
  ledger.restart(store);
  ledger.check(store);
  await run(store, ledger, [[['put', 'after', 5]], [['put', 'after', 6]]]);
  ledger.check(store);
  await store.close();
}

/** A deterministic sequence of pseudo-random numbers. */
function picker(seed: number): (choices: number) => number {
  let state = seed;
  return (choices) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >>> 8) % choices;
  };
}

async function countSteps(): Promise<string[]> {
  const files = new FaultyDisk();
  const steps: string[] = [];
  files.before = ({ what }) => steps.push(what.replace(/0{2,}/, '').replace(/draft.*/, 'draft'));
  await life(files, new StoreModel(), SCRIPT);
  return steps;
}

describe('a store in a folder', () => {
  it('a reopened store has its state', async () => {
    const files = new FaultyDisk();
    const ledger = new StoreModel();
    await life(files, ledger, SCRIPT);
    await check(files, ledger);
    await check(files, ledger);
  });

  it('the workload of the crash tests starts segments and writes snapshots', async () => {
    const steps = await countSteps();

    expect(new Set(steps.map((step) => step.replace(/\d+/, 'N')))).toEqual(
      new Set([
        'create lock-draft',
        'write lock-draft',
        'sync lock-draft',
        'link lock-N',
        'remove lock-draft',
        'create segment-N.log',
        'write segment-N.log',
        'sync segment-N.log',
        'sync folder',
        'create begun',
        'create snapshot-N.log.tmp',
        'write snapshot-N.log.tmp',
        'sync snapshot-N.log.tmp',
        'rename snapshot-N.log.tmp',
        'remove segment-N.log',
        'remove snapshot-N.log',
        'truncate lock-N',
      ]),
    );
    expect(steps.filter((step) => step.startsWith('rename')).length).toBeGreaterThan(1);
  });

  it.each<Tear>(['none', 'all', 'prefix', 'sectors'])(
    'a store has every acknowledged write after a crash at any step that keeps %s of the unsynced data',
    async (tear) => {
      const steps = await countSteps();
      for (let crashAt = 1; crashAt <= steps.length; crashAt++) {
        const files = new FaultyDisk();
        files.before = ({ number }) => {
          if (number === crashAt) throw files.crash();
        };
        const ledger = new StoreModel();
        await life(files, ledger, SCRIPT);
        await check(files.afterPowerLoss(tear, picker(crashAt)), ledger);
      }
    },
  );

  it('a store that was killed never loses what readers saw, even at a later power failure', async () => {
    const steps = await countSteps();
    for (let crashAt = 1; crashAt <= steps.length; crashAt++) {
      const files = new FaultyDisk();
      files.before = ({ number }) => {
        if (number === crashAt) throw files.crash();
      };
      const ledger = new StoreModel();
      await life(files, ledger, SCRIPT);
      const killed = files.afterKill();
      const store = await open(killed);
      ledger.restart(store);
      ledger.check(store);
      await check(killed.afterPowerLoss('none', picker(crashAt)), ledger);
    }
  });

  it('a store has every acknowledged write after repeated crashes', async () => {
    const operation = fc.tuple(
      fc.constantFrom<'put' | 'remove'>('put', 'put', 'put', 'remove'),
      fc.constantFrom('a', 'b', 'c/d', 'é'),
      fc.integer({ min: 0, max: 400 }),
    );
    const script = fc.array(fc.array(operation, { maxLength: 5 }), { maxLength: 15 });
    const round = fc.record({
      script,
      crashAt: fc.integer({ min: 1, max: 60 }),
      seed: fc.nat(),
      tear: fc.constantFrom<Tear>('none', 'all', 'prefix', 'sectors'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 4 }), async (rounds) => {
        let files = new FaultyDisk();
        const ledger = new StoreModel();
        for (const { script: operations, crashAt, seed, tear } of rounds) {
          const now = files;
          now.before = ({ number }) => {
            if (number === crashAt) throw now.crash();
          };
          await life(now, ledger, operations);
          files = now.afterPowerLoss(tear, picker(seed));
        }
        await check(files, ledger);
      }),
      { numRuns: process.env['NIGHTLY'] === 'true' ? 150 : 50 },
    );
  });
});

describe('a full disk', () => {
  it('a store on a full disk refuses writes with 503, serves reads, and accepts writes again when there is space', async () => {
    const files = new FaultyDisk();
    const reported: string[] = [];
    const store = await open(files, (text) => reported.push(text));
    const ledger = new StoreModel();
    expect(await ledger.put(store, 'a', 'one')).toBe('answered');
    files.capacity = 400;
    await expect(
      store.put('things', 'b', () => ({ apiVersion: 'v1', kind: 'Thing', metadata: {}, data: 'x'.repeat(300) })),
    ).rejects.toMatchObject({
      code: 503,
      reason: 'ServiceUnavailable',
      message: 'the store is full: no space left on device',
    });
    expect(store.newest('things', 'b')).toBeUndefined();
    ledger.check(store);
    files.capacity = Infinity;
    expect(await ledger.put(store, 'b', 'two')).toBe('answered');
    ledger.check(store);
    expect(reported).toEqual([
      'no space left on device: changes are refused until there is some',
      'there is space again: changes are taken',
    ]);
    await check(files.afterPowerLoss('none', picker(1)), ledger);
  });

  it('a batch that was refused on a full disk leaves nothing, even where a part would have fitted', async () => {
    const files = new FaultyDisk();
    const store = await open(files);
    const ledger = new StoreModel();
    await ledger.put(store, 'a', 'one');
    files.capacity = 600;
    expect(await Promise.all(['b', 'c', 'd', 'e'].map((key) => ledger.put(store, key, 'two')))).toEqual([
      'refused',
      'refused',
      'refused',
      'refused',
    ]);
    await check(files.afterKill(), ledger);
    await check(files.afterPowerLoss('all', picker(1)), ledger);
  });

  it('a write that was refused on a full disk leaves nothing, at any point of failure or crash', async () => {
    const steps = await countSteps();
    for (let fullAt = 5; fullAt <= steps.length; fullAt++) {
      const files = new FaultyDisk();
      files.before = ({ number }) => {
        if (number === fullAt) files.capacity = 600;
        if (number === fullAt + 8) files.capacity = Infinity;
      };
      const ledger = new StoreModel();
      await life(files, ledger, SCRIPT);
      await check(files.afterPowerLoss('prefix', picker(fullAt)), ledger);
    }
  });

  it('all writes that were accepted after a refused write are refused', async () => {
    const files = new FaultyDisk();
    const store = await open(files);
    files.capacity = 0;
    const ledger = new StoreModel();
    const writes = ['a', 'a', 'b'].map((key) => ledger.put(store, key, 'one'));
    expect(await Promise.all(writes)).toEqual(['refused', 'refused', 'refused']);
    expect(store.newest('things', 'a')).toBeUndefined();
    await expect(store.durable(3)).rejects.toMatchObject({ code: 503 });
    files.capacity = Infinity;
    expect(await ledger.put(store, 'a', 'two')).toBe('answered');
    expect(store.revision).toBe(5);
  });

  it('on a full disk the log continues in the old segment and without a snapshot until there is space', async () => {
    const files = new FaultyDisk();
    const warnings: string[] = [];
    const store = await open(files, (text) => warnings.push(text));
    const ledger = new StoreModel();
    files.before = ({ what }) => {
      if (what.startsWith('create segment')) throw failure('ENOSPC');
    };
    for (let count = 0; count < 30; count++) await ledger.put(store, 'a', 'x'.repeat(100));
    expect(files.names).toEqual(['begun', 'lock-1', 'segment-000000000001.log']);
    files.before = ({ what }) => {
      if (what.startsWith('sync snapshot')) throw failure('ENOSPC');
    };
    for (let count = 0; count < 2; count++) await ledger.put(store, 'a', 'x'.repeat(100));
    await settle();
    expect(warnings).toEqual(['snapshot 2 failed, the log grows on: ENOSPC: injected']);
    files.before = () => undefined;
    for (let count = 0; count < 30; count++) await ledger.put(store, 'a', 'x'.repeat(100));
    await settle();
    expect(files.names.filter((name) => name.startsWith('snapshot'))).toHaveLength(1);
    expect(files.names).not.toContain('segment-000000000001.log');
    await store.close();
    await check(files, ledger);
  });
});

describe('a failed fsync', () => {
  it.each<Tear>(['none', 'all', 'prefix'])(
    'a failed fsync makes the store refuse everything and report it once, where the disk keeps %s of the unsynced data',
    async (tear) => {
      const files = new FaultyDisk();
      const fatal: unknown[] = [];
      const store = await openStore({
        folder: '/data',
        clock: new ManualClock(),
        onFatal: (error) => fatal.push(error),
        files,
        processes,
      });
      const ledger = new StoreModel();
      await ledger.put(store, 'a', 'one');
      files.before = ({ what }) => {
        if (what.startsWith('sync segment')) throw failure('EIO');
      };
      expect(await Promise.all([ledger.put(store, 'a', 'two'), ledger.put(store, 'b', 'two')])).toEqual([
        'refused',
        'refused',
      ]);
      files.before = () => undefined;
      await expect(
        store.put('things', 'c', () => ({ apiVersion: 'v1', kind: 'Thing', metadata: {} })),
      ).rejects.toMatchObject({ code: 500, reason: 'InternalError' });
      expect(fatal).toEqual([failure('EIO')]);
      expect(store.list('things', '').map((entry) => entry.key)).toEqual(['a']);
      await store.close();
      await check(files.afterPowerLoss(tear, picker(1)), ledger);
    },
  );
});
