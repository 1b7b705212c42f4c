import { beforeEach, describe, expect, it } from '@jest/globals';

import { Progress, type ReportProgress } from '../../src/standalone/progress.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

describe('the progress output', () => {
  let clock: ManualClock;
  let written: string;
  const screen = (isTTY: boolean): Progress => {
    const write = (text: string): void => void (written += text);
    return new Progress({ stdout: { isTTY, write }, stderr: { isTTY, write } }, clock);
  };
  beforeEach(() => {
    clock = new ManualClock();
    written = '';
  });

  /** Five seconds of a work of 2,500 steps, reported every 50 steps. */
  async function work(count: ReportProgress): Promise<void> {
    for (let done = 50; done <= 2_500; done += 50) {
      await clock.advance(100);
      count(done, 2_500);
    }
  }

  it.each([
    [
      'a terminal',
      true,
      'making ... \rmaking ... 500 of 2500 ... \rmaking ... 1000 of 2500 ... \rmaking ... 1500 of 2500 ... \rmaking ... 2000 of 2500 ... 5.0 s\n',
    ],
    ['a file', false, 'making ... \n  1000 of 2500 ... \n  2000 of 2500 ... 5.0 s\n'],
  ])('the progress output of a long step on %s', async (_name, isTTY, text) => {
    await screen(isTTY).step('making', work);
    expect(written).toBe(text);
  });

  it('the progress line of a failed step ends before the error', async () => {
    const progress = screen(false);
    const failing = progress.step('starting', async () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    progress.printError('it did not start');
    expect(written).toBe('starting ... \nit did not start\n');
  });

  it('a message during a step is on a line of its own', async () => {
    const progress = screen(false);
    await progress.step('starting', async () => progress.printLine('stopping ...'));
    progress.printLine('stopped');
    expect(written).toBe('starting ... \nstopping ...\nstopped\n');
  });

  it('an error without a running step is printed without an empty line', () => {
    screen(false).printError('no such folder');
    expect(written).toBe('no such folder\n');
  });
});
