import { apiVersionOf } from '../../apiversion.js';
import { structOf } from '@multicluster-engine/values/schema/builtin';
import { isArray, isObject } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Registry, Resource } from '../../resource.js';
import { compareBytes, goJson, goQuote } from '@multicluster-engine/values/text';
import { summarize } from '../../schema/body/parse.js';
import { readJson } from '@multicluster-engine/values/read/json';
import { restoreProblem } from '../../schema/struct/restore.js';
import { decodeStruct } from '@multicluster-engine/values/schema/struct/decode';
import { badRequest, type StatusError } from '../../status.js';
import { inDecodingOrder, strictMessage } from './strictdecoding.js';
import { TYPE_META, goKind } from '../gotypes.js';
import { withMeta } from '@multicluster-engine/values/object';
import type { WriteOptions } from '../options.js';
import { internalKindProblem, kindProblem, typeMetaOf, versionProblem } from './scheme.js';
import type { Body } from '../../schema/body/body.js';
import type { Caller } from '../verbs.js';

/** Why a value cannot be decoded as a kind, in the words of Go's decoder. */
export class DecodeFailure extends Error {
  /** Whether not even the kind of the value is known. */
  readonly unrecognized: boolean;

  constructor(message: string, unrecognized = false) {
    super(message);
    this.unrecognized = unrecognized;
  }
}

export interface Decoded {
  /** With defaults and without unknown fields. A custom resource has an empty apiVersion where a patch removed it. */
  readonly object: KubeObject;
  /** Further errors of strict decoding: `unknown field "spec.a"`. */
  readonly strictErrors: readonly string[];
}

/** The kind that a value is decoded as, and the other kinds that it could be. */
export interface Expected {
  readonly resource: Resource;
  readonly registry: Registry;
  /** Whether the value comes from a server-side apply, which keeps nulls. */
  readonly applied?: boolean;
  /** Whether it is the result of a strategic merge patch, which is copied into the struct whatever type it names. */
  readonly copied?: boolean;
  /**
   * Whether it is the result of another patch: a value without apiVersion is then decoded as the internal version of
   * the kind.
   */
  readonly patched?: boolean;
  /** Such a result is encoded before it is decoded: the text decides which of several errors comes first. */
  readonly encoded?: (() => string) | undefined;
  /** The text for errors; defaults to the value as JSON. */
  readonly text?: string;
  /** Whether fields are not validated: Go then decodes the type together with the rest, and fails later. */
  readonly lenient?: boolean;
  /** Whether errors do not know the kind: a Scale of a custom resource. */
  readonly hidesKind?: boolean;
}

interface Handling {
  readonly options: WriteOptions;
  readonly caller: Caller;
}

/** Decodes the object of a POST or PUT. Throws 400 where it is invalid; warns or fails according to fieldValidation. */
export function decodeObject(expected: Expected, body: Body, { options, caller }: Handling): KubeObject {
  const { resource } = expected;
  if (body.refusal !== undefined)
    throw expected.hidesKind === true && body.refusal.code === 400 ? unregistered(resource) : body.refusal;
  try {
    const { object, strictErrors } = decode(
      { ...expected, ...readAs(body, options) },
      resource.custom ? body.value : withStrictErrors(body),
    );
    const all = resource.custom
      ? [...body.duplicates, ...strictErrors]
      : inDecodingOrder(body.value, body.duplicates, strictErrors);
    if (all.length > 0 && options.fieldValidation === 'Strict') throw new DecodeFailure(strictMessage(all));
    if (options.fieldValidation === 'Warn') for (const error of all) caller.warn(error);
    checkVersion(resource, body.value);
    return object;
  } catch (error) {
    if (!(error instanceof DecodeFailure)) throw error;
    throw expected.hidesKind === true ? unregistered(resource) : badRequest(handled(resource, body, error));
  }
}

/** Without field validation, YAML is converted to JSON, and JSON is decoded sequentially. */
function readAs({ bytes, form }: Body, { fieldValidation }: WriteOptions): Pick<Expected, 'text' | 'lenient'> {
  const lenient = fieldValidation === 'Ignore';
  if (bytes === undefined || (lenient && form === 'yaml')) return { lenient };
  const text = Buffer.from(bytes).toString();
  return { lenient, text: lenient ? text.trim() : text };
}

function unregistered({ version, kind }: Resource): StatusError {
  return badRequest(`no kind is registered for the type ${version}.${kind} in scheme "pkg/runtime/scheme.go:111"`);
}

/** As Go decodes into a struct: the second value of a repeated field is merged into the first. */
function withStrictErrors({ value, duplicates, bytes, form }: Body): Json {
  return duplicates.length === 0 || bytes === undefined || form !== 'json'
    ? value
    : readJson(Buffer.from(bytes).toString(), { mergeDuplicates: true }).value;
}

function handled(resource: Resource, { value, bytes }: Body, { message, unrecognized }: DecodeFailure): string {
  if (unrecognized)
    return `the object provided is unrecognized (must be of type ${resource.kind}): ${message} (${summarize(bytes ?? Buffer.from(goJson(value)))})`;
  const given = isObject(value) ? value : {};
  const { kind, apiVersion } = typeMetaOf(
    resource.custom && (given.apiVersion ?? '') === '' && (given.kind ?? '') !== ''
      ? { ...given, apiVersion: '/' }
      : given,
    resource,
  );
  return `${kind} in version ${goQuote(apiVersion.split('/').at(-1) ?? '')} cannot be handled as a ${resource.kind}: ${message}`;
}

