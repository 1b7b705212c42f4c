import { CLUSTER_SET_LABEL } from '../../../src/api/names.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  MultiClusterEngines,
  PlacementDecisions,
  Placements,
} from '../../../src/api/resources.js';
import { objectPath } from '../../../src/runtime/client/path.js';
import { asRecord, field, textField, type JsonRecord } from '../../../src/runtime/vocabulary/json.js';
import { ConfigMaps, Secrets } from '../../../src/runtime/vocabulary/kinds.js';
import type { KubeObject, ObjectName, ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import { typeOf } from '../../support/builders/typeof.js';
import { readObjects, TEAM } from '../hub/base.js';
import type { Hands } from '../hub/hands.js';
import type { Scenario } from '../scenario.js';
import { authority, HOME, manifest, scenario } from '../scenarios/engine/words.js';
import { fleet } from '../scenarios/fleet.js';

/** What is written: one part of one object, good at first. */
export interface Subject {
  readonly name: string;
  readonly type: ResourceType;
  readonly object: ObjectName;
  readonly part: 'spec' | 'status';
  /** Of its part; absent: what the product has written there, which is its own. */
  readonly good?: JsonRecord;
  /** On which hub. */
  readonly hub: Omit<Scenario, 'name' | 'steps'>;
}

const GOOD = new Map(
  readObjects('test/faults/specs/good.yaml').map((one) => [
    textField(field(one['metadata'], 'annotations'), 'subject'),
    one,
  ]),
);
const partOf = (name: string, part: string): JsonRecord => asRecord(field(GOOD.get(name), part));

/** Six clusters: four are gold, every second one is in each region, and one has a taint that is tolerated. */
const FLEET: Subject['hub'] = {
  programs: [{ name: 'operator', controllers: ['placement', 'clusters'] }],
  mostPasses: 10,
  // The hub judges clusters after a minute.
  startMs: 65_000,
  given: async (hands) => {
    await fleet(hands, '');
    await hands.create(manifest(ManagedClusterSets, { name: 'gold' }, { spec: partOf('set', 'spec') }));
    const binding = { name: 'gold', namespace: TEAM };
    await hands.create(manifest(ManagedClusterSetBindings, binding, { spec: { clusterSet: 'gold' } }));
    const { conditions: _, managedClusterClientConfigs: __, taintTimes: ___, ...report } = partOf('report', 'status');
    for (const [index, name] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) {
      const [tier, region, cost] = [index < 4 ? 'gold' : 'silver', index % 2 === 0 ? 'eu' : 'us', `${index}`];
      const labels = { [CLUSTER_SET_LABEL]: 'fleet', tier, region, cost };
      const taints = name === 'b' ? [{ key: 'maintenance', value: 'disks', effect: 'NoSelect' }] : [];
      await hands.create(manifest(ManagedClusters, { name }, { metadata: { labels }, spec: { taints } }));
      const clusterClaims = Object.entries({ platform: 'aws', cost }).map(([claim, value]) => ({ name: claim, value }));
      await hands.patch(ManagedClusters, { name }, { status: { ...report, clusterClaims } }, 'status');
    }
  },
};

/** Beside the subject, two Placements. */
const BUSY: Subject['hub'] = {
  ...FLEET,
  given: async (hands) => {
    await FLEET.given(hands);
    for (const [name, spec] of [
      ['every', partOf('every', 'spec')],
      ['gold', { ClusterSets: ['gold'] }],
    ] as const)
      await hands.create(manifest(Placements, { name, namespace: TEAM }, { spec }));
  },
};

const { name: _, steps: __, ...engines } = scenario('specs', []);
const ENGINES: Subject['hub'] = {
  ...engines,
  given: async (hands) => {
    const data = { '.dockerconfigjson': btoa('{"auths":{}}') };
    const secret = { type: 'kubernetes.io/dockerconfigjson', data };
    await hands.create(manifest(Secrets, { namespace: HOME, name: 'registry' }, secret));
    const bundle = { data: { 'ca.crt': authority(0) } };
    await hands.create(manifest(ConfigMaps, { namespace: HOME, name: 'authorities' }, bundle));
  },
};

/** Those that people write. */
export const WRITTEN: readonly Subject[] = [...GOOD].map(([name, one]) => {
  const { name: object, namespace } = one['metadata'] as ObjectName;
  const [type, part] = [typeOf(one), 'status' in one ? ('status' as const) : ('spec' as const)];
  const hub = type === Placements ? FLEET : type === MultiClusterEngines ? ENGINES : BUSY;
  const at = { name: object, ...(namespace !== undefined && { namespace }) };
  return { name, type, object: at, part, good: asRecord(one[part]), hub };
});

/** Those that the product writes, and somebody else overwrites. */
export const RESTORED: readonly Subject[] = (
  [
    ['placement status', Placements, { name: 'every', namespace: TEAM }],
    ['decision', PlacementDecisions, { name: 'every-decision-1', namespace: TEAM }],
    ['set status', ManagedClusterSets, { name: 'gold' }],
    ['binding status', ManagedClusterSetBindings, { name: 'fleet', namespace: TEAM }],
  ] as const
).map(([name, type, object]) => ({ name, type, object, part: 'status', hub: { ...BUSY, othersEdit: true } }));

/** Of its status, where that has an address of its own. */
export function subresourceOf({ type, part }: Subject): 'status' | undefined {
  return part === 'status' && type !== PlacementDecisions ? 'status' : undefined;
}

/** Replaces the part, as `kubectl edit` does; makes the object where it is not there. @throws Error for a refused request */
export async function write(hands: Hands, subject: Subject, value: unknown): Promise<KubeObject> {
  const { type, object, part } = subject;
  const stored = await hands.find(type, object);
  if (stored === undefined) return hands.create(manifest(type, object, { [part]: value }));
  return hands.send('PUT', objectPath(type, object, subresourceOf(subject)), { ...stored, [part]: value });
}
