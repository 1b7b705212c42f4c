import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';

import { serveUntilInputEnds } from '../gateway/server.js';
import { storedCluster } from './fleet.js';

/**
 * A server of one collection in a process of its own: lists clusters in pages, streams events when a POST asks for them, and
 * answers any PATCH with one object. Arguments: the files of its certificate and key, and the number of clusters. Prints
 * its port; exits at the end of its standard input.
 */
const [certFile = '', keyFile = '', count = '0'] = process.argv.slice(2);
const clusters = Number(count);
const watches = new Set<ServerResponse>();
let version = clusters;

function page(query: URLSearchParams): string {
  const from = Number(query.get('continue') ?? 0);
  const to = Math.min(from + Number(query.get('limit') ?? clusters), clusters);
  const items = Array.from({ length: to - from }, (_, offset) => storedCluster(from + offset, from + offset + 1, 0));
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
    const line = `${JSON.stringify({ type: 'MODIFIED', object: storedCluster(number % clusters, version, version) })}\n`;
    for (const watch of watches) watch.write(line);
    if (every > 0) await pause(every);
    else if (number % 20 === 19) await turn();
  }
}

const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)];
const answer = JSON.stringify(storedCluster(0, 1, 1));
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
serveUntilInputEnds(server);
