import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { ExplanationLimit } from '../../../../src/operator/controllers/placement/scope.js';

const times = (count: number, at: (n: number) => number): readonly number[] =>
  Array.from({ length: count }, (_, n) => at(n));

describe('ExplanationLimit', () => {
  it('of the Placements whose status changes in one settle window ten are explained, and as many in the next', () => {
    const explanations = new ExplanationLimit(new ManualClock(), 50);
    const explained = (requests: readonly number[]): number =>
      requests.filter((at) => explanations.explain(at, () => true) === true).length;

    expect(explained(times(30, (n) => 1_000 + n))).toBe(10);
    expect(explained([1_050])).toBe(0);
    expect(explained(times(30, () => 1_051))).toBe(10);
    expect(explained([1_000])).toBe(0);
  });

  it('explanations that take long make the window longer, so that they take a tenth of the time', () => {
    let now = 0;
    const explanations = new ExplanationLimit(
      { now: () => 0, monotonic: () => now, after: () => ({ cancel: () => undefined }) },
      50,
    );
    const explained = times(100, (n) => n * 100).filter((at) => {
      now = Math.max(now, at);
      return explanations.explain(at, () => {
        now += 80;
        return true;
      });
    });

    // Ten in the first window, which ends after 50 + 9 × 800 ms, and ten in the second.
    expect(explained).toEqual([...times(10, (n) => n * 100), ...times(10, (n) => 7_300 + n * 100)]);
  });
});
