import { isObject } from '../json.js';
import type { Json, JsonObject } from '../json.js';
import type { KubeObject } from '../object.js';
import { coerced } from '../registry/customresource.js';
import type { Resource } from '../resource.js';
import { goJson, goQuote } from '../schema/gotext.js';
import { prune } from '../schema/prune.js';
import { badRequest } from '../status.js';
import { apiVersionOf } from './metadata.js';
import type { WriteOptions } from './options.js';
import type { Body, Caller } from './verbs.js';

/** Text of why a value is no object of a kind, in the words of Go's decoder. */
export class DecodeFailure extends Error {}

export interface Decoded {
  /** Defaulted, without unknown fields. */
  readonly object: KubeObject;
  /** What strict decoding says besides: `unknown field "spec.a"`. */
  readonly findings: readonly string[];
}

/** The object of a POST or PUT. Throws 400 for what is none; warns of, or refuses, what fieldValidation is about. */
export function decodeObject(resource: Resource, body: Body, { fieldValidation }: WriteOptions, { warn }: Caller): KubeObject {
  const { value } = body;
  const said = isObject(value) ? value : {};
  const kind = typeof said.kind === 'string' && said.kind !== '' ? said.kind : undefined;
  try {
    const { object, findings } = decode(resource, value);
    const all = [...body.duplicates, ...findings];
    if (all.length > 0 && fieldValidation === 'Strict') throw new DecodeFailure(`strict decoding error: ${all.join(', ')}`);
    if (fieldValidation === 'Warn') for (const finding of all) warn(finding);
    checkVersion(resource, said);
    return object;
  } catch (error) {
    if (!(error instanceof DecodeFailure)) throw error;
    if (kind === undefined && resource.custom) throw badRequest(`the object provided is unrecognized (must be of type ${resource.kind}): ${error.message} (${summary(value)})`);
    throw badRequest(`${kind ?? resource.kind} in version ${goQuote(versionOf(said, resource))} cannot be handled as a ${resource.kind}: ${error.message}`);
  }
}

function versionOf({ apiVersion }: JsonObject, resource: Resource): string {
  return typeof apiVersion === 'string' && apiVersion !== '' ? (apiVersion.split('/').at(-1) ?? '') : resource.version;
}

function checkVersion(resource: Resource, { apiVersion }: JsonObject): void {
  const expected = apiVersionOf(resource);
  if (typeof apiVersion !== 'string' || apiVersion === '' || apiVersion === expected) return;
  throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${expected})`);
}

const SUMMARY = 30;

function summary(value: Json): string {
  const text = goJson(value);
  return text.length > SUMMARY ? `${text.slice(0, SUMMARY)} ...` : text;
}

/** Reads a value as an object of a resource. Throws DecodeFailure. */
export function decode(resource: Resource, value: Json): Decoded {
  if (!isObject(value)) throw new DecodeFailure(`json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`);
  return resource.custom ? decodeCustom(resource, value) : decodeBuiltin(resource, value);
}

function decodeCustom(resource: Resource, value: JsonObject): Decoded {
  const { kind, apiVersion } = value;
  if (typeof kind !== 'string' || kind === '') throw new DecodeFailure(`Object 'Kind' is missing in '${goJson(value)}'`);
  if (typeof apiVersion !== 'string' || apiVersion === '') throw new DecodeFailure(`Object 'apiVersion' is missing in '${goJson(value)}'`);
  const metadata = isObject(value.metadata) ? value.metadata : {};
  const object: KubeObject = { ...value, apiVersion, kind, metadata };
  const { unknown } = prune(resource.schema, object, { root: true });
  return { object: resource.strategy.default(coerced(resource.schema, object)), findings: unknown.map(unknownField) };
}

function decodeBuiltin(resource: Resource, value: JsonObject): Decoded {
  const metadata = isObject(value.metadata) ? value.metadata : {};
  const { value: known, unknown } = prune(resource.schema, { ...value, metadata }, { builtin: true });
  const object: KubeObject = { ...(isObject(known) ? known : {}), apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
  return { object: resource.strategy.default(object), findings: unknown.map(unknownField) };
}

function unknownField(path: string): string {
  return `unknown field ${goQuote(path)}`;
}

/** The word that Go's JSON decoder has for a value. */
export function goKind(value: Json): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? 'array' : typeof value;
}
