import { describe, expect, it } from '@jest/globals';
import { WorkQueue } from '../../../src/controllers/workqueue.js';
import { ManualClock, settle } from '../../../testing/clock.js';

interface Bench {
  readonly clock: ManualClock;
  readonly list: WorkQueue;
  /** What was begun, in order. */
  readonly begun: string[];
  readonly errors: string[];
  /** Ends the oldest work under way, well or with an error. */
  finish(error?: Error): Promise<void>;
}

function bench(parallel = 2): Bench {
  const clock = new ManualClock();
  const begun: string[] = [];
  const errors: string[] = [];
  const waiting: ((error?: Error) => void)[] = [];
  const reconcile = (key: string): Promise<void> => {
    begun.push(key);
    return new Promise((resolve, reject) => waiting.push((error) => (error === undefined ? resolve() : reject(error))));
  };
  const list = new WorkQueue({
    clock,
    workers: parallel,
    reconcile,
    onError: (key, error) => errors.push(`${key}: ${String(error)}`),
  });
  return {
    clock,
    list,
    begun,
    errors,
    async finish(error) {
      waiting.shift()?.(error);
      await settle();
    },
  };
}

describe('a work list', () => {
  it('looks at a key once however often it was added, so many keys at a time', async () => {
    const { list, begun, finish } = bench();
    for (const key of ['a', 'b', 'a', 'c', 'b']) list.add(key);
    await settle();
    expect(begun).toEqual(['a', 'b']);
    await finish();
    expect(begun).toEqual(['a', 'b', 'c']);
    await finish();
    await finish();

    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('looks again at a key that was added while it was at work, and never twice at once', async () => {
    const { list, begun, finish } = bench();
    list.add('a');
    await settle();
    list.add('a');
    list.add('a');
    await settle();
    expect(begun).toEqual(['a']);
    await finish();
    expect(begun).toEqual(['a', 'a']);
    await finish();

    expect(begun).toEqual(['a', 'a']);
  });

  it('tries again what failed, each time after twice as long, up to a minute', async () => {
    const { list, begun, finish, clock, errors } = bench();
    list.add('a');
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
    list.add('a');
    await settle();
    await finish(new Error('no'));

    expect(clock.nextIn).toBe(50);
    expect(begun).toHaveLength(15);
  });

  it('does not wait for the next try when the key is added, nor add later what is added already', async () => {
    const { list, begun, finish, clock } = bench();
    list.add('a');
    await settle();
    await finish(new Error('no'));
    list.add('a');
    list.addAfter('a', 10);
    await settle();
    expect(begun).toEqual(['a', 'a']);
    expect(clock.pending).toBe(0);
    list.addAfter('b', 10);
    list.addAfter('b', 5);

    expect(clock.nextIn).toBe(10);
  });

  it('ends after what is under way, and takes nothing more', async () => {
    const { list, begun, finish, clock } = bench(1);
    list.add('a');
    await settle();
    list.add('b');
    list.addAfter('c', 10);
    let ended = false;
    const end = list.end().then(() => (ended = true));
    list.add('d');
    await settle();
    expect(ended).toBe(false);
    await finish(new Error('no'));
    await end;

    expect(begun).toEqual(['a']);
    expect(clock.pending).toBe(0);
  });
});
