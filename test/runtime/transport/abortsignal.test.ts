import { describe, expect, it } from '@jest/globals';

import { LightAbortSignal } from '../../../src/runtime/transport/deadline.js';
import { delay, systemClock } from '../../../src/runtime/clock.js';

describe('a light abort signal', () => {
  it('calls each listener once, in order, and none that was removed', () => {
    const signal = new LightAbortSignal();
    const calls: string[] = [];
    const removed = (): void => void calls.push('removed');
    signal.addEventListener('abort', () => calls.push('first'));
    signal.addEventListener('abort', removed);
    signal.addEventListener('abort', () => calls.push('second'));
    signal.removeEventListener('abort', removed);
    const before = { aborted: signal.aborted, calls: [...calls] };
    signal.abort('closed');
    signal.abort('closed again');

    expect({ before, aborted: signal.aborted, reason: signal.reason, calls }).toEqual({
      before: { aborted: false, calls: [] },
      aborted: true,
      reason: 'closed',
      calls: ['first', 'second'],
    });
  });

  it('ends a delay, as an AbortSignal does', async () => {
    const [before, during] = [new LightAbortSignal(), new LightAbortSignal()];
    before.abort(new Error('closed before'));
    const delays = [before, during].map((signal) => delay(systemClock, 3_600_000, signal));
    during.abort(new Error('closed'));
    const results = await Promise.allSettled(delays);

    expect(results.map((one) => one.status === 'rejected' && String(one.reason))).toEqual([
      'Error: closed before',
      'Error: closed',
    ]);
  });
});
