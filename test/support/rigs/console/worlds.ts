import { CLUSTER_SET_LABEL, HISTORY_ANNOTATION, LAST_APPLIED, PLACEMENT_LABEL } from '../../../../src/api/names.js';
import { worldOf, type World } from '../../../../src/answers/world/world.js';
import type { KubeObject, RawObject } from '../../../../src/runtime/vocabulary/meta.js';
import { EXAMPLE_SPEC, exampleClusters, exampleWorld } from '../../builders/examplefleet.js';
import { predicate, rawBinding, rawDecision, rawPlacement, rawSet, UID } from '../../builders/world.js';
import { rawEngine } from '../../builders/hubinput.js';

/** Fleets to look at: of any size, and one whose every text attacks the page. */

const SETS = ['production', 'staging', 'edge'];
const REGIONS = ['eu-west', 'us-east', 'ap-south', 'eu-north'];
const PLATFORMS = ['aws', 'azure', 'gcp', 'metal'];
export const SINCE = '2026-11-20T08:00:00Z';

const MESSAGE = 'the agent renews its Lease';

function nth<T>(list: readonly T[], index: number): T {
  const found = list[index % list.length];
  if (found === undefined) throw new Error('the list is empty');
  return found;
}

function cluster(index: number): RawObject {
  const isSilent = index % 17 === 3;
  const available = isSilent ? 'Unknown' : index % 41 === 7 ? 'False' : 'True';
  const isJoined = index % 29 !== 11;
  const condition = (type: string, status: string): object => ({
    type,
    status,
    reason: 'Reason',
    message: MESSAGE,
    lastTransitionTime: SINCE,
  });
  const claims = {
    platform: nth(PLATFORMS, index),
    cost: `0.${(index * 7) % 90}`,
    'kubeversion.cluster.fleetmgmt.io': index % 2 === 0 ? 'v1.36.3' : 'v1.35.7',
  };
  return {
    apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
    kind: 'ManagedCluster',
    metadata: {
      name: `cluster-${index + 1}`,
      uid: `uid-${index}`,
      resourceVersion: '1',
      labels: {
        [CLUSTER_SET_LABEL]: nth(SETS, index),
        region: nth(REGIONS, Math.floor(index / 3)),
        tier: index % 5 === 0 ? 'silver' : 'gold',
      },
    },
    spec: {
      hubAcceptsClient: index % 37 !== 5,
      ...(isSilent
        ? { taints: [{ key: 'cluster.fleetmgmt.io/unreachable', effect: 'NoSelect', timeAdded: SINCE }] }
        : {}),
    },
    status: {
      clusterClaims: Object.entries(claims).map(([key, text]) => ({ name: key, value: text })),
      conditions: [
        condition('ManagedClusterJoined', isJoined ? 'True' : 'False'),
        ...(isJoined ? [condition('ManagedClusterConditionAvailable', available)] : []),
      ],
    },
  };
}

function placement(name: string, spec: object, status: object): RawObject {
  const raw = rawPlacement(spec, name);
  const metadata = {
    ...raw.metadata,
    uid: name === 'web' ? UID : `uid-${name}`,
    resourceVersion: '1',
    creationTimestamp: SINCE,
  };
  return { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'Placement', ...raw, metadata, status };
}

function satisfied(phase: string, message: string, selected: number): object {
  const status = phase === 'Satisfied' ? 'True' : 'False';
  const condition = { type: 'PlacementSatisfied', status, reason: phase, message, lastTransitionTime: SINCE };
  return { phase, numberOfSelectedClusters: selected, conditions: [condition] };
}

