import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { OLDEST_KUBERNETES } from '../../../src/api/names.js';
import { warnOfOldServer } from '../../../src/runtime/client/serverversion.js';
import { ApiError, type FailureKind } from '../../../src/runtime/errors.js';
import { RecordingLog } from '../../support/fakes/log.js';

const call = { verb: 'get', resource: 'version' };

/** The lines about a server that answers the n-th request with the n-th of these: a version, or a failure. */
async function linesAbout(
  ...answers: readonly (string | { readonly kind: FailureKind })[]
): Promise<readonly object[]> {
  const [clock, log, ended] = [new ManualClock(), new RecordingLog(), new AbortController()];
  const left = [...answers];
  const transport = {
    call: async () => {
      const next = left.shift();
      if (typeof next !== 'object') return { status: 200, body: { gitVersion: next ?? '' } } as never;
      throw new ApiError({ ...next, message: 'it failed', call });
    },
  };
  const done = warnOfOldServer(transport, { oldest: OLDEST_KUBERNETES, clock, log }, ended.signal);
  await clock.advance(10 * 60_000);
  ended.abort();
  await done;
  expect(left).toEqual([]);
  return log.lines;
}

describe('the warning about an old API server', () => {
  it('is one line with both versions, also when the server answers later', async () => {
    const lines = await linesAbout(
      { kind: 'Transport' },
      { kind: 'Unavailable' },
      { kind: 'Throttled' },
      'v1.29.15+k3s1',
    );

    expect(lines).toEqual([
      {
        level: 'warn',
        message: 'the API server is older than the oldest supported Kubernetes',
        fields: { version: 'v1.29.15+k3s1', oldest: OLDEST_KUBERNETES },
      },
    ]);
  });

  it.each([`v${OLDEST_KUBERNETES}.0`, 'v1.36.3', 'v2.0.0-alpha'])('is not given for %s', async (version) => {
    expect(await linesAbout(version)).toEqual([]);
  });

  it('is not given for a server that does not say its version, which is no warning', async () => {
    expect(await linesAbout({ kind: 'Forbidden' })).toMatchObject([{ level: 'info', fields: { error: 'it failed' } }]);
    expect(await linesAbout('')).toMatchObject([{ level: 'info' }]);
  });
});
