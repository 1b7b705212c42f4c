import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { startApiServer, type ApiServer } from '../src/apiserver/apiserver.js';
import { systemClock } from '../src/runtime/clock.js';
import type { Figure } from './figure.js';

const RUNS = 5;
const OBJECTS = 2_000;
const AT_ONCE = 64;
const READS = 3_000;
const COLLECTION = '/api/v1/namespaces/default/configmaps';

type Ask = (method: string, target: string, body?: object, contentType?: string) => Promise<number>;

/** P11: what the embedded server does in a second, in process and over HTTPS, on disk. */
export async function serverFigures(): Promise<readonly Figure[]> {
  const rows = new Map<string, number[]>();
  const note = (measure: string, value: number): void => void rows.set(measure, [...(rows.get(measure) ?? []), value]);
  for (let run = 0; run < RUNS; run++) {
    const folder = await mkdtemp(path.join(tmpdir(), 'bench-server-'));
    const server = await startApiServer({ folder, listen: { host: '127.0.0.1', port: 0 }, clock: systemClock });
    await measure('in process', inProcess(server), note);
    const { ask, close } = overHttps(server);
    await measure('over HTTPS', ask, note);
    close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
  return [...rows].map(([measure, values]) => ({ id: 'P11', measure, unit: '/s', values }));
}

async function measure(way: string, ask: Ask, note: (measure: string, value: number) => void): Promise<void> {
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

function overHttps(server: ApiServer): { readonly ask: Ask; readonly close: () => void } {
  const agent = new Agent({ keepAlive: true, ca: readFileSync(server.caFile), maxSockets: AT_ONCE });
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
