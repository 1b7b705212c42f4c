import { expect, it } from '@jest/globals';

import { sharesOf, type CpuProfile } from '../../bench/placement/shares.js';

/** A profile of functions, each with its time in µs. */
function profile(...frames: readonly (readonly [url: string, functionName: string, micros: number])[]): CpuProfile {
  return {
    nodes: frames.map(([url, functionName], id) => ({ id, callFrame: { functionName, url } })),
    samples: frames.map((_, id) => id),
    // The time of a sample is the delta of the next one.
    timeDeltas: [999, ...frames.map(([, , micros]) => micros)],
  };
}

it('the time of a profile is divided by the files of its functions, without what is idle', () => {
  const shares = sharesOf(
    profile(
      ['', '(idle)', 10_000],
      ['node:net', 'onread', 5],
      ['node:internal/stream_base_commons', 'onStreamRead', 5],
      ['file:///a/node_modules/undici/lib/dispatcher/client-h1.js', 'execute', 10],
      ['', 'parse', 6],
      ['file:///a/dist/src/runtime/vocabulary/json.js', 'parseJson', 4],
      ['file:///a/dist/src/runtime/cache/watch.js', 'next', 10],
      ['file:///a/dist/src/runtime/transport/exchange.js', 'exchange', 10],
      ['file:///a/dist/src/domain/placement/decide.js', 'decide', 8],
      ['file:///a/dist/src/operator/index/affected.js', 'affected', 2],
      ['file:///a/dist/src/operator/controllers/placement/reconcile.js', 'reconcile', 10],
      ['file:///a/node_modules/pino/lib/proto.js', 'write', 10],
      ['', '(garbage collector)', 10],
      ['', '(program)', 5],
      ['node:internal/process/promises', 'processTicks', 5],
    ),
  );

  expect(shares).toEqual({
    connection: 20,
    JSON: 10,
    cache: 10,
    client: 10,
    'index, decision': 10,
    'controllers, queue': 10,
    'log, metrics': 10,
    collection: 10,
    Node: 10,
  });
});

it('an idle profile has no shares', () => {
  expect(Object.values(sharesOf(profile(['', '(idle)', 10]))).every((share) => share === 0)).toBe(true);
});
