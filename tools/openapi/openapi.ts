import { MEDIA_TYPES } from '../../src/gateway/request/media.js';
import { BODYLESS_CODES, STATUS_ERRORS, type StatusErrorKind } from '../../src/gateway/statuserror.js';
import { ROUTES, type Action, type Operation, type Route } from '../../src/gateway/request/routes.js';
import { AS_PARAMETER, DECISION_SCHEMAS, decisionContent, PLUGIN_REQUEST } from './decision.js';
import { refTo, type JsonSchema } from './jsonschema.js';
import { METADATA_SCHEMAS, type WriteAction } from './metadata.js';
import {
  CONDITION_PATTERN,
  ENTITY_TAG_PATTERN,
  LABEL_KEY,
  LABEL_VALUE,
  NAMESPACE_NAME,
  OBJECT_NAME,
} from './patterns.js';
import { kindSchemas, LIST_META, OBJECT_META, requestSchemaName, STATUS } from './schemas.js';

export interface OpenApiSources {
  /** Release of this program. */
  readonly version: string;
  /** The two CustomResourceDefinitions, as YAML. */
  readonly engine: string;
  readonly placement: string;
}

const DESCRIPTION = `
Creates, reads, replaces and deletes MultiClusterEngine and Placement objects over HTTPS. Each request is sent to the
Kubernetes API with the caller's own token, at most once; a user has the same permissions as there. The token is sent in
the header COOKIE, as "Authorization: Bearer TOKEN", or in the ordinary header Authorization, never in both. Query strings
are rejected, but for the form of a decision. When the gateway runs with --strict-status-codes, every status code other than 200, 403, 404, 500 and 503 is
replaced by 403, and no error has a body.
`
  .trim()
  .replaceAll('\n', ' ');

/** What JSON Schema cannot say about a body. */
const BODY = `
One document in UTF-8 of at most 1 MiB, 20,000 values and 64 levels, without duplicate keys. Strings and keys hold no half
of a surrogate pair. Numbers are written as whole decimal numbers (\`3\`, not \`3.0\`). YAML is 1.2 without anchors, aliases,
tags, directives and merge keys, and has at most 40,000 line ends and characters that can separate values. Unknown fields
are rejected.
`
  .trim()
  .replaceAll('\n', ' ');
const IF_MATCH_UPDATE = `
The ETag that was read: the object is replaced only if it still has it. In place of this header, metadata.resourceVersion
in the body is accepted too, without the header or with \`*\`; this document requires the header because OpenAPI cannot
express such an alternative.
`
  .trim()
  .replaceAll('\n', ' ');
const IF_MATCH_DELETE =
  'An ETag that was read: the object is deleted only if it still has it. `*`, like no header, stands for any.';

/** Errors that every request can get. */
const ANY_REQUEST: readonly StatusErrorKind[] = ['malformed', 'forbidden', 'slow', 'expectation', 'headersTooLarge'];
const FROM_UPSTREAM: readonly StatusErrorKind[] = ['notFound', 'failed', 'unavailable'];
const INVALID_OBJECT: readonly StatusErrorKind[] = ['tooLarge', 'mediaType', 'invalid'];

const BY_ACTION: Readonly<Record<Action, readonly StatusErrorKind[]>> = {
  list: [...ANY_REQUEST, ...FROM_UPSTREAM],
  get: [...ANY_REQUEST, ...FROM_UPSTREAM],
  create: [...ANY_REQUEST, ...FROM_UPSTREAM, ...INVALID_OBJECT, 'exists'],
  update: [...ANY_REQUEST, ...FROM_UPSTREAM, ...INVALID_OBJECT, 'conflict', 'precondition'],
  delete: [...ANY_REQUEST, ...FROM_UPSTREAM, 'conflict', 'precondition'],
  decision: [...ANY_REQUEST, ...FROM_UPSTREAM],
  parameters: [...ANY_REQUEST, ...FROM_UPSTREAM, 'tooLarge'],
  openapi: ANY_REQUEST,
  live: ANY_REQUEST,
  ready: [...ANY_REQUEST, 'unavailable'],
};

const ETAG = {
  description: 'The resourceVersion of the object, or of the list.',
  schema: { type: 'string', pattern: '^"[1-9][0-9]*"$' },
};
const WARNING = {
  description:
    'What the admission of the Kubernetes API warns of, one field for each warning, in its form. The write is done.',
  schema: { type: 'string', pattern: '^299 - ".+"$' },
};
const COMMON_HEADERS = {
  'Cache-Control': { description: 'Responses are not cached.', required: true, schema: { const: 'no-store' } },
  'X-Content-Type-Options': {
    description: 'Clients must not guess the media type.',
    required: true,
    schema: { const: 'nosniff' },
  },
};

/** The OpenAPI 3.1 document: all paths, headers, media types and status codes, and the schemas of both CRDs. */
export function openApiDocument(sources: OpenApiSources): JsonSchema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Multicluster engine and placement service',
      version: sources.version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The gateway; HTTPS only.' }],
    security: [{ cookie: [] }, { bearer: [] }],
    paths: Object.fromEntries(ROUTES.map((route) => [route.template, pathItem(route)])),
    components: {
      securitySchemes: {
        cookie: {
          type: 'apiKey',
          in: 'header',
          name: 'COOKIE',
          description: 'The whole value is `Authorization: Bearer TOKEN`.',
        },
        bearer: { type: 'http', scheme: 'bearer', description: 'The ordinary header, instead of COOKIE.' },
      },
      responses: Object.fromEntries(
        Object.entries(responsesByCode()).map(([code, response]) => [`Code${code}`, response]),
      ),
      schemas: {
        ...kindSchemas(sources.engine),
        ...kindSchemas(sources.placement),
        ...METADATA_SCHEMAS,
        ...DECISION_SCHEMAS,
        LabelKey: LABEL_KEY,
        LabelValue: LABEL_VALUE,
        ObjectMeta: OBJECT_META,
        ListMeta: LIST_META,
        Status: STATUS,
      },
    },
  };
}

