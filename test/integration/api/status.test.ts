import { describe, expect, test } from '@jest/globals';

import type { ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import type { EnginePhase } from '../../../src/api/enginereasons.js';
import type { PlacementPhase } from '../../../src/api/placementreasons.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  MultiClusterEngines,
  PlacementDecisions,
  Placements,
} from '../../../src/api/resources.js';
import type { ApiAnswer } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { ownName } from '@multicluster-engine/kube-apiserver/testing/names';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { expectRefusal, objectOf, pathOf, type Rule } from './admission.js';

const TIME = '2026-01-02T03:04:05Z';

function condition(changes: Record<string, unknown>): Record<string, unknown> {
  return {
    type: 'Ready',
    status: 'True',
    reason: 'Tried',
    message: 'it was tried',
    lastTransitionTime: TIME,
    lastUpdateTime: TIME,
    observedGeneration: 1,
    ...changes,
  };
}

/** A minimal object of a type. */
function bodyOf(type: ResourceType, name: string): ReturnType<typeof objectOf> {
  const spec = type.kind === 'ManagedClusterSetBinding' ? { spec: { clusterSet: name } } : {};
  return objectOf(type, { name }, spec);
}

const CONDITIONED = [MultiClusterEngines, Placements, ManagedClusterSets, ManagedClusterSetBindings];

const CONDITION_RULES: readonly Rule<unknown>[] = [
  ...['reason', 'message', 'lastTransitionTime', 'lastUpdateTime', 'observedGeneration'].map(
    (field): Rule<unknown> => ({
      rule: `a condition has ${field}`,
      bad: [condition({ [field]: undefined })],
      good: [condition({})],
      field: `status.conditions[0].${field}`,
      says: 'Required value',
    }),
  ),
  {
    rule: 'a condition is True, False or Unknown',
    bad: [condition({ status: 'Maybe' })],
    good: [condition({ status: 'Unknown' })],
    field: 'status.conditions[0].status',
    value: '"Maybe"',
    says: 'supported values: "True", "False", "Unknown"',
  },
  {
    rule: 'a condition has times by RFC 3339',
    bad: [condition({ lastUpdateTime: 'yesterday' })],
    good: [condition({ lastUpdateTime: '2026-01-02T03:04:05+01:00' })],
    field: 'status.conditions[0].lastUpdateTime',
    value: '"yesterday"',
    says: 'must be of type date-time',
  },
  {
    rule: 'a type of condition stands there once',
    bad: [condition({}), condition({ status: 'False' })],
    good: [condition({}), condition({ type: 'Available' })],
    field: 'status.conditions[1]',
    value: '"Ready"',
    says: 'Duplicate value',
  },
];

interface PhaseRow {
  readonly type: ResourceType;
  readonly phase: string;
  readonly outcome: 'takes' | 'refuses';
}

function phases(type: ResourceType, taken: readonly string[], refused: string): PhaseRow[] {
  return [
    ...taken.map((phase): PhaseRow => ({ type, phase, outcome: 'takes' })),
    { type, phase: refused, outcome: 'refuses' },
  ];
}

/** Without one of them, the test does not compile. */
const ENGINE_PHASES = Object.keys({
  Progressing: 0,
  Available: 0,
  Updating: 0,
  Paused: 0,
  Uninstalling: 0,
  Error: 0,
} satisfies Record<EnginePhase, 0>);
const PLACEMENT_PHASES = Object.keys({
  Pending: 0,
  Misconfigured: 0,
  Paused: 0,
  Held: 0,
  Waiting: 0,
  Unsatisfied: 0,
  PartiallySatisfied: 0,
  Satisfied: 0,
} satisfies Record<PlacementPhase, 0>);

const PHASES: readonly PhaseRow[] = [
  ...phases(MultiClusterEngines, ENGINE_PHASES, 'Satisfied'),
  ...phases(Placements, PLACEMENT_PHASES, 'Available'),
];

