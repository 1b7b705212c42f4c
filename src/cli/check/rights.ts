import type { ResourceType } from '../../runtime/vocabulary/meta.js';
import {
  AdmissionPolicies,
  AdmissionPolicyBindings,
  ClusterRoleBindings,
  ClusterRoles,
  CustomResourceDefinitions,
  Deployments,
  Namespaces,
  RoleBindings,
  Roles,
  ServiceAccounts,
} from '../../runtime/vocabulary/kinds.js';
import type { AccessAttributes, KubeClient } from '../../runtime/client/client.js';
import { isFailure } from '../../runtime/errors.js';
import { failed, passed, unread, warning, type CheckResult, type Fact } from './result.js';

/** What an installation creates. */
const INSTALLED: readonly ResourceType[] = [
  CustomResourceDefinitions,
  Namespaces,
  ClusterRoles,
  ClusterRoleBindings,
  AdmissionPolicies,
  AdmissionPolicyBindings,
  ServiceAccounts,
  Roles,
  RoleBindings,
  Deployments,
];
/** Without it, only rights can be granted that one has. */
const ESCALATE: AccessAttributes = { verb: 'escalate', type: ClusterRoles };

const NAME = 'rights';
const REMEDY = 'kubectl auth can-i --list';

/** What the caller may not do, such as `create clusterroles`. */
export type DeniedFact = Fact<readonly string[]>;

/** Asks for the rights of an installation, by access reviews: POST requests, which the API server answers and does not store. */
export async function readDenied(client: Pick<KubeClient, 'allowed'>, namespace: string): Promise<DeniedFact> {
  const wanted: readonly AccessAttributes[] = [
    ...INSTALLED.map((type) => ({ verb: 'create', type, ...(type.namespaced ? { namespace } : {}) })),
    ESCALATE,
  ];
  try {
    const allowed = await Promise.all(wanted.map((one) => client.allowed(one)));
    return { kind: 'Known', value: wanted.filter((_, index) => allowed[index] === false).map(textOf) };
  } catch (error) {
    if (!isFailure(error, 'Forbidden', 'ResourceMissing')) throw error;
    return { kind: 'Withheld', resource: 'selfsubjectaccessreviews', verb: 'create', status: error.status };
  }
}

export function checkRights(denied: DeniedFact): CheckResult {
  if (denied.kind === 'Withheld') return unread(NAME, 'whether you may install', denied);
  const missing = denied.value.filter((one) => one !== textOf(ESCALATE));
  if (missing.length > 0) return failed(NAME, `you may not install: not ${missing.join(', ')}`, REMEDY);
  if (denied.value.length > 0)
    return warning(
      NAME,
      'you may install if you have every right of the roles: you may not escalate clusterroles',
      REMEDY,
    );
  return passed(NAME, 'you may install');
}

function textOf({ verb, type }: AccessAttributes): string {
  return `${verb} ${type.plural}`;
}
