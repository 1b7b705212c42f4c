import type { SigningKey } from '../auth/tokens/jwt.js';
import { strings } from '../auth/rbac/rules.js';
import { ISSUER, issueToken, type TokenContent } from '../auth/tokens/accounttokens.js';
import type { AdmissionRequest } from '../admission/admission.js';
import { textAt } from '@multicluster-engine/values/fields';
import { isObject, type Json, own } from '@multicluster-engine/values/json';
import type { KubeObject, ObjectMeta } from '@multicluster-engine/values/object';
import { resourceOf } from '../registry/builtins/kind.js';
import { tokenRequestDefaults } from '../registry/builtins/review.js';
import type { ObjectReader } from '../registry/reader.js';
import { checkStoredName } from '../registry/storedname.js';
import { badRequest, conflict, invalid, notFound } from '../status.js';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { timestamp } from '@multicluster-engine/values/time';
import { admissionRequest, type Context } from './context.js';
import { decodeObject } from './decoding/decoding.js';
import { tracked } from './ownership.js';
import { createOptions } from './options.js';
import type { Body } from '../schema/body/body.js';
import type { Caller, Query, Target, Written } from './verbs.js';

interface Parts {
  readonly key: SigningKey;
  readonly reader: ObjectReader;
  readonly context: Context;
}

const KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
const ACCOUNTS = { group: '', plural: 'serviceaccounts' };
const LEAST_SECONDS = 600;
const MOST_SECONDS = 2 ** 32;

/** TokenRequest as a resource, for decoding; it is served only as this subresource. */
const REQUESTS = resourceOf({
  ...KIND,
  version: 'v1',
  plural: ACCOUNTS.plural,
  namespaced: true,
  definition: 'io.k8s.api.authentication.v1.TokenRequest',
  defaults: tokenRequestDefaults,
});

/**
 * Answers POST …/serviceaccounts/<name>/token.
 * @throws StatusError where the request is invalid, is not admitted, or names an object that does not exist
 */
export function requestToken(
  parts: Parts,
  target: Target,
  body: Body,
  { query, caller }: { readonly query: Query; readonly caller: Caller },
): Written {
  const { reader, context, key } = parts;
  const { namespace, name } = target;
  const options = createOptions(query);
  const creation = (object: KubeObject): AdmissionRequest =>
    admissionRequest(target, caller, {
      operation: 'CREATE',
      object,
      oldObject: undefined,
      dryRun: options.dryRun,
      options: options.object,
    });
  const read = decodeObject({ resource: REQUESTS, registry: context.registry }, body, { options, caller });
  const request = tracked(context, { target: { ...target, resource: REQUESTS }, options, caller }, undefined, read);
  checkNamespace(request.metadata, namespace);
  context.admission.admit(creation(request), caller.warn);
  checkMeta(request.metadata, name);
  const account = accountOf(reader, target, request.metadata);
  const spec = completed(request['spec']);
  checkSeconds(spec.expirationSeconds);
  const now = context.clock.now();
  const { uid = '' } = account.metadata;
  const metadata = { ...request.metadata, name, namespace, uid, creationTimestamp: timestamp(now) };
  const object: KubeObject = { ...request, metadata, spec };
  context.admission.validate(creation(object), caller.warn);
  const bound = boundTo(reader, spec.boundObjectRef, namespace);
  const token = issueToken(key, context.clock, {
    account,
    audiences: spec.audiences,
    seconds: spec.expirationSeconds,
    ...(bound === undefined ? {} : { bound }),
  });
  const status = { token, expirationTimestamp: timestamp(now + spec.expirationSeconds * 1000) };
  return { code: 201, object: { ...object, status } };
}

/** The ServiceAccount that the token is for. Throws 404 where there is none, 409 where its UID is not the requested one. */
function accountOf(reader: ObjectReader, { namespace, name }: Target, { uid = '' }: ObjectMeta): KubeObject {
  const account = reader.get(ACCOUNTS.plural, namespace, name);
  if (account === undefined) throw notFound(ACCOUNTS, name);
  if (uid !== '' && uid !== account.metadata.uid) {
    throw conflict(
      { group: KIND.group, plural: KIND.kind },
      name,
      `the UID in the token request (${uid}) does not match the UID of the service account (${account.metadata.uid ?? ''})`,
    );
  }
  return account;
}

type Spec = {
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly boundObjectRef: Json;
};

function completed(value: Json | undefined): Spec {
  const spec = isObject(value) ? value : {};
  const audiences = strings(own(spec, 'audiences'));
  const seconds = own(spec, 'expirationSeconds');
  return {
    audiences: audiences.length === 0 ? [ISSUER] : audiences,
    expirationSeconds: typeof seconds === 'number' ? seconds : 0,
    boundObjectRef: own(spec, 'boundObjectRef') ?? null,
  };
}

function checkNamespace({ namespace = '' }: ObjectMeta, expected: string): void {
  if (namespace !== '' && namespace !== expected)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

function checkMeta({ name = '' }: ObjectMeta, expected: string): void {
  if (name !== '' && name !== expected)
    throw invalid(KIND, expected, [wrong('metadata.name', name, 'must match the service account name if specified')]);
}

function checkSeconds(seconds: number): void {
  const errors: FieldError[] = [];
  if (seconds < LEAST_SECONDS)
    errors.push(wrong('spec.expirationSeconds', seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > MOST_SECONDS)
    errors.push(wrong('spec.expirationSeconds', seconds, 'may not specify a duration larger than 2^32 seconds'));
  if (errors.length > 0) throw invalid(KIND, '', errors);
}

function wrong(field: string, value: Json, why: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${JSON.stringify(value)}: ${why}` };
}

/** The object that the token is bound to: a Secret or a Node. Tokens of Pods are not supported. */
function boundTo(reader: ObjectReader, reference: Json, namespace: string): TokenContent['bound'] {
  if (!isObject(reference)) return undefined;
  const [kind, name, uid, apiVersion] = [
    textAt(reference, 'kind'),
    textAt(reference, 'name'),
    textAt(reference, 'uid'),
    textAt(reference, 'apiVersion'),
  ];
  const core = !apiVersion.includes('/');
  const known = !core ? undefined : kind === 'Secret' ? 'secret' : kind === 'Node' ? 'node' : undefined;
  if (core && (kind === 'Pod' || known !== undefined)) checkStoredName(name);
  if (core && kind === 'Pod') {
    if (reader.get('pods', namespace, name) === undefined) throw notFound({ group: '', plural: 'pods' }, name);
    throw badRequest('this server cannot bind a token to a Pod');
  }
  if (known === undefined)
    throw badRequest(`cannot bind token to object of type ${core ? '/' : ''}${apiVersion}, Kind=${kind}`);
  const plural = `${known}s`;
  const object = reader.get(plural, known === 'node' ? '' : namespace, name);
  if (object === undefined) throw notFound({ group: '', plural }, name);
  if (uid !== '' && uid !== object.metadata.uid) {
    throw conflict(
      { group: '', plural: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  return { kind: known, object };
}
