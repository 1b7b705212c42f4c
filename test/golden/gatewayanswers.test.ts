import { Placements } from '../../src/api/resources.js';
import { errorResponse, type HttpResponse } from '../../src/gateway/response/response.js';
import { parseBody } from '../../src/gateway/request/objectbody.js';
import type { JsonObject } from '@multicluster-engine/values/json';
import { mapResponse, type RequestInfo } from '../../src/gateway/response/mapresponse.js';
import { fieldError, StatusError, STATUS_ERRORS, type StatusErrorKind } from '../../src/gateway/statuserror.js';
import { ROUTES } from '../../src/gateway/request/routes.js';
import { UpstreamError } from '../../src/gateway/upstream/error.js';
import { document, mapping } from '../gateway/openapi/document.js';
import { describeRecorded, type Case } from './recorded.js';

function fieldsOf({ code, headers, body }: HttpResponse): object {
  return { code, headers, body: body === undefined ? undefined : String(body) };
}

const kinds = Object.keys(STATUS_ERRORS) as StatusErrorKind[];
const refusals = kinds.map((kind): Case => [
  `the answer to a refusal ${kind}`,
  () => {
    const refusal = new StatusError(kind, { message: STATUS_ERRORS[kind].when });
    return {
      row: STATUS_ERRORS[kind],
      plain: fieldsOf(errorResponse(refusal, false)),
      strict: fieldsOf(errorResponse(refusal, true)),
    };
  },
]);

/** Every `description` and `summary` below `node`. */
function textsIn(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]: [string, unknown]) =>
    (key === 'description' || key === 'summary') && typeof value === 'string' ? [value] : textsIn(value),
  );
}

const details: readonly Case[] = [
  ['the texts of the OpenAPI document, each once', () => [...new Set(textsIn(document))]],
  [
    'the answer to a refusal of one field',
    () => fieldsOf(errorResponse(fieldError('malformed', 'spec.x', 'must be absent'), false)),
  ],
  [
    'the answer to a refusal with Retry-After',
    () =>
      fieldsOf(
        errorResponse(new StatusError('unavailable', { message: 'x', retryAfterSeconds: 5, close: true }), false),
      ),
  ],
  [
    'the answer to a refusal with a long Retry-After',
    () => fieldsOf(errorResponse(new StatusError('unavailable', { message: 'x', retryAfterSeconds: 5_000 }), false)),
  ],
  [
    'the answer to a refusal that names methods',
    () => fieldsOf(errorResponse(new StatusError('method', { message: 'x', allow: 'GET, POST' }), false)),
  ],
  [
    'every operation',
    () =>
      ROUTES.flatMap(({ template, operations }) =>
        operations.map(({ method, id, summary }) => `${method} ${template} ${id}: ${summary}`),
      ),
  ],
];

const web = {
  kind: 'Placement',
  apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
  metadata: { name: 'web', resourceVersion: '7' },
  spec: { numberOfClusters: 2 },
};
const SENT = parseBody(Buffer.from('spec: {numberOfClusters: -1, clusterSet: [a]}'), 'yaml') as JsonObject;

interface Upstream {
  readonly contentType?: string;
  readonly retryAfter?: string;
}

