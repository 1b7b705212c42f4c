import { describe, expect, it } from '@jest/globals';
import { createController, type ControllerOptions } from '../../../src/runtime/controller/controller.js';
import { ApiError, type FailureKind } from '../../../src/runtime/errors.js';
import type { Pass, Result } from '../../../src/runtime/controller/result.js';
import { ManualClock, settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { RecordingLog } from '../../support/fakes/log.js';

const DONE: Result = { ending: 'done' };
const TEN_MINUTES = 600_000;

function failure(kind: FailureKind, retryAfterMs?: number): ApiError {
  return new ApiError({
    kind,
    message: 'no',
    call: { verb: 'get', resource: 'things' },
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** A controller whose passes do what `pass` says, over the keys in `keys`. */
function bench(pass: (key: string, pass: Pass) => Result | Promise<Result>, options: Partial<ControllerOptions> = {}) {
  const clock = new ManualClock();
  const log = new RecordingLog();
  const passes: string[] = [];
  const results: string[] = [];
  const keys = new Set<string>();
  const active: number[] = [];
  let id = 0;
  const controller = createController({
    name: 'things',
    kind: 'Thing',
    reconciler: {
      reconcile: async (key, one) => {
        passes.push(key);
        return pass(key, one);
      },
    },
    keys: () => keys,
    clock,
    random: () => 0,
    log,
    newId: () => `id-${++id}`,
    metrics: {
      queue: {
        added: () => undefined,
        depth: () => undefined,
        started: () => undefined,
        finished: () => undefined,
        retried: () => undefined,
        running: () => undefined,
      },
      reconcile: {
        workers: (max) => results.push(`workers ${max}`),
        active: (count) => active.push(count),
        finished: (result) => results.push(result),
      },
    },
    ...options,
  });
  return { clock, log, passes, results, keys, controller, active };
}

describe('a controller', () => {
  it('a controller reconciles every key when it starts, and each added key', async () => {
    const { controller, keys, passes } = bench(() => DONE);
    keys.add('a').add('b');
    controller.add('ignored, it has not started');

    controller.start();
    controller.add('c');
    await settle();

    expect(passes).toEqual(['a', 'b', 'c']);
  });

  it('a controller lets other work run between the keys that it enqueues, and enqueues no more once it is stopped', async () => {
    let taken = 0;
    function* many(): Generator<string> {
      while (taken < 1_000) yield `key-${taken++}`;
    }
    const { controller, passes } = bench(() => DONE, { keys: many });

    controller.start();
    const atStart = taken;
    await waitFor('all keys to be reconciled', () => passes.length === 1_000);
    expect([atStart < 1_000, taken]).toEqual([true, 1_000]);

    taken = 0;
    await controller.stop(0);
    controller.start();
    const enqueued = taken;
    await controller.stop(0);
    await settle();
    expect([enqueued < 1_000, taken]).toEqual([true, enqueued + 1]);
  });

  it('a controller merges changes within one window into one reconcile, and delays none longer', async () => {
    const { controller, clock, passes } = bench(() => DONE);
    controller.start();

    controller.addAfter('a', 50);
    await clock.advance(30);
    controller.addAfter('a', 50);
    await clock.advance(19);
    const before = [...passes];
    await clock.advance(1);

    expect(before).toEqual([]);
    expect(passes).toEqual(['a']);
  });

  it.each<[string, Result, number | undefined, string]>([
    ['done', { ending: 'done' }, undefined, 'success'],
    ['done with a requeue', { ending: 'done', requeueAfterMs: 300 }, 300, 'requeue_after'],
    ['wait', { ending: 'wait', reason: 'NotYet', afterMs: 200 }, 200, 'requeue_after'],
    ['stalled', { ending: 'stalled', reason: 'Broken' }, undefined, 'success'],
    ['stalled with a requeue', { ending: 'stalled', reason: 'Broken', afterMs: 100 }, 100, 'requeue_after'],
  ])('a controller is requeued after %s only if requested', async (_name, result, againMs, counted) => {
    const { controller, clock, keys, passes, results, log } = bench(() => result);
    keys.add('a');
    controller.start();
    await settle();
    const first = [...passes];

    await clock.advance((againMs ?? TEN_MINUTES / 2) - 1);
    const before = [...passes];
    await clock.advance(1);

    expect(first).toEqual(['a']);
    expect(before).toEqual(['a']);
    expect(passes).toHaveLength(againMs === undefined ? 1 : 2);
    expect(results.slice(0, 2)).toEqual(['workers 1', counted]);
    expect(log.lines.filter(({ level }) => level !== 'debug')).toEqual([]);
  });

  it('a controller logs at debug why a reconcile is not done', async () => {
    const results: readonly Result[] = [
      { ending: 'wait', reason: 'NotYet', afterMs: 100 },
      { ending: 'stalled', reason: 'Broken', afterMs: 100 },
      { ending: 'stalled', reason: 'Broken for ever' },
    ];
    const { controller, clock, log, passes } = bench(() => results[passes.length - 1] ?? DONE);
    controller.start();
    controller.add('a');
    await clock.advance(200);

    expect(log.lines).toMatchObject([
      { level: 'debug', message: 'reconcile waits', fields: { reason: 'NotYet', requeueMs: 100 } },
      { level: 'debug', message: 'reconcile stalled', fields: { reason: 'Broken', requeueMs: 100 } },
      { level: 'debug', message: 'reconcile stalled', fields: { reason: 'Broken for ever', requeueMs: undefined } },
    ]);
  });

  it('a controller tries again with backoff after a throw, and logs each failure once', async () => {
    let broken = true;
    const boom = new Error('boom');
    const { controller, clock, passes, results, log } = bench(() => {
      if (broken) throw boom;
      return DONE;
    });
    controller.start();
    controller.add('ns/a');
    await settle();
    await clock.advance(5);
    broken = false;
    await clock.advance(10);
    broken = true;
    controller.add('ns/a');
    await settle();

    const fields = { controller: 'things', kind: 'Thing', namespace: 'ns', name: 'a', err: boom };
    expect(passes).toHaveLength(4);
    expect(results).toEqual(['workers 1', 'error', 'error', 'success', 'error']);
    expect(log.lines).toEqual([
      {
        level: 'error',
        message: 'reconcile failed',
        fields: { ...fields, reconcileID: 'id-1', failures: 1, retryInMs: 5 },
      },
      {
        level: 'error',
        message: 'reconcile failed',
        fields: { ...fields, reconcileID: 'id-2', failures: 2, retryInMs: 10 },
      },
      {
        level: 'error',
        message: 'reconcile failed',
        fields: { ...fields, reconcileID: 'id-4', failures: 1, retryInMs: 5 },
      },
    ]);
  });

  it.each<[string, Result, number]>([
    [
      'resets the backoff after a reconcile that is done, also with a requeue',
      { ending: 'done', requeueAfterMs: 100 },
      1,
    ],
    ['goes on with the backoff after a wait', { ending: 'wait', reason: 'NotYet', afterMs: 100 }, 3],
  ])('a controller %s', async (_name, between, failures) => {
    const script = ['throw', 'throw', 'between', 'throw'];
    const { controller, clock, log } = bench(() => {
      if (script.shift() === 'throw') throw new Error('boom');
      return between;
    });
    controller.start();
    controller.add('a');

    await clock.advance(5 + 10 + 100);

    const failed = log.lines.filter(({ level }) => level === 'error');
    expect(failed.map((line) => line.fields)).toMatchObject([{ failures: 1 }, { failures: 2 }, { failures }]);
  });

  it.each([
    ['a text', 'boom', 'a value that is not an Error was thrown: boom'],
    ['nothing', undefined, 'a value that is not an Error was thrown: undefined'],
  ])('a controller survives %s being thrown', async (_name, thrown, message) => {
    const { controller, passes, log } = bench((key) => {
      if (key === 'a') throw thrown; // oxlint-disable-line typescript/only-throw-error -- that is what is tried
      return DONE;
    });
    controller.start();
    controller.add('a');
    controller.add('b');
    await settle();

    expect(passes).toEqual(['a', 'b']);
    expect(log.lines[0]?.fields).toMatchObject({ err: new Error(message) });
  });

  it('a controller waits at least for Retry-After', async () => {
    const { controller, clock, passes } = bench((_key, pass) => {
      if (pass.reconcileId === 'id-1') throw failure('Throttled', 7_000);
      return DONE;
    });
    controller.start();
    controller.add('a');
    await settle();
    controller.add('a');

    await clock.advance(6_999);
    const before = [...passes];
    await clock.advance(1);

    expect(before).toEqual(['a']);
    expect(passes).toEqual(['a', 'a']);
  });

  it.each<FailureKind>(['Fenced', 'Aborted'])(
    'a controller does not count %s as an error, and retries',
    async (kind) => {
      const { controller, clock, passes, results, log } = bench((_key, pass) => {
        if (pass.reconcileId === 'id-1') throw failure(kind);
        return DONE;
      });
      controller.start();
      controller.add('a');
      await clock.advance(5);

      expect(passes).toEqual(['a', 'a']);
      expect(results).toEqual(['workers 1', 'requeue', 'success']);
      expect(log.lines.map((line) => line.level)).toEqual(['debug']);
    },
  );

  it.each<FailureKind>(['Guarded', 'Forbidden', 'Transport'])('a controller counts %s as an error', async (kind) => {
    const { controller, log } = bench(() => {
      throw failure(kind);
    });
    controller.start();
    controller.add('a');
    await settle();

    expect(log.lines.map((line) => line.level)).toEqual(['error']);
  });

  it('a controller counts the fourth conflict in a row as an error, and none before', async () => {
    const { controller, clock, log } = bench(() => {
      throw failure('Conflict');
    });
    controller.start();
    controller.add('a');

    for (let tries = 0; tries < 4; tries++) await clock.advance(clock.nextIn ?? 0);

    expect(log.lines.map((line) => line.level).slice(0, 4)).toEqual(['debug', 'debug', 'debug', 'error']);
  });

  it('a controller reconciles other keys as fast while some always fail', async () => {
    const finished = async (poison: number): Promise<number> => {
      const { controller, clock, keys, passes } = bench(
        (key) => {
          if (key.startsWith('poison')) throw new Error('boom');
          return { ending: 'done', requeueAfterMs: 100 };
        },
        { workers: 2 },
      );
      for (let n = 0; n < poison; n++) keys.add(`poison-${n}`);
      for (let n = 0; n < 10; n++) keys.add(`good-${n}`);
      controller.start();
      for (let round = 0; round < 5; round++) await settle();
      for (let round = 0; round < 10; round++) await clock.advance(100);
      for (let round = 0; round < 5; round++) await settle();
      return passes.filter((key) => key.startsWith('good')).length;
    };

    expect(await finished(5)).toBe(await finished(0));
  });

  it('a controller reconciles every current key again each period, spread out', async () => {
    const { controller, clock, keys, passes } = bench(() => DONE, { random: () => 0.5 });
    keys.add('old').add('gone');
    controller.start();
    await settle();
    keys.delete('gone');
    keys.add('unseen');
    passes.length = 0;

    await clock.advance(TEN_MINUTES);

    expect(passes).toEqual(['old', 'unseen']);
    await clock.advance(TEN_MINUTES);
    expect(passes).toEqual(['old', 'unseen', 'old', 'unseen']);
  });

  it('a controller never exceeds the resync period, with any jitter', async () => {
    for (const chance of [0, 0.999]) {
      const { controller, clock, keys, passes } = bench(() => DONE, { random: () => chance, resyncMs: 1_000 });
      controller.start();
      keys.add('a');

      await clock.advance(1_000);

      expect(passes).toEqual(['a']);
    }
  });

  it('a controller works at no more keys than it has workers', async () => {
    const { controller, active } = bench(() => settle().then(() => DONE), { workers: 3 });
    controller.start();
    for (let n = 0; n < 10; n++) controller.add(`key-${n}`);
    for (let n = 0; n < 10; n++) await settle();

    expect(Math.max(...active)).toBe(3);
    expect(active.at(-1)).toBe(0);
  });
});

describe('stopping a controller', () => {
  it('stopping a controller waits for running reconciles, after which it can be started again', async () => {
    let finish = (): void => undefined;
    const { controller, clock, keys, passes } = bench((key) =>
      key === 'slow' ? new Promise((resolve) => (finish = () => resolve(DONE))) : DONE,
    );
    keys.add('slow').add('other');
    controller.start();
    await settle();

    const stopped = controller.stop(1_000);
    controller.add('late');
    await settle();
    const during = [...passes];
    finish();
    await stopped;
    const armed = clock.pending;
    controller.start();
    finish();
    await settle();
    finish();
    await settle();

    expect(during).toEqual(['slow']);
    expect(armed).toBe(0);
    expect(passes).toEqual(['slow', 'slow', 'other']);
  });

  it('stopping a controller does not count errors of aborted reconciles', async () => {
    const { controller, keys, log, results } = bench(
      (_key, pass) =>
        new Promise((_resolve, reject) => pass.signal.addEventListener('abort', () => reject(new Error('cut off')))),
    );
    keys.add('a');
    controller.start();
    await settle();

    await controller.stop(0);

    expect(log.lines.map((line) => line.level)).toEqual(['debug']);
    expect(results).toEqual(['workers 1', 'requeue']);
  });

  it('stopping a controller cannot be started twice, nor while earlier reconciles still run', async () => {
    let finish = (): void => undefined;
    const { controller, keys, clock } = bench(() => new Promise((resolve) => (finish = () => resolve(DONE))));
    keys.add('a');
    controller.start();
    await clock.advance(2_000);
    expect(() => controller.start()).toThrow('controller things: already started; stop it first');

    const stopped = controller.stop(1_000);
    expect(() => controller.start()).toThrow('controller things: already started; stop it first');
    expect(controller.running().longestSeconds).toBe(2);
    let again = false;
    const second = controller.stop(0).then(() => (again = true));
    await settle();
    expect(again).toBe(false);
    finish();
    await Promise.all([stopped, second]);

    expect(controller.running()).toEqual({ unfinishedSeconds: 0, longestSeconds: 0 });
    await controller.stop(0);
  });

  it('a controller uses generated ids and defaults when none are configured', async () => {
    const ids: string[] = [];
    const clock = new ManualClock();
    const controller = createController({
      name: 'plain',
      kind: 'Thing',
      keys: () => ['a', 'b'],
      clock,
      random: () => 0,
      log: new RecordingLog(),
      backoff: { baseMs: 1, maxMs: 2, jitter: 0 },
      reconciler: {
        reconcile: async (_key, pass) => {
          ids.push(pass.reconcileId);
          return DONE;
        },
      },
    });

    controller.start();
    await settle();

    expect(new Set(ids).size).toBe(2);
  });
});
