import { apiVersionOf } from '../../apiversion.js';
import type { Authorizer } from '../../auth/authorizer.js';
import { jsonValue, type Value } from '@multicluster-engine/cel';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { type Resource, subresourceOf } from '../../resource.js';
import type { UserInfo } from '../../user.js';
import { authorizerValue, resourceCheckValue } from './authz.js';
import type { Input } from './evaluate.js';
import type { Matched, MatchedRequest } from './match.js';

/** The request data for policy expressions. */
export interface PolicyRequest {
  readonly seen: MatchedRequest;
  readonly matched: Matched;
  readonly params: KubeObject | undefined;
  /** The object's namespace; undefined for cluster-scoped objects. */
  readonly namespace: KubeObject | undefined;
  readonly authorizer: Authorizer;
}

/** The variables of validations. */
export function policyInput(facts: PolicyRequest): Input {
  const {
    seen: { request, name, namespace },
    matched,
    params,
    authorizer,
  } = facts;
  const subject = { user: request.user, authorizer };
  const { resource } = request;
  return {
    object: valueOf(inVersion(request.object, resource, matched.resource)),
    oldObject: valueOf(inVersion(request.oldObject, resource, matched.resource)),
    request: jsonValue(requestJson(facts)),
    namespaceObject: valueOf(namespaceJson(facts.namespace)),
    params: valueOf(params),
    authorizer: authorizerValue(subject),
    'authorizer.requestResource': resourceCheckValue(subject, {
      group: resource.group,
      resource: resource.plural,
      subresource: request.subresource,
      namespace,
      name,
    }),
  };
}

function valueOf(object: Json | KubeObject | undefined): Value {
  return jsonValue(object ?? null);
}

/** The object converted to another version of its resource. */
function inVersion(object: KubeObject | undefined, from: Resource, to: Resource): KubeObject | undefined {
  if (object === undefined || from === to) return object;
  const stored = from.convert?.toStored(object) ?? object;
  const apiVersion = apiVersionOf(to);
  return { ...(to.convert?.fromStored(stored) ?? stored), apiVersion, kind: to.kind };
}

/** The request as AdmissionRequest in JSON: empty texts are omitted where Go omits them. */
function requestJson({ seen: { request, name, namespace }, matched }: PolicyRequest): JsonObject {
  const { subresource } = request;
  return {
    uid: '',
    kind: kindOf(matched.resource, subresource),
    resource: resourceOf(matched.resource),
    ...filled('subResource', subresource),
    requestKind: kindOf(request.resource, subresource),
    requestResource: resourceOf(request.resource),
    ...filled('requestSubResource', subresource),
    ...filled('name', name),
    ...filled('namespace', namespace),
    operation: request.operation,
    userInfo: userJson(request.user),
    object: null,
    oldObject: null,
    dryRun: request.dryRun,
    options: withoutMeta(request.options),
  };
}

/** Options have no metadata in JSON. */
function withoutMeta({ metadata: _none, ...options }: KubeObject): JsonObject {
  return options;
}

function filled(key: string, text: string): JsonObject {
  return text === '' ? {} : { [key]: text };
}

function kindOf(resource: Resource, subresource: string): JsonObject {
  const found = subresourceOf(resource, subresource);
  return {
    group: found?.group ?? resource.group,
    version: found?.version ?? resource.version,
    kind: found?.kind ?? resource.kind,
  };
}

function resourceOf({ group, version, plural }: Resource): JsonObject {
  return { group, version, resource: plural };
}

function userJson({ name, uid = '', groups, extra = {} }: UserInfo): JsonObject {
  return {
    ...filled('username', name),
    ...filled('uid', uid),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(Object.keys(extra).length === 0
      ? {}
      : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
}

/** Only some fields of a namespace's metadata are available. */
function namespaceJson(namespace: KubeObject | undefined): Json | undefined {
  if (namespace === undefined) return undefined;
  const { ownerReferences: _owners, managedFields: _managers, ...metadata } = namespace.metadata;
  return { metadata, spec: namespace.spec ?? {}, status: namespace.status ?? {} };
}
