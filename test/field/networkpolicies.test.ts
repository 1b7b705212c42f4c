/**
 * The API server of some hubs listens on another port than 443 and 6443. Administrators added the port to the NetworkPolicies
 * of the components, and the operator took it away again within seconds.
 * Right: what administrators add to the egress of a NetworkPolicy stays, in every later apply, too; what the product needs is
 * restored; and `check` says that the API server listens on a port that a policy does not allow.
 */
import { describe, expect, it } from '@jest/globals';
import type { KubeObject, RawObject } from '../../src/runtime/vocabulary/meta.js';
import { NetworkPolicies } from '../../src/runtime/vocabulary/kinds.js';
import { checkText } from '../../src/cli/commands/check.js';
import { checkHub } from '../../src/answers/check/hub.js';
import type { ReadNetwork } from '../../src/answers/check/input.js';
import { checkBefore, type PreInput } from '../../src/answers/check/pre.js';
import type { CheckResult } from '../../src/answers/check/result.js';
import { worldOf } from '../../src/answers/world/world.js';
import { NAMESPACE } from '../support/builders/engine.js';
import { hubFacts, preFacts, rawEngine, readingOf } from '../support/builders/hubinput.js';
import { EngineRig } from '../support/rigs/controllers/engine.js';

type Rule = Readonly<Record<string, unknown>>;
type Policy = KubeObject & { readonly spec: { readonly egress: readonly Rule[]; readonly ingress: readonly Rule[] } };

const tcp = (port: number): object => ({ protocol: 'TCP', port });
const OURS = { ports: [tcp(443), tcp(6443)] };
const DNS = { to: [{ namespaceSelector: {} }], ports: [{ protocol: 'UDP', port: 53 }] };
const name = { namespace: NAMESPACE, name: 'gateway' };

async function installed(): Promise<EngineRig> {
  const rig = new EngineRig();
  await rig.install();
  return rig;
}

function policy(rig: EngineRig): Policy {
  const found = rig.api.peek<Policy>(NetworkPolicies, name);
  if (found === undefined) throw new Error('there is no NetworkPolicy');
  return found;
}

/** Edits the egress of the gateway's policy as `kubectl edit` does, and reconciles. Returns the egress and the writes of policies. */
async function edited(rig: EngineRig, egress: readonly Rule[]): Promise<{ egress: readonly Rule[]; writes: number }> {
  const stored = policy(rig);
  rig.api.put<Policy>(NetworkPolicies, { ...stored, spec: { ...stored.spec, egress } });
  const before = rig.api.writes.length;
  await rig.converge();
  const writes = rig.api.writes.slice(before).filter((write) => write.includes('networkpolicies')).length;
  return { egress: policy(rig).spec.egress, writes };
}

describe('the egress of a NetworkPolicy of the components', () => {
  it.each<[string, readonly Rule[]]>([
    ['a port of our rule', [{ ports: [...OURS.ports, tcp(16_443)] }]],
    ['a port at the beginning of our rule', [{ ports: [tcp(16_443), ...OURS.ports] }]],
    ['a rule of its own', [OURS, DNS]],
    ['a rule before ours', [DNS, OURS]],
    ['a rule of ports before ours', [{ ports: [tcp(16_443)] }, OURS]],
    ['a range of ports', [{ ports: [...OURS.ports, { protocol: 'TCP', port: 30_000, endPort: 32_767 }] }]],
  ])('keeps %s that an administrator adds, without a write', async (_, egress) => {
    const result = await edited(await installed(), egress);

    expect(result).toEqual({ egress, writes: 0 });
  });

  it.each<[string, readonly Rule[], readonly Rule[]]>([
    ['a port of ours', [{ ports: [tcp(443), tcp(16_443)] }], [{ ports: [tcp(443), tcp(16_443), tcp(6443)] }]],
    ['our rule', [DNS], [OURS, DNS]],
    ['all', [], [OURS]],
    ['its limits, by a rule that allows everything instead of ours,', [{}], [OURS]],
    ['its limits, by a rule that allows everything beside ours,', [OURS, {}], [OURS]],
    [
      'the addresses of our rule',
      [{ ...OURS, to: [{ ipBlock: { cidr: '192.0.2.1/32' } }] }],
      [OURS, { ...OURS, to: [{ ipBlock: { cidr: '192.0.2.1/32' } }] }],
    ],
  ])('gets %s back that is taken away or narrowed, and keeps the rest', async (_, egress, restored) => {
    const result = await edited(await installed(), egress);

    expect(result).toEqual({ egress: restored, writes: 1 });
  });

  it('keeps an added port when something else is restored, and when the operator is another version', async () => {
    const rig = await installed();
    const added = [{ ports: [...OURS.ports, tcp(16_443)] }];
    await edited(rig, added);
    const stored = policy(rig);
    await rig.clock.advance(600_000);
    rig.api.put<Policy>(NetworkPolicies, { ...stored, spec: { ...stored.spec, ingress: [] } });
    await rig.converge();
    expect(policy(rig).spec).toMatchObject({ egress: added, ingress: [{ ports: [tcp(8443), tcp(8080)] }] });

    const next = new EngineRig({ api: rig.api, clock: rig.clock, settings: { version: '9.9.9' } });
    await next.converge();
    expect(policy(next).spec.egress).toEqual(added);
    expect(policy(next).metadata.labels?.['app.kubernetes.io/version']).toBe('9.9.9');
  });
});