function pathItem(route: Route): JsonSchema {
  const names = [...route.template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const operations = route.operations.map(
    (operation) => [operation.method.toLowerCase(), operationItem(route, operation)] as const,
  );
  return { ...(names.length > 0 && { parameters: names.map(pathParameter) }), ...Object.fromEntries(operations) };
}

function pathParameter(name: string): JsonSchema {
  const namespace = name === 'namespace';
  return {
    name,
    in: 'path',
    required: true,
    description: namespace ? 'A namespace: a DNS label.' : 'The name of the object: a DNS subdomain.',
    schema: namespace ? NAMESPACE_NAME : OBJECT_NAME,
  };
}

function operationItem(route: Route, operation: Operation): JsonSchema {
  const { id, action, summary } = operation;
  const kind = route.resource?.kind;
  const parameters = parametersOf(action);
  const codes = new Set(BY_ACTION[action].map((error) => STATUS_ERRORS[error].code));
  const errors = [...codes]
    .sort((a, b) => a - b)
    .map((code) => [String(code), { $ref: `#/components/responses/Code${code}` }] as const);
  return {
    operationId: id,
    summary,
    tags: [kind ?? 'Gateway'],
    ...(kind === undefined && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(kind !== undefined &&
      (action === 'create' || action === 'update') && { requestBody: requestBody(kind, action) }),
    ...(action === 'parameters' && { requestBody: PLUGIN_REQUEST }),
    responses: { 200: success(action, kind), ...Object.fromEntries(errors) },
  };
}

function requestBody(kind: string, action: WriteAction): JsonSchema {
  return { required: true, description: BODY, content: content(refTo(requestSchemaName(kind, action))) };
}

function parametersOf(action: Action): JsonSchema[] {
  if (action === 'decision') return [AS_PARAMETER];
  if (action !== 'create' && action !== 'update' && action !== 'delete') return [];
  const prefer = {
    name: 'Prefer',
    in: 'header',
    description: '`return=representation` requests the object in the response. Other preferences are ignored.',
    schema: { enum: ['return=representation', 'return=minimal'] },
  };
  if (action === 'create') return [prefer];
  const ifMatch = {
    name: 'If-Match',
    in: 'header',
    ...(action === 'update' && { required: true }),
    description: action === 'update' ? IF_MATCH_UPDATE : IF_MATCH_DELETE,
    schema: { type: 'string', pattern: action === 'update' ? ENTITY_TAG_PATTERN : CONDITION_PATTERN },
  };
  return [prefer, ifMatch];
}

function success(action: Action, kind: string | undefined): JsonSchema {
  if (action === 'live' || action === 'ready') return { description: 'The check passes.', headers: COMMON_HEADERS };
  if (action === 'openapi')
    return {
      description: 'This document.',
      headers: COMMON_HEADERS,
      content: { 'application/json': { schema: { type: 'object' } } },
    };
  if (action === 'decision' || action === 'parameters') return decisionSuccess(action);
  const object = refTo(kind ?? '');
  if (action === 'list' || action === 'get') {
    const schema = action === 'list' ? refTo(`${kind ?? ''}List`) : object;
    return {
      description: 'The object or the list. A response of more than 1 MiB has no ETag.',
      headers: { ...COMMON_HEADERS, ETag: ETAG },
      content: content(schema),
    };
  }
  return {
    description: 'Done. The body is empty unless Prefer requests the object.',
    headers: {
      ...COMMON_HEADERS,
      ETag: ETAG,
      Warning: WARNING,
      'Preference-Applied': {
        description: 'Present when Prefer was applied.',
        schema: { const: 'return=representation' },
      },
    },
    content: content(action === 'delete' ? { oneOf: [object, refTo('Status')] } : object),
  };
}

function decisionSuccess(action: 'decision' | 'parameters'): JsonSchema {
  const tag = {
    description: 'Changes when the response does.',
    schema: { type: 'string', pattern: '^"[0-9a-f]{16}"$' },
  };
  return {
    description: 'The whole decision: every selected cluster, in order.',
    headers: {
      ...COMMON_HEADERS,
      ETag: tag,
      Warning: { ...WARNING, description: 'Present when the response is longer than its reader takes.' },
    },
    content: decisionContent(action),
  };
}

function content(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(MEDIA_TYPES.map(({ name }) => [name, { schema }]));
}

/** One response for each status code; where two errors share a code, it describes both. */
function responsesByCode(): Record<string, JsonSchema> {
  const responses: Record<string, JsonSchema> = {};
  for (const { code, when } of Object.values(STATUS_ERRORS)) {
    const other = responses[code]?.['description'];
    responses[code] = {
      description: typeof other === 'string' ? `${other}; or ${when}` : `When ${when}`,
      headers: { ...COMMON_HEADERS, ...extraHeaders(code) },
      ...(!BODYLESS_CODES.includes(code) && {
        content: { 'application/json': { schema: refTo('Status') } },
      }),
    };
  }
  return responses;
}

function extraHeaders(code: number): JsonSchema {
  if (code === 503)
    return {
      'Retry-After': {
        description: 'Seconds, 1 to 60.',
        required: true,
        schema: { type: 'integer', minimum: 1, maximum: 60 },
      },
    };
  return code === 405 ? { Allow: { description: 'The methods of the path.', schema: { type: 'string' } } } : {};
}
