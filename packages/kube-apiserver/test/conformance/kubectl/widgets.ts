import { readFileSync } from 'node:fs';
import path from 'node:path';

import { root } from '../../../testing/root.js';
import { waitFor } from '../../../testing/wait.js';
import type { ConformanceTarget } from '../target.js';

const FILE = path.join(root, 'test', 'conformance', 'kubectl', 'manifests', 'widgets.yaml');

/** Creates the CustomResourceDefinition of the transcripts and waits until it is served. */
export async function installWidgets(target: ConformanceTarget): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const { status, text } = await target.call({
    method: 'POST',
    path,
    contentType: 'application/yaml',
    body: readFileSync(FILE, 'utf8'),
  });
  if (status !== 201 && status !== 409) throw new Error(`${target.name}: ${status} ${text}`);
  // kubectl reads discovery before requests, and OpenAPI documents for `explain`.
  for (const one of [
    '/apis/conformance.example.com/v1/widgets',
    '/apis/conformance.example.com/v1',
    '/openapi/v3/apis/conformance.example.com/v1',
  ]) {
    await waitFor(`${one} to be served`, async () => (await target.call({ path: one })).status === 200);
  }
  for (const one of ['/apis', '/openapi/v2', '/openapi/v3']) {
    await waitFor(`${one} to contain it`, async () =>
      (await target.call({ path: one })).text.includes('conformance.example.com'),
    );
  }
}