/** The lines of `check` about the network, where the spec of the engine has `networkPolicies`. */
function networkLines(network: ReadNetwork, networkPolicies?: object): readonly string[] {
  const engine = { ...rawEngine(), spec: { networkPolicies } };
  const reading = readingOf(worldOf({ multiclusterengines: [engine] }));
  return linesOf(checkHub(hubFacts({ network, reading })));
}

function linesOf(all: readonly CheckResult[]): readonly string[] {
  const results = all.filter(({ name: check }) => check === 'network');
  return checkText(results, { output: 'text', colored: false, pre: false }).split('\n').filter(Boolean);
}

const known = <T>(value: T): { readonly kind: 'Known'; readonly value: T } => ({ kind: 'Known', value });
const refused = (resource: string, verb: 'get' | 'list', status = 403) =>
  ({ kind: 'Withheld', resource, verb, status }) as const;
const listensOn = (...ports: readonly number[]): RawObject & { readonly ports: readonly object[] } => ({
  metadata: { name: 'kubernetes', namespace: 'default' },
  ports: ports.map((port) => ({ name: 'https', port, protocol: 'TCP' })),
});
const limiting = (egress: readonly Rule[], matchLabels: object = { a: 'gateway' }, ours = true): RawObject => ({
  metadata: {
    name: 'gateway',
    namespace: NAMESPACE,
    labels: ours ? { 'app.kubernetes.io/part-of': 'multicluster-engine' } : {},
  },
  spec: { podSelector: { matchLabels }, policyTypes: ['Ingress', 'Egress'], egress },
});
const ALLOWED = (port: number): readonly string[] => [`✓ NetworkPolicies allow port ${port} of the API server`];

describe('the row of check about the port of the API server', () => {
  it('says with a command that a policy does not allow the port', () => {
    const lines = networkLines({ apiServer: known(listensOn(16_443)), policies: known([limiting([OURS])]) });

    expect(lines).toEqual([
      '! the API server listens on port 16443, which NetworkPolicy multicluster-engine/gateway does not allow (networkPolicy.apiServerPorts of the chart): kubectl patch networkpolicy gateway -n multicluster-engine --type=json -p \'[{"op":"add","path":"/spec/egress/0/ports/-","value":{"protocol":"TCP","port":16443}}]\'',
    ]);
  });

  it.each<[string, readonly RawObject[]]>([
    ['its own port', [limiting([{ ports: [...OURS.ports, tcp(16_443)] }])]],
    ['a range', [limiting([{ ports: [{ port: 16_000, endPort: 17_000 }] }])]],
    ['a rule without ports', [limiting([{}])]],
    ['the address of the API server', [limiting([{ to: [{ ipBlock: { cidr: '192.0.2.1/32' } }] }])]],
    ['another policy for the same pods', [limiting([OURS]), limiting([{ ports: [tcp(16_443)] }], {}, false)]],
  ])('is green where %s allows the port', (_, policies) => {
    expect(networkLines({ apiServer: known(listensOn(16_443)), policies: known(policies) })).toEqual(ALLOWED(16_443));
  });

  it.each<[string, readonly RawObject[]]>([
    ['UDP', [limiting([{ ports: [{ protocol: 'UDP', port: 16_443 }] }])]],
    ['pods alone', [limiting([{ ...DNS, ports: [tcp(16_443)] }])]],
    ['other pods', [limiting([OURS]), limiting([{}], { a: 'other' }, false)]],
  ])('is a warning where the port is allowed for %s', (_, policies) => {
    const lines = networkLines({ apiServer: known(listensOn(16_443)), policies: known(policies) });

    expect(lines).toEqual([expect.stringMatching(/^! the API server listens on port 16443/)]);
  });

  it.each<[string, ReadNetwork, string]>([
    [
      'endpointslices',
      { apiServer: refused('endpointslices', 'get'), policies: known([]) },
      'endpointslices (get: 403)',
    ],
    [
      'networkpolicies',
      { apiServer: known(undefined), policies: refused('networkpolicies', 'list') },
      'networkpolicies (list: 403)',
    ],
  ])('is not known without the right to read %s', (_, input, named) => {
    expect(networkLines(input)).toEqual([
      `? whether NetworkPolicies allow the port of the API server is not known; not readable: ${named}: ClusterRole multicluster-engine-reader grants it: docs/how-to/roles.md`,
    ]);
  });

  it.each<[string, ReadNetwork]>([
    [
      'the cluster publishes no address of its API server',
      { apiServer: known(undefined), policies: known([limiting([OURS])]) },
    ],
    [
      'the server does not have the kind',
      { apiServer: refused('endpointslices', 'get', 404), policies: known([limiting([OURS])]) },
    ],
    [
      'there is no policy of ours',
      { apiServer: known(listensOn(16_443)), policies: known([limiting([OURS], {}, false)]) },
    ],
  ])('is left out where %s', (_, input) => {
    expect(networkLines(input)).toEqual([]);
  });
});

