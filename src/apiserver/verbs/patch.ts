import { isObject } from '../json.js';
import type { Json } from '../json.js';
import type { KubeObject } from '../object.js';
import { jsonPatch, jsonPatchFindings } from '../patch/json.js';
import { mergePatch } from '../patch/merge.js';
import { goJson } from '../schema/gotext.js';
import { invalidValue } from '../schema/field.js';
import { badRequest, invalid, methodNotAllowed, notFound, unsupportedMediaType } from '../status.js';
import { change } from './change.js';
import type { Context } from './context.js';
import { DecodeFailure, decode, goKind } from './decoding.js';
import { tracked } from './managers.js';
import { checkName, inNamespace } from './metadata.js';
import { patchOptions } from './options.js';
import type { WriteOptions } from './options.js';
import { allows } from './update.js';
import type { Body, Caller, PatchType, Query, Target, Written } from './verbs.js';

export interface Patch {
  readonly type: PatchType;
  readonly body: Body;
}

interface Patching {
  readonly target: Target;
  readonly patch: Patch;
  readonly options: WriteOptions;
  readonly caller: Caller;
}

/** PATCH in any of its kinds. */
export function patch(context: Context, target: Target, given: Patch, request: { readonly query: Query; readonly caller: Caller }): Promise<Written> {
  const { query, caller } = request;
  const { resource, namespace, name } = target;
  if (!allows(target, 'patch')) throw methodNotAllowed(resource, 'patch');
  if (resource.custom && given.type === 'strategic') throw unsupportedMediaType('the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml');
  const options = patchOptions(query, given.type);
  const patching = { target, patch: given, options, caller };
  return change(context, {
    target, options, caller,
    next(live) {
      const next = patched(context, patching, live);
      const placed = inNamespace(next, resource.namespaced ? namespace : '');
      checkName(placed, name);
      return placed;
    },
    uid: undefined,
    creates: given.type === 'apply' && target.subresource === '',
  });
}

function patched(context: Context, patching: Patching, live: KubeObject | undefined): KubeObject {
  const { target, patch: { type, body }, options, caller } = patching;
  if (live === undefined) throw notFound(target.resource, target.name);
  const value = type === 'json' ? jsonPatch(live, body.value) : merged(live, body.value);
  const found = type === 'json' ? [...body.duplicates.map((one) => `json patch ${one}`), ...jsonPatchFindings(body.value)] : body.duplicates;
  const object = decodePatched(patching, value, found, goJson(value));
  return tracked(context, { target, options, caller }, live, object);
}

function merged(live: KubeObject, patchValue: Json): Json {
  if (!isObject(patchValue)) throw badRequest(`error decoding patch: json: cannot unmarshal ${goKind(patchValue)} into Go value of type map[string]interface {}`);
  return mergePatch(live, patchValue);
}

/** The patched object. 422 for what is none, with all of it in the text; warns of, or refuses, what fieldValidation is about. */
function decodePatched({ target, options, caller }: Patching, value: Json, before: readonly string[], shown: string): KubeObject {
  const refuse = (why: string): Error => invalid({ group: '', kind: '' }, '', [invalidValue('patch', shown, why)]);
  try {
    const { object, findings } = decode(target.resource, value);
    const all = [...before, ...findings];
    if (all.length > 0 && options.fieldValidation === 'Strict') throw refuse(`strict decoding error: ${all.join(', ')}`);
    if (options.fieldValidation === 'Warn') for (const finding of all) caller.warn(finding);
    return object;
  } catch (error) {
    throw error instanceof DecodeFailure ? refuse(error.message) : error;
  }
}
