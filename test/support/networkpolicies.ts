import { asRecord, field, isRecord, type JsonRecord } from '../../src/runtime/vocabulary/json.js';

/** A connection that a pod opens to an address outside the cluster, such as that of the API server, which is no pod. */
export interface Connection {
  /** Labels of the pod. */
  readonly labels: Readonly<Record<string, string>>;
  readonly namespace: string;
  readonly port: number;
  readonly protocol?: 'TCP' | 'UDP';
}

/**
 * Whether NetworkPolicies allow a connection, by the API reference of networking.k8s.io/v1: a pod that no policy with type Egress
 * selects is not isolated; of one that is isolated, a connection is allowed that a rule of any of its policies allows. No
 * control plane without a network enforces policies, so that tests evaluate them. Addresses are not compared: an ipBlock allows.
 */
export function allowsEgress(policies: readonly object[], connection: Connection): boolean {
  const isolating = policies.filter((policy) => isolates(policy, connection));
  return (
    isolating.length === 0 ||
    isolating.some((policy) => list(policy, 'egress').some((rule) => allows(rule, connection)))
  );
}

function isolates(policy: object, { labels, namespace }: Connection): boolean {
  const types: unknown = field(field(policy, 'spec'), 'policyTypes');
  const selector = asRecord(field(field(policy, 'spec'), 'podSelector'));
  if (selector['matchExpressions'] !== undefined) throw new Error('matchExpressions are not evaluated');
  const matches = Object.entries(asRecord(selector['matchLabels'])).every(([key, value]) => labels[key] === value);
  const hasType = Array.isArray(types) ? types.includes('Egress') : list(policy, 'egress').length > 0;
  return field(field(policy, 'metadata'), 'namespace') === namespace && hasType && matches;
}

function allows(rule: JsonRecord, { port, protocol = 'TCP' }: Connection): boolean {
  const [to, ports] = [rule['to'], rule['ports']].map((one) => (Array.isArray(one) ? one.filter(isRecord) : []));
  const isAddressed = to === undefined || to.length === 0 || to.some((peer) => peer['ipBlock'] !== undefined);
  const isOpen = (one: JsonRecord): boolean => {
    if ((one['protocol'] ?? 'TCP') !== protocol) return false;
    const first = one['port'];
    return first === undefined || (Number(first) <= port && port <= Number(one['endPort'] ?? first));
  };
  return isAddressed && (ports === undefined || ports.length === 0 || ports.some(isOpen));
}

function list(policy: object, name: string): readonly JsonRecord[] {
  const found = field(field(policy, 'spec'), name);
  return Array.isArray(found) ? found.filter(isRecord) : [];
}
