import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { startApiServer, type ApiServer } from '../src/server/apiserver.js';
import { systemClock } from '../src/clock.js';
import { Connection } from '../testing/connection.js';
import type { Figure } from '../testing/bench.js';

const RUNS = 5;
const OBJECTS = 5_000;
const AT_ONCE = 64;
const COLLECTION = '/api/v1/namespaces/default/configmaps';

/** Sends a request on one of {@link AT_ONCE} lanes and returns the status code. */
type SendRequest = (
  lane: number,
  method: string,
  target: string,
  body?: object,
  contentType?: string,
) => Promise<number>;

/** Called at the start and the end of each measure. */
interface MeasureListener {
  readonly begin: () => void;
  readonly end: (measure: string, perSecond: number, count: number) => void;
}

type RecordFigure = (measure: string, unit: string, value: number) => void;

/** P11: the throughput of the embedded server after warm-up, in process and over HTTPS, with its store on disk. */
export async function serverFigures(): Promise<readonly Figure[]> {
  const rows = new Map<string, { readonly unit: string; readonly values: number[] }>();
  const note: RecordFigure = (measure, unit, value) => {
    const row = rows.get(measure) ?? { unit, values: [] };
    row.values.push(value);
    rows.set(measure, row);
  };
  for (let run = 0; run < RUNS; run++) {
    process.stderr.write(`server: run ${run + 1} of ${RUNS}\n`);
    const folder = await mkdtemp(path.join(tmpdir(), 'bench-server-'));
    const server = await startApiServer({ folder, listen: { host: '127.0.0.1', port: 0 }, clock: systemClock });
    await measure('in process', inProcess(server), {
      begin: () => undefined,
      end: (what, perSecond) => note(what, '/s', perSecond),
    });
    await measureFromClient({ url: server.url, token: server.token, ca: server.ca }, note);
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
  return [...rows].map(([what, { unit, values }]) => ({ id: 'P11', measure: what, unit, values, ...atLeast(what) }));
}

function atLeast(measure: string): { readonly atLeast?: number } {
  if (!measure.startsWith('creates')) return {};
  return measure.endsWith('in process') ? { atLeast: 5_000 } : measure.endsWith('over HTTPS') ? { atLeast: 2_500 } : {};
}

/** Runs all measures twice, with separate objects: the second run counts. */
async function measure(way: string, ask: SendRequest, notes: MeasureListener): Promise<void> {
  await measureOnce(way, ask, {
    name: `${way === 'in process' ? 'p' : 'h'}-warm`,
    begin: () => undefined,
    end: () => undefined,
  });
  await measureOnce(way, ask, { name: way === 'in process' ? 'p' : 'h', ...notes });
}

async function measureOnce(
  way: string,
  ask: SendRequest,
  { name: prefix, begin, end }: MeasureListener & { readonly name: string },
): Promise<void> {
  const name = (index: number): string => `${COLLECTION}/${prefix}-${index % OBJECTS}`;
  const body = (index: number): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${prefix}-${index}` },
    data: { text: 'x'.repeat(1_500) },
  });
  const timed = async (
    what: string,
    count: number,
    call: (lane: number, index: number) => Promise<number>,
  ): Promise<void> => {
    begin();
    const perSecond = await rate(count, call);
    end(`${what} ${way}`, perSecond, count);
  };
  await timed('creates of 2 KB', OBJECTS, (lane, index) => ask(lane, 'POST', COLLECTION, body(index)));
  await timed('merge patches', OBJECTS, (lane, index) =>
    ask(lane, 'PATCH', name(index), { data: { more: String(index) } }, 'application/merge-patch+json'),
  );
  const apply = (lane: number, index: number): Promise<number> =>
    ask(
      lane,
      'PATCH',
      `${name(index)}?fieldManager=bench&force=true`,
      body(index % OBJECTS),
      'application/apply-patch+yaml',
    );
  await rate(OBJECTS, apply);
  await timed('applies that change nothing', OBJECTS, apply);
  await timed('GETs', OBJECTS, (lane, index) => ask(lane, 'GET', name(index)));
  await timed('LISTs of 500', 100, (lane) => ask(lane, 'GET', `${COLLECTION}?limit=500`));
}

/** Calls per second, with {@link AT_ONCE} concurrent calls. */
async function rate(count: number, call: (lane: number, index: number) => Promise<number>): Promise<number> {
  let next = 0;
  const began = performance.now();
  const work = async (lane: number): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const code = await call(lane, index);
      if (code >= 300) throw new Error(`answered ${code}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, lane) => work(lane)));
  return (count / (performance.now() - began)) * 1000;
}

function inProcess(server: ApiServer): SendRequest {
  const user = { name: 'bench', groups: ['system:masters'] };
  const { signal } = new AbortController();
  return async (_lane, method, target, body, contentType = 'application/json') => {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const response = await server.dispatch({
      method,
      target,
      headers: { 'content-type': contentType },
      body: bytes,
      user,
      signal,
    });
    return response.code;
  };
}

interface Remote {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
}

/** A message of the client process. */
type ClientMessage =
  | { readonly begins: true }
  | { readonly measure: string; readonly perSecond: number; readonly count: number; readonly cpuMicros: number };

/**
 * Runs the client in a process of its own, which would otherwise take CPU from the server. Reports the CPU cost of
 * both.
 */
async function measureFromClient(remote: Remote, note: RecordFigure): Promise<void> {
  const client = fork(fileURLToPath(import.meta.url));
  let begun = process.cpuUsage();
  client.on('message', (report: ClientMessage) => {
    if ('begins' in report) {
      begun = process.cpuUsage();
      return;
    }
    const { user, system } = process.cpuUsage(begun);
    note(report.measure, '/s', report.perSecond);
    note(`${report.measure}: CPU of the server for one`, 'µs', (user + system) / report.count);
    note(`${report.measure}: CPU of the client for one`, 'µs', report.cpuMicros / report.count);
  });
  client.send(remote);
  const [code] = (await once(client, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the client ended with ${code}`);
}

async function runClient(remote: Remote): Promise<void> {
  const send = (report: ClientMessage): void => void process.send?.(report);
  const lanes = await Promise.all(Array.from({ length: AT_ONCE }, () => Connection.open(remote)));
  const ask: SendRequest = async (lane, method, target, body, contentType = 'application/json') => {
    const answer = await lanes[lane]?.request({
      method,
      path: target,
      contentType,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answer?.status ?? 0;
  };
  let begun = process.cpuUsage();
  await measure('over HTTPS', ask, {
    begin() {
      send({ begins: true });
      begun = process.cpuUsage();
    },
    end(what, perSecond, count) {
      const { user, system } = process.cpuUsage(begun);
      send({ measure: what, perSecond, count, cpuMicros: user + system });
    },
  });
  for (const lane of lanes) lane.close();
  process.disconnect();
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.once('message', (remote: Remote) => void runClient(remote));
