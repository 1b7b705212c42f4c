import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';

import { cluster, clusterStatus } from './fleet.js';

/**
 * A server of one collection in a process of its own: lists clusters in pages, streams events when a POST asks for them, and
 * answers any PATCH with one object. Arguments: the files of its certificate and key, and the number of clusters. Prints
 * its port; exits at the end of its standard input.
 */
const [certFile = '', keyFile = '', count = '0'] = process.argv.slice(2);
const clusters = Number(count);
const watches = new Set<ServerResponse>();
let version = clusters;

/** Cluster `index` as a server has stored it. */
function stored(index: number, resourceVersion: number, beat: number): object {
  const { object } = cluster(index);
  const metadata = {
    ...object.metadata,
    uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    resourceVersion: String(resourceVersion),
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    managedFields: ['import', 'agent'].map((manager) => ({
      manager,
      operation: 'Update',
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:tier': {}, 'f:region': {}, 'f:zone': {} } } },
    })),
  };
  return { ...object, metadata, status: clusterStatus(index, beat) };
}

function page(query: URLSearchParams): string {
  const from = Number(query.get('continue') ?? 0);
  const to = Math.min(from + Number(query.get('limit') ?? clusters), clusters);
  const items = Array.from({ length: to - from }, (_, offset) => stored(from + offset, from + offset + 1, 0));
  const metadata = { resourceVersion: String(clusters), ...(to < clusters && { continue: String(to) }) };
  return JSON.stringify({
    apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
    kind: 'ManagedClusterList',
    metadata,
    items,
  });
}

/** `count` events, once there is a watch, `every` ms apart: 0 as fast as the watches read. */
async function sendEvents(query: URLSearchParams): Promise<void> {
  while (watches.size === 0) await pause(1);
  const every = Number(query.get('every'));
  for (let number = 0; number < Number(query.get('count')); number++) {
    version += 1;
    const line = `${JSON.stringify({ type: 'MODIFIED', object: stored(number % clusters, version, version) })}\n`;
    for (const watch of watches) watch.write(line);
    if (every > 0) await pause(every);
    else if (number % 20 === 19) await turn();
  }
}

const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)];
const answer = JSON.stringify(stored(0, 1, 1));
const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'https://localhost');
  request.resume();
  request.once('end', () => {
    response.setHeader('content-type', 'application/json');
    if (request.method === 'POST') void sendEvents(searchParams).then(() => response.end('{}'));
    else if (request.method === 'PATCH') response.end(answer);
    else if (searchParams.has('watch')) {
      response.flushHeaders();
      watches.add(response);
      response.once('close', () => watches.delete(response));
    } else response.end(pathname.endsWith('/managedclusters') ? page(searchParams) : answer);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${port}\n`);
});
process.stdin.resume();
process.stdin.on('end', () => process.exit());
