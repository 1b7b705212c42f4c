import { asRecord, field, isRecord, type JsonRecord } from '../../runtime/vocabulary/json.js';
import { PART_OF_LABEL, PRODUCT } from '../../api/names.js';
import type { RawObject } from '../../domain/fleet/world.js';
import type { NetworkFacts } from './facts.js';
import { passed, unread, warning, type CheckResult, type Fact, type UnreadFact } from './result.js';

const NAME = 'network';

/**
 * Whether the NetworkPolicies of the product allow the port on which the API server listens. No row where there is nothing to
 * compare: the cluster publishes no address of its API server, or there is no policy of ours.
 */
export function checkNetwork({ apiServer, policies }: NetworkFacts): readonly CheckResult[] {
  for (const fact of [apiServer, policies])
    if (isRefused(fact)) return [unread(NAME, 'whether NetworkPolicies allow the port of the API server', fact)];
  if (apiServer.kind === 'Withheld' || policies.kind === 'Withheld') return [];
  const ports = items(apiServer.value, 'ports').map((one) => Number(one['port']));
  const ours = policies.value.filter((one) => one.metadata.labels?.[PART_OF_LABEL] === PRODUCT && limitsEgress(one));
  if (ports.length === 0 || ours.length === 0) return [];
  const problems = ours.flatMap((policy) => missing(policy, ports, policies.value));
  return problems.length > 0
    ? problems
    : [passed(NAME, `NetworkPolicies allow port ${ports.join(', ')} of the API server`)];
}

/** A server without the kind has none of its objects. */
function isRefused(fact: Fact<unknown>): fact is UnreadFact {
  return fact.kind === 'Withheld' && fact.status !== 404;
}

/** A warning for each port that neither the policy nor another one for its pods allows. */
function missing(policy: RawObject, ports: readonly number[], all: readonly RawObject[]): readonly CheckResult[] {
  const { name, namespace = '' } = policy.metadata;
  const rules = all.filter((one) => appliesWith(one, policy)).flatMap((one) => items(one, 'spec', 'egress'));
  return ports
    .filter((port) => !rules.some((rule) => allows(rule, port)))
    .map((port) => {
      const value = JSON.stringify([{ op: 'add', path: '/spec/egress/0/ports/-', value: { protocol: 'TCP', port } }]);
      return warning(
        NAME,
        `the API server listens on port ${port}, which NetworkPolicy ${namespace}/${name} does not allow`,
        `kubectl patch networkpolicy ${name} -n ${namespace} --type=json -p '${value}'`,
      );
    });
}

/** Whether a policy applies to all pods of `to`: it selects them by some of the same labels. */
function appliesWith(policy: RawObject, to: RawObject): boolean {
  if (policy.metadata.namespace !== to.metadata.namespace || !limitsEgress(policy)) return false;
  const [selector, own] = [policy, to].map((one) => asRecord(field(one.spec, 'podSelector')));
  const labels = asRecord(own?.['matchLabels']);
  const wanted = Object.entries(asRecord(selector?.['matchLabels']));
  return selector?.['matchExpressions'] === undefined && wanted.every(([key, value]) => labels[key] === value);
}

function limitsEgress({ spec }: RawObject): boolean {
  const types = field(spec, 'policyTypes');
  return Array.isArray(types) && types.includes('Egress');
}

/** A rule for pods alone does not allow the API server, which is no pod. */
function allows(rule: JsonRecord, port: number): boolean {
  const to = items(rule, 'to');
  if (to.length > 0 && !to.some(({ ipBlock }) => ipBlock !== undefined)) return false;
  const ports = items(rule, 'ports');
  return ports.length === 0 || ports.some((one) => contains(one, port));
}

function contains(entry: JsonRecord, port: number): boolean {
  const { protocol = 'TCP', port: first, endPort: last = first } = entry;
  return protocol === 'TCP' && (first === undefined || (Number(first) <= port && port <= Number(last)));
}

/** The objects in the list at `path`. */
function items(value: unknown, ...path: readonly string[]): readonly JsonRecord[] {
  const found = path.reduce<unknown>((one, name) => field(one, name), value);
  return Array.isArray(found) ? found.filter(isRecord) : [];
}
