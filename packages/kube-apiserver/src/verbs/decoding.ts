import { apiVersionOf } from '../apiversion.js';
import { structOf } from '../data/schemas.js';
import { isArray, isObject } from '../json.js';
import type { Json, JsonObject } from '../json.js';
import type { KubeObject } from '../object.js';
import type { Registry, Resource } from '../resource.js';
import { compareBytes, goJson, goQuote } from '../schema/go/text.js';
import { summarize } from '../schema/body/parse.js';
import { readJson } from '../schema/body/json.js';
import { restoreProblem } from '../schema/struct/restore.js';
import { decodeStruct } from '../schema/struct/decode.js';
import { badRequest, type StatusError } from '../status.js';
import { inOrderOf, strictText } from './findings.js';
import { TYPE_META, goKind } from './gotypes.js';
import { withMeta } from './metadata.js';
import type { WriteOptions } from './options.js';
import { internalKindProblem, kindProblem, typeMetaOf, versionProblem } from './scheme.js';
import type { Body } from '../schema/body/body.js';
import type { Caller } from './verbs.js';

/** Text of why a value is no object of a kind, in the words of Go's decoder. */
export class DecodeFailure extends Error {
  /** Whether it was not even found out of which kind the value is. */
  readonly unrecognized: boolean;

  constructor(message: string, unrecognized = false) {
    super(message);
    this.unrecognized = unrecognized;
  }
}

export interface Decoded {
  /** Defaulted, without unknown fields. A custom resource that a patch took the apiVersion from has an empty one. */
  readonly object: KubeObject;
  /** What strict decoding says besides: `unknown field "spec.a"`. */
  readonly findings: readonly string[];
}

/** Of which kind to read a value, and which other kinds there are that it could be. */
export interface Expected {
  readonly resource: Resource;
  readonly registry: Registry;
  /** Whether the value came by a server-side apply, which keeps nulls. */
  readonly applied?: boolean;
  /** Whether it is what a strategic merge patch made, which is copied into the struct whatever type it says. */
  readonly copied?: boolean;
  /** Whether it is what another patch made: then a value without apiVersion is read as the server's own form of the kind. */
  readonly patched?: boolean;
  /** What such a patch made is written down before it is read: the text tells which of several faults comes first. */
  readonly written?: (() => string) | undefined;
  /** The text that errors show; the value as JSON where nothing is said. */
  readonly text?: string;
  /** Whether nobody asks what the value holds besides: then Go reads the type along with the rest, and fails later. */
  readonly lenient?: boolean;
  /** Whether the kind is foreign to those who tell of failures: a Scale of a custom resource. */
  readonly foreign?: boolean;
}

interface Handling {
  readonly options: WriteOptions;
  readonly caller: Caller;
}

/** The object of a POST or PUT. Throws 400 for what is none; warns of, or refuses, what fieldValidation is about. */
export function decodeObject(expected: Expected, body: Body, { options, caller }: Handling): KubeObject {
  const { resource } = expected;
  if (body.refusal !== undefined)
    throw expected.foreign === true && body.refusal.code === 400 ? unregistered(resource) : body.refusal;
  try {
    const { object, findings } = decode(
      { ...expected, ...readAs(body, options) },
      resource.custom ? body.value : asRead(body),
    );
    const all = resource.custom ? [...body.duplicates, ...findings] : inOrderOf(body.value, body.duplicates, findings);
    if (all.length > 0 && options.fieldValidation === 'Strict') throw new DecodeFailure(strictText(all));
    if (options.fieldValidation === 'Warn') for (const finding of all) caller.warn(finding);
    checkVersion(resource, body.value);
    return object;
  } catch (error) {
    if (!(error instanceof DecodeFailure)) throw error;
    throw expected.foreign === true ? unregistered(resource) : badRequest(handled(resource, body, error));
  }
}

/** Who asks for nothing besides has YAML turned into JSON, and JSON read from its first sign to its last. */
function readAs({ bytes, form }: Body, { fieldValidation }: WriteOptions): Pick<Expected, 'text' | 'lenient'> {
  const lenient = fieldValidation === 'Ignore';
  if (bytes === undefined || (lenient && form === 'yaml')) return { lenient };
  const text = Buffer.from(bytes).toString();
  return { lenient, text: lenient ? text.trim() : text };
}

function unregistered({ version, kind }: Resource): StatusError {
  return badRequest(`no kind is registered for the type ${version}.${kind} in scheme "pkg/runtime/scheme.go:111"`);
}

