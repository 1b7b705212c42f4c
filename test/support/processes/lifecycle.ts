import { createLogger } from '../../../src/runtime/log/pinologger.js';
import { systemClock, systemRandom } from '../../../src/runtime/clock.js';
import { createController } from '../../../src/runtime/controller/controller.js';
import { Group } from '../../../src/runtime/manager/manager.js';
import { exitOnCrash, runUntilSignalled } from '../../../src/runtime/process/lifecycle.js';
import type { Result } from '../../../src/runtime/controller/result.js';

/** A program of one controller whose only reconcile is chosen by its first argument: the test observes how the process ends. */
const PASSES: Readonly<Record<string, () => Promise<Result>>> = {
  done: async () => ({ ending: 'done' }),
  rejection: async () => {
    void Promise.reject(new Error('nobody waits for this'));
    return { ending: 'done' };
  },
  exception: async () => {
    setImmediate(() => {
      throw new Error('nobody catches this');
    });
    return { ending: 'done' };
  },
  // Ends some time after the first signal: a shutdown that does not wait for it has ended by then.
  slow: () =>
    new Promise((resolve) => {
      const end = (): void => void setTimeout(() => resolve({ ending: 'done' }), 500);
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end);
    }),
  endless: () => new Promise(() => undefined),
};

const pass = PASSES[process.argv[2] ?? ''];
if (pass === undefined) throw new Error('the first argument must name a pass');

const log = createLogger({ level: 'info', clock: systemClock });
exitOnCrash(process, log);
const controller = createController({
  name: 'things',
  kind: 'Thing',
  keys: () => ['a'],
  clock: systemClock,
  random: systemRandom,
  log,
  reconciler: {
    reconcile: async (_key, { log: passLog }) => {
      passLog.info({}, 'pass begins');
      const result = await pass();
      passLog.info({}, 'pass ended');
      return result;
    },
  },
});
const group = new Group({
  name: 'g',
  sources: [],
  controllers: [controller],
  clock: systemClock,
  log,
  election: {
    acquire: async () => new AbortController().signal,
    release: async () => log.info({}, 'lease released'),
  },
});
const alive = setInterval(() => undefined, 60_000);
const code = await runUntilSignalled([group], { host: process, clock: systemClock, log });
clearInterval(alive);
process.exit(code);
