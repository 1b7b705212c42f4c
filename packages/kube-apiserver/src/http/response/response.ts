import { dump } from 'js-yaml';

import { type Form, JSON_TYPE, negotiate, PROTOBUF_TYPE, wantsPretty, YAML_TYPE } from './negotiate.js';
import { encodeProtobuf } from '../protobuf/envelope.js';
import { isObject, type Json } from '@multicluster-engine/values/json';
import { internalError, StatusError } from '../../status.js';
import type { ApiResponse } from '../../request.js';

export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** A text response as Go's http.Error writes it. */
export function textResponse(code: number, text: string, headers: Headers = {}): ApiResponse {
  return {
    code,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff', ...headers },
    body: { kind: 'bytes', bytes: Buffer.from(text) },
  };
}

export function unknownPath(): ApiResponse {
  return textResponse(404, '404 page not found\n');
}

/**
 * A value in the negotiated form. Compact JSON stays a value, which callers within the process use without decoding.
 */
export function valueResponse(code: number, value: Json, form: Form, headers: Headers = {}): ApiResponse {
  if (form.format === 'protobuf' && isObject(value))
    return {
      code,
      headers: { 'Content-Type': PROTOBUF_TYPE, ...headers },
      body: { kind: 'bytes', bytes: encodeProtobuf(value), value },
    };
  const type = form.format === 'yaml' ? YAML_TYPE : JSON_TYPE;
  const plain = form.format === 'json' && !form.pretty;
  const body = plain
    ? ({ kind: 'value', value } as const)
    : ({ kind: 'bytes', bytes: Buffer.from(writeText(value, form)), value } as const);
  return { code, headers: { 'Content-Type': type, ...headers }, body };
}

function writeText(value: Json, form: Form): string {
  return form.format === 'yaml' ? writeYaml(value) : `${JSON.stringify(value, null, 2)}\n`;
}

/** Sorts the keys, as kube-apiserver does. */
function writeYaml(value: Json): string {
  return dump(JSON.parse(JSON.stringify(value)), { sortKeys: true, noRefs: true, lineWidth: 80, seqNoIndent: true });
}

/** The part of a request that decides the form of its response. */
export interface Requester {
  readonly accept: string | undefined;
  readonly agent: string;
  readonly query: ReadonlyMap<string, string>;
}

/** The form of a plain response, never a Table; indented JSON where the client accepts no supported type. */
export function plainForm(requester: Requester, protobuf = false): Form {
  const form = negotiate(requester.accept, { transforms: false, protobuf });
  if (form === undefined) return { format: 'json', pretty: true, as: undefined };
  return { ...form, pretty: form.pretty || wantsPretty(requester.query, requester.agent) };
}

/** Converts a thrown error to the Status of the response. Anything but a StatusError becomes a 500. */
export function toStatusError(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  return internalError(error instanceof Error ? error.message : String(error), error);
}

export function failureResponse(failure: StatusError, requester: Requester, headers: Headers = {}): ApiResponse {
  const wait = failure.details?.retryAfterSeconds;
  const retry: Headers = wait === undefined ? {} : { 'Retry-After': String(wait) };
  return valueResponse(failure.code, failure.toStatus(), plainForm(requester, true), { ...retry, ...headers });
}
