import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FileSystem } from '../../../src/store/filesystem.js';
import { FolderInUse, lockFolder, type Processes } from '../../../src/store/lock.js';
import { FaultyDisk } from './faultydisk.js';

const PIDS = [10, 11, 12, 13];

/** A file system whose operations finish in the order that the scheduler chooses. */
function shuffled(files: FileSystem, scheduler: fc.Scheduler): FileSystem {
  return {
    makeFolder: (folder) => files.makeFolder(folder),
    list: scheduler.scheduleFunction((folder: string) => files.list(folder)),
    open: scheduler.scheduleFunction(async (file: string, mode: Parameters<FileSystem['open']>[1]) => {
      const opened = await files.open(file, mode);
      return {
        ...opened,
        read: scheduler.scheduleFunction(opened.read),
        write: scheduler.scheduleFunction(opened.write),
        truncate: scheduler.scheduleFunction(opened.truncate),
      };
    }),
    link: scheduler.scheduleFunction((from: string, to: string) => files.link(from, to)),
    rename: (from, to) => files.rename(from, to),
    remove: scheduler.scheduleFunction((file: string) => files.remove(file)),
    syncFolder: (folder) => files.syncFolder(folder),
  };
}

it('a folder is never locked by two processes, in whatever order they start, hold, release and end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.tuple(fc.constantFrom(...PIDS), fc.constantFrom('release', 'die', 'keep')), {
        minLength: 2,
        maxLength: 7,
      }),
      async (scheduler, takers) => {
        const disk = new FaultyDisk();
        const dead = new Set<number>();
        const holding = new Set<number>();
        let most = 0;
        const takes = takers.map(async ([number, then], index) => {
          const pid = number * 100 + index;
          const processes: Processes = { pid, alive: (one) => !dead.has(one), mark: () => undefined };
          try {
            const lock = await lockFolder(shuffled(disk, scheduler), '/data', processes);
            holding.add(pid);
            most = Math.max(most, holding.size);
            await scheduler.schedule(Promise.resolve(), 'holds');
            if (then === 'keep') return;
            holding.delete(pid);
            if (then === 'release') await lock.release();
            dead.add(pid);
          } catch (error) {
            expect(error).toBeInstanceOf(FolderInUse);
          }
        });
        await scheduler.waitFor(Promise.all(takes));

        expect(most).toBe(1);
        if (holding.size > 0) return;
        await lockFolder(disk, '/data', { pid: 1, alive: (one) => !dead.has(one), mark: () => undefined });
      },
    ),
    { numRuns: 300 },
  );
}, 900_000);
