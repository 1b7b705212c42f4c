import { releaseRemovals } from './release.js';
import type { ReleaseConfig } from './flags.js';
import { systemClock } from '../../runtime/clock.js';
import { answer } from '../terminal/answer.js';
import { withHub } from '../hub.js';

/** Writes the release; returns the exit code: 1, and one line on standard error, when it is not written. */
export function runRelease(config: ReleaseConfig): Promise<number> {
  return answer('release', async () => {
    const { placement, additions, clusters, forMs, source } = config;
    const now = systemClock.now();
    const line = await withHub(config, source, ({ client, namespace }) =>
      releaseRemovals(client, { namespace: namespace(), placement, additions, clusters, now, until: now + forMs }),
    );
    return { text: `${line}\n`, exitCode: 0 };
  });
}