/** Prefers cheap clusters, spreads over regions, and has a canary. */
const PREFERRING = {
  numberOfClusters: 7,
  prioritizerPolicy: {
    configurations: [
      { scoreCoordinate: { type: 'Claim', claim: { name: 'cost', order: 'Ascending' } }, weight: 3 },
      { scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } },
    ],
  },
  spreadPolicy: {
    spreadConstraints: [
      { topologyKey: 'region', topologyKeyType: 'Label', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' },
    ],
  },
  decisionStrategy: {
    groupStrategy: {
      decisionGroups: [
        { groupName: 'canary', groupClusterSelector: { labelSelector: { matchLabels: { tier: 'silver' } } } },
      ],
      clustersPerDecisionGroup: 4,
    },
  },
};

function preferringDecision(clusters: readonly string[], why: string): RawObject {
  const of = rawDecision(1, clusters);
  const removed = [{ cause: 'NotMatched', why, clusters: ['cluster-30'] }];
  const entries = [
    { time: SINCE, trigger: 'Placement/mail', added: ['cluster-30', ...clusters.slice(1)] },
    { time: '2026-11-20T09:00:00Z', trigger: 'ManagedCluster/cluster-30', added: clusters.slice(0, 1), removed },
  ];
  const owner = { ...of.metadata.ownerReferences?.[0], name: 'mail', uid: 'uid-mail' };
  return {
    ...of,
    metadata: {
      ...of.metadata,
      name: 'mail-decision-1',
      labels: { [PLACEMENT_LABEL]: 'mail' },
      annotations: { [HISTORY_ANNOTATION]: JSON.stringify({ entries, dropped: 2 }) },
      ownerReferences: [owner as NonNullable<RawObject['metadata']['ownerReferences']>[number]],
    },
  };
}

/** Four Placements, an engine with a component that is not ready, and so many clusters. */
export function consoleWorld(count: number): World {
  const clusters = Array.from({ length: count }, (_, index) => cluster(index));
  const gold = {
    numberOfClusters: 4,
    predicates: [predicate({ tier: 'gold', region: 'eu-west' })],
  };
  const row = {
    kind: 'Deployment',
    name: 'gateway',
    status: 'False',
    reason: 'Unavailable',
    message: `1 of 2 available; ${MESSAGE}`,
  };
  const decided = clusters.slice(0, 12).filter((one) => one.metadata.labels?.['tier'] === 'gold');
  return worldOf({
    multiclusterengines: [
      rawEngine({}, { phase: 'Degraded', components: [row, { ...row, name: 'placement-controller', status: 'True' }] }),
    ],
    placements: [
      placement('web', gold, satisfied('Satisfied', 'all 4 wanted clusters are selected', 2)),
      placement('api', { ...gold, numberOfClusters: 900_000 }, satisfied('PartiallySatisfied', MESSAGE, 2)),
      placement('mail', PREFERRING, satisfied('Satisfied', 'all 7 wanted clusters are selected', 7)),
      placement('db', { predicates: [predicate({ tier: 'platinum' })] }, satisfied('Unsatisfied', MESSAGE, 0)),
    ],
    placementdecisions: [
      rawDecision(
        1,
        decided.slice(0, 2).map(({ metadata }) => metadata.name),
      ),
      preferringDecision(
        clusters.slice(12, 15).map(({ metadata }) => metadata.name),
        MESSAGE,
      ),
    ],
    managedclusters: clusters,
    managedclustersets: SETS.map((set) => rawSet(set)),
    managedclustersetbindings: [rawBinding('production'), rawBinding('edge')],
  });
}

function withObject(
  world: World,
  kind: 'placements' | 'managedclusters',
  name: string,
  change: (one: RawObject) => RawObject,
): World {
  const objects = world.objects[kind].map((one) => (one.metadata.name === name ? change(one) : one));
  return { ...world, objects: { ...world.objects, [kind]: objects } };
}

/** The world in which an object has these fields of the spec, too. */
export function withSpec(world: World, kind: 'placements' | 'managedclusters', name: string, fields: object): World {
  return withObject(world, kind, name, (one) => ({ ...one, spec: { ...Object(one.spec), ...fields } }));
}

