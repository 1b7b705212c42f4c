import type { OutputFormat } from '../../src/answers/output.js';
import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { CLUSTERS_LEASE, PLACEMENT_LEASE, TAINTS } from '../../src/api/names.js';
import type { HubInput } from '../../src/answers/check/input.js';
import { checkHub } from '../../src/answers/check/hub.js';
import { checkText } from '../../src/cli/commands/check.js';
import { checkBefore, type PreInput } from '../../src/answers/check/pre.js';
import { listClusters } from '../../src/cli/commands/cluster/list.js';
import { limitingPolicies } from '../../src/domain/engine/policies.js';
import { explainPlacement } from '../../src/cli/commands/explain.js';
import type { FleetReading } from '../../src/answers/world/worlds.js';
import { status } from '../../src/cli/commands/status.js';
import type { TopologyKey } from '../../src/domain/placement/spec/spread.js';
import { tree } from '../../src/cli/commands/tree.js';
import { whoSelects } from '../../src/cli/commands/whoselects.js';
import { worldOf, type Withheld } from '../../src/answers/world/world.js';
import { exampleAgents } from '../support/builders/clusters.js';
import { EXAMPLE_SPEC, exampleClusters, exampleWorld } from '../support/builders/examplefleet.js';
import {
  admissionOf,
  hubFacts,
  leaseFact,
  NOW,
  placementIn,
  POLICIES,
  preFacts,
  rawDefinition,
  rawEngine,
  readingOf,
} from '../support/builders/hubinput.js';
import { historyWorld } from '../support/builders/examplehistory.js';
import { history } from '../../src/cli/commands/history.js';
import { taint } from '../support/builders/taints.js';
import { predicate, rawCluster } from '../support/builders/world.js';
import { describeRecorded, type Case } from './recorded.js';

interface Shown {
  readonly output?: Exclude<OutputFormat, object>;
  readonly colored?: boolean;
}

/** The text as lines, JSON as a value. */
function shown(
  sentence: string,
  { output = 'text', colored = false }: Shown,
  make: (options: Required<Shown>) => string,
): Case {
  const isJson = output === 'json';
  return [
    `the ${isJson ? 'JSON' : output} of ${sentence}${colored ? ', with colors' : ''}`,
    () => {
      const text = make({ output, colored });
      return isJson ? (JSON.parse(text) as unknown) : text.trimEnd().split('\n');
    },
  ];
}

const selects = (sentence: string, reading: FleetReading, cluster: string, how: Shown = {}): Case =>
  shown(`who-selects of ${sentence}`, how, (options) => whoSelects(reading, cluster, options));
const treeOf = (sentence: string, reading: FleetReading, { by, ...how }: Shown & { by?: TopologyKey } = {}): Case =>
  shown(`tree of ${sentence}`, how, (options) => tree(reading, undefined, options, by));
const statusOf = (sentence: string, reading: FleetReading, how: Shown = {}): Case =>
  shown(`status of ${sentence}`, how, (options) => status(reading, options));
const check = (sentence: string, over: Partial<HubInput> = {}, how: Shown = {}): Case =>
  shown(`check of ${sentence}`, how, (options) => checkText(checkHub(hubFacts(over)), { ...options, pre: false }));
const pre = (sentence: string, over: Partial<PreInput> = {}, how: Shown = {}): Case =>
  shown(`check --pre of ${sentence}`, how, (options) =>
    checkText(checkBefore(preFacts(over)), { ...options, pre: true }),
  );
const explained = (sentence: string, namespace: string | undefined, how: Shown): Case =>
  shown(`explain of ${sentence}`, how, (options) =>
    explainPlacement(exampleWorld(), { ...options, namespace, placement: 'web', cluster: undefined, nearest: 1 }),
  );

const changes = (sentence: string, reading: FleetReading, how: Shown = {}): Case =>
  shown(`history of ${sentence}`, how, (options) => history(reading, 'web', options));