/** Custom resources must have apiVersion and kind. */
function checkVersion(resource: Resource, value: Json): void {
  const { apiVersion } =
    resource.custom && isObject(value) && (value.apiVersion ?? '') === ''
      ? { apiVersion: '' }
      : typeMetaOf(isObject(value) ? value : {}, resource);
  const expected = apiVersionOf(resource);
  if (apiVersion !== expected)
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
}

/** Decodes a value as an object of a resource. Throws DecodeFailure. */
export function decode(expected: Expected, value: Json): Decoded {
  const { resource } = expected;
  const given = value ?? {};
  if (!isObject(given))
    throw new DecodeFailure(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(given)} into Go value of type ${TYPE_META}`,
      true,
    );
  for (const field of ['apiVersion', 'kind'] as const) {
    if (expected.copied === true) break;
    const text = given[field] ?? '';
    if (typeof text === 'string') continue;
    throw new DecodeFailure(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(text)} into Go struct field .${field} of type string`,
      true,
    );
  }
  const unreadable = expected.copied === true ? undefined : versionProblem(typeMetaOf(given, resource).apiVersion);
  if (unreadable !== undefined) throw new DecodeFailure(unreadable, true);
  if (resource.custom && (given.kind ?? '') === '')
    throw new DecodeFailure(
      `Object 'Kind' is missing in '${expected.text ?? goJson(value)}'`,
      expected.lenient !== true,
    );
  if (resource.custom && given.apiVersion === null)
    throw new DecodeFailure('.apiVersion accessor error: <nil> is of the type <nil>, expected string');
  const { object, strictErrors } =
    resource.decode === undefined ? decodeBuiltin(expected, given) : decodeCustom(expected, resource.decode, given);
  const read =
    resource.custom && expected.patched === true && (given.apiVersion ?? '') === ''
      ? { ...object, apiVersion: '' }
      : object;
  return { object: forgetsManagers(given) ? withMeta(read, { managedFields: [] }) : read, strictErrors };
}

/** An empty managedFields list requests that all are cleared; any other empty list has no meaning. */
function forgetsManagers({ metadata }: JsonObject): boolean {
  return isObject(metadata) && isArray(metadata.managedFields) && metadata.managedFields.length === 0;
}

/** Of an object with another type only the metadata is decoded, because it will be refused. */
function decodeCustom(
  { resource, applied = false }: Expected,
  read: NonNullable<Resource['decode']>,
  value: JsonObject,
): Decoded {
  const decoded = read(value, applied);
  if ('problem' in decoded) throw new DecodeFailure(decoded.problem);
  const { kind, apiVersion } = typeMetaOf(value, resource);
  const other =
    (value.apiVersion ?? '') === '' || kind !== resource.kind || apiVersion.split('/')[0] !== resource.group;
  // Of an unknown version, only the fields that all objects have are known.
  const isKnown = resource.schemaIn?.(apiVersion) !== undefined;
  const fields = other
    ? []
    : isKnown
      ? decoded.unknown
      : Object.keys(value)
          .filter((key) => !COMMON.includes(key))
          .sort(compareBytes);
  // Here kube-apiserver does not quote the path as Go does.
  return {
    object: decoded.object,
    strictErrors: [...decoded.unknownMeta, ...fields].map((path) => `unknown field "${path}"`),
  };
}

const COMMON: readonly string[] = ['apiVersion', 'kind', 'metadata'];

function decodeBuiltin(expected: Expected, value: JsonObject): Decoded {
  const { resource, registry, applied = false, copied = false, patched = false, encoded: written } = expected;
  if (patched && (value.apiVersion ?? '') === '') return decodeInternal(expected, value);
  const mismatch = copied ? undefined : kindProblem(registry, resource, typeMetaOf(value, resource));
  if (mismatch !== undefined)
    throw new DecodeFailure(
      (mismatch.definition === undefined ? undefined : decodeStruct(mismatch.definition, value).problem) ??
        mismatch.reason,
    );
  const definition = structOf(resource.schema);
  if (definition === undefined) throw new Error(`${resource.kind}: its schema is none of a struct`);
  const unfit = applied || copied ? restoreProblem(definition, value) : undefined;
  if (unfit !== undefined) throw new DecodeFailure(unfit);
  const read = decodeStruct(definition, value, { copied: applied || copied });
  const inOrder = written !== undefined && (read.problem !== undefined || read.unknown.length > 1);
  const { value: typed, unknown, problem } = inOrder ? decodeStruct(definition, readJson(written()).value) : read;
  if (problem !== undefined) throw new DecodeFailure(problem);
  const known = isObject(typed) ? typed : {};
  const metadata = isObject(known.metadata) ? known.metadata : {};
  const object: KubeObject = { ...known, apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
  return {
    object: resource.strategy.default(object),
    strictErrors: (copied ? [...unknown].sort(compareBytes) : unknown).map(unknownField),
  };
}

/** The internal version of a kind has no JSON names. */
function decodeInternal({ resource, registry }: Expected, value: JsonObject): Decoded {
  const { kind } = typeMetaOf(value, resource);
  const problem = internalKindProblem(registry, resource, kind);
  if (problem !== undefined) throw new DecodeFailure(problem);
  const unknown = Object.keys(value)
    .filter((key) => key !== 'apiVersion' && key !== 'kind')
    .sort(compareBytes);
  return {
    object: { apiVersion: apiVersionOf(resource), kind, metadata: {} },
    strictErrors: unknown.map(unknownField),
  };
}

function unknownField(path: string): string {
  return `unknown field ${goQuote(path)}`;
}
