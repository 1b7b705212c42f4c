import type { RawObject } from '../../runtime/vocabulary/meta.js';
import { asRecord, field, isRecord, type JsonRecord } from '../../runtime/vocabulary/json.js';
import { ENGINE_LABEL, PART_OF_LABEL, PRODUCT } from '../../api/names.js';
import { API_SERVER_PORTS, MOST_API_SERVER_PORTS, POLICIES_OFF } from '../../domain/engine/spec.js';
import type { ReadNetwork } from './input.js';
import { passed, unread, warning, type CheckResult, type Read, type Unread } from './result.js';

const NAME = 'network';
/** Where somebody sets the ports of those NetworkPolicies that are installed with the operator. */
const CHART_VALUE = 'networkPolicy.apiServerPorts of the chart';

/**
 * Checks whether engines turn NetworkPolicies off, and whether the NetworkPolicies of the product allow the port of the API server.
 * The second check has no result if the cluster publishes no address of its API server, or if the product has no NetworkPolicy.
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
  const refused = [apiServer, policies].find(isRefused);
  if (refused !== undefined) return [unread(NAME, 'whether NetworkPolicies allow the port of the API server', refused)];
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
 * Before an installation: warns if the API server listens on a port that NetworkPolicies do not allow until somebody sets it. No
 * result otherwise, nor if the cluster publishes no address of its API server.
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

/** The ports in the EndpointSlice of the API server. */
function portsOf(apiServer: Read<RawObject | undefined>): readonly number[] {
  return apiServer.kind === 'Withheld' ? [] : items(apiServer.value, 'ports').map((one) => Number(one['port']));
}

/** The ports that the spec of an engine sets; else the defaults. */
function namedPorts({ spec }: RawObject): readonly number[] {
  const named = field(field(spec, 'networkPolicies'), 'apiServerPorts');
  return Array.isArray(named) ? named.map(Number) : API_SERVER_PORTS;
}

/** Whether the server did not answer the read. A server without the kind has answered: there are no objects of it. */
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

/** The command that adds a port to a policy that no engine manages. */
function policyPatch({ metadata: { name, namespace = '' } }: RawObject, port: number): string {
  const value = JSON.stringify([{ op: 'add', path: '/spec/egress/0/ports/-', value: { protocol: 'TCP', port } }]);
  return `kubectl patch networkpolicy ${name} -n ${namespace} --type=json -p '${value}'`;
}

/** The command that adds the ports of the API server to the spec of an engine. */
function enginePatch(engine: RawObject, ports: readonly number[]): string {
  const wanted = [...new Set([...ports, ...namedPorts(engine)])].slice(0, MOST_API_SERVER_PORTS);
  const networkPolicies = { apiServerPorts: wanted.sort((a, b) => a - b) };
  return `kubectl patch mce ${engine.metadata.name} --type=merge -p '${JSON.stringify({ spec: { networkPolicies } })}'`;
}

/** Whether a policy applies to all pods that `other` selects: each label that it requires, `other` requires too. */
function appliesWith(policy: RawObject, other: RawObject): boolean {
  if (policy.metadata.namespace !== other.metadata.namespace || !limitsEgress(policy)) return false;
  const selector = asRecord(field(policy.spec, 'podSelector'));
  const required = Object.entries(asRecord(selector['matchLabels']));
  const requiredByOther = asRecord(field(field(other.spec, 'podSelector'), 'matchLabels'));
  return selector['matchExpressions'] === undefined && required.every(([key, value]) => requiredByOther[key] === value);
}

function limitsEgress({ spec }: RawObject): boolean {
  const types = field(spec, 'policyTypes');
  return Array.isArray(types) && types.includes('Egress');
}

/** Whether a rule allows the port. A rule whose peers are pods alone does not: the API server is no pod. */
function allows(rule: JsonRecord, port: number): boolean {
  const to = items(rule, 'to');
  if (to.length > 0 && !to.some(({ ipBlock }) => ipBlock !== undefined)) return false;
  const ports = items(rule, 'ports');
  return ports.length === 0 || ports.some((one) => contains(one, port));
}

/** Whether an entry of `ports` contains the port; one without a port contains all. */
function contains(entry: JsonRecord, port: number): boolean {
  const { protocol = 'TCP', port: first, endPort: last = first } = entry;
  return protocol === 'TCP' && (first === undefined || (Number(first) <= port && port <= Number(last)));
}

/** The objects in the list at `path`. */
function items(value: unknown, ...path: readonly string[]): readonly JsonRecord[] {
  const found = path.reduce<unknown>((one, name) => field(one, name), value);
  return Array.isArray(found) ? found.filter(isRecord) : [];
}
