import { describe, expect, it } from '@jest/globals';

import type { MultiClusterEngineSpec } from '../../../../src/api/generated/multiclusterengine.js';
import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';
import { Deployments, NetworkPolicies } from '../../../../src/runtime/vocabulary/kinds.js';
import { API_SERVER_PORTS } from '../../../../src/domain/engine/spec.js';
import { NAMESPACE, templates } from '../../../support/builders/engine.js';
import { allowsEgress } from '../../../support/networkpolicies.js';
import { EngineRig } from '../../../support/rigs/controllers/engine.js';

type Policy = KubeObject & { readonly spec: { readonly egress: readonly object[] } };

const ANNOTATION = 'multicluster.platform.io/api-server-ports';
const COMPONENTS = ['gateway', 'placement-controller'];
const tcp = (port: number): object => ({ protocol: 'TCP', port });
const ports = (...apiServerPorts: readonly number[]): MultiClusterEngineSpec => ({
  networkPolicies: { apiServerPorts: [...apiServerPorts] },
});

function policies(rig: EngineRig): readonly Policy[] {
  return rig.api.all<Policy>(NetworkPolicies);
}

/** The ports of `all` that the pods of every component reach; fails where components differ. */
function reached(rig: EngineRig, ...all: readonly number[]): readonly number[] {
  const [one, ...others] = COMPONENTS.map((component) => {
    const labels = { 'app.kubernetes.io/name': component };
    return all.filter((port) => allowsEgress(policies(rig), { namespace: NAMESPACE, labels, port }));
  });
  for (const other of others) expect(other).toEqual(one);
  return one ?? [];
}

async function installed(spec: MultiClusterEngineSpec = {}): Promise<EngineRig> {
  const rig = new EngineRig();
  await rig.install(spec);
  return rig;
}

async function edited(rig: EngineRig, spec: MultiClusterEngineSpec): Promise<void> {
  rig.edit({}, spec);
  await rig.converge();
}

/** Edits the egress of every policy as `kubectl edit` does, and reconciles. */
async function editEgress(rig: EngineRig, edit: (egress: readonly object[]) => readonly object[]): Promise<void> {
  for (const one of policies(rig))
    rig.api.put<Policy>(NetworkPolicies, { ...one, spec: { ...one.spec, egress: edit(one.spec.egress) } });
  await rig.converge();
}

describe('spec.networkPolicies', () => {
  it('the default ports are those that every template has', () => {
    const egress = Object.values(templates)
      .flat()
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .map((one) => JSON.stringify(one))
      .map((text) => text.includes(JSON.stringify([{ ports: API_SERVER_PORTS.map(tcp) }])));

    // Those of gateway, placement-controller and console.
    expect(egress).toEqual([true, true, true]);
  });

  it('ports that are named replace 443 and 6443, which come back without them', async () => {
    const rig = await installed();
    expect(reached(rig, 443, 6443, 16_443, 80)).toEqual([443, 6443]);
    await edited(rig, ports(16_443, 443));
    expect(reached(rig, 443, 6443, 16_443, 80)).toEqual([443, 16_443]);
    await edited(rig, ports(8443));
    expect(reached(rig, 443, 6443, 8443, 16_443)).toEqual([8443]);
    await edited(rig, {});

    expect(reached(rig, 443, 6443, 8443, 16_443)).toEqual([443, 6443]);
    expect(rig.state()).toBe('Available EngineReady');
  });

  it('ports that are named in another order change nothing', async () => {
    const rig = await installed(ports(443, 16_443));
    const writes = (): number => rig.api.writes.filter((write) => write.includes('networkpolicies')).length;
    const before = writes();
    await edited(rig, ports(16_443, 443));

    expect(writes()).toBe(before);
    expect(before).toBe(COMPONENTS.length);
    expect(policies(rig)[0]?.metadata.annotations).toMatchObject({ [ANNOTATION]: '443,16443' });
  });

  it.each<[string, (egress: readonly object[]) => readonly object[]]>([
    ['a port of the rule', () => [{ ports: [tcp(443), tcp(6443), tcp(4318)] }]],
    ['a rule', (egress) => [...egress, { ports: [tcp(4318)] }]],
    ['a range', (egress) => [...egress, { ports: [{ protocol: 'TCP', port: 4000, endPort: 5000 }] }]],
  ])('keeps %s that an administrator has added, and takes its own ports away', async (_, edit) => {
    const rig = await installed();
    await editEgress(rig, edit);
    await edited(rig, ports(16_443));
    expect(reached(rig, 443, 6443, 4318, 16_443)).toEqual([4318, 16_443]);
    await edited(rig, {});

    expect(reached(rig, 443, 6443, 4318, 16_443)).toEqual([443, 6443, 4318]);
  });

  it('keeps a port that an administrator adds after the spec has taken it away', async () => {
    const rig = await installed(ports(16_443));
    await editEgress(rig, (egress) => [...egress, { ports: [tcp(443)] }]);

    expect(reached(rig, 443, 6443, 16_443)).toEqual([443, 16_443]);
  });

  it('takes a port away also where somebody has changed the rule meanwhile', async () => {
    const rig = await installed(ports(443, 16_443));
    for (const one of policies(rig))
      rig.api.put<Policy>(NetworkPolicies, {
        ...one,
        spec: { ...one.spec, egress: [{ ports: [tcp(443)] }, { ports: [tcp(16_443), tcp(4318)] }] },
      });
    await edited(rig, ports(443));

    expect(reached(rig, 443, 16_443, 4318)).toEqual([443, 4318]);
  });
});

