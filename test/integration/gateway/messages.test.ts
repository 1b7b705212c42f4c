import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { ownName } from '@multicluster-engine/kube-apiserver/testing/names';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { Placements } from '../../../src/api/resources.js';
import type { JsonObject } from '@multicluster-engine/values/json';
import { mapResponse } from '../../../src/gateway/response/mapresponse.js';
import { DENIED_MESSAGE, StatusError } from '../../../src/gateway/statuserror.js';
import { issueServingCertificate } from '../../../src/runtime/tls/serving.js';
import { mapping } from '../../gateway/openapi/document.js';

const PLACEMENTS = '/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/default/placements';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const RULE = {
  apiGroups: [Placements.group],
  apiVersions: ['*'],
  operations: ['CREATE'],
  resources: [Placements.plural],
};

interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

function placement(name: string, metadata: Readonly<Record<string, string>> = {}): JsonObject {
  return { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'Placement', metadata: { name, ...metadata }, spec: {} };
}

async function write(
  server: ControlPlane,
  method: 'POST' | 'PUT',
  path: string,
  body: unknown,
): Promise<RawAnswer & { readonly message: string }> {
  const { status, text } = await server.call({ method, path, body });
  return { status, text, message: String(JSON.parse(text).message) };
}

async function mustCreate(server: ControlPlane, path: string, body: unknown): Promise<void> {
  const { status, text } = await write(server, 'POST', path, body);
  if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
}

/** The gateway's response, or StatusError, for an answer to a write of that object. */
async function mapped(action: 'create' | 'update', { status, text }: RawAnswer, sent: JsonObject): Promise<unknown> {
  const body = (async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from(text);
  })();
  const accept = { name: 'application/json', format: 'json' } as const;
  const info = {
    action,
    resource: Placements,
    accept,
    representation: false,
    conditional: false,
    sent: JSON.stringify(sent),
  };
  try {
    return await mapResponse({ status, contentType: 'application/json', retryAfter: undefined, body }, info, mapping);
  } catch (error) {
    if (error instanceof StatusError) return { kind: error.kind, ...error.detail };
    throw error;
  }
}

describeWithServer('the API server of this version', {}, (server) => {
  it('the API server denies by a ValidatingAdmissionPolicy without a reason with 422, and the gateway reads from the message that it is forbidden', async () => {
    const [policy, denied] = [ownName('policy'), ownName('denied')];
    const validations = [{ expression: `object.metadata.name != '${denied}'`, message: 'a private message' }];
    const matchConstraints = { resourceRules: [RULE] };
    await mustCreate(server(), `${ADMISSION}/validatingadmissionpolicies`, {
      metadata: { name: policy },
      spec: { failurePolicy: 'Fail', matchConstraints, validations },
    });
    await mustCreate(server(), `${ADMISSION}/validatingadmissionpolicybindings`, {
      metadata: { name: policy },
      spec: { policyName: policy, validationActions: ['Deny'] },
    });

    // A dry run leaves no object behind while the policy is not in force yet.
    const answer = await waitFor('the policy to be in force', async () => {
      const tried = await write(server(), 'POST', `${PLACEMENTS}?dryRun=All`, placement(denied));
      return tried.status === 201 ? undefined : tried;
    });

    expect(answer).toMatchObject({ status: 422, message: expect.stringContaining(`"${denied}" is forbidden: `) });
    expect(await mapped('create', answer, placement(denied))).toEqual({
      kind: 'forbidden',
      message: DENIED_MESSAGE,
    });
  });

  it('the API server rejects an update with the uid of another object with 409, and the gateway reads from the message that the uid is the fault', async () => {
    const name = ownName('replaced');
    await mustCreate(server(), PLACEMENTS, placement(name));
    const sent = placement(name, { uid: 'other', resourceVersion: '1' });

    const answer = await write(server(), 'PUT', `${PLACEMENTS}/${name}`, sent);

    expect(answer).toMatchObject({
      status: 409,
      message: expect.stringContaining('Precondition failed: UID in precondition: other'),
    });
    expect(await mapped('update', answer, sent)).toMatchObject({
      kind: 'conflict',
      causes: [{ field: 'metadata.uid' }],
    });
  });

  it('the API server rejects unknown fields with 400, and the gateway reads their paths from the message', async () => {
    const name = ownName('unknown');
    const sent = { ...placement(name), spec: { numberOfCluster: 1, other: 2 } };

    const answer = await write(server(), 'POST', `${PLACEMENTS}?fieldValidation=Strict`, sent);

    expect(answer).toMatchObject({
      status: 400,
      message: expect.stringMatching(/unknown field "spec\.numberOfCluster", unknown field "spec\.other"/),
    });
    expect(await mapped('create', answer, sent)).toMatchObject({
      kind: 'malformed',
      causes: [{ field: 'spec.numberOfCluster' }, { field: 'spec.other' }],
    });
  });
});

// The embedded API server has no webhooks.
describeWithServer('the kube-apiserver of this version', { own: true, real: true }, (server) => {
  let webhook: Server;
  /** The webhook's response, beside its uid and `allowed: false`. */
  let denial: object = {};

  beforeAll(async () => {
    const pair = await issueServingCertificate({ names: ['localhost'], addresses: ['127.0.0.1'], now: Date.now() });
    webhook = createServer({ cert: pair.certificate, key: pair.privateKey }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { uid } = JSON.parse(Buffer.concat(chunks).toString()).request;
        const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ ...review, response: { uid, allowed: false, ...denial } }));
      });
    });
    await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
    const { port } = webhook.address() as AddressInfo;
    const clientConfig = {
      url: `https://localhost:${port}/`,
      caBundle: Buffer.from(pair.certificate).toString('base64'),
    };
    await installCrds(server());
    await mustCreate(server(), `${ADMISSION}/validatingwebhookconfigurations`, {
      metadata: { name: 'denying' },
      webhooks: [
        {
          name: 'denying.example.com',
          clientConfig,
          rules: [RULE],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          failurePolicy: 'Fail',
        },
      ],
    });
  }, 120_000);

  afterAll(async () => {
    webhook.closeAllConnections();
    await new Promise<void>((resolve) => webhook.close(() => resolve()));
  });

  it.each([
    ['without a status', {}, 400],
    ['with a message', { status: { message: 'a private message' } }, 400],
    ['with the code 418', { status: { code: 418, message: 'a private message' } }, 418],
  ])(
    'kube-apiserver passes on the denial of a webhook %s, and the gateway reads from the message that it is forbidden',
    async (_title, response, code) => {
      denial = response;
      const sent = placement(ownName('denied'));

      const answer = await waitFor('the webhook to be in force', async () => {
        const tried = await write(server(), 'POST', `${PLACEMENTS}?dryRun=All`, sent);
        return tried.status === 201 ? undefined : tried;
      });

      expect(answer).toMatchObject({
        status: code,
        message: expect.stringMatching(/^admission webhook "denying\.example\.com" denied the request/),
      });
      expect(await mapped('create', answer, sent)).toEqual({
        kind: 'forbidden',
        message: DENIED_MESSAGE,
      });
    },
  );
});
