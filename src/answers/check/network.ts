import type { RawObject } from '../../runtime/vocabulary/meta.js';
import { asRecord, field, isRecord, type JsonRecord } from '../../runtime/vocabulary/json.js';
import { ENGINE_LABEL, PART_OF_LABEL, PRODUCT } from '../../api/names.js';
import { API_SERVER_PORTS, MOST_API_SERVER_PORTS, POLICIES_OFF } from '../../domain/engine/spec.js';
import type { ReadNetwork } from './input.js';
import { passed, unread, warning, type CheckResult, type Read, type Unread } from './result.js';

const NAME = 'network';
/** Where the ports of the policies are set that come with the operator. */
const CHART_VALUE = 'networkPolicy.apiServerPorts of the chart';

/**
 * Whether engines turn NetworkPolicies off, and whether those of the product allow the port on which the API server listens. No
 * row where there is nothing to compare: the cluster publishes no address of its API server, or there is no policy of ours.
 */
export function checkNetwork(input: ReadNetwork, engines: readonly RawObject[]): readonly CheckResult[] {
  const off = engines.filter(({ spec }) => field(field(spec, 'networkPolicies'), 'enabled') === false);
  return [
    ...off.map(({ metadata: { name } }) =>
      warning(
        NAME,
        `MultiClusterEngine ${name} turns NetworkPolicies off: ${POLICIES_OFF}`,
        `kubectl edit mce ${name}`,
      ),
    ),
    ...comparePorts(input, engines),
  ];
}

function comparePorts({ apiServer, policies }: ReadNetwork, engines: readonly RawObject[]): readonly CheckResult[] {
  for (const read of [apiServer, policies])
    if (isRefused(read)) return [unread(NAME, 'whether NetworkPolicies allow the port of the API server', read)];
  if (policies.kind === 'Withheld') return [];
  const ports = portsOf(apiServer);
  const ours = policies.value.filter((one) => one.metadata.labels?.[PART_OF_LABEL] === PRODUCT && limitsEgress(one));
  if (ports.length === 0 || ours.length === 0) return [];
  const problems = ours.flatMap((policy) => missing(policy, ports, { policies: policies.value, engines }));
  return problems.length > 0
    ? problems
    : [passed(NAME, `NetworkPolicies allow port ${ports.join(', ')} of the API server`)];
}

/**
 * Before an installation: whether the API server listens on a port that somebody has to name. No row where nobody has to, or
 * where the cluster publishes no address of its API server.
 */
export function checkPorts(
  apiServer: Read<RawObject | undefined>,
  engines: readonly RawObject[],
): readonly CheckResult[] {
  if (isRefused(apiServer)) return [unread(NAME, 'on which port the API server listens', apiServer)];
  const known = [...API_SERVER_PORTS, ...engines.flatMap(namedPorts)];
  const others = portsOf(apiServer).filter((port) => !known.includes(port));
  if (others.length === 0) return [];
  const text = `the API server listens on port ${others.join(', ')}, which NetworkPolicies allow where you name it`;
  return [warning(NAME, `${text}: ${CHART_VALUE}, and ${engineField('the engine')}`, 'docs/security.md#network')];
}

function engineField(engine: string): string {
  return `spec.networkPolicies.apiServerPorts of ${engine}`;
}

/** The ports that the EndpointSlice of the API server has. */
function portsOf(apiServer: Read<RawObject | undefined>): readonly number[] {
  return apiServer.kind === 'Withheld' ? [] : items(apiServer.value, 'ports').map((one) => Number(one['port']));
}

/** The ports that the spec of an engine names; else the defaults. */
function namedPorts({ spec }: RawObject): readonly number[] {
  const named = field(field(spec, 'networkPolicies'), 'apiServerPorts');
  return Array.isArray(named) ? named.map(Number) : API_SERVER_PORTS;
}

/** A server without the kind has none of its objects. */
function isRefused(read: Read<unknown>): read is Unread {
  return read.kind === 'Withheld' && read.status !== 404;
}

interface Others {
  readonly policies: readonly RawObject[];
  readonly engines: readonly RawObject[];
}

/** A warning for each port that neither the policy nor another one for its pods allows. */
function missing(policy: RawObject, ports: readonly number[], { policies, engines }: Others): readonly CheckResult[] {
  const { name, namespace = '', labels } = policy.metadata;
  const rules = policies.filter((one) => appliesWith(one, policy)).flatMap((one) => items(one, 'spec', 'egress'));
  const engine = engines.find(({ metadata }) => metadata.name === labels?.[ENGINE_LABEL]);
  const where = engine === undefined ? CHART_VALUE : engineField(`MultiClusterEngine ${engine.metadata.name}`);
  return ports
    .filter((port) => !rules.some((rule) => allows(rule, port)))
    .map((port) =>
      warning(
        NAME,
        `the API server listens on port ${port}, which NetworkPolicy ${namespace}/${name} does not allow (${where})`,
        engine === undefined ? policyPatch(policy, port) : enginePatch(engine, ports),
      ),
    );
}

/** The command that adds a port to a policy which the operator does not maintain. */
function policyPatch({ metadata: { name, namespace = '' } }: RawObject, port: number): string {
  const value = JSON.stringify([{ op: 'add', path: '/spec/egress/0/ports/-', value: { protocol: 'TCP', port } }]);
  return `kubectl patch networkpolicy ${name} -n ${namespace} --type=json -p '${value}'`;
}

/** The command that adds the ports of the API server to those that an engine names. */
function enginePatch(engine: RawObject, ports: readonly number[]): string {
  const wanted = [...new Set([...ports, ...namedPorts(engine)])].slice(0, MOST_API_SERVER_PORTS);
  const networkPolicies = { apiServerPorts: wanted.sort((a, b) => a - b) };
  return `kubectl patch mce ${engine.metadata.name} --type=merge -p '${JSON.stringify({ spec: { networkPolicies } })}'`;
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