describe('a port list without that of the API server', () => {
  it('cuts the components off, the engine says which field does, and an edit of the engine mends it', async () => {
    const rig = await installed();
    await edited(rig, ports(16_443));
    expect(reached(rig, 6443)).toEqual([]);
    rig.rollOut({ available: 0 });
    await rig.converge();

    expect(rig.state()).toBe('Progressing ComponentsUnavailable');
    expect(rig.message()).toContain('0 of 2 replicas available');
    expect(rig.message()).toMatch(
      /; NetworkPolicies allow the API server at port 16443 alone \(spec\.networkPolicies\.apiServerPorts\)$/,
    );
    await edited(rig, ports(16_443, 6443));
    expect(reached(rig, 6443)).toEqual([6443]);
    rig.rollOut();
    await rig.converge();
    expect(rig.message()).toBe('every component is applied and available');
  });

  it('is not blamed for components that serve, nor where nobody has named ports', async () => {
    const named = await installed(ports(443, 6443));
    named.rollOut({ available: 1 });
    await named.converge();
    const unnamed = await installed();
    unnamed.rollOut({ available: 0 });
    await unnamed.converge();

    for (const rig of [named, unnamed]) expect(rig.message()).not.toContain('apiServerPorts');
    expect(unnamed.message()).toContain('0 of 2 replicas available');
  });
});

describe('NetworkPolicies that are turned off', () => {
  const off: MultiClusterEngineSpec = { networkPolicies: { enabled: false } };

  it('are removed, with an event each, and the engine says what it means', async () => {
    const rig = await installed();
    await edited(rig, off);

    expect(policies(rig)).toEqual([]);
    expect(rig.reasons().filter((reason) => reason === 'ObjectPruned')).toHaveLength(COMPONENTS.length);
    expect(rig.state()).toBe('Available EngineReady');
    expect(rig.message()).toBe(
      'every component is applied and available; NetworkPolicies are off: whatever reaches their pods may connect to the components, and they to any address',
    );
    expect(rig.api.all(Deployments)).toHaveLength(COMPONENTS.length);
  });

  it('come back as new, with the ports of the spec', async () => {
    const rig = await installed({ networkPolicies: { enabled: false, apiServerPorts: [16_443] } });
    expect(reached(rig, 80, 443)).toEqual([80, 443]);
    await edited(rig, ports(16_443));

    expect(reached(rig, 80, 443, 16_443)).toEqual([16_443]);
  });

  it('leave a policy of somebody else, and its name', async () => {
    const rig = new EngineRig();
    const theirs = { metadata: { namespace: NAMESPACE, name: 'gateway' }, spec: { podSelector: {} } };
    rig.api.put<KubeObject>(NetworkPolicies, theirs);
    await rig.install(off);

    expect(policies(rig)).toMatchObject([theirs]);
    expect(rig.state()).toBe('Available EngineReady');
  });
});
