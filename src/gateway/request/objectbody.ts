import { readStrictYaml } from '@multicluster-engine/values/read/strictyaml';
import type { Format } from './media.js';
import { Placements } from '../../api/resources.js';
import { readChangeWindows } from '../../domain/placement/spec/changewindows.js';
import { expressionProblem } from '../../domain/placement/spec/expression.js';
import { parse } from '../../domain/selectors.js';
import { apiVersionOf } from '../../runtime/vocabulary/kinds.js';
import type { ResourceType } from '../../runtime/vocabulary/meta.js';
import { isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import { RefusedText } from '@multicluster-engine/values/read/malformed';
import { formatValue, readStrictJson } from '@multicluster-engine/values/read/strict';
import { metadataErrors } from '@multicluster-engine/values/schema/metadata/fields';
import { isResourceVersion } from './precondition.js';
import { fieldError, fieldErrors, StatusError } from '../statuserror.js';

/** An object whose metadata is one, too. */
export interface BodyObject extends JsonObject {
  readonly metadata: JsonObject;
}

const BYTE_ORDER_MARK = '\u{feff}';

/** What a request does with the object in its body. */
type ObjectAction = 'create' | 'update';

/** The object or collection that the path of a request names. */
export interface Target {
  readonly resource: ResourceType;
  readonly namespace?: string;
  /** Absent for a collection. */
  readonly name?: string;
}

/** What the object in a body has to agree with. A plain value: it is sent to another thread. */
export interface ObjectRequest {
  readonly action: ObjectAction;
  readonly target: Target;
  /** The resourceVersion of `If-Match`; undefined for any. */
  readonly resourceVersion: string | undefined;
  readonly format: Format;
}

/**
 * The object to send to the API server, JSON: the one in the body, checked against the request. Time and memory are
 * proportional to the size of the body.
 * @throws StatusError
 */
export function objectToSend(bytes: Uint8Array, request: ObjectRequest): string {
  return JSON.stringify(checkedObject(bytes, request));
}

function checkedObject(bytes: Uint8Array, { action, target, resourceVersion, format }: ObjectRequest): JsonObject {
  const object = validateTarget(parseBody(bytes, format), target);
  if (action === 'create') validateCreate(object);
  const sent = action === 'create' ? object : withResourceVersion(object, resourceVersion);
  requireSpec(sent, target, action);
  requireExpressions(sent, target);
  requireTimeZones(sent, target);
  return sent;
}

/**
 * Parses a body, which is one document within the limits of StrictBuilder.
 * @throws StatusError `malformed`
 */
export function parseBody(bytes: Uint8Array, format: Format): Json {
  const text = decode(bytes);
  if (text.startsWith(BYTE_ORDER_MARK))
    throw new StatusError('malformed', { message: 'the body must not begin with a byte order mark' });
  try {
    return format === 'json' ? readStrictJson(text) : readStrictYaml(text);
  } catch (error) {
    if (!(error instanceof RefusedText)) throw error;
    const { field, message } = error;
    throw field === undefined ? new StatusError('malformed', { message }) : fieldError('malformed', field, message);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new StatusError('malformed', { message: 'the body is not valid UTF-8' });
  }
}

/**
 * The object to send to the API server: `body`, with a missing kind and apiVersion, and the missing name of a PUT,
 * filled in. Its kind, apiVersion, namespace and name must agree with the path. The API server fills in the namespace.
 * @throws StatusError `malformed` with the field that does not agree
 */
export function validateTarget(body: Json, target: Target): BodyObject {
  const { resource, namespace, name } = target;
  if (!isObject(body)) throw new StatusError('malformed', { message: `the body must be a ${resource.kind} object` });
  requireEqual(body['kind'], 'kind', resource.kind);
  requireEqual(body['apiVersion'], 'apiVersion', apiVersionOf(resource));
  const metadata = body['metadata'];
  if (!isObject(metadata)) throw fieldError('malformed', 'metadata', 'must be an object with a name');
  const errors = metadataErrors(metadata);
  if (errors.length > 0) throw fieldErrors('malformed', errors);
  if (namespace === undefined) requireNoNamespace(metadata['namespace']);
  else requireEqual(metadata['namespace'], 'metadata.namespace', namespace);
  if (name !== undefined) requireEqual(metadata['name'], 'metadata.name', name);
  return withFields(body, {
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: name === undefined ? metadata : withFields(metadata, { name }),
  });
}

/**
 * Checks that an object to be created has no resourceVersion. The other fields of `metadata` that the API server sets
 * (uid, generation, creationTimestamp) are overwritten by it, so that an object which was read can be sent again.
 * @throws StatusError `invalid`
 */
export function validateCreate({ metadata }: BodyObject): void {
  const stated = metadata['resourceVersion'];
  if (stated === undefined || stated === null || stated === '') return;
  throw versionError(`${formatValue(stated)}: must be absent: a new object has no resourceVersion yet`);
}

/**
 * Checks that a Placement has a spec. The API server takes an absent one as a spec without fields, which selects every
 * cluster: who means that sends `spec: {}`. An engine without a spec is the usual one.
 * @throws StatusError `malformed`
 */
function requireSpec({ spec }: JsonObject, { resource }: Target, action: ObjectAction): void {
  if (resource.kind !== Placements.kind || (spec !== undefined && spec !== null)) return;
  const why = action === 'update' ? 'a PUT replaces the whole object; ' : '';
  throw fieldError('malformed', 'spec', `must be present: ${why}{} selects every cluster`);
}

/**
 * Checks that the CEL expressions of a Placement compile, which the API server cannot do.
 * @throws StatusError `invalid`
 */
function requireExpressions({ spec }: JsonObject, { resource }: Target): void {
  const problem = resource.kind === Placements.kind ? expressionProblem(spec) : undefined;
  if (problem !== undefined) throw fieldError('invalid', problem.field, problem.message);
}

/**
 * Checks that the time zones of change windows are known, which the rules of the definition cannot say. Other faults of windows
 * are left to the API server.
 * @throws StatusError `invalid`
 */
function requireTimeZones({ spec }: JsonObject, { resource }: Target): void {
  if (resource.kind !== Placements.kind || !isObject(spec)) return;
  const read = parse(() => readChangeWindows(spec['changeWindows'], 'spec.changeWindows'));
  if (read.ok || !read.problem.field.endsWith('.timeZone')) return;
  throw fieldError('invalid', read.problem.field, read.problem.message);
}

/**
 * The object of a PUT with the resourceVersion that it replaces: that of the body, or that of `If-Match` in a copy.
 * @throws StatusError when both are given and differ, or neither is; when no object can have that of the body
 */
export function withResourceVersion(object: BodyObject, revision: string | undefined): BodyObject {
  const { metadata } = object;
  const stated = metadata['resourceVersion'];
  const absent = stated === undefined || stated === null || stated === '';
  if (revision === undefined) {
    if (absent) throw versionError('must be the resourceVersion that was read, unless If-Match names it');
    if (typeof stated === 'string' && isResourceVersion(stated)) return object;
    throw versionError(`${formatValue(stated)}: must be a resourceVersion that was read: a whole number in quotes`);
  }
  const message = 'metadata.resourceVersion and If-Match name different revisions';
  if (!absent && stated !== revision) throw new StatusError('precondition', { message });
  return withFields(object, { metadata: withFields(metadata, { resourceVersion: revision }) });
}

/** A copy with those fields, without a prototype. */
function withFields<T extends JsonObject>(object: JsonObject, fields: T): JsonObject & T {
  const copy: Record<string, Json> = Object.create(null);
  return Object.assign(copy, object, fields);
}

function versionError(rule: string): StatusError {
  return fieldError('invalid', 'metadata.resourceVersion', rule);
}

function requireEqual(value: Json | undefined, field: string, wanted: string): void {
  if (value === undefined || value === wanted) return;
  throw fieldError('malformed', field, `${formatValue(value)}: must be "${wanted}", as in the path`);
}

/** An empty one is none, as for the API server. */
function requireNoNamespace(value: Json | undefined): void {
  if (value === undefined || value === '') return;
  throw fieldError(
    'malformed',
    'metadata.namespace',
    `${formatValue(value)}: must be absent: the object has no namespace`,
  );
}
