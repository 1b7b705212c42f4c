import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';

import { serveUntilInputEnds } from './server.js';

/**
 * A minimal API server in a process of its own: answers with one Placement, or a list of 100 KiB. Arguments: the files
 * of its certificate and key, and the one token that it accepts. Prints its port; exits at the end of its standard input.
 */
const [certFile = '', keyFile = '', token = ''] = process.argv.slice(2);
const [cert, key] = [readFileSync(certFile, 'utf8'), readFileSync(keyFile, 'utf8')];
const labels = Object.fromEntries(Array.from({ length: 20 }, (_one, index) => [`label-${index}`, `value-${index}`]));
const object = {
  apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
  kind: 'Placement',
  metadata: { name: 'web', namespace: 'shop', resourceVersion: '8', labels },
  spec: { numberOfClusters: 2 },
};
const large = { ...object, metadata: { ...object.metadata, annotations: { large: 'x'.repeat(100 * 1024) } } };
const text = JSON.stringify(object);
const list = JSON.stringify({ ...object, kind: 'PlacementList', metadata: { resourceVersion: '9' }, items: [large] });
const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  if (request.headers.authorization !== `Bearer ${token}`) {
    response.writeHead(401).end();
    return;
  }
  const answer = request.method === 'GET' && request.url?.endsWith('/placements') === true ? list : text;
  request.on('end', () => {
    response.writeHead(request.method === 'POST' ? 201 : 200, {
      'content-type': 'application/json',
      'content-length': answer.length,
    });
    response.end(answer);
  });
});
serveUntilInputEnds(server);
