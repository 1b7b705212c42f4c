import { readFileSync } from 'node:fs';
import path from 'node:path';

import { root } from '../../../testing/root.js';
import { waitFor } from '../../../testing/wait.js';
import type { ConformanceTarget } from '../target.js';

const FILE = path.join(root, 'test', 'conformance', 'exchange', 'thing.yaml');

/** Creates the CustomResourceDefinition of the recorded requests and waits until it is served. */
export async function installThings(target: ConformanceTarget): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const { status, text } = await target.call({
    method: 'POST',
    path,
    contentType: 'application/yaml',
    body: readFileSync(FILE, 'utf8'),
  });
  if (status !== 201 && status !== 409) throw new Error(`${target.name}: ${status} ${text}`);
  await waitFor(
    'things to be served',
    async () => (await target.call({ path: '/apis/exchange.example.com/v1/things' })).status === 200,
  );
}
