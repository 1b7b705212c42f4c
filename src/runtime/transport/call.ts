import type { FailedCall, ApiError } from '../errors.js';
import { isRecord, parseJson, type JsonRecord } from '../vocabulary/json.js';
import { malformed } from './apierror.js';

/**
 * Name of a rate limit. Leases have one of their own, so that other calls never delay a renewal; so have Events, and reviews
 * of tokens, which clients of the metrics cause.
 */
export type Bucket = 'default' | 'events' | 'leases' | 'reviews';

/** One call of the Kubernetes API. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute and encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** What errors say about the call. */
  readonly target: FailedCall;
  readonly accept?: string;
  readonly contentType?: string;
  /** JSON text. */
  readonly body?: string;
  /** Whether it may be sent again although the first attempt may have been applied. */
  readonly idempotent: boolean;
  /** At most this many attempts; default 4. */
  readonly attempts?: number;
  /** Its rate limit; default `default`. */
  readonly bucket?: Bucket | undefined;
  /** Longest time for all attempts together, in ms, after the wait for the rate limit; default that of the transport. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Runs immediately before each attempt. An ApiError that it throws ends the call; nothing is sent. */
  readonly beforeAttempt?: (() => void) | undefined;
}

/** The calls to which a Retry-After applies: those with the same method and path. */
export function retryAfterKey(call: Call): string {
  return `${call.method} ${call.path}`;
}

/** A complete response with a 2xx code. */
export interface ApiResponse {
  readonly status: number;
  readonly body: JsonRecord;
}

interface RawResponse {
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** The error for a body of more than `limit` bytes. */
export function tooLong(call: FailedCall, limit: number): ApiError {
  return malformed(call, `longer than ${limit} bytes`);
}

/**
 * Parses a 2xx response, which has to be a JSON object.
 * @throws ApiError Malformed for another content type (an HTML page of a proxy, say) or an incomplete body.
 */
export function parseSuccess(raw: RawResponse, call: FailedCall): ApiResponse {
  if (!isJson(raw.contentType)) throw malformed(call, `content type is not application/json`, raw.status);
  const body = parseJson(raw.bytes.toString('utf8'));
  if (!isRecord(body)) throw malformed(call, 'the body is not a complete JSON object', raw.status);
  return { status: raw.status, body };
}

/** The body of an error response; undefined when it is not JSON. */
export function parseErrorBody(raw: RawResponse): unknown {
  return isJson(raw.contentType) ? parseJson(raw.bytes.toString('utf8')) : undefined;
}

/** A page, or a redirect: the API server sends neither. Its texts, of /readyz and of unknown paths, are plain ones. */
export function isForeign({ status, contentType }: RawResponse): boolean {
  return (
    !isJson(contentType) && ((status >= 300 && status < 400) || /^(text\/html|application\/xhtml)/i.test(contentType))
  );
}

function isJson(contentType: string): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType);
}
