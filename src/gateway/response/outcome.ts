import { isUtf8 } from 'node:buffer';
import type { ResourceType } from '../../api/meta.js';
import { apiVersionOf } from '../../api/resources.js';
import { emptyAnswer, written, type Answer } from './answer.js';
import type { DataObject } from '../object/document.js';
import { objectRefusal } from '../object/findings.js';
import type { MediaType } from '../request/media.js';
import { entityTag } from '../request/precondition.js';
import { isRecord, record, type Unknowns } from '../object/record.js';
import { badField, Refusal } from '../refusal.js';
import type { Action } from '../request/routes.js';
import type { Rulebook } from '../object/rulebook.js';
import { UpstreamFailure, type UpstreamAnswer } from '../upstream/upstream.js';

/** What was asked, as far as the answer depends on it. */
export interface Asked {
  readonly action: Action;
  readonly resource: ResourceType;
  readonly accept: MediaType;
  /** Whether the answer of a write shall hold the object. */
  readonly representation: boolean;
  /** Whether the write depended on `If-Match`. */
  readonly conditional: boolean;
  /** The object that was sent. */
  readonly sent?: DataObject;
}

/** Answers up to this size are read whole and checked before a byte is passed on; larger ones are passed on as they come. */
export const HELD = 1024 * 1024;
/** It may quote a key of the client's, which is as long as a body at most. */
const MAX_STATUS = HELD;
/** How the API server says that the object is another one of the same name. */
const OTHER_UID = /\bPrecondition failed: UID in precondition\b/;
/**
 * How the API server says that a policy or a webhook refuses, whatever the code is that it was given: a policy without a
 * reason answers 422, a webhook without a code 400.
 */
const DENIED = /^(?:\S+(?: "(?:[^"\\]|\\.)*")? is forbidden: |admission webhook "[^"]*" denied the request)/;
const SUCCESS: readonly number[] = [200, 201, 202];
const OF_OBJECTS: readonly number[] = [400, 413, 422];
/** What the API server can find wrong with a write; with an object, only where one was sent. */
const FAULTS: Readonly<Partial<Record<Action, readonly number[]>>> = {
  create: [...OF_OBJECTS, 409],
  update: [...OF_OBJECTS, 409],
  delete: [409],
};

interface Held {
  readonly chunks: Buffer[];
  /** What is left to read; absent: `chunks` are everything. */
  readonly rest?: AsyncGenerator<Buffer>;
}

/**
 * The client's answer to an answer of the API server.
 * @throws Refusal for what is no success, without a word of the API server's own; UpstreamFailure for what is no answer
 */
export async function outcomeOf(answer: UpstreamAnswer, asked: Asked, rules: Rulebook): Promise<Answer> {
  if (!SUCCESS.includes(answer.status)) throw await refusalOf(answer, asked, rules);
  const held = await hold(answer.body, HELD);
  if (!/^application\/json\b/i.test(answer.contentType)) throw new UpstreamFailure('broken', 'CONTENT_TYPE');
  const read = asked.action === 'get' || asked.action === 'list';
  if (read || asked.representation) return representation(held, asked, read);
  if (held.rest !== undefined) {
    for await (const _chunk of held.rest) continue;
    return emptyAnswer(200);
  }
  return emptyAnswer(200, etagOf(objectIn(Buffer.concat(held.chunks), asked)));
}

