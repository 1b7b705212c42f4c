import { isRecord, asRecord, parseJson, type JsonRecord } from '../../runtime/vocabulary/json.js';
import { isUtf8 } from 'node:buffer';
import type { ResourceType } from '../../runtime/vocabulary/meta.js';
import { apiVersionOf } from '../../runtime/vocabulary/kinds.js';
import type { ResponseBody } from '../../runtime/http/exchange.js';
import { emptyResponse, type HttpResponse } from './response.js';
import type { JsonObject } from '@multicluster-engine/values/json';
import { invalidObjectError } from './parseerror.js';
import type { MediaType } from '../request/media.js';
import type { ObjectParser } from '../request/objectparser.js';
import { entityTag } from '../request/precondition.js';
import { DENIED_MESSAGE, fieldError, overloadedError, StatusError } from '../statuserror.js';
import type { Action } from '../request/routes.js';
import type { FieldRules } from '@multicluster-engine/values/schema/fieldrules';
import { admissionWarnings } from './warnings.js';
import { toUpstreamError, UpstreamError } from '../upstream/error.js';
import type { UpstreamResponse } from '../upstream/upstream.js';

/** The parts of a request that its response depends on. */
export interface RequestInfo {
  readonly action: Action;
  readonly resource: ResourceType;
  readonly accept: MediaType;
  /** Whether the response of a write has the object as its body. */
  readonly representation: boolean;
  /** Whether the request had an `If-Match` with a resourceVersion. */
  readonly conditional: boolean;
  /** The object that was sent, JSON. */
  readonly sent?: string;
}

/** Responses up to this size are read completely and checked before they are written; larger ones are streamed. */
export const MAX_BUFFERED = 1024 * 1024;
/** A Status may quote a key of the request body, which is at most as long as the body. */
const MAX_STATUS = MAX_BUFFERED;
// Errors are distinguished by status code and reason. The two patterns below are the exception: for these errors the API
// server has neither a code nor a reason of their own. test/integration/gateway/messages.test.ts pins the messages to
// the version of the API server.

/** The precondition on metadata.uid failed: the object is another one of the same name. */
const UID_MISMATCH = /\bPrecondition failed: UID in precondition\b/;
/**
 * A ValidatingAdmissionPolicy or a webhook denied the request. Its author chooses the status code: a policy without a
 * reason has 422, a webhook without a code 400.
 */
const DENIED = /^(?:\S+(?: "(?:[^"\\]|\\.)*")? is forbidden: |admission webhook "[^"]*" denied the request)/;
const READ_SUCCESS: readonly number[] = [200, 201, 202];
const INVALID_OBJECT: readonly number[] = [400, 413, 422];
/** Status codes that are errors of the client. A GET has none: its request is built by the gateway. */
const CLIENT_ERRORS: Readonly<Partial<Record<Action, readonly number[]>>> = {
  create: [...INVALID_OBJECT, 409],
  update: [...INVALID_OBJECT, 409],
  delete: [409],
};

/** What the gateway reads for an answer of its own: a decision with far more clusters than a hub can have. */
const MAX_READ = 16 * 1024 * 1024;

interface Buffered {
  readonly chunks: Buffer[];
  /** The part that is not read yet; absent when `chunks` are the whole body. */
  readonly rest?: AsyncIterableIterator<Buffer>;
}

export interface MappingDeps {
  readonly rules: FieldRules;
  readonly parser: Pick<ObjectParser, 'toYaml'>;
}

interface MappedResponse extends HttpResponse {
  /** Why the response to a write has no body, although the API server has done the write. */
  readonly failure?: UpstreamError;
}

/**
 * The response to the client for a response of the API server.
 * @throws StatusError for an error response, without any text of the API server; UpstreamError for an unusable
 * response, which that to a write with a success status and JSON never is
 */
export async function mapResponse(
  upstream: UpstreamResponse,
  request: RequestInfo,
  deps: MappingDeps,
): Promise<MappedResponse> {
  const { status } = upstream;
  const success = isRead(request) ? READ_SUCCESS.includes(status) : status >= 200 && status <= 299;
  if (!success) throw await errorFor(upstream, request, deps.rules);
  if (isRead(request)) return mapRead(upstream, request, deps);
  const warnings = admissionWarnings(upstream.warnings);
  const response = await mapWrite(upstream, request, deps);
  return warnings.length === 0 ? response : { ...response, warnings };
}

