import { isUtf8 } from 'node:buffer';
import type { ResourceType } from '../../api/meta.js';
import { apiVersionOf } from '../../api/resources.js';
import { emptyResponse, encodeObject, type HttpResponse } from './response.js';
import type { JsonObject } from '../object/document.js';
import { invalidObjectError } from './invalidobject.js';
import type { MediaType } from '../request/media.js';
import { entityTag } from '../request/precondition.js';
import { isRecord, asRecord, type UnknownRecord } from '../object/record.js';
import { fieldError, StatusError } from '../statuserror.js';
import type { Action } from '../request/routes.js';
import type { FieldRules } from '../object/fieldrules.js';
import { UpstreamError } from '../upstream/error.js';
import type { UpstreamResponse } from '../upstream/upstream.js';

/** What was asked, as far as the answer depends on it. */
export interface RequestInfo {
  readonly action: Action;
  readonly resource: ResourceType;
  readonly accept: MediaType;
  /** Whether the answer of a write shall hold the object. */
  readonly representation: boolean;
  /** Whether the write depended on `If-Match`. */
  readonly conditional: boolean;
  /** The object that was sent. */
  readonly sent?: JsonObject;
}

/** Answers up to this size are read whole and checked before a byte is passed on; larger ones are passed on as they come. */
export const MAX_BUFFERED = 1024 * 1024;
/** It may quote a key of the client's, which is as long as a body at most. */
const MAX_STATUS = MAX_BUFFERED;
/** How the API server says that the object is another one of the same name. */
const UID_MISMATCH = /\bPrecondition failed: UID in precondition\b/;
/**
 * How the API server says that a policy or a webhook refuses, whatever the code is that it was given: a policy without a
 * reason answers 422, a webhook without a code 400.
 */
const DENIED = /^(?:\S+(?: "(?:[^"\\]|\\.)*")? is forbidden: |admission webhook "[^"]*" denied the request)/;
const SUCCESS: readonly number[] = [200, 201, 202];
const INVALID_OBJECT: readonly number[] = [400, 413, 422];
/** What the API server can find wrong with a write; with an object, only where one was sent. */
const CLIENT_ERRORS: Readonly<Partial<Record<Action, readonly number[]>>> = {
  create: [...INVALID_OBJECT, 409],
  update: [...INVALID_OBJECT, 409],
  delete: [409],
};

interface Buffered {
  readonly chunks: Buffer[];
  /** What is left to read; absent: `chunks` are everything. */
  readonly rest?: AsyncGenerator<Buffer>;
}

/**
 * The client's answer to an answer of the API server.
 * @throws Refusal for what is no success, without a word of the API server's own; UpstreamFailure for what is no answer
 */
export async function mapResponse(
  answer: UpstreamResponse,
  asked: RequestInfo,
  rules: FieldRules,
): Promise<HttpResponse> {
  if (!SUCCESS.includes(answer.status)) throw await errorFor(answer, asked, rules);
  const held = await readBuffered(answer.body, MAX_BUFFERED);
  if (!/^application\/json\b/i.test(answer.contentType)) throw new UpstreamError('broken', 'CONTENT_TYPE');
  const read = asked.action === 'get' || asked.action === 'list';
  if (read || asked.representation) return representation(held, asked, read);
  if (held.rest !== undefined) {
    for await (const _chunk of held.rest) continue;
    return emptyResponse(200);
  }
  return emptyResponse(200, etagOf(objectIn(Buffer.concat(held.chunks), asked)));
}

