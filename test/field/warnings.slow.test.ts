/**
 * One command that widens or empties decisions without a word. People deleted a namespace with its Placements, or 50 of 60
 * clusters by a label; removed `numberOfClusters`, or a predicate, and one cluster became fifteen; left the disruption budget out
 * of a manifest that they replaced, or raised it to 100%; misspelt a cluster set, a label of a set's selector, or a release; took
 * the label of the set from all clusters; deleted the ServiceAccounts of the agents. kubectl prints equal warnings once, so that
 * a warning without a name stood for several objects.
 *
 * Right is: the API server says before, in a dry run too, what goes or comes in, and what bounds it no more, and names the object;
 * it refuses nothing, and says nothing about what changes nothing.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { ManagedClusterSetBindings, ManagedClusterSets } from '../../src/api/resources.js';
import type { ManagedClusterSet } from '../../src/api/generated/managedclusterset.js';
import type { ManagedClusterSetBinding } from '../../src/api/generated/managedclustersetbinding.js';
import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectl, kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { applyOverlay } from '../support/hub/overlays.js';
import { Fleet, PlacementServerRig } from '../support/rigs/server/placement.js';

const LONG_MS = 300_000;
const PREDICATE = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } };
const BUDGET = { maxRemovals: 0, windowSeconds: 3600 };
const SPEC = { ClusterSets: ['production'], predicates: [PREDICATE], numberOfClusters: 1, disruptionBudget: BUDGET };
const { disruptionBudget: _budget, ...WITHOUT_BUDGET } = SPEC;
const TOLERATIONS = ['a', 'b'].map((key) => ({ key, operator: 'Exists' }));
const PIECES = { groupStrategy: { clustersPerDecisionGroup: 1 } };
const OTHER = {
  ClusterSets: ['production', 'spare'],
  tolerations: TOLERATIONS,
  numberOfClusters: 1,
  decisionStrategy: PIECES,
};
const REORDERED = { ...OTHER, ClusterSets: ['spare', 'production'], tolerations: [...TOLERATIONS].reverse() };
/** Three days from now: a window that no run of this test meets. */
const LATER = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][(new Date().getUTCDay() + 3) % 7];
const WINDOW = { start: `${LATER} 22:00`, duration: '1h', timeZone: 'Europe/Berlin' };
const labelled = (matchLabels: object, numberOfClusters?: number): object => ({
  requiredClusterSelector: { labelSelector: { matchLabels } },
  ...(numberOfClusters === undefined ? {} : { numberOfClusters }),
});
const preferring = (weight: number): object => ({
  configurations: [{ scoreCoordinate: { type: 'Label', label: { name: 'size' } }, weight }],
});
const EARLY = { late: 'yes' };
/** The Placements of the namespace night: a cluster that waits for a window, one that is held, and a pause. */
const NIGHT = {
  late: { predicates: [labelled(EARLY, 1), labelled({ tier: 'x' }, 1)], changeWindows: [WINDOW] },
  held: { predicates: [labelled(EARLY)], disruptionBudget: BUDGET },
  frozen: { paused: true },
  moving: {
    numberOfClusters: 1,
    prioritizerPolicy: preferring(1),
    rebalance: { scoreMargin: 20, intervalSeconds: 90 },
    decisionDetails: { labels: ['size'], claims: ['cost'] },
  },
};
const SET_LABEL = 'cluster.fleetmgmt.io/clusterset';
const VERSION = 'cluster.fleetmgmt.io/v1alpha1';

const manifest = (spec: object, name = 'web', metadata: object = {}): string => {
  const all = { namespace: 'shop', ...metadata, name };
  return JSON.stringify({ apiVersion: VERSION, kind: 'Placement', metadata: all, spec });
};
const clusterSet = JSON.stringify({
  apiVersion: VERSION,
  kind: 'ManagedClusterSet',
  metadata: { name: 'production', labels: { a: 'b' } },
  spec: { clusterSelector: { selectorType: 'ExclusiveClusterSetLabel' } },
});

const agents = '-n=multicluster-engine-agents';
const edge = JSON.stringify({
  apiVersion: VERSION,
  kind: 'ManagedCluster',
  metadata: { name: 'edge-1' },
  spec: { hubAcceptsClient: true },
});

