import {
  AdmissionPolicies,
  AdmissionPolicyBindings,
  ClusterRoleBindings,
  ClusterRoles,
  CustomResourceDefinitions,
  Deployments,
  EndpointSlices,
  Namespaces,
  RoleBindings,
  Roles,
  ServiceAccounts,
} from '../../runtime/vocabulary/kinds.js';
import type { KubeObject, ResourceType } from '../../runtime/vocabulary/meta.js';
import { OLDEST_KUBERNETES } from '../../api/names.js';
import { nameList } from '../../domain/conditions.js';
import type { AccessAttributes, KubeClient, ReadClient } from '../../runtime/client/client.js';
import { serverProblem } from '../../runtime/client/serverversion.js';
import { isFailure } from '../../runtime/errors.js';
import { otherDefinitions } from './definitions.js';
import { API_SERVER_SLICE, getFact, readDefinitions, readReading, type FactOptions, type HubFacts } from './facts.js';
import type { RawObject } from '../../domain/fleet/world.js';
import { checkPorts } from './network.js';
import { failed, passed, unread, warning, type CheckResult, type Fact } from './result.js';

/** What an installation needs. */

/** What the caller may not do, such as `create clusterroles`. */
type DeniedFact = Fact<readonly string[]>;

/** What the checks before an installation are computed from. */
export interface PreFacts extends Pick<HubFacts, 'version' | 'operatorNamespace' | 'definitions' | 'reading'> {
  /** Version of the API server, such as `v1.36.3`. */
  readonly server: string;
  /** False where ValidatingAdmissionPolicy v1 is not served. */
  readonly policies: Fact<boolean>;
  readonly namespace: Fact<KubeObject | undefined>;
  /** The EndpointSlice of the Service `kubernetes`. */
  readonly apiServer: Fact<RawObject | undefined>;
  /** What the caller may not do of an installation. */
  readonly denied: DeniedFact;
}

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

const RIGHTS_REMEDY = 'kubectl auth can-i --list';

/** Reads what an installation needs, as `readHubFacts`, and asks for the caller's rights; `server`: version of the API server. */
export async function readPreFacts(
  client: ReadClient & Pick<KubeClient, 'allowed'>,
  options: FactOptions,
  server: string,
): Promise<PreFacts> {
  const { version, operatorNamespace } = options;
  const [reading, definitions, policies, namespace, apiServer, denied] = await Promise.all([
    readReading(client, options, ['multiclusterengines']),
    readDefinitions(client, options),
    readPolicies(client),
    getFact(client, Namespaces, { name: operatorNamespace }),
    getFact<RawObject>(client, EndpointSlices, API_SERVER_SLICE),
    readDenied(client, operatorNamespace),
  ]);
  return { version, operatorNamespace, server, reading, definitions, policies, namespace, apiServer, denied };
}

async function readPolicies(client: ReadClient): Promise<Fact<boolean>> {
  try {
    await client.list(AdmissionPolicies, undefined, { metadataOnly: true });
    return { kind: 'Known', value: true };
  } catch (error) {
    if (isFailure(error, 'ResourceMissing')) return { kind: 'Known', value: false };
    if (!isFailure(error, 'Forbidden')) throw error;
    return { kind: 'Withheld', resource: AdmissionPolicies.plural, verb: 'list', status: error.status };
  }
}

/** Asks for the rights of an installation, by access reviews: POST requests, which the API server answers and does not store. */
async function readDenied(client: Pick<KubeClient, 'allowed'>, namespace: string): Promise<DeniedFact> {
  const wanted: readonly AccessAttributes[] = [
    ...INSTALLED.map((type) => ({ verb: 'create', type, ...(type.namespaced ? { namespace } : {}) })),
    ESCALATE,
  ];
  try {
    const allowed = await Promise.all(wanted.map((one) => client.allowed(one)));
    return { kind: 'Known', value: wanted.filter((_, index) => allowed[index] === false).map(rightText) };
  } catch (error) {
    if (!isFailure(error, 'Forbidden', 'ResourceMissing')) throw error;
    return { kind: 'Withheld', resource: 'selfsubjectaccessreviews', verb: 'create', status: error.status };
  }
}

/** The checks before an installation, in the order of their output. */
export function checkBefore(facts: PreFacts): readonly CheckResult[] {
  return [
    checkServer(facts),
    checkPolicies(facts),
    checkExistingDefinitions(facts),
    checkNamespace(facts),
    ...checkPorts(facts.apiServer, facts.reading.world.objects.multiclusterengines),
    checkExistingEngine(facts),
    checkRights(facts.denied),
  ];
}

function checkServer({ server }: PreFacts): CheckResult {
  const problem = serverProblem(server, OLDEST_KUBERNETES);
  return problem === undefined ? passed('server', `Kubernetes ${server}`) : failed('server', problem);
}

function checkPolicies({ policies }: PreFacts): CheckResult {
  const name = 'policies';
  if (policies.kind === 'Withheld') return unread(name, 'whether ValidatingAdmissionPolicy is served', policies);
  return policies.value
    ? passed(name, 'ValidatingAdmissionPolicy v1 is served')
    : failed(name, 'ValidatingAdmissionPolicy v1 is not served: nothing limits the rights of the operator');
}

function checkExistingDefinitions({ definitions, version }: PreFacts): CheckResult {
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

function checkNamespace({ namespace, operatorNamespace }: PreFacts): CheckResult {
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

function checkExistingEngine({ reading }: PreFacts): CheckResult {
  const name = 'engine';
  const withheld = reading.world.withheld.find(({ resource }) => resource === 'multiclusterengines');
  if (withheld !== undefined && withheld.status !== 404) return unread(name, 'whether an engine exists', withheld);
  const engines = reading.world.objects.multiclusterengines.map(({ metadata }) => metadata.name);
  if (engines.length === 0) return passed(name, 'no MultiClusterEngine exists');
  return warning(name, `MultiClusterEngine ${nameList(engines)} exists: this is an upgrade`, 'kubectl get mce');
}

function checkRights(denied: DeniedFact): CheckResult {
  if (denied.kind === 'Withheld') return unread('rights', 'whether you may install', denied);
  const missing = denied.value.filter((one) => one !== rightText(ESCALATE));
  if (missing.length > 0) return failed('rights', `you may not install: not ${missing.join(', ')}`, RIGHTS_REMEDY);
  if (denied.value.length > 0)
    return warning(
      'rights',
      'you may install if you have every right of the roles: you may not escalate clusterroles',
      RIGHTS_REMEDY,
    );
  return passed('rights', 'you may install');
}

function rightText({ verb, type }: AccessAttributes): string {
  return `${verb} ${type.plural}`;
}
