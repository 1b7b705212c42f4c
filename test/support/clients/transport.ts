import { loadKubeconfig } from '../../../src/runtime/kubeconfig/kubeconfig.js';
import type { Transport, TransportOptions } from '../../../src/runtime/transport/transport.js';
import { createTransport } from '../../../src/runtime/transport/transport.js';
import { systemClock, systemRandom } from '../../../src/runtime/clock.js';
import { RecordingLog } from '../fakes/log.js';

/** A transport to a real server, with the rights of the kubeconfig's user. */
export function transportOf(kubeconfig: string, options: Partial<TransportOptions> = {}): Transport {
  return createTransport(loadKubeconfig({ path: kubeconfig }), {
    clock: systemClock,
    random: systemRandom,
    log: new RecordingLog(),
    userAgent: 'multicluster-engine-test',
    ...options,
  });
}

/** What a cache needs, on the system's clock. */
export function cacheTools(): { clock: typeof systemClock; random: typeof systemRandom; log: RecordingLog } {
  return { clock: systemClock, random: systemRandom, log: new RecordingLog() };
}