describe('check, where an engine sets the ports of its NetworkPolicies', () => {
  const ofEngine = (...ports: readonly number[]): RawObject => {
    const policyOf = limiting([{ ports: ports.map(tcp) }]);
    const labels = { ...policyOf.metadata.labels, 'multicluster.platform.io/engine': 'engine' };
    return { ...policyOf, metadata: { ...policyOf.metadata, labels } };
  };
  const input = (...ports: readonly number[]): ReadNetwork => ({
    apiServer: known(listensOn(16_443)),
    policies: known([ofEngine(...ports)]),
  });
  const CUT =
    '! the API server listens on port 16443, which NetworkPolicy multicluster-engine/gateway does not allow (spec.networkPolicies.apiServerPorts of MultiClusterEngine engine): ';

  it.each<[string, ReadNetwork, object | undefined, string]>([
    ['none', input(443, 6443), undefined, '443,6443,16443'],
    ['one', input(8443), { apiServerPorts: [8443] }, '8443,16443'],
    ['eight', input(1), { apiServerPorts: [1, 2, 3, 4, 5, 6, 7, 8] }, '1,2,3,4,5,6,7,16443'],
  ])('names the field, with a command that keeps the ports of a spec with %s', (_, network, spec, wanted) => {
    const patch = `{"spec":{"networkPolicies":{"apiServerPorts":[${wanted}]}}}`;

    expect(networkLines(network, spec)).toEqual([`${CUT}kubectl patch mce engine --type=merge -p '${patch}'`]);
  });

  it('is green where the spec names the port', () => {
    expect(networkLines(input(16_443), { apiServerPorts: [16_443] })).toEqual(ALLOWED(16_443));
  });

  it('warns of policies that are off, and compares the others', () => {
    const network = { apiServer: known(listensOn(6443)), policies: known([limiting([OURS])]) };

    expect(networkLines(network, { enabled: false })).toEqual([
      '! MultiClusterEngine engine turns NetworkPolicies off: whatever reaches their pods may connect to the components, and they to any address: kubectl edit mce engine',
      ...ALLOWED(6443),
    ]);
  });

  it.each<[string, Partial<PreInput>, readonly string[]]>([
    [
      'warns of a port that somebody has to name',
      { apiServer: known(listensOn(16_443)) },
      [
        '! the API server listens on port 16443, which NetworkPolicies allow where you name it: networkPolicy.apiServerPorts of the chart, and spec.networkPolicies.apiServerPorts of the engine: docs/security.md#network',
      ],
    ],
    ['has no line for port 443', { apiServer: known(listensOn(443)) }, []],
    ['has no line without an address', {}, []],
    ['has no line where the server does not have the kind', { apiServer: refused('endpointslices', 'get', 404) }, []],
    [
      'says that the address cannot be read',
      { apiServer: refused('endpointslices', 'get') },
      ['? on which port the API server listens is not known; not readable: endpointslices (get: 403)'],
    ],
    [
      'has no line for a port that the engine of an upgrade names',
      {
        apiServer: known(listensOn(16_443)),
        reading: readingOf(
          worldOf({
            multiclusterengines: [{ ...rawEngine(), spec: { networkPolicies: { apiServerPorts: [16_443] } } }],
          }),
        ),
      },
      [],
    ],
  ])('before an installation %s', (_, over, lines) => {
    expect(linesOf(checkBefore(preFacts(over)))).toEqual(lines);
  });
});
