import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { field, textField } from '../../../src/runtime/vocabulary/json.js';
import { document } from '../../gateway/openapi/document.js';
import {
  askFor,
  operationsOf,
  withReadOnlyFields,
  type GeneratedRequest,
} from '../../gateway/openapi/requestgenerator.js';
import { startGateway, type GatewayProcess } from './process.js';

/** Ends before the test does, so that what was found is printed, though it is not the smallest. */
const RUNS = { numRuns: 60, interruptAfterTimeLimit: 120_000, markInterruptAsFailure: true };
const NAMESPACE = 'generated';
const JSON_TYPE = { 'content-type': 'application/json' };
/** A field that cannot be changed once it is set: whether a PUT may have it depends on the stored object. */
const IMMUTABLE = 'targetNamespace';
const operations = operationsOf(document, { namespace: NAMESPACE });

describeWithServer('a request that fits the OpenAPI document', { own: true }, (server) => {
  let gateway: GatewayProcess;
  let token: string;
  let stored = 0;

  beforeAll(async () => {
    await installCrds(server());
    await server().call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } });
    gateway = await startGateway(server());
    token = await server().tokenFor({ user: 'admin' });
  });
  afterAll(async () => {
    await gateway.stop();
  });

  /** The same request for an object that exists, at its revision. */
  async function forStoredObject(request: GeneratedRequest): Promise<GeneratedRequest> {
    stored += 1;
    const name = `stored-${stored}`;
    const collection = request.path.slice(0, request.path.lastIndexOf('/'));
    const fixed = textField(field(request.body, 'spec'), IMMUTABLE);
    const body = JSON.stringify({ metadata: { name }, spec: fixed === '' ? {} : { [IMMUTABLE]: fixed } });
    const { headers } = await gateway.ask({ method: 'POST', path: collection, headers: JSON_TYPE, body, token });
    const parameters = { ...request.parameters, name };
    const condition = { 'If-Match': headers['etag'] ?? '' };
    return { ...request, parameters, path: `${collection}/${name}`, headers: { ...request.headers, ...condition } };
  }

  const writes = operations.filter(
    ({ id, method }) => (method === 'POST' && !id.endsWith('Parameters')) || method === 'PUT',
  );
  test.each(writes.map(({ id, requests }) => [id, requests] as const))(
    'a write that fits the OpenAPI document succeeds, or names an object that exists: %s',
    async (_id, requests) => {
      await fc.assert(
        fc.asyncProperty(requests, fc.boolean(), async (generated, complete) => {
          const request = generated.method === 'PUT' ? await forStoredObject(generated) : generated;
          const reply = await gateway.ask({ ...askFor(complete ? withReadOnlyFields(request) : request), token });
          if (request.method === 'POST' && reply.status === 409) return; // The name is taken.
          expect({ ...reply, headers: {} }).toEqual({ status: 200, headers: {}, body: expect.anything() });
        }),
        RUNS,
      );
    },
    300_000,
  );
});
