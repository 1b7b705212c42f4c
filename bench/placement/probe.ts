import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into the process of the controller with --import, before its main file: answers the questions of the bench over
 * the IPC channel. It works only while it answers; only the histogram of the event loop's delay has a timer, while it is on.
 */

export type ProbeRequest =
  | { readonly kind: 'sample' | 'collect' | 'watchLoop' | 'unwatchLoop' | 'startProfile' }
  | { readonly kind: 'stopProfile'; readonly file: string };

/** What the process has used since its start. */
export interface Sample {
  /** User and system time of all threads, ms. */
  readonly cpuMs: number;
  readonly residentMiB: number;
  readonly peakMiB: number;
  readonly heapMiB: number;
  /** The longest delay of the event loop since `watchLoop`, ms; 0 without it and after `unwatchLoop`. */
  readonly loopDelayMs: number;
  /** The second longest one, likewise. */
  readonly secondLoopDelayMs: number;
  /** The delay that one in a hundred exceeds, likewise. */
  readonly loopDelayP99Ms: number;
}

const MIB = 2 ** 20;
/** Ms: a delay is known to this precision, and the timer of the histogram fires as often. */
const RESOLUTION = 5;

const session = new Session();
let delays: ReturnType<typeof monitorEventLoopDelay> | undefined;

function sample(): Sample {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  const memory = { residentMiB: rss / MIB, peakMiB, heapMiB: heapUsed / MIB };
  const loopDelayP99Ms = delayMs(Math.floor((delays?.count ?? 0) / 100) + 1);
  const longest = { loopDelayMs: delayMs(1), secondLoopDelayMs: delayMs(2), loopDelayP99Ms };
  return { cpuMs: (user + system) / 1000, ...memory, ...longest };
}

/** The delay of that rank, the longest first. */
function delayMs(rank: number): number {
  if (delays === undefined || delays.count < rank) return 0;
  // A percentile is the value of the rank that it rounds up to.
  const value = delays.percentile((100 * (delays.count - rank + 0.5)) / delays.count);
  return Math.max(value / 1e6 - RESOLUTION, 0);
}

async function answer(request: ProbeRequest): Promise<Sample> {
  switch (request.kind) {
    case 'sample':
      return sample();
    case 'collect':
      // What the first collection makes weak or finalizes, the second one takes.
      for (let round = 0; round < 2; round++) await globalThis.gc?.({ type: 'major', execution: 'async' });
      return sample();
    case 'watchLoop':
      delays?.disable();
      delays = monitorEventLoopDelay({ resolution: RESOLUTION });
      delays.enable();
      return sample();
    case 'unwatchLoop':
      delays?.disable();
      delays = undefined;
      return sample();
    case 'startProfile':
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: 500 });
      await session.post('Profiler.start');
      return sample();
    case 'stopProfile': {
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      writeFileSync(request.file, JSON.stringify(profile));
      return sample();
    }
  }
}

process.on('message', (request: ProbeRequest) => {
  void answer(request).then((sampled) => process.send?.(sampled));
});
// The bench has ended.
process.on('disconnect', () => process.exit(1));
