import type { ApiError, FailedCall } from '../errors.js';
import { isRecord, parseJson, type JsonRecord } from '../vocabulary/json.js';
import { malformed } from './apierror.js';

/** A complete response with a 2xx code. */
export interface ApiResponse {
  readonly status: number;
  readonly body: JsonRecord;
}

export interface RawResponse {
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
