import { dump } from 'js-yaml';

import { type Form, JSON_TYPE, negotiate, PROTOBUF_TYPE, wantsPretty, YAML_TYPE } from './negotiate.js';
import { encodeProtobuf } from './protobuf/envelope.js';
import { isObject, type Json } from '../json.js';
import { internalError, StatusError } from '../status.js';
import type { ApiResponse } from '../server.js';

export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** A text as Go's http.Error sends it. */
export function textAnswer(code: number, text: string, headers: Headers = {}): ApiResponse {
  return {
    code,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff', ...headers },
    body: { kind: 'bytes', bytes: Buffer.from(text) },
  };
}

export function unknownPath(): ApiResponse {
  return textAnswer(404, '404 page not found\n');
}

/** A value in the form that was negotiated. Compact JSON stays a value: who asks from within the process takes it as it is. */
export function valueAnswer(code: number, value: Json, form: Form, headers: Headers = {}): ApiResponse {
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

/** With sorted keys, as the real server writes it. */
export function writeYaml(value: Json): string {
  return dump(JSON.parse(JSON.stringify(value)), { sortKeys: true, noRefs: true, lineWidth: 80, seqNoIndent: true });
}

/** The asker's side of an answer: enough to choose its form. */
export interface Asker {
  readonly accept: string | undefined;
  readonly agent: string;
  readonly query: ReadonlyMap<string, string>;
}

/** The form of a plain answer that is no Table; JSON for people where the client accepts nothing that we write. */
export function plainForm(asker: Asker, protobuf = false): Form {
  const form = negotiate(asker.accept, { transforms: false, protobuf });
  if (form === undefined) return { format: 'json', pretty: true, as: undefined };
  return { ...form, pretty: form.pretty || wantsPretty(asker.query, asker.agent) };
}

/** Turns what a handler threw into the Status that the client gets. Anything that is no StatusError is a 500. */
export function failureOf(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  return internalError(error instanceof Error ? error.message : String(error), error);
}

export function failureAnswer(failure: StatusError, asker: Asker, headers: Headers = {}): ApiResponse {
  const wait = failure.details?.retryAfterSeconds;
  const retry: Headers = wait === undefined ? {} : { 'Retry-After': String(wait) };
  return valueAnswer(failure.code, failure.toStatus(), plainForm(asker, true), { ...retry, ...headers });
}
