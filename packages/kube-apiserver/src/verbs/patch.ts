import { apiVersionOf } from '../apiversion.js';
import { structOf } from '@multicluster-engine/values/schema/builtin';
import { isArray, isObject } from '@multicluster-engine/values/json';
import type { Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { structAt, textAt } from '@multicluster-engine/values/fields';
import type { Resource } from '../resource.js';
import { jsonPatch, jsonPatchFindings } from '../patch/json.js';
import { mutatedPatch } from '../patch/mutatedpatch.js';
import { mergePatch, INVALID_MERGE_PATCH } from '../patch/merge.js';
import { patchedText } from '../patch/patchedtext.js';
import { strategicMerge } from '../patch/strategic.js';
import { goFloat, compareBytes } from '@multicluster-engine/values/text';
import { invalidValue } from '@multicluster-engine/values/schema/field';
import {
  badRequest,
  conflict,
  invalid,
  methodNotAllowed,
  notFound,
  unknownError,
  unsupportedMediaType,
} from '../status.js';
import type { StatusError } from '../status.js';
import { change } from './write/change.js';
import type { Context } from './context.js';
import { DecodeFailure, decode } from './decoding/decoding.js';
import { applied, tracked } from './ownership.js';
import type { Write } from './ownership.js';
import { checkName, inNamespace } from './metadata.js';
import { patchOptions } from './options.js';
import { allows } from './update.js';
import type { Body } from '../schema/body/body.js';
import type { Caller, PatchType, Query, Target, Written } from './verbs.js';
import { viewOf } from './view.js';

const CUSTOM_TYPES =
  'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';

export interface Patch {
  readonly type: PatchType;
  readonly body: Body;
}

/** PATCH of any type. Only an apply creates a missing object. */
export function patch(
  context: Context,
  target: Target,
  given: Patch,
  request: { readonly query: Query; readonly caller: Caller },
): Promise<Written> {
  const { query, caller } = request;
  const { resource } = target;
  if (!allows(target, 'patch')) throw methodNotAllowed(resource, 'patch');
  if (resource.custom && given.type === 'strategic') throw unsupportedMediaType(CUSTOM_TYPES);
  const options = patchOptions(query, given.type);
  const write = { target, options, caller };
  return change(context, {
    ...write,
    next: (live) =>
      placed(
        target,
        given.type === 'apply' ? appliedTo(context, write, live, given.body) : patched(context, write, live, given),
        live,
      ),
    uid: undefined,
    creates: given.type === 'apply' && target.subresource === '',
  });
}

/** The resource of the patched object, which may be a view. */
function kindOf(target: Target): Resource {
  return viewOf(target)?.resource ?? target.resource;
}

function placed({ resource, namespace, name }: Target, next: KubeObject, live: KubeObject | undefined): KubeObject {
  const { uid } = next.metadata;
  if (live === undefined && uid !== undefined && uid !== '') {
    throw conflict(
      resource,
      name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  }
  const object = inNamespace(next, resource.namespaced ? namespace : '');
  checkName(object, name);
  return object;
}

/** The result of the apply, decoded as a client's object would be: canonical values, with defaults. */
function appliedTo(context: Context, write: Write, live: KubeObject | undefined, body: Body): KubeObject {
  const resource = kindOf(write.target);
  if (body.refusal !== undefined) throw body.refusal;
  const merged = applied(context, write, live, body.value);
  const object = merged === live ? live : readApplied(context, resource, merged, body.value);
  reportDuplicates(write, body);
  return object;
}

function readApplied({ registry }: Context, resource: Resource, merged: KubeObject, configuration: Json): KubeObject {
  try {
    return decode({ resource, registry, applied: true }, merged).object;
  } catch (error) {
    if (!(error instanceof DecodeFailure)) throw error;
    const sent = isObject(configuration) ? structAt(configuration, 'metadata') : {};
    const version = apiVersionOf(resource);
    const kind = `${version.includes('/') ? version : `/${version}`}, Kind=${resource.kind}`;
    throw unknownError(
      `failed to convert new object (${textAt(sent, 'namespace')}/${textAt(sent, 'name')}; ${kind}) to proper version: unable to convert unstructured object to ${kind}: ${error.message}`,
    );
  }
}

function reportDuplicates({ options: { fieldValidation }, caller }: Write, { duplicates }: Body): void {
  if (duplicates.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Warn') for (const one of duplicates) caller.warn(one);
  else
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n${duplicates.map((one) => `  ${one}`).join('\n')}`,
    );
}

function patched(context: Context, write: Write, live: KubeObject | undefined, { type, body }: Patch): KubeObject {
  const { target } = write;
  if (live === undefined) throw notFound(target.resource, target.name);
  const lenient = write.options.fieldValidation === 'Ignore';
  if (body.refusal !== undefined) throw lenient ? unexplained(type, body.refusal) : body.refusal;
  const value =
    type === 'json'
      ? jsonPatch(live, body.value, {
          lenient,
          text: body.bytes === undefined ? '' : Buffer.from(body.bytes).toString(),
        })
      : type === 'merge'
        ? mergePatch(live, body.value, { lenient })
        : strategicMerge(kindOf(target).schema, live, body.value);
  const duplicates = type === 'json' ? body.duplicates.map((one) => `json patch ${one}`) : body.duplicates;
  const found = type === 'json' ? [...duplicates, ...jsonPatchFindings(body.value)] : duplicates;
  const strategic = type === 'strategic';
  const { schema } = kindOf(target);
  const shown = (): string =>
    strategic
      ? goMap(mutatedPatch(schema, live, body.value))
      : patchedText(structOf(schema), live, value, type === 'merge' ? body.value : undefined);
  const object = decodePatched(context, write, { value, found, shown, strategic });
  return tracked(context, write, live, object);
}

/** Without field validation, the library that applies a patch is the first to parse it. */
function unexplained(type: PatchType, refusal: StatusError): StatusError {
  if (type === 'merge') return badRequest(INVALID_MERGE_PATCH);
  return type === 'json' ? badRequest(refusal.message.replace(/^error decoding patch: /, '')) : refusal;
}

interface Patched {
  readonly value: Json;
  /** The errors of strict decoding of the patch itself. */
  readonly found: readonly string[];
  /** The value that errors show. */
  readonly shown: () => string;
  readonly strategic: boolean;
}

/**
 * The patched object. Throws 422 with the whole object in the text where it is invalid; warns or fails according to
 * fieldValidation.
 */
function decodePatched(
  { registry }: Context,
  { target, options, caller }: Write,
  { value, found, shown, strategic }: Patched,
): KubeObject {
  const refuse = (why: string): Error => invalid({ group: '', kind: '' }, '', [invalidValue('patch', shown(), why)]);
  try {
    const { object, strictErrors } = decode(
      {
        resource: kindOf(target),
        registry,
        copied: strategic,
        patched: !strategic,
        encoded: strategic ? undefined : shown,
      },
      value,
    );
    const all = [...found, ...strictErrors];
    if (all.length > 0 && options.fieldValidation === 'Strict')
      throw refuse(`strict decoding error: ${all.join(', ')}`);
    if (options.fieldValidation === 'Warn') for (const error of all) caller.warn(error);
    return object;
  } catch (error) {
    throw error instanceof DecodeFailure ? refuse(error.message) : error;
  }
}

/** `map[spec:map[foo:1]]`: how Go prints a map. */
function goMap(value: Json | undefined): string {
  if (value === undefined || value === null) return '<nil>';
  if (isArray(value)) return `[${value.map(goMap).join(' ')}]`;
  if (typeof value === 'number') return goFloat(value);
  if (!isObject(value)) return String(value);
  const members = Object.entries(value).sort(([a], [b]) => compareBytes(a, b));
  return `map[${members.map(([key, member]) => `${key}:${goMap(member)}`).join(' ')}]`;
}
