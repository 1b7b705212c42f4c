import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/**
 * A minimal API server in a process of its own: answers with one Placement. Arguments: the files of its
 * certificate and key. Prints its port; exits at the end of its standard input.
 */
const [cert = '', key = ''] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'));
const labels = Object.fromEntries(Array.from({ length: 20 }, (_one, index) => [`label-${index}`, `value-${index}`]));
const object = {
  apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
  kind: 'Placement',
  metadata: { name: 'web', namespace: 'shop', resourceVersion: '8', labels },
  spec: { numberOfClusters: 2 },
};
const text = JSON.stringify(object);
const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(request.method === 'POST' ? 201 : 200, {
      'content-type': 'application/json',
      'content-length': text.length,
    });
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${port}\n`);
});
process.stdin.resume();
process.stdin.on('end', () => process.exit());
