import { describe, expect, it } from '@jest/globals';
import { WorkQueue } from '../../../src/controllers/workqueue.js';
import { ManualClock, settle } from '../../../testing/clock.js';

interface QueueFixture {
  readonly clock: ManualClock;
  readonly queue: WorkQueue;
  /** Keys whose reconciliation was started, in order. */
  readonly started: string[];
  readonly errors: string[];
  /** Ends the oldest reconciliation, with success or with an error. */
  finish(error?: Error): Promise<void>;
}

function queueFixture(workers = 2): QueueFixture {
  const clock = new ManualClock();
  const started: string[] = [];
  const errors: string[] = [];
  const waiting: ((error?: Error) => void)[] = [];
  const reconcile = (key: string): Promise<void> => {
    started.push(key);
    return new Promise((resolve, reject) => waiting.push((error) => (error === undefined ? resolve() : reject(error))));
  };
  const queue = new WorkQueue({
    clock,
    workers,
    reconcile,
    onError: (key, error) => errors.push(`${key}: ${String(error)}`),
  });
  return {
    clock,
    queue,
    started,
    errors,
    async finish(error) {
      waiting.shift()?.(error);
      await settle();
    },
  };
}

describe('a work queue', () => {
  it('a key that was added several times is reconciled once, with a limited number of workers', async () => {
    const { queue, started, finish } = queueFixture();
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
    await settle();
    expect(started).toEqual(['a', 'b']);
    await finish();
    expect(started).toEqual(['a', 'b', 'c']);
    await finish();
    await finish();

    expect(started).toEqual(['a', 'b', 'c']);
  });

  it('a key that is added during its reconciliation is reconciled again afterwards, never twice at once', async () => {
    const { queue, started, finish } = queueFixture();
    queue.add('a');
    await settle();
    queue.add('a');
    queue.add('a');
    await settle();
    expect(started).toEqual(['a']);
    await finish();
    expect(started).toEqual(['a', 'a']);
    await finish();

    expect(started).toEqual(['a', 'a']);
  });

  it('a failed key is retried with exponential backoff up to a minute, which a success resets', async () => {
    const { queue, started, finish, clock, errors } = queueFixture();
    queue.add('a');
    await settle();
    const waits: (number | undefined)[] = [];
    for (let failures = 0; failures < 13; failures++) {
      await finish(new Error('no'));
      waits.push(clock.nextIn);
      await clock.advance(clock.nextIn ?? 0);
    }
    expect(waits).toEqual([50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 60_000, 60_000]);
    expect(errors).toHaveLength(13);
    expect(errors[0]).toBe('a: Error: no');
    await finish();
    queue.add('a');
    await settle();
    await finish(new Error('no'));

    expect(clock.nextIn).toBe(50);
    expect(started).toHaveLength(15);
  });

  it('adding a key cancels its backoff, and addAfter ignores a key that is queued or delayed', async () => {
    const { queue, started, finish, clock } = queueFixture();
    queue.add('a');
    await settle();
    await finish(new Error('no'));
    queue.add('a');
    queue.addAfter('a', 10);
    await settle();
    expect(started).toEqual(['a', 'a']);
    expect(clock.pending).toBe(0);
    queue.addAfter('b', 10);
    queue.addAfter('b', 5);

    expect(clock.nextIn).toBe(10);
  });

  it('end waits for running reconciliations and drops all other keys', async () => {
    const { queue, started, finish, clock } = queueFixture(1);
    queue.add('a');
    await settle();
    queue.add('b');
    queue.addAfter('c', 10);
    let ended = false;
    const end = queue.end().then(() => (ended = true));
    queue.add('d');
    await settle();
    expect(ended).toBe(false);
    await finish(new Error('no'));
    await end;

    expect(started).toEqual(['a']);
    expect(clock.pending).toBe(0);
  });
});
