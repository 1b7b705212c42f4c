import { isObject, own, type Json } from '@multicluster-engine/values/json';
import { badRequest } from '../../status.js';
import type { Body } from './body.js';
import { readJson } from '@multicluster-engine/values/read/json';
import { MalformedBody } from '@multicluster-engine/values/read/malformed';
import { jsonType } from '@multicluster-engine/values/schema/go/format';
import { goQuote } from '@multicluster-engine/values/text';
import { readYamlBytes } from '@multicluster-engine/values/read/yaml';

/** Characters of a body that an error message quotes. */
const SUMMARY = 30;
export const NO_KIND = "couldn't get version/kind; json parse error: ";
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Parses a request body that holds an object.
 * @param kind the expected kind, quoted in the error.
 * @throws StatusError 400 with the message of the API server's decoder.
 */
export function parseBody(bytes: Uint8Array, mediaType: 'json' | 'yaml', kind: string): Body {
  try {
    const body = readBody(bytes, mediaType);
    checkTypeMeta(body.value);
    return { ...body, bytes, form: mediaType };
  } catch (error) {
    if (!(error instanceof MalformedBody)) throw error;
    const why =
      mediaType === 'json' || error.message.startsWith('json: cannot') ? `${NO_KIND}${error.message}` : error.message;
    throw badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summarize(bytes)})`);
  }
}

/** Checks that the value is null, or an object whose apiVersion and kind are strings, null or absent. */
function checkTypeMeta(value: Json): void {
  if (value === null) return;
  if (!isObject(value))
    throw new MalformedBody(`json: cannot unmarshal ${jsonType(value)} into Go value of type ${TYPE_META}`);
  for (const field of ['apiVersion', 'kind']) {
    const text = own(value, field) ?? null;
    if (text === null || typeof text === 'string') continue;
    throw new MalformedBody(`json: cannot unmarshal ${jsonType(text)} into Go struct field .${field} of type string`);
  }
}

/**
 * Parses a patch or any other body without a kind.
 * @throws MalformedBody with the message of Go's decoder; the caller adds the context.
 */
export function readBody(bytes: Uint8Array, mediaType: 'json' | 'yaml'): Body {
  if (mediaType === 'yaml') return readYamlBytes(bytes);
  const { value, duplicates } = readJson(UTF8.decode(bytes));
  return { value, duplicates: duplicates.map((path) => `duplicate field ${goQuote(path)}`) };
}

/** The beginning of a body for error messages: as text if it looks like JSON, else in hexadecimal. */
export function summarize(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const head = Buffer.from(bytes.subarray(0, SUMMARY)).toString(bytes[0] === 0x7b ? 'utf8' : 'hex');
  return bytes.length > SUMMARY ? `${head} ...` : head;
}