async function* chunks(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

/** What a client gets when the API server answers with `status` and `body` (JSON, or a text as it is). */
function answered(
  sentence: string,
  asked: Partial<RequestInfo>,
  [status, body, upstream = {}]: readonly [number, unknown?, Upstream?],
): Case {
  return [
    `the answer to ${sentence}`,
    async () => {
      const all: RequestInfo = {
        action: 'create',
        resource: Placements,
        accept: { name: 'application/json', format: 'json' },
        representation: false,
        conditional: false,
        sent: JSON.stringify(SENT),
        ...asked,
      };
      const { contentType = 'application/json', retryAfter } = upstream;
      try {
        return fieldsOf(
          await mapResponse(
            {
              status,
              contentType,
              retryAfter,
              body: chunks(typeof body === 'string' ? body : JSON.stringify(body ?? {})),
            },
            all,
            mapping,
          ),
        );
      } catch (error) {
        if (error instanceof StatusError) return { refusal: error.kind, ...error.detail };
        if (error instanceof UpstreamError) return { failure: error.reason, code: error.code, message: error.message };
        throw error;
      }
    },
  ];
}

const causes = (...found: readonly (readonly [string, string])[]): object => ({
  message: 'theirs',
  details: { causes: found.map(([field, reason]) => ({ field, reason, message: 'theirs' })) },
});
const [create, update, remove, get, list] = [
  { action: 'create' },
  { action: 'update' },
  { action: 'delete' },
  { action: 'get' },
  { action: 'list' },
] as const;

const outcomes: readonly Case[] = [
  answered('a create', create, [201, web]),
  answered('a create that returns the object', { representation: true }, [201, web]),
  answered('a get', get, [200, web]),
  answered('a get in YAML', { ...get, accept: { name: 'application/yaml', format: 'yaml' } }, [200, web]),
  answered('a get of another kind', get, [200, { ...web, kind: 'Widget' }]),
  answered('a list', list, [200, { kind: 'PlacementList', apiVersion: web.apiVersion, metadata: {}, items: [] }]),
  answered('a list without items', list, [200, { kind: 'PlacementList', apiVersion: web.apiVersion, metadata: {} }]),
  answered('a delete that gives a Status', remove, [200, { kind: 'Status', status: 'Success' }]),
  answered('a get that is no JSON', get, [200, 'x']),
  answered('a get of another content type', get, [200, web, { contentType: 'text/html' }]),
  ...[401, 403, 404, 429, 503, 504, 400, 409, 413, 422, 500, 502, 301].flatMap((status) => [
    answered(`${status} of a get`, get, [status]),
    answered(`${status} of a create`, create, [status]),
    answered(`${status} of an update`, update, [status]),
  ]),
  answered('429 with Retry-After', get, [429, {}, { retryAfter: '7' }]),
  answered('409 of an update with If-Match', { ...update, conditional: true }, [409]),
  answered('409 of an object of another uid', update, [
    409,
    { message: 'Precondition failed: UID in precondition: a, UID in object meta: b' },
  ]),
  answered('409 of an update that names an object which exists', update, [409, { reason: 'AlreadyExists' }]),
  answered('422 of a policy', create, [422, { message: 'placements.cluster.fleetmgmt.io "web" is forbidden: no' }]),
  answered('400 of a webhook', create, [400, { message: 'admission webhook "x" denied the request: no' }]),
  answered('422 of a field with a bad value', create, [422, causes(['spec.numberOfClusters', 'FieldValueInvalid'])]),
  answered('422 of a field that is not known', create, [422, causes(['spec.clusterSets', 'FieldValueForbidden'])]),
  answered('400 of a field that is not known', create, [
    400,
    { message: 'strict decoding error: unknown field "spec.clusterSet"' },
  ]),
  ...[
    'NotFound',
    'Required',
    'Duplicate',
    'Invalid',
    'NotSupported',
    'Forbidden',
    'TooLong',
    'TooMany',
    'TypeInvalid',
  ].map((fault) =>
    answered(`422 of FieldValue${fault} at a field without a rule`, create, [
      422,
      causes(['spec.later', `FieldValue${fault}`]),
    ]),
  ),
  ...[
    'name',
    'generateName',
    'labels',
    'annotations',
    'ownerReferences',
    'ownerReferences.apiVersion',
    'ownerReferences.kind',
    'finalizers',
  ].map((field) =>
    answered(`422 of metadata.${field}`, create, [422, causes([`metadata.${field}`, 'FieldValueInvalid'])]),
  ),
];

describeRecorded('gateway-answers', [...refusals, ...details, ...outcomes]);
