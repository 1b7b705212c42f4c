import {
  AdmissionPolicies,
  AdmissionPolicyBindings,
  ClusterRoleBindings,
  ClusterRoles,
  CustomResourceDefinitions,
  Deployments,
  EndpointSlices,
  Namespaces,
  NetworkPolicies,
  PodDisruptionBudgets,
  RoleBindings,
  Roles,
  SelfSubjectAccessReviews,
  ServiceAccounts,
} from '../../runtime/vocabulary/kinds.js';
import type { ResourceType, RawObject } from '../../runtime/vocabulary/meta.js';
import { OLDEST_KUBERNETES } from '../../api/names.js';
import { nameList } from '../../domain/conditions.js';
import type { AccessAttributes, KubeClient, ReadClient } from '../../runtime/client/client.js';
import { serverProblem } from '../../runtime/client/serverversion.js';
import { readFleetWorld } from '../world/worlds.js';
import { otherDefinitions } from './definitions.js';
import { API_SERVER_SLICE, getOne, listAll, readable, readDefinitions, type InputOptions } from './input.js';
import { checkPorts } from './network.js';
import { failed, passed, unread, warning, type CheckResult, type Read } from './result.js';

/** Checks before an installation: what it needs, and what is there already. */

/** The rights that the caller lacks, such as `create clusterroles`. */
type ReadDenied = Read<readonly string[]>;

/** The kinds of the objects that an installation creates. */
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
  PodDisruptionBudgets,
  NetworkPolicies,
];
/** The rights to make roles with rights that one does not have oneself, and to bind them. */
const GRANTING: readonly AccessAttributes[] = ['escalate', 'bind'].flatMap((verb) =>
  [ClusterRoles, Roles].map((type) => ({ verb, type })),
);

const RIGHTS_REMEDY = 'kubectl auth can-i --list';

/** What the checks before an installation are computed from. */
export type PreInput = Readonly<Awaited<ReturnType<typeof readPreInput>>>;

/** Reads what the checks need, as `readHubInput` does, and the caller's rights. `server`: the version of the API server. */
export async function readPreInput(
  client: ReadClient & Pick<KubeClient, 'allowed'>,
  options: InputOptions,
  server: string,
) {
  const { version, operatorNamespace } = options;
  const [reading, definitions, policies, namespace, apiServer, denied] = await Promise.all([
    readFleetWorld(client, { ...options, resources: ['multiclusterengines'] }),
    readDefinitions(client, options),
    readPolicies(client),
    getOne(client, Namespaces, { name: operatorNamespace }),
    getOne<RawObject>(client, EndpointSlices, API_SERVER_SLICE),
    readDenied(client, operatorNamespace),
  ]);
  return { version, operatorNamespace, server, reading, definitions, policies, namespace, apiServer, denied };
}

/** Whether the API server serves ValidatingAdmissionPolicy v1. */
async function readPolicies(client: ReadClient): Promise<Read<boolean>> {
  const found = await listAll(client, AdmissionPolicies, { metadataOnly: true });
  if (found.kind === 'Known' || found.status === 404) return { kind: 'Known', value: found.kind === 'Known' };
  return found;
}

/** Reads which rights of an installation the caller lacks, by access reviews: POST requests of which nothing is stored. */
function readDenied(client: Pick<KubeClient, 'allowed'>, namespace: string): Promise<ReadDenied> {
  const wanted: readonly AccessAttributes[] = [
    ...INSTALLED.map((type) => ({ verb: 'create', type, ...(type.namespaced ? { namespace } : {}) })),
    ...GRANTING.map((one) => (one.type.namespaced ? { ...one, namespace } : one)),
  ];
  return readable(SelfSubjectAccessReviews, 'create', async () => {
    const allowed = await Promise.all(wanted.map((one) => client.allowed(one)));
    return wanted.filter((_, index) => allowed[index] === false).map(rightText);
  });
}

/**
 * The checks before an installation, in the order of their output. An unknown result has no remedy here: it would be to bind a role
 * that only an installation creates.
 */
export function checkBefore(input: PreInput): readonly CheckResult[] {
  const results = [
    checkServer(input),
    checkPolicies(input),
    checkExistingDefinitions(input),
    checkNamespace(input),
    ...checkPorts(input.apiServer, input.reading.world.objects.multiclusterengines),
    checkExistingEngine(input),
    checkRights(input.denied),
  ];
  return results.map((one) => (one.status === 'Unknown' ? { ...one, remedy: undefined } : one));
}

function checkServer({ server }: PreInput): CheckResult {
  const problem = serverProblem(server, OLDEST_KUBERNETES);
  return problem === undefined ? passed('server', `Kubernetes ${server}`) : failed('server', problem);
}

function checkPolicies({ policies }: PreInput): CheckResult {
  const name = 'policies';
  if (policies.kind === 'Withheld') return unread(name, 'whether ValidatingAdmissionPolicy is served', policies);
  return policies.value
    ? passed(name, 'ValidatingAdmissionPolicy v1 is served')
    : failed(name, 'ValidatingAdmissionPolicy v1 is not served: nothing limits the rights of the operator');
}

function checkExistingDefinitions({ definitions, version }: PreInput): CheckResult {
  const name = 'crds';
  for (const { stored } of definitions)
    if (stored.kind === 'Withheld') return unread(name, 'whether CRDs of another version exist', stored);
  const others = otherDefinitions(definitions);
  if (others.length === 0) return passed(name, 'no CRD of another version exists');
  return warning(
    name,
    `CRDs that version ${version} replaces: ${nameList(others)}`,
    'kubectl diff --server-side -f crds/',
  );
}

function checkNamespace({ namespace, operatorNamespace }: PreInput): CheckResult {
  const name = 'namespace';
  if (namespace.kind === 'Withheld') return unread(name, `whether namespace ${operatorNamespace} exists`, namespace);
  if (namespace.value?.metadata.deletionTimestamp !== undefined)
    return failed(
      name,
      `namespace ${operatorNamespace} is being deleted`,
      `kubectl get namespace ${operatorNamespace}`,
    );
  const state = namespace.value === undefined ? 'will be created' : 'exists';
  return passed(name, `namespace ${operatorNamespace} ${state}`);
}

function checkExistingEngine({ reading }: PreInput): CheckResult {
  const name = 'engine';
  const withheld = reading.world.withheld.find(({ resource }) => resource === 'multiclusterengines');
  if (withheld !== undefined && withheld.status !== 404) return unread(name, 'whether an engine exists', withheld);
  const engines = reading.world.objects.multiclusterengines.map(({ metadata }) => metadata.name);
  if (engines.length === 0) return passed(name, 'no MultiClusterEngine exists');
  return warning(name, `MultiClusterEngine ${nameList(engines)} exists: this is an upgrade`, 'kubectl get mce');
}

function checkRights(denied: ReadDenied): CheckResult {
  if (denied.kind === 'Withheld') return unread('rights', 'whether you may install', denied);
  const granting = GRANTING.map(rightText);
  const missing = denied.value.filter((one) => !granting.includes(one));
  if (missing.length > 0) return failed('rights', `you may not install: not ${missing.join(', ')}`, RIGHTS_REMEDY);
  if (denied.value.length > 0)
    return warning(
      'rights',
      `you may install if you have every right of the roles: you may not ${denied.value.join(', ')}`,
      RIGHTS_REMEDY,
    );
  return passed('rights', 'you may install');
}

function rightText({ verb, type }: AccessAttributes): string {
  return `${verb} ${type.plural}`;
}
