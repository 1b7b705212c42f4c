import { isArray, isObject } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { forbiddenField, invalidValue, notSupported, required } from '@multicluster-engine/values/schema/field';
import { managerErrors } from '@multicluster-engine/values/schema/metadata/validate';
import { decodeStruct } from '@multicluster-engine/values/schema/struct/decode';
import { badRequest, invalid, quoted } from '../status.js';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { TYPE_META, goKind } from './gotypes.js';
import type { Body } from '../schema/body/body.js';
import type { PatchType, Query } from './verbs.js';

/** The options of a write. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  readonly force: boolean;
  /** For admission: kind CreateOptions, UpdateOptions or PatchOptions. */
  readonly object: KubeObject;
}

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly propagationPolicy: string | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly gracePeriodSeconds: number | undefined;
  readonly object: KubeObject;
}

const META = 'meta.k8s.io';
const DIRECTIVES = ['', 'Ignore', 'Strict', 'Warn'];
const POLICIES = ['Foreground', 'Background', 'Orphan'];

export function createOptions(query: Query): WriteOptions {
  return writeOptions('CreateOptions', query, []);
}

export function updateOptions(query: Query): WriteOptions {
  return writeOptions('UpdateOptions', query, []);
}

export function patchOptions(query: Query, type: PatchType): WriteOptions {
  if (type === 'apply') {
    const missing = required('fieldManager', 'is required for apply patch');
    return writeOptions('PatchOptions', query, given(query.fieldManager) ? [] : [missing]);
  }
  const forced = forbiddenField('force', 'may not be specified for non-apply patch');
  return writeOptions('PatchOptions', query, query.force === undefined ? [] : [forced]);
}

/** The same options for admission, to which a patch is an update or a create. */
export function renamed(options: WriteOptions, kind: 'CreateOptions' | 'UpdateOptions'): KubeObject {
  if (options.object.kind === kind && options.object['force'] === undefined) return options.object;
  const { force: _force, apiVersion, metadata, ...rest } = options.object;
  return { ...rest, apiVersion, kind, metadata };
}

function writeOptions(kind: string, query: Query, before: readonly FieldError[]): WriteOptions {
  const { fieldManager = '', fieldValidation = '' } = query;
  const dryRun = dryRunOf(query);
  const errors = [...before, ...managerErrors(fieldManager, 'fieldManager'), ...checkDryRun(dryRun)];
  if (!DIRECTIVES.includes(fieldValidation)) errors.push(notSupported('fieldValidation', fieldValidation, DIRECTIVES));
  if (errors.length > 0) throw invalid({ group: META, kind }, '', errors);
  const fields = {
    ...(dryRun.length > 0 ? { dryRun } : {}),
    ...(query.force === undefined ? {} : { force: isTrue(query.force) }),
    ...(fieldManager === '' ? {} : { fieldManager }),
    ...(fieldValidation === '' ? {} : { fieldValidation }),
  };
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === 'Ignore' || fieldValidation === 'Strict' ? fieldValidation : 'Warn',
    force: query.force !== undefined && isTrue(query.force),
    object: { apiVersion: `${META}/v1`, kind, metadata: {}, ...fields },
  };
}