function representation(held: Buffered, asked: RequestInfo, read: boolean): HttpResponse {
  const applied = read ? {} : ({ 'preference-applied': 'return=representation' } as const);
  const headers = { ...applied, 'content-type': asked.accept.name };
  if (held.rest !== undefined) {
    // JSON is YAML too, so that a large answer need not be held in order to be written in the other way.
    if (!/^\s*\{/.test(Buffer.concat(held.chunks, 64).toString('latin1')))
      throw new UpstreamError('broken', 'NOT_JSON');
    return { code: 200, headers, stream: releasingChunks(held.chunks, held.rest) };
  }
  const bytes = Buffer.concat(held.chunks);
  const object = objectIn(bytes, asked);
  return {
    code: 200,
    headers: { ...headers, ...etagOf(object) },
    body: encodeObject(bytes, object, asked.accept.format),
  };
}

/** In small parts, none of which is held when it has been taken. */
async function* releasingChunks(chunks: Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield chunk;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** The object of an answer, which has to be of the kind that was asked for (a delete may be answered with a Status). */
function objectIn(bytes: Buffer, { action, resource }: RequestInfo): UnknownRecord {
  const object = parseObject(bytes);
  if (object === undefined) throw new UpstreamError('broken', 'NOT_JSON');
  if (action === 'delete' && object['kind'] === 'Status' && object['status'] === 'Success') return object;
  const list = action === 'list';
  const kind = list ? `${resource.kind}List` : resource.kind;
  const { metadata } = object;
  const whole = isRecord(metadata) && typeof (metadata['resourceVersion'] ?? '') === 'string';
  const fits = object['kind'] === kind && object['apiVersion'] === apiVersionOf(resource) && whole;
  if (!fits || (list && !Array.isArray(object['items']))) throw new UpstreamError('broken', 'NOT_THE_OBJECT');
  return object;
}

function etagOf(object: UnknownRecord): { etag?: string } {
  const tag = entityTag(asRecord(object['metadata'])['resourceVersion']);
  return tag === undefined ? {} : { etag: tag };
}

async function errorFor(answer: UpstreamResponse, asked: RequestInfo, rules: FieldRules): Promise<StatusError> {
  const { status } = answer;
  if (status === 401 || status === 403) return new StatusError('forbidden', { message: 'the API server refuses it' });
  if (status === 404) return new StatusError('notFound', { message: 'the API server does not know it' });
  if (status === 429 || status === 503 || status === 504)
    return new StatusError('unavailable', overloadDetail(answer.retryAfter));
  const faults = CLIENT_ERRORS[asked.action] ?? [];
  const broken = new UpstreamError('broken', `HTTP_${status}`);
  if (faults.length === 0 || status < 400 || status > 499) throw broken;
  const held = await readBuffered(answer.body, MAX_STATUS);
  const said = held.rest === undefined ? asRecord(parseObject(Buffer.concat(held.chunks))) : {};
  if (DENIED.test(String(said['message'])))
    return new StatusError('forbidden', { message: 'a policy of the API server refuses it' });
  if (!faults.includes(status)) throw broken;
  if (status === 413) return new StatusError('tooLarge', { message: 'the API server finds the object too large' });
  if (status === 409) return conflictError(said, asked);
  return invalidObjectError(status === 400 ? 400 : 422, said, {
    kind: asked.resource.kind,
    object: asked.sent ?? {},
    rules,
  });
}

function conflictError(said: UnknownRecord, { action, conditional }: RequestInfo): StatusError {
  if (action === 'create') return new StatusError('exists', { message: 'an object of that name exists' });
  if (UID_MISMATCH.test(String(said['message'])))
    return fieldError('conflict', 'metadata.uid', 'is not that of the object, which has been made anew: read it again');
  if (conditional)
    return new StatusError('precondition', { message: 'the object is not at the revision that If-Match names' });
  const exists = said['reason'] === 'AlreadyExists';
  return new StatusError(exists ? 'exists' : 'conflict', {
    message: 'the object has changed since that resourceVersion: read it again',
  });
}

function overloadDetail(given: string | undefined): { readonly message: string; readonly retryAfterSeconds?: number } {
  const message = 'the API server asks to be left alone';
  return given !== undefined && /^\d{1,9}$/.test(given) ? { message, retryAfterSeconds: Number(given) } : { message };
}

async function readBuffered(body: AsyncGenerator<Buffer>, limit: number): Promise<Buffered> {
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

function parseObject(bytes: Buffer): UnknownRecord | undefined {
  try {
    return isUtf8(bytes) ? asRecord(JSON.parse(bytes.toString('utf8'))) : undefined;
  } catch {
    return undefined;
  }
}
