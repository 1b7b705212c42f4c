import { readFileSync } from 'node:fs';

import { Pool } from 'undici';

import { quantile } from '@multicluster-engine/kube-apiserver/testing/bench';

/**
 * Well-behaved clients, in a process of their own. The argument is a {@link LoadOrder} in JSON; prints a {@link
 * LoadReport}.
 */
export interface LoadOrder {
  /** `https://127.0.0.1:PORT`, and the file with the CA that verifies it. */
  readonly origin: string;
  readonly caFile: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Repeated after `body` until it has `size` bytes. */
  readonly padding?: { readonly text: string; readonly size: number };
  readonly connections: number;
  /** Requests a second over all connections; without a limit when absent. */
  readonly perSecond?: number;
  readonly warmUpMs: number;
  readonly forMs: number;
}

export interface LoadReport {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
  /** Of the requests that were not answered with 200 or 201. */
  readonly failures: number;
}

async function load(order: LoadOrder): Promise<LoadReport> {
  const { connections, perSecond, warmUpMs, forMs } = order;
  const ca = readFileSync(order.caFile, 'utf8');
  const pool = new Pool(order.origin, { connections, pipelining: 1, connect: { ca } });
  const durations: number[] = [];
  let failures = 0;
  const { method, path, headers } = order;
  const body = bodyOf(order);
  const send = (): Promise<number> =>
    pool.request({ method, path, headers, body }).then(
      async (answer) => {
        await answer.body.dump();
        return answer.statusCode;
      },
      () => 0,
    );
  // Opens the connections: handshakes in the time of the schedule would delay it, for all connections at once.
  if (perSecond !== undefined) await Promise.all(Array.from({ length: connections }, send));
  const begun = performance.now();
  const sendMeasured = async (): Promise<void> => {
    const start = performance.now();
    const status = await send();
    if (start - begun < warmUpMs) return;
    if (status !== 200 && status !== 201) failures += 1;
    durations.push(performance.now() - start);
  };
  const everyMs = perSecond === undefined ? 0 : (connections * 1000) / perSecond;
  const work = async (index: number): Promise<void> => {
    // Spread over the interval, so that the connections do not send at the same time; one that is late leaves out a
    // request, and is not moved to the time of others.
    let next = begun + (everyMs * index) / connections;
    while (performance.now() - begun < warmUpMs + forMs) {
      const pause = next - performance.now();
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      await sendMeasured();
      if (everyMs > 0)
        do next += everyMs;
        while (next < performance.now());
    }
  };
  await Promise.all(Array.from({ length: connections }, (_one, index) => work(index)));
  durations.sort((a, b) => a - b);
  return {
    p50: quantile(durations, 0.5),
    p99: quantile(durations, 0.99),
    perSecond: (durations.length * 1000) / forMs,
    failures,
  };
}

function bodyOf({ body, padding }: LoadOrder): Buffer | null {
  if (body === undefined) return null;
  if (padding === undefined) return Buffer.from(body);
  return Buffer.from(body + padding.text.repeat(padding.size / padding.text.length)).subarray(0, padding.size);
}

process.stdout.write(JSON.stringify(await load(JSON.parse(process.argv[2] ?? '{}'))));
process.exit();