const COLUMNS = [
  { type: MultiClusterEngines, narrow: 'NAME STATUS AGE', wide: 'NAME STATUS AGE READY NAMESPACE VERSION MESSAGE' },
  {
    type: Placements,
    narrow: 'NAME STATUS SELECTED DESIRED REASON AGE',
    wide: 'NAME STATUS SELECTED DESIRED REASON AGE SETS MESSAGE',
  },
  { type: PlacementDecisions, narrow: 'NAME PLACEMENT AGE', wide: 'NAME PLACEMENT AGE CLUSTERS DECISIONS' },
  {
    type: ManagedClusters,
    narrow: 'NAME SET PROBLEM AVAILABLE MAINTENANCE KUBERNETES AGE',
    wide: 'NAME SET PROBLEM AVAILABLE MAINTENANCE KUBERNETES AGE DISPLAY NAME ACCEPTED NODES',
  },
  {
    type: ManagedClusterSets,
    narrow: 'NAME CLUSTERS EMPTY AGE',
    wide: 'NAME CLUSTERS EMPTY AGE SELECTOR INUSE PAUSED',
  },
  {
    type: ManagedClusterSetBindings,
    narrow: 'NAME BOUND REASON AGE',
    wide: 'NAME BOUND REASON AGE MESSAGE INUSE',
  },
];

