import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

import { startApiServer, type ApiServer } from '../src/apiserver/apiserver.js';
import { systemClock } from '../src/runtime/clock.js';
import type { Figure } from './figure.js';

const RUNS = 5;
const OBJECTS = 2_000;
const AT_ONCE = 64;
const READS = 3_000;
const COLLECTION = '/api/v1/namespaces/default/configmaps';

type Note = (measure: string, value: number) => void;
type Ask = (method: string, target: string, body?: object, contentType?: string) => Promise<number>;

/** P11: what the embedded server does in a second, in process and over HTTPS, on disk. */
export async function serverFigures(): Promise<readonly Figure[]> {
  const rows = new Map<string, number[]>();
  const note: Note = (measure, value) => void rows.set(measure, [...(rows.get(measure) ?? []), value]);
  for (let run = 0; run < RUNS; run++) {
    const folder = await mkdtemp(path.join(tmpdir(), 'bench-server-'));
    const server = await startApiServer({ folder, listen: { host: '127.0.0.1', port: 0 }, clock: systemClock });
    await measure('in process', inProcess(server), note);
    await elsewhere({ url: server.url, token: server.token, ca: server.ca }, note);
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
  return [...rows].map(([measure, values]) => ({ id: 'P11', measure, unit: '/s', values, ...atLeast(measure) }));
}

function atLeast(measure: string): { readonly atLeast?: number } {
  if (!measure.startsWith('creates')) return {};
  return { atLeast: measure.endsWith('in process') ? 5_000 : 2_500 };
}

async function measure(way: string, ask: Ask, note: Note): Promise<void> {
  const prefix = way === 'in process' ? 'p' : 'h';
  const name = (index: number): string => `${COLLECTION}/${prefix}-${index % OBJECTS}`;
  const body = (index: number): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${prefix}-${index}` }, data: { text: 'x'.repeat(1_500) } });
  note(`creates of 2 KB ${way}`, await rate(OBJECTS, (index) => ask('POST', COLLECTION, body(index))));
  note(`merge patches ${way}`, await rate(OBJECTS, (index) => ask('PATCH', name(index), { data: { more: String(index) } }, 'application/merge-patch+json')));
  const apply = (index: number): Promise<number> => ask('PATCH', `${name(index)}?fieldManager=bench&force=true`, body(index % OBJECTS), 'application/apply-patch+yaml');
  await rate(OBJECTS, apply);
  note(`applies that change nothing ${way}`, await rate(OBJECTS, apply));
  note(`GETs ${way}`, await rate(READS, (index) => ask('GET', name(index))));
  note(`LISTs of 500 ${way}`, await rate(50, () => ask('GET', `${COLLECTION}?limit=500`)));
}

/** Calls a second, {@link AT_ONCE} at a time. */
async function rate(count: number, call: (index: number) => Promise<number>): Promise<number> {
  let next = 0;
  const began = performance.now();
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const code = await call(index);
      if (code >= 300) throw new Error(`answered ${code}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (count / (performance.now() - began)) * 1000;
}

function inProcess(server: ApiServer): Ask {
  const user = { name: 'bench', groups: ['system:masters'] };
  const { signal } = new AbortController();
  return async (method, target, body, contentType = 'application/json') => {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const response = await server.dispatch({ method, target, headers: { 'content-type': contentType }, body: bytes, user, signal });
    return response.code;
  };
}

interface Remote {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
}

/** Asks from a thread of its own: a client in the server's would have half of its time. */
async function elsewhere(workerData: Remote, note: Note): Promise<void> {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData });
  worker.on('message', ({ measure: what, value }: { measure: string; value: number }) => note(what, value));
  const [code] = (await once(worker, 'exit')) as [number];
  if (code !== 0) throw new Error(`the client ended with ${code}`);
}

function overHttps(server: Remote): { readonly ask: Ask; readonly close: () => void } {
  const agent = new Agent({ keepAlive: true, ca: server.ca, maxSockets: AT_ONCE });
  const ask: Ask = (method, target, body, contentType = 'application/json') => new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = { authorization: `Bearer ${server.token}`, ...(text === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }) };
    const outgoing = httpsRequest(new URL(target, server.url), { method, headers, agent }, (incoming) => {
      incoming.resume();
      incoming.on('end', () => resolve(incoming.statusCode ?? 0));
    });
    outgoing.on('error', reject);
    outgoing.end(text);
  });
  return { ask, close: () => agent.destroy() };
}

if (!isMainThread) {
  const { ask, close } = overHttps(workerData as Remote);
  await measure('over HTTPS', ask, (what, value) => parentPort?.postMessage({ measure: what, value }));
  close();
}
