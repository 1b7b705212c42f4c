import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { Limits } from '../../../src/console/hub/limits.js';

describe('limits', () => {
  it('a person has 60 requests at once and 20 a second, and one plan at a time', async () => {
    const clock = new ManualClock();
    const limits = new Limits(clock);
    const ask = (path = 'fleet'): Promise<string> => limits.within('anna', path, async () => 'answered');
    for (let index = 0; index < 60; index++) await ask();
    await expect(ask()).rejects.toMatchObject({ code: 429, headers: { 'retry-after': '1' } });
    await expect(limits.within('ben', 'fleet', async () => 'answered')).resolves.toBe('answered');
    await clock.advance(1_000);
    await limits.within('anna', 'plan', async () => {
      await expect(ask('plan')).rejects.toMatchObject({ code: 429 });
    });
    await expect(ask('plan')).resolves.toBe('answered');
  });

  it('a person has 30 plans at once, and one every two seconds', async () => {
    const clock = new ManualClock();
    const limits = new Limits(clock);
    for (let index = 0; index < 30; index++) await limits.within('anna', 'plan', async () => undefined);
    await expect(limits.within('anna', 'plan', async () => undefined)).rejects.toMatchObject({ code: 429 });
    await clock.advance(2_000);
    await expect(limits.within('anna', 'plan', async () => 'planned')).resolves.toBe('planned');
  });

  it('a person has sixteen answers that are not read, and each other person has as many', async () => {
    const limits = new Limits(new ManualClock());
    const reads: (() => void)[] = [];
    const send = (person: string): Promise<void> =>
      limits.sending(person, () => new Promise<void>((resolve) => void reads.push(resolve)));
    const sent = Array.from({ length: 16 }, () => send('anna'));
    await expect(send('anna')).rejects.toMatchObject({ code: 429, headers: { 'retry-after': '1' } });
    sent.push(send('ben'));
    reads[0]?.();
    await sent[0];
    sent.push(send('anna'));
    for (const read of reads) read();
    await Promise.all(sent);
    expect(reads).toHaveLength(18);
  });
});