/** Whether nothing is changed by the request. */
export function isRead({ action }: Pick<RequestInfo, 'action'>): boolean {
  return action === 'get' || action === 'list' || action === 'decision';
}

/**
 * The object or list that a read of the gateway itself gets. `grow` counts the bytes that are received so far, and says whether
 * there is memory for them.
 * @throws StatusError for an error response, and without memory; UpstreamError for an unusable response
 */
export async function readJson(
  upstream: UpstreamResponse,
  grow: (size: number) => boolean,
): Promise<{ readonly object: JsonRecord; readonly bytes: number }> {
  if (upstream.status !== 200) throw readErrorFor(upstream);
  requireJson(upstream);
  const chunks: Buffer[] = [];
  let size = 0;
  for (let next = await upstream.body.next(); next.done !== true; next = await upstream.body.next()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size > MAX_READ) throw new UpstreamError('broken', 'TOO_LARGE');
    if (!grow(size)) throw new StatusError('unavailable', { message: 'too many answers at once' });
  }
  const object = parseObject(Buffer.concat(chunks));
  if (object === undefined) throw new UpstreamError('broken', 'NOT_JSON');
  return { object, bytes: size };
}

async function mapRead(upstream: UpstreamResponse, request: RequestInfo, deps: MappingDeps): Promise<HttpResponse> {
  const { chunks, rest } = await readBuffered(upstream.body, MAX_BUFFERED);
  requireJson(upstream);
  if (rest === undefined) return representation(Buffer.concat(chunks), request, deps);
  // JSON is valid YAML, so that a large response can be streamed for both formats.
  if (!/^\s*\{/.test(Buffer.concat(chunks, 64).toString('latin1'))) throw new UpstreamError('broken', 'NOT_JSON');
  return { code: 200, headers: { 'content-type': request.accept.name }, stream: releasingChunks(chunks, rest) };
}

/**
 * The API server has done the write. Whatever is wrong with the body of its response, the client gets 200: an error
 * would invite it to repeat the write. A page of HTML is no response of an API server, but that of a proxy before it, and says
 * nothing of the write.
 */
async function mapWrite(upstream: UpstreamResponse, request: RequestInfo, deps: MappingDeps): Promise<MappedResponse> {
  requireJson(upstream);
  try {
    const { chunks, rest } = await readBuffered(upstream.body, MAX_BUFFERED);
    if (rest !== undefined) throw new UpstreamError('broken', 'TOO_LARGE');
    const bytes = Buffer.concat(chunks);
    if (!request.representation) return emptyResponse(200, etagOf(parseExpected(bytes, request)));
    const response = await representation(bytes, request, deps);
    return { ...response, headers: { ...response.headers, 'preference-applied': 'return=representation' } };
  } catch (error) {
    const failure = toUpstreamError(error);
    if (failure.reason === 'abandoned') throw failure;
    return { ...emptyResponse(200), failure };
  }
}

function requireJson({ contentType }: UpstreamResponse): void {
  if (!/^application\/json\b/i.test(contentType)) throw new UpstreamError('broken', 'CONTENT_TYPE');
}

async function representation(bytes: Buffer, request: RequestInfo, { parser }: MappingDeps): Promise<HttpResponse> {
  const object = parseExpected(bytes, request);
  // JSON is passed on byte by byte as it was received.
  const body = request.accept.format === 'json' ? bytes : await parser.toYaml(bytes);
  return { code: 200, headers: { 'content-type': request.accept.name, ...etagOf(object) }, body };
}

/** All chunks in order. None is referenced any more once it was taken. */
async function* releasingChunks(chunks: Buffer[], rest: AsyncIterableIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield chunk;
    yield* rest;
  } finally {
    await rest.return?.();
  }
}

/**
 * The object or list in a response; the response of a delete may be a Status.
 * @throws UpstreamError when it is of another kind
 */
