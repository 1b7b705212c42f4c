import { readApiVersion } from '../../apiversion.js';
import type { Authorizer } from '../../auth/authorizer.js';
import { optionalStructAt, textAt } from '@multicluster-engine/values/fields';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { ObjectReader } from '../../registry/reader.js';
import type { Registry } from '../../resource.js';
import { forbiddenField } from '@multicluster-engine/values/schema/field';
import { invalid } from '../../status.js';
import { MASTERS, type UserInfo } from '../../user.js';
import type { Admission, AdmissionRequest } from '../admission.js';

const GROUP = 'admissionregistration.k8s.io';
const POLICIES = 'validatingadmissionpolicies';
const BINDINGS = 'validatingadmissionpolicybindings';

/** The dependencies of the check. */
interface Dependencies {
  readonly reader: ObjectReader;
  readonly registry: () => Registry;
  readonly authorizer: Authorizer;
}

/** The resource that the writer must be allowed to read; `*`: any. */
interface ParamResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Why the resource cannot be resolved. */
  readonly unresolved?: string;
}

const ALL: ParamResource = { group: '*', version: '*', resource: '*' };

/**
 * Refuses a policy whose params its writer may not read, and a binding to such params, because the policy's messages
 * could reveal them. The refusal is a 422 of `spec.paramKind` or `spec.paramRef`.
 */
export function createParamRights(deps: Dependencies): Admission {
  return {
    validate(request) {
      const { user, resource, subresource, operation, object } = request;
      if (
        resource.group !== GROUP ||
        subresource !== '' ||
        operation === 'DELETE' ||
        object === undefined ||
        user.groups.includes(MASTERS)
      )
        return;
      if (resource.plural === POLICIES) checkPolicy(deps, request, object);
      if (resource.plural === BINDINGS) checkBinding(deps, request, object);
    },
  };
}

function checkPolicy(deps: Dependencies, { user, resource, oldObject }: AdmissionRequest, policy: KubeObject): void {
  const kind = paramKindOf(policy);
  if (kind === undefined) return;
  const [apiVersion, name] = [textAt(kind, 'apiVersion'), textAt(kind, 'kind')];
  const before = oldObject === undefined ? undefined : paramKindOf(oldObject);
  if (before !== undefined && textAt(before, 'apiVersion') === apiVersion && textAt(before, 'kind') === name) return;
  const { group, version, resource: plural } = resolveParamKind(deps, kind);
  const wanted = { user, verb: 'get', group, version, resource: plural, subresource: '', namespace: '*', name: '*' };
  if (deps.authorizer.authorize(wanted).allowed) return;
  const why = `user ${goUser(user)} must have "get" permission on all objects of the referenced paramKind (kind=${name}, apiVersion=${apiVersion})`;
  throw invalid(resource, policy.metadata.name ?? '', [forbiddenField('spec.paramKind', why)]);
}

/** Unlike a policy, a binding is checked on every update: kube-apiserver compares the references by identity. */
function checkBinding(deps: Dependencies, { user, resource }: AdmissionRequest, binding: KubeObject): void {
  const spec = optionalStructAt(binding, 'spec') ?? {};
  const reference = optionalStructAt(spec, 'paramRef');
  if (reference === undefined) return;
  const { unresolved, ...params } = paramResourceOf(deps, textAt(spec, 'policyName'));
  const verb = textAt(reference, 'name') === '' ? 'list' : 'get';
  const wanted = {
    user,
    verb,
    ...params,
    subresource: '',
    namespace: textAt(reference, 'namespace'),
    name: textAt(reference, 'name'),
  };
  if (deps.authorizer.authorize(wanted).allowed) return;
  const why =
    unresolved === undefined
      ? `user ${goUser(user)} does not have "${verb}" permission on the object referenced by paramRef`
      : `unable to ${unresolved} to determine minimum required permissions and user ${goUser(user)} does not have "${verb}" permission for all groups, versions and resources`;
  throw invalid(resource, binding.metadata.name ?? '', [forbiddenField('spec.paramRef', why)]);
}

/** The resource of the paramKind of a binding's policy; any resource when that is unknown. */
function paramResourceOf(deps: Dependencies, policyName: string): ParamResource {
  const policy = deps.reader.get(`${POLICIES}.${GROUP}`, '', policyName);
  if (policy === undefined) return { ...ALL, unresolved: `get policy ${policyName}` };
  const kind = paramKindOf(policy);
  return kind === undefined ? ALL : resolveParamKind(deps, kind);
}

function resolveParamKind({ registry }: Dependencies, kind: JsonObject): ParamResource {
  const { group, version } = readApiVersion(textAt(kind, 'apiVersion'));
  const found = registry().findKind(group, version, textAt(kind, 'kind'));
  if (found !== undefined) return { group, version, resource: found.plural };
  return {
    group,
    version,
    resource: '*',
    unresolved: `resolve paramKind &{${textAt(kind, 'apiVersion')} ${textAt(kind, 'kind')}}`,
  };
}

function paramKindOf(policy: KubeObject): JsonObject | undefined {
  return optionalStructAt(optionalStructAt(policy, 'spec') ?? {}, 'paramKind');
}

/** A user as Go prints the struct. */
function goUser({ name, uid = '', groups, extra = {} }: UserInfo): string {
  const entries = Object.entries(extra)
    .map(([key, values]) => `${key}:[${values.join(' ')}]`)
    .sort();
  return `&{${name} ${uid} [${groups.join(' ')}] map[${entries.join(' ')}]}`;
}
