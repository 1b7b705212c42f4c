import { describe, expect, it } from '@jest/globals';
import type { QueueMetrics, RunningWork } from '../../../src/runtime/metrics/managermetrics.js';
import { WorkQueue, type Run, type WorkQueueOptions } from '../../../src/runtime/controller/workqueue.js';
import { ManualClock, settle } from '@multicluster-engine/kube-apiserver/testing/clock';

/** A queue whose runs begin and end when the test says so. */
function bench(options: Partial<WorkQueueOptions> = {}) {
  const clock = new ManualClock();
  const begun: string[] = [];
  const runs: Run[] = [];
  const open = new Map<string, (error?: Error) => void>();
  const work = (key: string, run: Run): Promise<void> => {
    begun.push(key);
    runs.push(run);
    return new Promise((resolve, reject) =>
      open.set(key, (error) => (error === undefined ? resolve() : reject(error))),
    );
  };
  const queue = new WorkQueue({ work, workers: 2, clock, random: () => 0, ...options });
  const end = async (key: string, error?: Error): Promise<void> => {
    const finish = open.get(key);
    if (finish === undefined) throw new Error(`${key} does not run`);
    open.delete(key);
    finish(error);
    await settle();
  };
  return { clock, queue, begun, runs, open, end };
}

describe('a work queue', () => {
  it('a work queue runs a key once for adds that wait together', async () => {
    const { queue, begun, end } = bench();

    queue.add('a');
    queue.add('a');
    await settle();
    await end('a');

    expect(begun).toEqual(['a']);
    expect(queue.size).toBe(0);
  });

  it('a work queue runs a key once more, and not beside itself, for adds during its run', async () => {
    const { queue, begun, end } = bench();
    queue.add('a');
    await settle();

    queue.add('a');
    queue.add('a');
    await settle();
    const beside = [...begun];
    await end('a');
    await end('a');

    expect(beside).toEqual(['a']);
    expect(begun).toEqual(['a', 'a']);
    expect(queue.size).toBe(0);
  });

  it('a work queue runs no more keys at a time than it has workers, in the order of adds', async () => {
    const { queue, begun, end } = bench();
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    await settle();
    const first = [...begun];

    await end('b');

    expect(first).toEqual(['a', 'b']);
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('a work queue starts every run in its own turn of the event loop', async () => {
    let turns = 0;
    const seen: number[] = [];
    const queue = new WorkQueue({
      work: async () => void seen.push(turns),
      workers: 1,
      clock: new ManualClock(),
      random: () => 0,
    });
    for (const key of ['a', 'b', 'c']) queue.add(key);

    for (; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));

    expect(new Set(seen).size).toBe(3);
  });

  it.each([
    ['the earlier of two requeues', [50, 20], 20],
    ['the earlier of two requeues, first given', [20, 50], 20],
    ['now where a requeue is in the past', [-5], 0],
  ])('a work queue takes %s', async (_name, waits, due) => {
    const { queue, begun, clock } = bench();
    for (const ms of waits) queue.addAfter('a', ms);

    await clock.advance(due - 1);
    const before = [...begun];
    await clock.advance(due === 0 ? 0 : 1);

    expect(before).toEqual(due === 0 ? ['a'] : []);
    expect(begun).toEqual(['a']);
  });

  it('a work queue covers all adds before a run with that run', async () => {
    const { queue, begun, clock, end } = bench();
    queue.addAfter('a', 50);
    queue.add('a');
    await settle();
    await end('a');

    await clock.advance(100);

    expect(begun).toEqual(['a']);
    expect(queue.size).toBe(0);
  });

  it('a work queue keeps a requeue from during the run', async () => {
    const { queue, begun, clock, end } = bench();
    queue.add('a');
    await settle();
    queue.requeueAfter('a', 50);
    await end('a');

    await clock.advance(50);

    expect(begun).toEqual(['a', 'a']);
  });

  it('a work queue passes the time of the earliest covered add to a run', async () => {
    const { queue, runs, clock, end } = bench();
    queue.addAfter('a', 50);
    await clock.advance(30);
    queue.addAfter('a', 50);
    await clock.advance(20);
    queue.requeueAfter('a', 1_000);
    await end('a');
    await clock.advance(1_000);

    expect(runs.map((run) => run.enqueuedAt)).toEqual([0, 1_050]);
  });

  it('a work queue requeues a failed key with growing backoff, behind the others', async () => {
    const { queue, begun, clock, end } = bench({ workers: 1 });
    queue.add('bad');
    queue.add('good');
    await settle();

    await end('bad', new Error('boom'));
    await end('good');
    const waits = [clock.nextIn];
    await clock.advance(5);
    await end('bad', new Error('boom'));
    waits.push(clock.nextIn);

    expect(begun).toEqual(['bad', 'good', 'bad']);
    expect(waits).toEqual([5, 10]);
    expect(queue.failures('bad')).toBe(2);
  });

  it('a work queue begins the backoff again once a key is forgotten', async () => {
    const { queue, clock, end } = bench();
    for (let n = 0; n < 4; n++) queue.retry('a');
    queue.forget('a');
    queue.forget('never seen');
    await clock.advance(5);
    await end('a', new Error('boom'));

    expect(queue.failures('a')).toBe(1);
    expect(clock.nextIn).toBe(5);
  });

  it('a work queue runs a key early when it is added during its backoff', async () => {
    const { queue, begun } = bench();
    for (let n = 0; n < 10; n++) queue.retry('a');

    queue.add('a');
    await settle();

    expect(begun).toEqual(['a']);
  });

  it('a work queue delays a key until Retry-After, also when it is added', async () => {
    const { queue, begun, clock } = bench();
    const wait = queue.retry('a', 1_000);

    queue.add('a');
    queue.addAfter('a', 10);
    await clock.advance(999);
    const before = [...begun];
    await clock.advance(1);

    expect(wait).toBe(1_000);
    expect(before).toEqual([]);
    expect(begun).toEqual(['a']);
  });

  it('a work queue delays a key until Retry-After also when it is added during the failed run', async () => {
    const { queue, begun, clock, end } = bench();
    queue.add('a');
    await settle();
    queue.add('a');
    queue.retry('a', 1_000);
    await end('a');

    await clock.advance(999);
    const before = [...begun];
    await clock.advance(1);

    expect(before).toEqual(['a']);
    expect(begun).toEqual(['a', 'a']);
  });

  it('a work queue delays a key until Retry-After also when the failed run throws', async () => {
    const { queue, begun, clock, end } = bench();
    queue.add('a');
    await settle();
    queue.retry('a', 1_000);
    await end('a', new Error('boom'));

    queue.add('a');
    await clock.advance(999);
    const before = [...begun];
    await clock.advance(1);

    expect(before).toEqual(['a']);
    expect(begun).toEqual(['a', 'a']);
  });

  it('a work queue removes every key that neither waits nor runs', async () => {
    const { queue, clock, end } = bench({ workers: 50 });
    for (let n = 0; n < 50; n++) queue.addAfter(`key-${n}`, n);
    await clock.advance(50);
    for (let n = 0; n < 50; n++) await end(`key-${n}`);

    expect(queue.size).toBe(0);
    expect(clock.pending).toBe(0);
  });
});

describe('draining a work queue', () => {
  it('draining a work queue waits for runs, drops waiting keys and accepts none', async () => {
    const { queue, begun, runs, clock, end } = bench({ workers: 1 });
    for (const key of ['a', 'b']) queue.add(key);
    queue.addAfter('c', 10);
    await settle();
    queue.add('a');
    let drained = false;

    const drain = queue.drain(100).then(() => (drained = true));
    queue.add('d');
    queue.addAfter('e', 1);
    await clock.advance(50);
    const early = drained;
    await end('a');
    await drain;

    expect(early).toBe(false);
    expect(begun).toEqual(['a']);
    expect(runs[0]?.signal.aborted).toBe(false);
    expect(clock.pending).toBe(0);
    expect(queue.size).toBe(0);
  });

  it('draining a work queue fires the signal of runs that outlast the deadline, and waits for them all the same', async () => {
    const { queue, runs, clock, end } = bench();
    queue.add('a');
    await settle();
    let drained = false;

    const drain = queue.drain(100).then(() => (drained = true));
    await clock.advance(99);
    const before = runs[0]?.signal.aborted;
    await clock.advance(1);
    const after = [runs[0]?.signal.aborted, drained];
    await end('a', new Error('given up'));
    await drain;

    expect(before).toBe(false);
    expect(after).toEqual([true, false]);
    expect(clock.pending).toBe(0);
  });

  it('draining a work queue fires the signal at once without a deadline', async () => {
    const { queue, runs, end } = bench();
    queue.add('a');
    await settle();

    const drain = queue.drain(0);
    const fired = runs[0]?.signal.aborted;
    await end('a');
    await drain;

    expect(fired).toBe(true);
  });

  it('draining a work queue runs no key that had not started', async () => {
    const { queue, begun } = bench();
    queue.add('a');

    await queue.drain(100);
    await settle();

    expect(begun).toEqual([]);
  });
});

describe('the metrics of a work queue', () => {
  function counting() {
    const seen: string[] = [];
    let read: (() => RunningWork) | undefined;
    const metrics: QueueMetrics = {
      added: () => seen.push('added'),
      depth: (keys) => seen.push(`depth ${keys}`),
      started: (seconds) => seen.push(`waited ${seconds}`),
      finished: (seconds) => seen.push(`worked ${seconds}`),
      retried: () => seen.push('retried'),
      running: (reader) => (read = reader),
    };
    return { seen, metrics, running: () => read?.() };
  }

  it('the metrics of a work queue report adds, depth, waiting and working times', async () => {
    const { seen, metrics } = counting();
    const { queue, clock, end } = bench({ workers: 1, metrics });
    queue.add('a');
    queue.add('a');
    await settle();
    queue.add('b');
    await clock.advance(2_000);
    await end('a');
    await end('b');

    expect(seen).toEqual([
      'added',
      'depth 1',
      'depth 0',
      'waited 0',
      'added',
      'depth 1',
      'worked 2',
      'depth 0',
      'waited 2',
      'worked 0',
    ]);
  });

  it('the metrics of a work queue count a key that is added during its run as waiting', async () => {
    const { seen, metrics } = counting();
    const { queue, end } = bench({ metrics });
    queue.add('a');
    await settle();
    seen.length = 0;

    queue.add('a');
    queue.add('a');
    const during = [...seen];
    await end('a');

    expect(during).toEqual(['added', 'depth 1']);
    expect(seen).toContain('depth 0');
  });

  it('the metrics of a work queue count the waiting time from the add', async () => {
    const { seen, metrics } = counting();
    const { queue, clock, end } = bench({ workers: 1, metrics });
    queue.add('a');
    await settle();
    await clock.advance(3_000);
    queue.add('b');
    await clock.advance(2_000);
    await end('a');
    await end('b');

    expect(seen.filter((one) => one.startsWith('waited'))).toEqual(['waited 0', 'waited 2']);
  });

  it('the metrics of a work queue report a depth of 0 once it drains', async () => {
    const { seen, metrics } = counting();
    const { queue, end } = bench({ workers: 1, metrics });
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await settle();
    seen.length = 0;

    const drain = queue.drain(0);
    const at = [...seen];
    await end('a');
    await drain;

    expect(at).toEqual(['depth 0']);
  });

  it('the metrics of a work queue count retries after failures, and not requeues', async () => {
    const { seen, metrics } = counting();
    const { queue } = bench({ metrics });

    queue.retry('a');
    queue.addAfter('b', 5);
    queue.requeueAfter('c', 5);

    expect(seen.filter((one) => one === 'retried')).toHaveLength(1);
  });

  it('the metrics of a work queue report the work in progress at any time', async () => {
    const { metrics, running } = counting();
    const { queue, clock } = bench({ metrics });
    queue.add('a');
    await clock.advance(1_000);
    queue.add('b');
    await clock.advance(3_000);

    expect(running()).toEqual({ unfinishedSeconds: 7, longestSeconds: 4 });
  });
});