const forbidden = (resource: Withheld['resource']): Withheld => ({ resource, verb: 'list', status: 403 });
const example = readingOf(exampleWorld());
const silver = exampleClusters({
  'prod-us-1': rawCluster('prod-us-1', { set: 'production', labels: { tier: 'silver' } }),
});
const withoutClusters = readingOf(exampleWorld(EXAMPLE_SPEC, { managedclusters: [] }, [forbidden('managedclusters')]));
const cordoned = exampleClusters({
  'prod-us-1': rawCluster('prod-us-1', {
    set: 'production',
    labels: { tier: 'gold' },
    taints: [taint(TAINTS.cordoned, { effect: 'NoSelectIfNew' })],
  }),
});
const budget = { ...EXAMPLE_SPEC, disruptionBudget: { maxRemovals: 0 } };
const held = readingOf(exampleWorld(budget, { managedclusters: silver }));
const oneNamespace: FleetReading = { ...example, namespace: 'shop', refused: [forbidden('placements')] };
const hub = (...placements: readonly ReturnType<typeof placementIn>[]): FleetReading =>
  readingOf(worldOf({ multiclusterengines: [rawEngine()], placements }));
const holding = { type: 'RemovalsHeld', status: 'True', message: 'maxRemovals 10% in 3600 s would be exceeded' };
const mixed = hub(
  placementIn('Satisfied'),
  placementIn('Satisfied', 'held', '', [holding]),
  placementIn('Unsatisfied', 'api', 'no cluster matches'),
  placementIn('Pending', 'new'),
);
const paused = {
  type: 'Paused',
  status: 'True',
  message:
    'spec.paused is true: no cluster comes in and none leaves; to resume: kubectl mce resume placement web -n shop',
  lastTransitionTime: '2026-11-20T08:00:00Z',
};
const frozen = hub(placementIn('Satisfied', 'api'), placementIn('Paused', 'web', '', [paused]));
const noEngine = readingOf(worldOf({ placements: [placementIn('Satisfied')] }));
/** The Leases of a placement controller that was stopped. */
const released = {
  placementLease: leaseFact(PLACEMENT_LEASE, ''),
  clustersLease: leaseFact(CLUSTERS_LEASE, ''),
};
const frozenByEngine = rawEngine(
  {},
  {
    components: [
      {
        kind: 'Deployment',
        name: 'placement-controller',
        status: 'True',
        reason: 'Disabled',
        message: 'no decision changes',
      },
    ],
  },
);
const noRights = readingOf(worldOf({}, [forbidden('multiclusterengines'), forbidden('placements')]));
const failingComponent = rawEngine(
  {},
  {
    phase: 'Error',
    components: [
      {
        kind: 'Deployment',
        name: 'gateway',
        status: 'False',
        reason: 'Unavailable',
        message: '0 of 2 replicas available',
      },
      { kind: 'Deployment', name: 'placement-controller', status: 'True', reason: 'Available', message: '' },
    ],
    conditions: [{ type: 'Ready', status: 'False', message: 'Deployment gateway: 0 of 2 replicas available' }],
  },
);

const listed = (sentence: string, clusters: readonly RawObject[], how: Shown = {}): Case =>
  shown(`cluster list of ${sentence}`, how, (options) => listClusters(clusters, options));