function given(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

/** All given values, empty ones too. */
function dryRunOf({ dryRun = [] }: Query): readonly string[] {
  return typeof dryRun === 'string' ? [dryRun] : dryRun;
}

/** Query parameters are true unless they are `0` or `false`. */
export function isTrue(text: string): boolean {
  return text !== '0' && text.toLowerCase() !== 'false';
}

const LARGEST = 2n ** 63n - 1n;

/** A 64-bit integer, rounded where it is not a safe integer. Throws 400 in the words of strconv.ParseInt. */
export function integer(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${quoted(text)}: invalid syntax`);
  const value = BigInt(text.replace(/^\+/, ''));
  if (value > LARGEST || value < -LARGEST - 1n)
    throw badRequest(`strconv.ParseInt: parsing ${quoted(text)}: value out of range`);
  return Number(value);
}

function checkDryRun(values: readonly string[]): FieldError[] {
  return values.every((value) => value === 'All') ? [] : [notSupported('dryRun', values, ['All'])];
}

/**
 * From the body where there is one, otherwise from the query. Throws 400 for an invalid body, 422 for invalid values.
 */
export function deleteOptions(body: Body | undefined, query: Query): DeleteOptions {
  if (body?.refusal !== undefined) throw body.refusal;
  const read = body === undefined ? fromQuery(query) : fromBody(body.value);
  const { dryRun = [], propagationPolicy, orphanDependents, gracePeriodSeconds } = read;
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    errors.push(
      invalidValue(
        'propagationPolicy',
        propagationPolicy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    );
  }
  if (propagationPolicy !== undefined && !POLICIES.includes(propagationPolicy)) {
    errors.push(notSupported('propagationPolicy', propagationPolicy, [...POLICIES, 'nil']));
  }
  errors.push(...checkDryRun(dryRun));
  if (errors.length > 0) throw invalid({ group: META, kind: 'DeleteOptions' }, '', errors);
  const { uid, resourceVersion } = read.preconditions ?? {};
  const object = { apiVersion: `${META}/v1`, kind: 'DeleteOptions', metadata: {}, ...asJson(read) };
  return {
    dryRun: dryRun.length > 0,
    uid,
    resourceVersion,
    propagationPolicy,
    orphanDependents,
    gracePeriodSeconds,
    object,
  };
}

type Preconditions = { readonly uid?: string; readonly resourceVersion?: string };

interface ReadOptions {
  readonly dryRun?: readonly string[] | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly preconditions?: Preconditions | undefined;
}

function asJson(options: ReadOptions): JsonObject {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function fromQuery(query: Query): ReadOptions {
  const { propagationPolicy, orphanDependents, uid, resourceVersion } = query;
  const dryRun = dryRunOf(query);
  const preconditions = { ...(given(uid) ? { uid } : {}), ...(given(resourceVersion) ? { resourceVersion } : {}) };
  return {
    gracePeriodSeconds: integer(query.gracePeriodSeconds),
    preconditions: Object.keys(preconditions).length === 0 ? undefined : preconditions,
    propagationPolicy,
    orphanDependents: orphanDependents === undefined ? undefined : isTrue(orphanDependents),
    dryRun: dryRun.length > 0 ? dryRun : undefined,
  };
}

const DELETE_OPTIONS = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';

/** Kinds of v1 that every group has, and that are not options. */
const UNVERSIONED: readonly string[] = ['Status', 'APIVersions', 'APIGroup', 'APIGroupList', 'APIResourceList'];

/** The message is that of Go's decoder, without a prefix. */
function fromBody(body: Json): ReadOptions {
  const value = body ?? {};
  if (!isObject(value))
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(value)} into Go value of type ${TYPE_META}`,
    );
  const textOr = (name: 'apiVersion' | 'kind', fallback: string): string => {
    const text = value[name] ?? fallback;
    if (typeof text === 'string') return text;
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(text)} into Go struct field .${name} of type string`,
    );
  };
  const version = textOr('apiVersion', 'meta.k8s.io/v1');
  const kind = textOr('kind', '');
  if (version.split('/').length > 2) throw badRequest(`unexpected GroupVersion string: ${version}`);
  if (version === 'v1' && UNVERSIONED.includes(kind))
    throw badRequest(`converting (v1.${kind}) to (v1.DeleteOptions): unknown conversion`);
  if (kind !== '' && kind !== 'DeleteOptions')
    throw badRequest(
      `no kind ${quoted(kind)} is registered for version ${quoted(version)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  const { value: read, problem } = decodeStruct(DELETE_OPTIONS, value);
  if (problem !== undefined) throw badRequest(problem);
  return readOptions(isObject(read) ? read : {});
}

/** For values whose types were checked. */
function readOptions({
  gracePeriodSeconds,
  preconditions,
  orphanDependents,
  propagationPolicy,
  dryRun,
}: JsonObject): ReadOptions {
  const { uid, resourceVersion } = isObject(preconditions) ? preconditions : {};
  return {
    gracePeriodSeconds: typeof gracePeriodSeconds === 'number' ? gracePeriodSeconds : undefined,
    preconditions: isObject(preconditions)
      ? {
          ...(typeof uid === 'string' ? { uid } : {}),
          ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
        }
      : undefined,
    orphanDependents: typeof orphanDependents === 'boolean' ? orphanDependents : undefined,
    propagationPolicy: typeof propagationPolicy === 'string' ? propagationPolicy : undefined,
    dryRun: isArray(dryRun) ? dryRun.filter((one) => typeof one === 'string') : undefined,
  };
}
