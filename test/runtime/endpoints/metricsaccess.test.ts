import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { MetricsAccess } from '../../../src/runtime/endpoints/metricsaccess.js';
import type { AccessDecision } from '../../../src/runtime/client/reviews.js';
import { RecordingLog } from '../../support/fakes/log.js';

/** Decisions by token; a token without one is never decided. */
function accessTo(decisions: Readonly<Record<string, AccessDecision | Error>>) {
  const clock = new ManualClock();
  const reviewed: string[] = [];
  const answer = new Map(Object.entries(decisions));
  const access = new MetricsAccess({
    clock,
    log: new RecordingLog(),
    review: async (token) => {
      reviewed.push(token);
      const decision = answer.get(token);
      if (decision instanceof Error) throw decision;
      return decision ?? new Promise(() => undefined);
    },
  });
  return { access, clock, reviewed, answer };
}

describe('the access to the metrics', () => {
  it.each([
    [undefined],
    [''],
    ['Basic abc'],
    ['Bearer'],
    ['Bearer a b'],
    ['Bearer a\u0001'],
    ['Bearer é'],
    [`Bearer ${'x'.repeat(8193)}`],
  ])('a request with the header %j is unauthenticated and not reviewed', async (header) => {
    const { access, reviewed } = accessTo({});

    expect(await access.decide(header)).toBe('unauthenticated');
    expect(reviewed).toEqual([]);
  });

  it('an allowed token is reviewed again after a minute, so that a revoked one loses its access', async () => {
    const { access, clock, reviewed, answer } = accessTo({ good: 'allowed' });

    expect(await access.decide('Bearer good')).toBe('allowed');
    answer.set('good', 'unauthenticated');
    await clock.advance(59_999);
    expect(await access.decide('bearer good')).toBe('allowed');
    await clock.advance(1);
    expect(await access.decide('Bearer good')).toBe('unauthenticated');
    expect(reviewed).toEqual(['good', 'good']);
  });

  it('a denied token is reviewed again after 10 s, so that a new right has an effect', async () => {
    const { access, clock, reviewed, answer } = accessTo({ late: 'forbidden' });

    expect(await access.decide('Bearer late')).toBe('forbidden');
    answer.set('late', 'allowed');
    await clock.advance(9_999);
    expect(await access.decide('Bearer late')).toBe('forbidden');
    await clock.advance(1);
    expect(await access.decide('Bearer late')).toBe('allowed');
    expect(reviewed).toHaveLength(2);
  });

  it('requests with the same token share one review', async () => {
    const { access, reviewed } = accessTo({ good: 'allowed' });

    expect(await Promise.all([access.decide('Bearer good'), access.decide('Bearer good')])).toEqual([
      'allowed',
      'allowed',
    ]);
    expect(reviewed).toEqual(['good']);
  });

  it('tokens that were never allowed do not take the reviews of those that were', async () => {
    const { access, clock, reviewed } = accessTo({ good: 'allowed' });
    await access.decide('Bearer good');
    await clock.advance(60_000);
    for (const token of ['a', 'b', 'c', 'd']) void access.decide(`Bearer ${token}`);

    const fifth = access.decide('Bearer e');
    expect(await access.decide('Bearer good')).toBe('allowed');
    await clock.advance(4_000);
    expect(await fifth).toBe('busy');
    expect(reviewed).toEqual(['good', 'good', 'a', 'b', 'c', 'd']);
  });

  it('a new token waits for its turn behind others that were never allowed', async () => {
    const clock = new ManualClock();
    const denials: (() => void)[] = [];
    const review = (token: string): Promise<AccessDecision> =>
      token === 'good'
        ? Promise.resolve('allowed')
        : new Promise((resolve) => denials.push(() => resolve('unauthenticated')));
    const access = new MetricsAccess({ clock, log: new RecordingLog(), review });
    const others = ['a', 'b', 'c', 'd', 'e'].map((token) => access.decide(`Bearer ${token}`));
    const good = access.decide('Bearer good');

    await waitFor('the reviews', () => denials.length === 4);

    for (const deny of denials) deny();

    expect(await good).toBe('allowed');
    expect(await Promise.all(others.slice(0, 4))).toEqual(Array.from({ length: 4 }, () => 'unauthenticated'));
    await waitFor('the fifth', () => denials.length === 5);
    denials.at(-1)?.();
    expect(await others[4]).toBe('unauthenticated');
    expect(clock.pending).toBe(0);
  });

  it('denied tokens do not displace the decisions over allowed ones, and the oldest of them is forgotten', async () => {
    const denied = Array.from({ length: 1_001 }, (_, index) => `bad${index}`);
    const { access, reviewed } = accessTo({
      good: 'allowed',
      ...Object.fromEntries(denied.map((token) => [token, 'unauthenticated' as const])),
    });
    await access.decide('Bearer good');
    for (const token of denied) await access.decide(`Bearer ${token}`);
    reviewed.length = 0;

    await access.decide('Bearer good');
    await access.decide('Bearer bad1');
    await access.decide('Bearer bad0');

    expect(reviewed).toEqual(['bad0']);
  });

  it('a failed review is no decision: the next request is reviewed again', async () => {
    const { access, answer } = accessTo({ good: new Error('no answer') });

    expect(await access.decide('Bearer good')).toBe('busy');
    answer.set('good', 'allowed');
    expect(await access.decide('Bearer good')).toBe('allowed');
  });
});
