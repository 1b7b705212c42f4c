import { serverProblem } from '../../runtime/client/serverversion.js';
import { OLDEST_KUBERNETES } from '../../api/names.js';
import { nameList } from '../../domain/conditions.js';
import { otherDefinitions } from './definitions.js';
import type { PreFacts } from './facts.js';
import { checkRights } from './rights.js';
import { failed, passed, unread, warning, type CheckResult } from './result.js';

/** The checks before an installation, in the order of their output. */
export function checkBefore(facts: PreFacts): readonly CheckResult[] {
  return [
    checkServer(facts),
    checkPolicies(facts),
    checkExistingDefinitions(facts),
    checkNamespace(facts),
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