function parseExpected(bytes: Buffer, { action, resource }: RequestInfo): JsonRecord {
  const object = parseObject(bytes);
  if (object === undefined) throw new UpstreamError('broken', 'NOT_JSON');
  if (action === 'delete' && object['kind'] === 'Status' && object['status'] === 'Success') return object;
  const list = action === 'list';
  const kind = list ? `${resource.kind}List` : resource.kind;
  const { metadata } = object;
  const hasMetadata = isRecord(metadata) && typeof (metadata['resourceVersion'] ?? '') === 'string';
  const expected = object['kind'] === kind && object['apiVersion'] === apiVersionOf(resource) && hasMetadata;
  if (!expected || (list && !Array.isArray(object['items']))) throw new UpstreamError('broken', 'NOT_THE_OBJECT');
  return object;
}

function etagOf(object: JsonRecord): { etag?: string } {
  const tag = entityTag(asRecord(object['metadata'])['resourceVersion']);
  return tag === undefined ? {} : { etag: tag };
}

/** The error for a code that means the same whatever was requested, and for every code of a read. */
function readErrorFor({ status, retryAfter }: UpstreamResponse): StatusError | UpstreamError {
  if (status === 401 || status === 403) return new StatusError('forbidden', { message: DENIED_MESSAGE });
  if (status === 404) return new StatusError('notFound', { message: 'the API server has no such object' });
  if (status === 429 || status === 503 || status === 504) return overloadedError(retryAfter);
  return new UpstreamError('broken', `HTTP_${status}`);
}

async function errorFor(upstream: UpstreamResponse, request: RequestInfo, rules: FieldRules): Promise<StatusError> {
  const { status } = upstream;
  const broken = readErrorFor(upstream);
  if (broken instanceof StatusError) return broken;
  const clientErrors = CLIENT_ERRORS[request.action] ?? [];
  if (clientErrors.length === 0 || status < 400 || status > 499) throw broken;
  const { chunks, rest } = await readBuffered(upstream.body, MAX_STATUS);
  const body = rest === undefined ? asRecord(parseObject(Buffer.concat(chunks))) : {};
  // The same message as above: the response does not distinguish a policy from a missing permission.
  if (DENIED.test(String(body['message']))) return new StatusError('forbidden', { message: DENIED_MESSAGE });
  if (!clientErrors.includes(status)) throw broken;
  if (status === 413) return new StatusError('tooLarge', { message: 'the object is too large for the API server' });
  if (status === 409) return conflictError(body, request);
  return invalidObjectError(status === 400 ? 400 : 422, body, {
    kind: request.resource.kind,
    object: request.sent === undefined ? {} : parseSent(request.sent),
    rules,
  });
}

/** What was sent is an object: the gateway has written it. */
function parseSent(json: string): JsonObject {
  const object: JsonObject = JSON.parse(json);
  return object;
}

function conflictError(status: JsonRecord, { action, conditional }: RequestInfo): StatusError {
  if (action === 'create') return new StatusError('exists', { message: 'an object of that name exists' });
  if (UID_MISMATCH.test(String(status['message'])))
    return fieldError(
      'conflict',
      'metadata.uid',
      'is not the uid of the object, which was deleted and created again: read it again',
    );
  if (conditional)
    return new StatusError('precondition', { message: 'the object is not at the revision that If-Match names' });
  const exists = status['reason'] === 'AlreadyExists';
  return new StatusError(exists ? 'exists' : 'conflict', {
    message: 'the object has changed since that resourceVersion: read it again',
  });
}

async function readBuffered(body: ResponseBody, limit: number): Promise<Buffered> {
  const whole = body.takeWhole?.();
  if (whole !== undefined) return { chunks: whole };
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const next = await body.next();
    if (next.done === true) return { chunks };
    chunks.push(next.value);
    size += next.value.length;
    if (size > limit) return { chunks, rest: body };
  }
}

function parseObject(bytes: Buffer): JsonRecord | undefined {
  const value = isUtf8(bytes) ? parseJson(bytes.toString('utf8')) : undefined;
  return value === undefined ? undefined : asRecord(value);
}