/** A Placement whose disruption budget holds what it selects, after its predicate was edited. */
export function heldWorld(count: number): World {
  const spec = { predicates: [predicate({ tier: 'platinum' })], disruptionBudget: { maxRemovals: 0 } };
  const message = '2 clusters no longer match and are held by the disruption budget';
  return withObject(withSpec(consoleWorld(count), 'placements', 'web', spec), 'placements', 'web', (one) => ({
    ...one,
    status: { ...satisfied('Held', message, 2), basis: { numberOfClusters: 2 }, observedGeneration: 1 },
  }));
}

/** A Placement that somebody has edited since it was applied, and a cluster whose label somebody has changed. */
export function editedWorld(count: number): World {
  const entry = (manager: string, time: string, fieldsV1: object): object => ({
    manager,
    operation: 'Update',
    time,
    fieldsV1,
  });
  const last = JSON.stringify({ spec: { ...PREFERRING, numberOfClusters: 5 } });
  const annotations = { [LAST_APPLIED]: last };
  const edits = [
    entry('kubectl-client-side-apply', '2026-11-20T07:59:58Z', {
      'f:metadata': { 'f:annotations': { [`f:${LAST_APPLIED}`]: {} } },
      'f:spec': { 'f:prioritizerPolicy': {}, 'f:spreadPolicy': {}, 'f:decisionStrategy': {} },
    }),
    entry('kubectl-edit', '2026-11-20T22:10:00Z', { 'f:spec': { 'f:numberOfClusters': {} } }),
  ];
  const label = entry('kubectl-label', '2026-11-20T08:59:59Z', { 'f:metadata': { 'f:labels': { 'f:tier': {} } } });
  const edited =
    (managedFields: readonly object[]) =>
    (one: RawObject): RawObject => ({
      ...one,
      metadata: {
        ...one.metadata,
        annotations: { ...one.metadata.annotations, ...annotations },
        managedFields,
      } as RawObject['metadata'],
    });
  const world = withObject(consoleWorld(count), 'placements', 'mail', edited(edits));
  return withObject(world, 'managedclusters', 'cluster-30', edited([label]));
}

/** The fleet of the documents, with agents: one of them is silent. */
export function documentsWorld(): World {
  const managedclusters = exampleClusters().map((object): RawObject => {
    const { name, labels } = object.metadata;
    const isSilent = name === 'edge-us-1';
    const [, region = ''] = name.split('-');
    const conditions = [
      { type: 'ManagedClusterJoined', status: 'True', reason: 'Joined', message: '', lastTransitionTime: SINCE },
      {
        type: 'ManagedClusterConditionAvailable',
        status: isSilent ? 'Unknown' : 'True',
        reason: isSilent ? 'LeaseExpired' : 'AgentAvailable',
        message: '',
        lastTransitionTime: SINCE,
      },
    ];
    return {
      ...object,
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      kind: 'ManagedCluster',
      metadata: { ...object.metadata, labels: { ...labels, region } },
      spec: { hubAcceptsClient: true },
      status: { ...(object.status as object), conditions },
    };
  });
  const placements = [placement('web', EXAMPLE_SPEC, satisfied('Satisfied', 'all 3 wanted clusters are selected', 3))];
  return exampleWorld(EXAMPLE_SPEC, { managedclusters, placements, multiclusterengines: [rawEngine()] });
}

export function consoleEvents(note = 'added 1 cluster: cluster-2'): readonly KubeObject[] {
  return [1, 2, 3].map((minute) => ({
    metadata: { name: `e${minute}`, namespace: 'shop' },
    eventTime: `2026-11-20T08:0${minute}:00.000000Z`,
    type: minute === 2 ? 'Warning' : 'Normal',
    reason: minute === 2 ? 'PlacementUnsatisfied' : 'DecisionChanged',
    regarding: { kind: 'Placement', namespace: 'shop', name: 'web' },
    note,
  }));
}
