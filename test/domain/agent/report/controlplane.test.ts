import { describe, expect, it } from '@jest/globals';

import { afterProbe, type ControlPlaneState } from '../../../../src/domain/agent/report/report.js';

const START = Date.parse('2026-01-01T00:00:00Z');

/** The states after probes each 10 s; undefined: one that succeeded. */
function probed(...failures: readonly (string | undefined)[]): ControlPlaneState[] {
  const states: ControlPlaneState[] = [];
  failures.forEach((failure, at) => {
    states.push(afterProbe(states.at(-1), { sentAt: at * 10_000, now: START + at * 10_000, failure }));
  });
  return states;
}

describe('the health of a control plane', () => {
  it('a control plane is healthy since the first probe that succeeded', () => {
    expect(probed(undefined, undefined).at(-1)).toEqual({
      isHealthy: true,
      failingSince: undefined,
      since: '2026-01-01T00:00:00Z',
      message: '/readyz of the API server succeeds',
    });
  });

  it('a control plane is unhealthy when its probes have failed for 30 s', () => {
    const states = probed(undefined, 'no', 'no', 'no', 'HTTP 500', 'HTTP 503');

    expect(states.map(({ isHealthy }) => isHealthy)).toEqual([true, true, true, true, false, false]);
    expect(states.at(-1)).toMatchObject({
      since: '2026-01-01T00:00:40Z',
      message: '/readyz of the API server has failed for 30 s: HTTP 500',
    });
  });

  it('one success in between begins the 30 s anew', () => {
    const states = probed(undefined, 'no', 'no', undefined, 'no', 'no', 'no', undefined);

    expect(states.map(({ isHealthy }) => isHealthy)).not.toContain(false);
    expect(states.at(-1)?.since).toBe('2026-01-01T00:00:00Z');
  });

  it('a control plane that was unhealthy is healthy after one success', () => {
    expect(probed('a', 'b', 'c', 'd', undefined).at(-1)).toMatchObject({
      isHealthy: true,
      since: '2026-01-01T00:00:40Z',
    });
  });

  it('the health is unknown while the first probes fail', () => {
    expect(probed('a', 'b', 'c', 'd').map(({ isHealthy }) => isHealthy)).toEqual([
      undefined,
      undefined,
      undefined,
      false,
    ]);
  });
});