/** What Go reads into a struct: of a field that comes twice the second value goes into the first. */
function asRead({ value, duplicates, bytes, form }: Body): Json {
  return duplicates.length === 0 || bytes === undefined || form !== 'json'
    ? value
    : readJson(Buffer.from(bytes).toString(), true).value;
}

function handled(resource: Resource, { value, bytes }: Body, { message, unrecognized }: DecodeFailure): string {
  if (unrecognized)
    return `the object provided is unrecognized (must be of type ${resource.kind}): ${message} (${summarize(bytes ?? Buffer.from(goJson(value)))})`;
  const said = isObject(value) ? value : {};
  const { kind, apiVersion } = typeMetaOf(
    resource.custom && (said.apiVersion ?? '') === '' && (said.kind ?? '') !== '' ? { ...said, apiVersion: '/' } : said,
    resource,
  );
  return `${kind} in version ${goQuote(apiVersion.split('/').at(-1) ?? '')} cannot be handled as a ${resource.kind}: ${message}`;
}

/** Custom resources have to say theirs. */
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

/** Reads a value as an object of a resource. Throws DecodeFailure. */
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
    const said = given[field] ?? '';
    if (typeof said === 'string') continue;
    throw new DecodeFailure(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(said)} into Go struct field .${field} of type string`,
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
  const { object, findings } =
    resource.decode === undefined ? decodeBuiltin(expected, given) : decodeCustom(expected, resource.decode, given);
  const read =
    resource.custom && expected.patched === true && (given.apiVersion ?? '') === ''
      ? { ...object, apiVersion: '' }
      : object;
  return { object: forgetsManagers(given) ? withMeta(read, { managedFields: [] }) : read, findings };
}

/** An empty list of managers says that all are to be forgotten; everywhere else an empty list says nothing. */
function forgetsManagers({ metadata }: JsonObject): boolean {
  return isObject(metadata) && isArray(metadata.managedFields) && metadata.managedFields.length === 0;
}

/** Of an object that says another type only the metadata is looked at: it will be refused for that. */
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
  // Of a version that there is not, nothing is known but what every object has.
  const isKnown = resource.schemaIn?.(apiVersion) !== undefined;
  const fields = other
    ? []
    : isKnown
      ? decoded.unknown
      : Object.keys(value)
          .filter((key) => !COMMON.includes(key))
          .sort(compareBytes);
  // Here the real server does not quote the path as Go does.
  return {
    object: decoded.object,
    findings: [...decoded.unknownMeta, ...fields].map((path) => `unknown field "${path}"`),
  };
}

const COMMON: readonly string[] = ['apiVersion', 'kind', 'metadata'];

function decodeBuiltin(expected: Expected, value: JsonObject): Decoded {
  const { resource, registry, applied = false, copied = false, patched = false, written } = expected;
  if (patched && (value.apiVersion ?? '') === '') return decodeInternal(expected, value);
  const misfit = copied ? undefined : kindProblem(registry, resource, typeMetaOf(value, resource));
  if (misfit !== undefined)
    throw new DecodeFailure(
      (misfit.definition === undefined ? undefined : decodeStruct(misfit.definition, value).problem) ?? misfit.why,
    );
  const definition = structOf(resource.schema);
  if (definition === undefined) throw new Error(`${resource.kind}: its schema is none of a struct`);
  const unfit = applied || copied ? restoreProblem(definition, value) : undefined;
  if (unfit !== undefined) throw new DecodeFailure(unfit);
  const read = decodeStruct(definition, value, applied || copied);
  const inOrder = written !== undefined && (read.problem !== undefined || read.unknown.length > 1);
  const { value: typed, unknown, problem } = inOrder ? decodeStruct(definition, readJson(written()).value) : read;
  if (problem !== undefined) throw new DecodeFailure(problem);
  const known = isObject(typed) ? typed : {};
  const metadata = isObject(known.metadata) ? known.metadata : {};
  const object: KubeObject = { ...known, apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
  return {
    object: resource.strategy.default(object),
    findings: (copied ? [...unknown].sort(compareBytes) : unknown).map(unknownField),
  };
}

/** The server's own form of a kind knows none of the names of JSON. */
function decodeInternal({ resource, registry }: Expected, value: JsonObject): Decoded {
  const { kind } = typeMetaOf(value, resource);
  const problem = internalKindProblem(registry, resource, kind);
  if (problem !== undefined) throw new DecodeFailure(problem);
  const unknown = Object.keys(value)
    .filter((key) => key !== 'apiVersion' && key !== 'kind')
    .sort(compareBytes);
  return { object: { apiVersion: apiVersionOf(resource), kind, metadata: {} }, findings: unknown.map(unknownField) };
}

function unknownField(path: string): string {
  return `unknown field ${goQuote(path)}`;
}