const cases: readonly Case[] = [
  listed('a fleet', exampleAgents),
  listed('a fleet', exampleAgents, { colored: true }),
  listed('a fleet', exampleAgents, { output: 'wide' }),
  listed('a fleet', exampleAgents, { output: 'name' }),
  listed('a fleet', exampleAgents, { output: 'json' }),
  listed('an empty fleet', []),

  selects('a cluster that another one replaces', example, 'prod-us-1'),
  selects('a cluster that another one replaces', example, 'prod-us-1', { output: 'wide' }),
  selects('a cluster that another one replaces', example, 'prod-us-1', { output: 'name' }),
  selects('a cluster that another one replaces', example, 'prod-us-1', { output: 'json' }),
  selects(
    'a cluster that nobody replaces',
    readingOf(exampleWorld({ ...EXAMPLE_SPEC, numberOfClusters: 7 })),
    'prod-us-1',
  ),
  selects('a cluster of a Placement that wants all', readingOf(exampleWorld({})), 'prod-us-1'),
  selects('a cluster that leaves', readingOf(exampleWorld(EXAMPLE_SPEC, { managedclusters: silver })), 'prod-us-1'),
  selects('a cordoned cluster', readingOf(exampleWorld(EXAMPLE_SPEC, { managedclusters: cordoned })), 'prod-us-1'),
  selects('a surplus cluster', readingOf(exampleWorld({ numberOfClusters: 0 })), 'prod-us-1'),
  selects('a cluster that the budget holds', held, 'prod-us-1'),
  selects('a cluster that the budget holds', held, 'prod-us-1', { output: 'json' }),
  selects('a cluster that no decision holds', example, 'prod-ap-1'),
  selects('a cluster where clusters cannot be read', withoutClusters, 'prod-us-1'),
  selects('a cluster where clusters cannot be read', withoutClusters, 'prod-us-1', { output: 'json' }),
  selects(
    'a cluster where Placements cannot be read',
    readingOf(exampleWorld(EXAMPLE_SPEC, { placements: [] }, [forbidden('placements')])),
    'prod-us-1',
  ),
  selects(
    'a cluster where decisions cannot be read',
    readingOf(exampleWorld(EXAMPLE_SPEC, { placementdecisions: [] }, [forbidden('placementdecisions')])),
    'prod-us-1',
  ),
  selects('a cluster where one namespace can be read', oneNamespace, 'prod-us-1'),
  treeOf('the example', example),
  treeOf('the example', example, { output: 'json' }),
  treeOf('the example', example, { output: 'name' }),
  treeOf('the example by a claim', example, { by: { source: 'claim', key: 'platform' } }),
  treeOf('the example by a claim', example, { by: { source: 'claim', key: 'platform' }, output: 'json' }),
  treeOf('the example by a label that some have', example, { by: { source: 'label', key: 'tier' } }),
  treeOf(
    'a decision with a cluster of no set',
    readingOf(exampleWorld({ predicates: [predicate({})] }, { managedclustersetbindings: [] })),
  ),
  treeOf('a fleet that cannot be read', withoutClusters),
  treeOf('a namespace without a Placement', readingOf(worldOf({}), { namespace: 'shop' })),
  statusOf('a hub on which all is well', hub(placementIn('Satisfied'))),
  statusOf('a hub with Placements of several phases', mixed),
  statusOf('a hub with Placements of several phases', mixed, { output: 'wide' }),
  statusOf('a hub with Placements of several phases', mixed, { output: 'name' }),
  statusOf('a hub with Placements of several phases', mixed, { output: 'json' }),
  statusOf('a hub without an engine', noEngine),
  statusOf('a hub of which nothing can be read', noRights),
  check('a hub on which all is well'),
  check('a hub on which all is well', {}, { colored: true }),
  check('a hub on which all is well', {}, { output: 'json' }),
  check('a Lease that expired', { placementLease: leaseFact(PLACEMENT_LEASE, 'placement-controller-1', 200_000) }),
  check('a Lease that nobody has made', {
    clustersLease: { name: CLUSTERS_LEASE, lease: { kind: 'Known', value: undefined } },
  }),
  check('an engine that was deleted', { reading: noEngine, ...released }),
  check('an engine that was deleted', { reading: noEngine, ...released }, { output: 'name' }),
  check('an engine that has turned the placement controller off', {
    reading: readingOf(worldOf({ multiclusterengines: [frozenByEngine], placements: [placementIn('Satisfied')] })),
    ...released,
  }),
  check('an engine that is being deleted', {
    reading: readingOf(
      worldOf({
        multiclusterengines: [rawEngine({ deletionTimestamp: '2026-11-22T11:59:00Z' }, { phase: 'Uninstalling' })],
      }),
    ),
  }),
  check(
    'a component that does not serve',
    { reading: readingOf(worldOf({ multiclusterengines: [failingComponent] })) },
    { output: 'text' },
  ),
  check('a certificate that has expired', { now: NOW + 100 * 86_400_000 }),
  check('a console whose certificate has expired', {
    now: NOW + 100 * 86_400_000,
    consoleTrust: hubFacts().trust,
  }),
  check('a console whose certificate was not published', { consoleTrust: { kind: 'Known', value: undefined } }),
  check('a certificate that was not published', { trust: { kind: 'Known', value: undefined } }),
  check('a hub without a policy', { admission: admissionOf(POLICIES.slice(1)) }),
  check('a hub without the policies against accidental deletions', {
    admission: admissionOf(limitingPolicies(false).map(({ name }) => name)),
  }),
  check('policies that only audit', { admission: admissionOf(POLICIES, 'Audit') }),
  check('definitions of another version', {
    definitions: [
      {
        wanted: rawDefinition('a', { type: 'object' }),
        stored: { kind: 'Known', value: rawDefinition('a', { type: 'string' }) },
      },
    ],
  }),
  check('a definition that does not exist', {
    definitions: [
      { wanted: rawDefinition('a'), stored: { kind: 'Known', value: rawDefinition('a') } },
      { wanted: rawDefinition('b'), stored: { kind: 'Known', value: undefined } },
    ],
  }),
  check('a hub of which nothing can be read', {
    definitions: [
      {
        wanted: rawDefinition('a'),
        stored: { kind: 'Withheld', resource: 'customresourcedefinitions', verb: 'get', status: 403 },
      },
    ],
    reading: noRights,
    engineLease: {
      name: 'multicluster-engine-engine',
      lease: { kind: 'Withheld', resource: 'leases', verb: 'get', status: 403 },
    },
    placementLease: {
      name: PLACEMENT_LEASE,
      lease: { kind: 'Withheld', resource: 'leases', verb: 'get', status: 403 },
    },
    clustersLease: {
      name: CLUSTERS_LEASE,
      lease: { kind: 'Withheld', resource: 'leases', verb: 'get', status: 403 },
    },
    trust: { kind: 'Withheld', resource: 'configmaps', verb: 'get', status: 403 },
    admission: {
      policies: { kind: 'Withheld', resource: 'validatingadmissionpolicies', verb: 'list', status: 403 },
      bindings: { kind: 'Withheld', resource: 'validatingadmissionpolicybindings', verb: 'list', status: 403 },
    },
  }),
  pre('an empty cluster'),
  pre('an empty cluster', {}, { output: 'json' }),
  pre('a cluster that is too old', { server: 'v1.29.4', policies: { kind: 'Known', value: false } }),
  pre('a hub that is upgraded', {
    definitions: [
      { wanted: rawDefinition('a'), stored: { kind: 'Known', value: rawDefinition('a', { type: 'string' }) } },
    ],
    reading: readingOf(worldOf({ multiclusterengines: [rawEngine()] })),
    namespace: { kind: 'Known', value: { metadata: { name: 'x' } } },
  }),
  explained('all namespaces', undefined, {}),
  explained('all namespaces', undefined, { output: 'json' }),
  explained('one namespace', 'shop', { output: 'wide' }),
  explained('one namespace', 'shop', { output: 'name' }),
  check('a hub with a paused Placement', { reading: frozen }),
  check('a hub with paused sets, and one whose windows cannot be read', {
    reading: readingOf(
      worldOf({
        managedclustersets: [
          { metadata: { name: 'production' }, spec: { paused: true } },
          { metadata: { name: 'edge' }, spec: { changeWindows: [{ start: 'Monday' }] } },
          { metadata: { name: 'test' }, spec: { paused: false } },
        ],
      }),
    ),
  }),
  treeOf('a paused Placement', frozen),
  statusOf('a hub with a paused Placement', frozen, { output: 'wide' }),
  statusOf('a hub with a paused Placement', frozen, { output: 'json' }),
  changes('a decision', readingOf(historyWorld())),
  changes('a decision', readingOf(historyWorld()), { output: 'wide', colored: true }),
  changes('a decision', readingOf(historyWorld()), { output: 'json' }),
  changes('a decision of which not all fits', readingOf(historyWorld(true))),
  changes('a decision without changes', readingOf(exampleWorld())),
  changes(
    'a decision that cannot be read',
    readingOf(exampleWorld(EXAMPLE_SPEC, { placementdecisions: [] }, [forbidden('placementdecisions')])),
  ),
];

describeRecorded('cli-inspect', cases);