/** What the hub has for the agent of a cluster. */
function identity(name: string): string {
  const owner = { apiVersion: VERSION, kind: 'ManagedCluster', name, uid: '00000000-0000-0000-0000-000000000000' };
  const metadata = { name, namespace: 'multicluster-engine-agents' };
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...metadata, ownerReferences: [owner] } };
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: { holderIdentity: 'x' } };
  return [account, lease].map((one) => JSON.stringify(one)).join('\n---\n');
}

describeWithServer('warnings of one command', { own: true }, (server) => {
  let fleet: Fleet;
  let running: PlacementServerRig;

  /** Exit code and warnings, without the prefix that names the policy, sorted. */
  async function said(command: readonly string[], input = ''): Promise<{ code: number; warnings: string[] }> {
    const options = { kubeconfig: server().adminKubeconfig, ...(input === '' ? {} : { input }) };
    const { code, stderr } = await kubectl([...command, '--dry-run=server'], options);
    const lines = stderr
      .trim()
      .split('\n')
      .filter((line) => line !== '');
    return { code, warnings: lines.map((line) => line.replace(/^Warning: .*-warnings': /, '')).sort() };
  }

  const patch = (spec: object, name = 'web', namespace = 'shop'): readonly string[] => [
    'patch',
    'placement',
    name,
    `-n=${namespace}`,
    '--type=merge',
    `-p=${JSON.stringify({ spec })}`,
  ];

  beforeAll(async () => {
    await applyOverlay(server(), 'default');
    await kindsServed(server());
    fleet = new Fleet(server());
    for (const set of ['production', 'spare', 'night']) await fleet.set(set);
    await fleet.namespace('shop', 'production');
    await fleet.namespace('idle', 'spare');
    await fleet.namespace('night', 'night');
    await fleet.cluster('night-1', 'night', EARLY);
    await fleet.cluster('night-2', 'night', { tier: 'x' });
    for (const name of ['prod-1', 'prod-2', 'prod-3']) await fleet.cluster(name, 'production', { tier: 'gold' });
    const kubeconfig = server().adminKubeconfig;
    const night = Object.entries(NIGHT).map(([name, spec]) => manifest(spec, name, { namespace: 'night' }));
    const objects = [manifest(SPEC), manifest(OTHER, 'other'), edge, ...['edge-1', 'edge-2'].map(identity), ...night];
    await kubectlOk(['apply', '-f', '-'], { kubeconfig, input: ['', ...objects].join('\n---\n') });
    running = new PlacementServerRig(server());
    await waitFor('the decisions of the night', async () => {
      const placements = await Promise.all(['late', 'held', 'moving'].map((one) => fleet.placement('night', one)));
      return placements.map((one) => one?.status?.numberOfSelectedClusters).join() === '2,1,1';
    });
    await kubectlOk(['label', 'mcl', 'night-1', 'late-'], { kubeconfig });
    await waitFor('a cluster to wait, and to be held', async (seen) => {
      const placements = await Promise.all(['late', 'held'].map((one) => fleet.placement('night', one)));
      const types = placements.map((one) => one?.status?.conditions?.map(({ type }) => type) ?? []);
      seen(types);
      return types[0]?.includes('ChangesWaiting') && types[1]?.includes('RemovalsHeld');
    });
    await waitFor('the binding to be in use and the decision in the status', async (seen) => {
      const name = { namespace: 'shop', name: 'production' };
      const binding = await fleet.client.get<ManagedClusterSetBinding>(ManagedClusterSetBindings, name);
      const set = await fleet.client.get<ManagedClusterSet>(ManagedClusterSets, { name: 'production' });
      const placements = await Promise.all(['web', 'other'].map((one) => fleet.placement('shop', one)));
      seen([binding?.status, set?.status, placements.map((one) => one?.status)]);
      const used = [binding, set].map(
        (one) => one?.status?.conditions?.find(({ type }) => type === 'InUse')?.message ?? '',
      );
      return (
        placements.every((one) => one?.status?.numberOfSelectedClusters === 1) &&
        used.every((message) => / other, web |namespaces shop/.test(message))
      );
    });
    await waitFor('the policies to be in force', async (seen) => {
      const all = [];
      for (const one of ['placement/web', 'namespace/shop', 'mcl/prod-1', 'serviceaccount/edge-1'])
        all.push(await said(['delete', one, one.startsWith('service') ? agents : '-n=shop']));
      seen(all);
      return all.every(({ warnings }) => warnings.length > 0);
    });
  }, LONG_MS);
  afterAll(async () => {
    await running.stop();
    await fleet.close();
  }, LONG_MS);

  const WEB = 'Placement shop/web: ';
  const PLAN = '; see kubectl mce plan -f FILE';
  const LOST_BUDGET = `${WEB}spec.disruptionBudget is removed: nothing bounds what the next mistake takes from the decision`;
  const UNBOUNDED = `${WEB}spec.numberOfClusters is removed: every cluster that matches comes in, beside the 1 selected`;
  const MOVING = 'Placement night/moving: ';
  const BETTER = 'make room for better clusters, one in';
  const LATE = 'Placement night/late: ';
  const ANOTHER_ORDER = `spec.predicates has another order: a cluster counts for the first predicate that it matches, so that up to all of the 2 selected count for another one and may leave${PLAN}`;
  const WAITS = `${LATE}an edit of the spec waits for no change window: if they fail a rule and are not held, these leave: night-1 (no label late, wanted late=yes)`;
  const expressions = (...celExpressions: string[]): object => ({
    predicates: [{ requiredClusterSelector: { celSelector: { celExpressions } } }],
  });
  const groups = { groupStrategy: { decisionGroups: [{ groupName: 'canary' }] } };
  const skewed = (change: object): object => ({
    spreadPolicy: { spreadConstraints: [{ topologyKey: 'region', topologyKeyType: 'Claim', maxSkew: 2, ...change }] },
  });
  const label = (name: string, ...change: readonly string[]): readonly string[] => ['label', 'mcl', name, ...change];
  const annotate = (text: string): readonly string[] => ['annotate', 'placement', 'web', '-n=shop', text];
  const set = (clusterSelector: object): readonly string[] => [
    'patch',
    'mclset',
    'production',
    '--type=merge',
    `-p=${JSON.stringify({ spec: { clusterSelector } })}`,
  ];
  const unreadable = (name: string, value: string): string =>
    `${WEB}annotation cluster.fleetmgmt.io/${name}${value} releases nothing: it must be TIME/NAMES, such as ` +
    '2026-01-31T12:00:00Z/edge-1,edge-2, or TIME/*; kubectl mce release writes it';

  it.each<[string, readonly string[], readonly unknown[], string?]>([
    [
      'the deletion of a namespace with Placements',
      ['delete', 'namespace', 'shop'],
      [
        'Placements other, web of namespace shop are deleted, with their decisions: what follows these removes its workloads ' +
          'from the clusters of production; see kubectl mce plan --delete ns/shop',
      ],
    ],
    ['the deletion of a namespace whose set nobody selects from', ['delete', 'namespace', 'idle'], []],
    [
      'the deletion of all Placements of a namespace, by the name of each',
      ['delete', 'placement', '--all', '-n=shop'],
      ['other', 'web'].map(
        (name) => `Placement shop/${name} selects 1 cluster: what follows its decisions removes its workloads there`,
      ),
    ],
    [
      'the deletion of a binding in use',
      ['delete', 'mclsetbinding', '--all', '-n=shop'],
      [
        'ManagedClusterSetBinding shop/production is deleted: Placements other, web lose the clusters of production; see ' +
          'kubectl mce plan --delete mclsetbinding/production -n shop',
      ],
    ],
    [
      'the deletion of clusters by a label',
      ['delete', 'mcl', '-l=tier=gold'],
      ['prod-1', 'prod-2', 'prod-3'].map(
        (name) =>
          `ManagedCluster ${name} was not drained: it leaves every decision that names it (kubectl mce who-selects ` +
          `${name}); kubectl mce drain ${name} first lets others come in for it`,
      ),
    ],
    [
      'clusters that are taken out of their set',
      ['label', 'mcl', '-l=tier=gold', `${SET_LABEL}-`],
      ['prod-1', 'prod-2', 'prod-3'].map(
        (name) =>
          `ManagedCluster ${name} leaves ManagedClusterSet production, and every decision that selects it from there; see ` +
          `kubectl mce plan --set mcl/${name}:${SET_LABEL}-`,
      ),
    ],
    [
      'a cluster that moves to another set',
      label('prod-1', `${SET_LABEL}=spare`, '--overwrite'),
      [
        'ManagedCluster prod-1 leaves ManagedClusterSet production, and every decision that selects it from there; see ' +
          `kubectl mce plan --set mcl/prod-1:${SET_LABEL}=spare`,
      ],
    ],
    ['another label of a cluster', label('prod-1', 'a=b'), []],
    [
      'the end of the acceptance of a cluster',
      ['patch', 'mcl', 'edge-1', '--type=merge', '-p={"spec":{"hubAcceptsClient":false}}'],
      [
        'ManagedCluster edge-1 is not accepted any more: its agent is refused, and when its Lease has expired the cluster ' +
          'leaves every decision that names it (kubectl mce who-selects edge-1)',
      ],
    ],
    [
      'another selector of a set in use',
      set({ selectorType: 'LabelSelector', labelSelector: { matchLabels: { tier: 'glod' } } }),
      [
        'ManagedClusterSet production is in use by Placements of namespaces shop, and another spec.clusterSelector may take all ' +
          `of its 3 clusters from their decisions${PLAN}`,
      ],
    ],
    ['the same selector of a set', ['replace', '-f', '-'], [], clusterSet],
    [
      'a larger number',
      patch({ numberOfClusters: 15 }),
      [`${WEB}spec.numberOfClusters 15 is more than the 1 selected: up to 14 come in`],
    ],
    [
      'a number that is one larger',
      patch({ numberOfClusters: 2 }),
      [`${WEB}spec.numberOfClusters 2 is more than the 1 selected: up to 1 comes in`],
    ],
    [
      'a smaller number',
      patch({ numberOfClusters: 0 }),
      [`${WEB}spec.numberOfClusters 0 is less than the 1 selected: 1 leaves`],
    ],
    ['the removal of the number', patch({ numberOfClusters: null }), [UNBOUNDED]],
    [
      'the removal of the predicates',
      patch({ predicates: null }),
      [`${WEB}spec.predicates is removed: every cluster of the cluster sets matches`],
    ],
    [
      'another predicate',
      patch({ predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'glod' } } } }] }),
      [`${WEB}spec.predicates loses one: up to all of the 1 selected leave${PLAN}`],
    ],
    ['a further predicate', patch({ predicates: [PREDICATE, {}] }), []],
    [
      'the removal of the cluster sets',
      patch({ ClusterSets: [] }),
      [`${WEB}spec.ClusterSets is removed: the clusters of every bound set are candidates`],
    ],
    [
      'other cluster sets',
      patch({ ClusterSets: ['prodution'] }),
      [`${WEB}spec.ClusterSets has prodution in place of production: all of the 1 selected leave${PLAN}`],
    ],
    [
      'one cluster set less',
      patch({ ClusterSets: ['production'] }, 'other'),
      [`${WEB.replace('web', 'other')}spec.ClusterSets loses spare: its clusters leave, of the 1 selected${PLAN}`],
    ],
    [
      'a smaller number of a predicate',
      patch({ predicates: [labelled(EARLY, 1), labelled({ tier: 'x' }, 0)] }, 'late', 'night'),
      [WAITS, `${LATE}numberOfClusters of spec.predicates, together 1, is less than the 2 selected: 1 leaves${PLAN}`],
    ],
    [
      'numbers that predicates exchange',
      patch({ predicates: [labelled(EARLY, 0), labelled({ tier: 'x' }, 2)] }, 'late', 'night'),
      [
        WAITS,
        `${LATE}numberOfClusters of spec.predicates, together 2, is less than before for a predicate: up to 1 leaves${PLAN}`,
        `${LATE}numberOfClusters of spec.predicates, together 2, is more than before for a predicate: up to 1 comes in${PLAN}`,
      ],
    ],
    [
      'predicates with numbers in another order',
      patch({ predicates: NIGHT.late.predicates.toReversed() }, 'late', 'night'),
      [WAITS, `${LATE}${ANOTHER_ORDER}`],
    ],
    [
      'a predicate with a number before the others',
      patch({ predicates: [labelled({ tier: 'y' }, 1), ...NIGHT.late.predicates] }, 'late', 'night'),
      [
        WAITS,
        `${LATE}numberOfClusters of spec.predicates, together 3, is more than the 2 selected: up to 1 comes in${PLAN}`,
        `${LATE}${ANOTHER_ORDER}`,
      ],
    ],
    [
      'a further predicate with a number',
      patch({ predicates: [...NIGHT.late.predicates, labelled({ tier: 'y' }, 3)] }, 'late', 'night'),
      [
        WAITS,
        `${LATE}numberOfClusters of spec.predicates, together 5, is more than the 2 selected: up to 3 come in${PLAN}`,
      ],
    ],
    [
      'predicates without their numbers',
      patch({ predicates: [labelled(EARLY), labelled({ tier: 'x' })] }, 'late', 'night'),
      [
        WAITS,
        `${LATE}numberOfClusters of spec.predicates is removed: every cluster that matches comes in, beside the 2 selected`,
      ],
    ],
    [
      'a predicate that gets a number',
      patch({ numberOfClusters: null, predicates: [{ ...PREDICATE, numberOfClusters: 1 }] }),
      [
        `${WEB}numberOfClusters of spec.predicates is new: of the 1 selected those beyond the number of their predicate leave${PLAN}`,
      ],
    ],
    [
      'moves that are new',
      patch({ rebalance: { scoreMargin: 20 }, prioritizerPolicy: preferring(1) }),
      [
        `${WEB}a change of spec.prioritizerPolicy, spec.rebalance lets clusters move: up to all of the 1 selected ${BETTER} 60 s${PLAN}`,
      ],
    ],
    [
      'another sign of a weight where clusters move',
      patch({ prioritizerPolicy: preferring(-1) }, 'moving', 'night'),
      [
        `${MOVING}a change of spec.prioritizerPolicy lets clusters move: up to all of the 1 selected ${BETTER} 90 s${PLAN}`,
      ],
    ],
    [
      'a smaller margin and another predicate where clusters move',
      patch({ predicates: [{}], rebalance: { scoreMargin: 19.5 } }, 'moving', 'night'),
      [
        `${MOVING}a change of spec.predicates, spec.rebalance lets clusters move: up to all of the 1 selected ${BETTER} 90 s${PLAN}`,
        `${MOVING}spec.predicates is new: up to all of the 1 selected leave${PLAN}`,
      ],
    ],
    ['a larger margin', patch({ rebalance: { scoreMargin: 30, minSelectedSeconds: 7200 } }, 'moving', 'night'), []],
    ['another weight without moves', patch({ prioritizerPolicy: preferring(-1) }), []],
    [
      'the removal of change windows while a cluster waits',
      patch({ changeWindows: null }, 'late', 'night'),
      [WAITS, `${LATE}spec.changeWindows is removed: changes are made at any time`],
    ],
    ['the same spec while a cluster waits', patch(NIGHT.late, 'late', 'night'), []],
    [
      'another budget while a cluster is held',
      patch({ disruptionBudget: { maxRemovals: 1 } }, 'held', 'night'),
      [
        `Placement night/held: another spec.disruptionBudget may release what is held: RemovalsHeld: night-1 (no label late, wanted late=yes)${PLAN}`,
        'Placement night/held: spec.disruptionBudget.maxRemovals 1 bounds nothing: the next mistake may take all of the 1 selected',
      ],
    ],
    [
      'a pause with fewer clusters',
      patch({ paused: true, numberOfClusters: 0 }),
      [
        'Placement shop/web is paused; once it is resumed: spec.numberOfClusters 0 is less than the 1 selected: 1 leaves',
      ],
    ],
    [
      'the end of a pause',
      patch({ paused: null }, 'frozen', 'night'),
      [
        `Placement night/frozen: spec.paused is not true any more: clusters that only the pause has held come in and leave${PLAN}`,
      ],
    ],
    [
      'other groups',
      patch({ decisionStrategy: groups }),
      [
        `${WEB}spec.decisionStrategy has other groups: up to all of the 1 selected change their group, and follow in another wave${PLAN}`,
      ],
    ],
    [
      'another detail',
      patch({ decisionDetails: { labels: ['region'] } }, 'moving', 'night'),
      [`${MOVING}spec.decisionDetails loses label/size: templates that use it get no value`],
    ],
    [
      'no details any more',
      patch({ decisionDetails: null }, 'moving', 'night'),
      [`${MOVING}spec.decisionDetails loses label/size, claim/cost: templates that use them get no value`],
    ],
    ['a further detail', patch({ decisionDetails: { labels: ['region', 'size'] } }, 'moving', 'night'), []],
    [
      'the removal of groups',
      patch({ decisionStrategy: null }, 'other'),
      [
        `${WEB.replace('web', 'other')}spec.decisionStrategy has no groups any more: up to all of the 1 selected change their group, and follow in another wave${PLAN}`,
      ],
    ],
    [
      'an expression without the variable',
      ['create', '-f', '-'],
      [
        `${WEB.replace('web', 'new')}celExpressions "managedcluster.metadata.name == 'a'" does not name the variable managedCluster: it says the same of all clusters${PLAN}`,
      ],
      manifest(expressions("managedcluster.metadata.name == 'a'"), 'new'),
    ],
    [
      'an expression without its last bracket',
      ['create', '-f', '-'],
      [
        `${WEB.replace('web', 'new')}celExpressions "size(managedCluster.metadata.name > 3" has brackets that are not in pairs${PLAN}`,
      ],
      manifest(expressions('managedCluster.metadata.name == "a"', 'size(managedCluster.metadata.name > 3'), 'new'),
    ],
    [
      'an expression with a bracket in a string',
      ['create', '-f', '-'],
      [],
      manifest(expressions('managedCluster.metadata.name.contains("(")'), 'new'),
    ],
    [
      'a version without its v',
      patch({
        predicates: [
          PREDICATE,
          {
            requiredClusterSelector: {
              claimSelector: { matchExpressions: [{ key: 'kubernetes-version', operator: 'Ge', values: ['1.30'] }] },
            },
          },
        ],
      }),
      [`${WEB}kubernetes-version Ge "1.30" matches no version: did you mean "v1.30"?`],
    ],
    [
      'a maxSkew without effect',
      patch(skewed({})),
      [
        `${WEB}without effect is spec.spreadPolicy: maxSkew of region: it needs whenUnsatisfiable DoNotSchedule, or spec.rebalance`,
      ],
    ],
    ['a maxSkew with effect', patch(skewed({ whenUnsatisfiable: 'DoNotSchedule' })), []],
    ['one cluster set more', patch({ ClusterSets: ['spare', 'production'] }), []],
    [
      'the loss of a toleration',
      patch({ tolerations: [TOLERATIONS[0]] }, 'other'),
      [
        `${WEB.replace('web', 'other')}spec.tolerations loses one: selected clusters with a taint that it tolerated leave${PLAN}`,
      ],
    ],
    ['the removal of the budget by a patch', patch({ disruptionBudget: null }), [LOST_BUDGET]],
    ['the removal of the budget by apply', ['apply', '-f', '-'], [LOST_BUDGET], manifest(WITHOUT_BUDGET)],
    ['the removal of the budget by replace', ['replace', '-f', '-'], [LOST_BUDGET], manifest(WITHOUT_BUDGET)],
    [
      'a budget without maxRemovals',
      patch({ disruptionBudget: { maxRemovals: null, maxAdditions: 1 } }),
      [
        `${WEB}spec.disruptionBudget.maxRemovals is removed: nothing bounds what the next mistake takes from the decision`,
      ],
    ],
    [
      'a budget that lets all go',
      patch({ disruptionBudget: { maxRemovals: '100%' } }),
      [`${WEB}spec.disruptionBudget.maxRemovals 100% bounds nothing: the next mistake may take all of the 1 selected`],
    ],
    [
      'a shorter window',
      patch({ disruptionBudget: { windowSeconds: 60 } }),
      [`${WEB}spec.disruptionBudget.windowSeconds 60 is less than 3600: as many leave or come in again after 60 s`],
    ],
    [
      'a replacement without a spec',
      ['replace', '-f', '-'],
      [
        `${WEB}spec.ClusterSets is removed: the clusters of every bound set are candidates`,
        LOST_BUDGET,
        UNBOUNDED,
        `${WEB}spec.predicates is removed: every cluster of the cluster sets matches`,
      ],
      manifest({}),
    ],
    ['a label', ['label', 'placement', 'web', '-n=shop', 'a=b'], []],
    ['another window', patch({ disruptionBudget: { windowSeconds: 7200 } }), []],
    ['an unchanged manifest', ['apply', '-f', '-'], [], manifest(SPEC)],
    ['a manifest with the same lists in another order', ['apply', '-f', '-'], [], manifest(REORDERED, 'other')],
    ['a new Placement', ['create', '-f', '-'], [], manifest({ ...SPEC, numberOfClusters: 0 }, 'new')],
    ['a release of names', annotate('cluster.fleetmgmt.io/allow-removals=2026-01-31T12:00:00Z/a.b-1, c'), []],
    ['a release of all', annotate('cluster.fleetmgmt.io/allow-additions=2026-01-31T12:00:00.5+01:00/*'), []],
    [
      'a release of digests',
      annotate('cluster.fleetmgmt.io/allow-removals=2026-01-31T12:00:00Z/~Ab_-0123Ab_-0124'),
      [],
    ],
    [
      'a release without a time',
      annotate('cluster.fleetmgmt.io/allow-removals=*'),
      [unreadable('allow-removals', ' "*"')],
    ],
    [
      'a release until no time that there is',
      annotate('cluster.fleetmgmt.io/allow-additions=2026-13-31T12:00:00Z/*'),
      [unreadable('allow-additions', ' "2026-13-31T12:00:00Z/*"')],
    ],
    [
      'a release of half a digest, with a line break',
      annotate('cluster.fleetmgmt.io/allow-removals=2026-01-31T12:00:00Z/~Ab_\n'),
      [unreadable('allow-removals', '')],
    ],
    [
      'a new Placement with a release that cannot be read',
      ['create', '-f', '-'],
      [unreadable('allow-removals', ' "true"').replace('web', 'new')],
      manifest(SPEC, 'new', { annotations: { 'cluster.fleetmgmt.io/allow-removals': 'true' } }),
    ],
    [
      'the deletion of the identities of agents',
      ['delete', 'serviceaccount', '--all', agents],
      ['edge-1', 'edge-2'].map(
        (name) =>
          `ServiceAccount ${name} is the identity of an agent: the hub refuses it from now on, and ManagedCluster ${name} has to ` +
          `join again (kubectl mce cluster add ${name} --renew)`,
      ),
    ],
    [
      'the deletion of the Leases of agents',
      ['delete', 'lease', '--all', agents],
      ['edge-1', 'edge-2'].map(
        (name) =>
          `Lease ${name} shows that ManagedCluster ${name} is alive: the cluster counts as silent until its agent renews it`,
      ),
    ],
    ['the deletion of other accounts', ['delete', 'serviceaccount', '--all', '-n=shop'], []],
  ])('a dry run warns of %s, and refuses nothing', async (_what, command, warnings, input = '') => {
    expect(await said(command, input)).toEqual({ code: 0, warnings });
  });

  it('the deletion of a cluster that was drained is not warned of', async () => {
    const drained = [{ taints: [{ key: 'example.com/old', effect: 'NoSelect' }] }, { maintenance: 'Draining' }].map(
      (spec) => JSON.stringify({ spec }),
    );
    await fleet.cluster('prod-4', 'production');
    for (const spec of drained) {
      await kubectlOk(['patch', 'mcl', 'prod-4', '--type=merge', `-p=${spec}`], {
        kubeconfig: server().adminKubeconfig,
      });
      expect(await said(['delete', 'mcl', 'prod-4'])).toEqual({ code: 0, warnings: [] });
      expect(await said(label('prod-4', `${SET_LABEL}-`))).toEqual({ code: 0, warnings: [] });
      await kubectlOk(['patch', 'mcl', 'prod-4', '--type=merge', '-p={"spec":{"taints":null}}'], {
        kubeconfig: server().adminKubeconfig,
      });
    }
  });
});