describeWithServer('the API server on the status of the custom resources', {}, (server) => {
  async function created(type: ResourceType, name: string, extra: Record<string, unknown> = {}): Promise<ApiAnswer> {
    return server().call({ method: 'POST', path: pathOf(type, 'default'), body: { ...bodyOf(type, name), ...extra } });
  }

  async function patchStatus(type: ResourceType, name: string, status: unknown): Promise<ApiAnswer> {
    const path = `${pathOf(type, 'default', name)}/status`;
    return server().call({ method: 'PATCH', path, body: { status }, contentType: 'application/merge-patch+json' });
  }

  async function tryStatus(type: ResourceType, status: unknown): Promise<ApiAnswer> {
    const name = ownName('object');
    await created(type, name);
    const answer = await patchStatus(type, name, status);
    await server().call({ method: 'DELETE', path: pathOf(type, 'default', name) });
    return answer;
  }

  const waiting = (type: string): Record<string, unknown> => ({
    type,
    status: 'Unknown',
    reason: 'WaitingForController',
    message: expect.stringContaining('kubectl get mce'),
    lastTransitionTime: '1970-01-01T00:00:00Z',
    lastUpdateTime: '1970-01-01T00:00:00Z',
    observedGeneration: -1,
  });

  test.each([
    { type: MultiClusterEngines, status: { observedGeneration: -1 } },
    {
      type: Placements,
      status: {
        phase: 'Pending',
        observedGeneration: -1,
        conditions: [waiting('PlacementSatisfied'), waiting('Ready')],
      },
    },
  ])(
    'the API server gives a new $type.kind a default status that cannot be mistaken for a current one',
    async ({ type, status }) => {
      const name = ownName('object');

      const answer = await created(type, name, { status: { phase: 'Available', observedGeneration: 7 } });
      const read = await server().call({ path: pathOf(type, 'default', name) });
      await server().call({ method: 'DELETE', path: pathOf(type, 'default', name) });

      expect(answer.body.status).toEqual(status);
      expect(read.body.status).toEqual(status);
      expect(read.body.spec).toEqual({});
    },
  );

  test.each([ManagedClusters, ManagedClusterSets, ManagedClusterSetBindings])(
    'the API server drops the status that comes with a new $kind',
    async (type) => {
      const name = ownName('object');

      const answer = await created(type, name, { status: { conditions: [condition({})] } });
      await server().call({ method: 'DELETE', path: pathOf(type, 'default', name) });

      expect(answer.status).toBe(201);
      expect(answer.body.status).toBeUndefined();
    },
  );

  test('the API server stores the status of a created PlacementDecision, which has no status subresource', async () => {
    const name = ownName('object');
    const status = { decisions: [{ clusterName: 'eu-1', reason: '' }] };

    const answer = await created(PlacementDecisions, name, { status });
    const written = await patchStatus(PlacementDecisions, name, { decisions: [] });
    await server().call({ method: 'DELETE', path: pathOf(PlacementDecisions, 'default', name) });

    expect(answer.body.status).toEqual(status);
    expect(written.status).toBe(404);
  });

  describe.each(CONDITIONED)('of a $kind', (type) => {
    test.each(CONDITION_RULES)(`the API server rejects conditions of a ${type.kind} unless $rule`, async (rule) => {
      expectRefusal(await tryStatus(type, { conditions: rule.bad }), rule);
    });

    test.each(CONDITION_RULES)(`the API server accepts conditions of a ${type.kind} where $rule`, async ({ good }) => {
      const { status, text } = await tryStatus(type, { conditions: good });

      expect({ status, text }).toMatchObject({ status: 200 });
    });
  });

  test.each(PHASES)('the API server $outcome phase $phase of a $type.kind', async ({ type, phase, outcome }) => {
    const answer = await tryStatus(type, { phase });

    if (outcome === 'takes') {
      expect(answer.status).toBe(200);
      return;
    }
    expectRefusal(answer, { field: 'status.phase', value: `"${phase}"`, says: 'supported values' });
  });

  test('the API server accepts the standard conditions that an agent reports of a cluster', async () => {
    const conditions = [
      { type: 'ManagedClusterAvailable', status: 'True', reason: 'Beating', message: '', lastTransitionTime: TIME },
    ];

    const answer = await tryStatus(ManagedClusters, {
      conditions,
      capacity: { cpu: 64, memory: '256Gi' },
      version: { kubernetes: 'v1.36.3' },
    });

    expect(answer.status).toBe(200);
  });

  test.each(COLUMNS)('kubectl prints the columns of a $type.kind', async ({ type, narrow, wide }) => {
    const name = ownName('object');
    await created(type, name, type === PlacementDecisions ? { status: { decisions: [] } } : {});
    const args = ['get', `${type.plural}.${type.group}`, name, '--namespace=default'];
    const options = { kubeconfig: server().adminKubeconfig };

    const short = await kubectlOk(args, options);
    const long = await kubectlOk([...args, '-o', 'wide'], options);
    await server().call({ method: 'DELETE', path: pathOf(type, 'default', name) });

    expect(header(short)).toBe(narrow);
    expect(header(long)).toBe(wide);
  });

  test('kubectl shows why a Placement has no decision yet, and how many clusters a decision holds', async () => {
    const name = ownName('object');
    const decisions = ['a', 'b'].map((clusterName) => ({ clusterName, reason: '' }));
    await created(Placements, name);
    await created(PlacementDecisions, name, { status: { numberOfClusters: 2, decisions } });
    const options = { kubeconfig: server().adminKubeconfig };
    const get = (shortName: string): Promise<string> =>
      waitFor('the short name', () => kubectlOk(['get', shortName, name, '-n', 'default', '-o', 'wide'], options));

    const [placement, decision] = [await get('fpl'), await get('fpd')];
    for (const type of [Placements, PlacementDecisions])
      await server().call({ method: 'DELETE', path: pathOf(type, 'default', name) });

    expect(placement).toMatch(/ Pending .*WaitingForController .*no placement controller has read this Placement yet/);
    expect(decision).toMatch(/ 2 +\[/);
  });

  test('no short name of the six kinds is a name of another kind', async () => {
    const ours = ['fmcl', 'fmclset', 'fmclsetbinding', 'fpd', 'fpl', 'mce', 'mcl', 'mclset', 'mclsetbinding'];
    const text = await kubectlOk(['api-resources', '--no-headers'], { kubeconfig: server().adminKubeconfig });

    const names = text
      .trim()
      .split('\n')
      .flatMap((line) => line.split(/ +/).slice(0, 2))
      .flatMap((field) => field.split(','));

    expect(names.filter((name) => ours.includes(name)).sort()).toEqual(ours);
  });

  test('kubectl explains a field with its rule, its default and an example', async () => {
    // Schemas are published shortly after their kind is served.
    const printed = await waitFor('the schema', () =>
      kubectlOk(['explain', 'mce.spec.targetNamespace'], { kubeconfig: server().adminKubeconfig }),
    );
    const text = printed.replaceAll(/\s+/g, ' ');

    expect(text).toContain(
      'Valid: a DNS-1123 label of at most 63 characters, neither default nor beginning with kube-',
    );
    expect(text).toContain('Default: absent');
    expect(text).toContain('Example: multicluster-engine');
  });

  test('kubectl lists all six kinds in the category multicluster', async () => {
    const text = await kubectlOk(['api-resources', '--categories=multicluster', '-o', 'name'], {
      kubeconfig: server().adminKubeconfig,
    });

    expect(text.trim().split('\n').sort()).toEqual([
      'managedclusters.cluster.fleetmgmt.io',
      'managedclustersetbindings.cluster.fleetmgmt.io',
      'managedclustersets.cluster.fleetmgmt.io',
      'multiclusterengines.multicluster.platform.io',
      'placementdecisions.cluster.fleetmgmt.io',
      'placements.cluster.fleetmgmt.io',
    ]);
  });
});

function header(table: string): string {
  return (table.split('\n')[0] ?? '').trim().replaceAll(/\s+/g, ' ');
}