function representation(held: Held, asked: Asked, read: boolean): Answer {
  const applied = read ? {} : ({ 'preference-applied': 'return=representation' } as const);
  const headers = { ...applied, 'content-type': asked.accept.name };
  if (held.rest !== undefined) {
    // JSON is YAML too, so that a large answer need not be held in order to be written in the other way.
    if (!/^\s*\{/.test(Buffer.concat(held.chunks, 64).toString('latin1')))
      throw new UpstreamFailure('broken', 'NOT_JSON');
    return { code: 200, headers, rest: lettingGo(held.chunks, held.rest) };
  }
  const bytes = Buffer.concat(held.chunks);
  const object = objectIn(bytes, asked);
  return { code: 200, headers: { ...headers, ...etagOf(object) }, body: written(bytes, object, asked.accept.format) };
}

/** In small parts, none of which is held when it has been taken. */
async function* lettingGo(chunks: Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield chunk;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** The object of an answer, which has to be of the kind that was asked for (a delete may be answered with a Status). */
function objectIn(bytes: Buffer, { action, resource }: Asked): Unknowns {
  const object = parsed(bytes);
  if (object === undefined) throw new UpstreamFailure('broken', 'NOT_JSON');
  if (action === 'delete' && object['kind'] === 'Status' && object['status'] === 'Success') return object;
  const list = action === 'list';
  const kind = list ? `${resource.kind}List` : resource.kind;
  const { metadata } = object;
  const whole = isRecord(metadata) && typeof (metadata['resourceVersion'] ?? '') === 'string';
  const fits = object['kind'] === kind && object['apiVersion'] === apiVersionOf(resource) && whole;
  if (!fits || (list && !Array.isArray(object['items']))) throw new UpstreamFailure('broken', 'NOT_THE_OBJECT');
  return object;
}

function etagOf(object: Unknowns): { etag?: string } {
  const tag = entityTag(record(object['metadata'])['resourceVersion']);
  return tag === undefined ? {} : { etag: tag };
}

async function refusalOf(answer: UpstreamAnswer, asked: Asked, rules: Rulebook): Promise<Refusal> {
  const { status } = answer;
  if (status === 401 || status === 403) return new Refusal('forbidden', { message: 'the API server refuses it' });
  if (status === 404) return new Refusal('notFound', { message: 'the API server does not know it' });
  if (status === 429 || status === 503 || status === 504) return new Refusal('unavailable', retry(answer.retryAfter));
  const faults = FAULTS[asked.action] ?? [];
  const broken = new UpstreamFailure('broken', `HTTP_${status}`);
  if (faults.length === 0 || status < 400 || status > 499) throw broken;
  const held = await hold(answer.body, MAX_STATUS);
  const said = held.rest === undefined ? record(parsed(Buffer.concat(held.chunks))) : {};
  if (DENIED.test(String(said['message'])))
    return new Refusal('forbidden', { message: 'a policy of the API server refuses it' });
  if (!faults.includes(status)) throw broken;
  if (status === 413) return new Refusal('tooLarge', { message: 'the API server finds the object too large' });
  if (status === 409) return conflictOf(said, asked);
  return objectRefusal(status === 400 ? 400 : 422, said, {
    kind: asked.resource.kind,
    object: asked.sent ?? {},
    rules,
  });
}

function conflictOf(said: Unknowns, { action, conditional }: Asked): Refusal {
  if (action === 'create') return new Refusal('exists', { message: 'an object of that name exists' });
  if (OTHER_UID.test(String(said['message'])))
    return badField('conflict', 'metadata.uid', 'is not that of the object, which has been made anew: read it again');
  if (conditional)
    return new Refusal('precondition', { message: 'the object is not at the revision that If-Match names' });
  const exists = said['reason'] === 'AlreadyExists';
  return new Refusal(exists ? 'exists' : 'conflict', {
    message: 'the object has changed since that resourceVersion: read it again',
  });
}

function retry(given: string | undefined): { readonly message: string; readonly retryAfterSeconds?: number } {
  const message = 'the API server asks to be left alone';
  return given !== undefined && /^\d{1,9}$/.test(given) ? { message, retryAfterSeconds: Number(given) } : { message };
}

async function hold(body: AsyncGenerator<Buffer>, limit: number): Promise<Held> {
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

function parsed(bytes: Buffer): Unknowns | undefined {
  try {
    return isUtf8(bytes) ? record(JSON.parse(bytes.toString('utf8'))) : undefined;
  } catch {
    return undefined;
  }
}
