import { readFileSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import path from 'node:path';

import { startBackend } from '../../../testing/controlplane/start.js';
import { root } from '../../../testing/root.js';
import { targetOf, type ConformanceTarget } from '../target.js';
import { NAMESPACE, nameOf, SAMPLES, type Sample } from './objects.js';

/**
 * Records each sample in protobuf, as kube-apiserver encodes the response to a dry-run create:
 * `node dist/test/conformance/protobuf/record.js`.
 */
const FILE = path.join(root, 'test', 'conformance', 'protobuf', 'recorded.json');

function written(target: ConformanceTarget, { path: place, object }: Sample): Promise<Buffer> {
  const headers = {
    authorization: `Bearer ${target.token}`,
    accept: 'application/vnd.kubernetes.protobuf',
    'content-type': 'application/json',
  };
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(
      new URL(`${place}?dryRun=All`, target.url),
      { method: 'POST', ca: readFileSync(target.caFile), headers },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          const bytes = Buffer.concat(chunks);
          if (incoming.statusCode === 201) resolve(bytes);
          else reject(new Error(`${object.kind}: ${incoming.statusCode} ${bytes.toString('latin1')}`));
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(JSON.stringify(object));
  });
}

const plane = await startBackend('real', { size: 'api', label: 'conformance-record' });
try {
  const target = await targetOf(plane, 'real');
  await target.call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } });
  const recorded: Record<string, string> = {};
  for (const sample of SAMPLES) recorded[nameOf(sample)] = (await written(target, sample)).toString('base64');
  writeFileSync(FILE, `${JSON.stringify(recorded, null, 1)}\n`);
} finally {
  await plane.stop();
}
