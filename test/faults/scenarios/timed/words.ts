import type { PlacementSpec } from '../../../../src/api/generated/placement.js';
import { PLACEMENT_LABEL } from '../../../../src/api/names.js';
import { ManagedClusters, ManagedClusterSets, PlacementDecisions, Placements } from '../../../../src/api/resources.js';
import { field, recordsIn, textField } from '../../../../src/runtime/vocabulary/json.js';
import { ConfigMaps, CustomResourceDefinitions, Leases } from '../../../../src/runtime/vocabulary/kinds.js';
import type { Content } from '../../checks/contents.js';
import { LEADER_NAMESPACE, readObjects, TEAM } from '../../hub/base.js';
import type { Hands } from '../../hub/hands.js';
import type { Process } from '../../hub/process.js';
import { step, wait, type Stage, type Step } from '../../scenario.js';
import { addCluster, fleet, type ClusterGiven } from '../fleet.js';

/** Sentences about what time, people in a hurry and broken machines do. */

/** The scenarios begin on a Sunday at 10:00 UTC, and a step with faults can take ten minutes: times keep that distance. */
export const at = (time: string): string => `2026-11-22T${time}:00Z`;

/** Not today, and not tomorrow. */
export const later: PlacementSpec['changeWindows'] = [{ start: 'Wed 10:00', duration: '2h', timeZone: 'UTC' }];

/** After the day of quiet that follows a run. */
export const AFTER_QUIET = '2026-11-24T12:00:00Z';

/** Longer than a Lease. */
const STOPPED_MS = 20_000;

/** The same step, after which time alone brings another change within so many minutes. */
export const pending = (of: Step, minutes: number): Step => ({ ...of, pendingMinutes: minutes });

/** The score of a cluster is 100 less the claim `price`. */
export const cheapest: NonNullable<PlacementSpec['prioritizerPolicy']> = {
  configurations: [
    { scoreCoordinate: { type: 'Claim', claim: { name: 'price', order: 'Ascending', min: '0', max: '100' } } },
  ],
};

/** Golden clusters, each with its price. */
export async function priced(hands: Hands, prices: Readonly<Record<string, string>>): Promise<void> {
  await fleet(hands, '');
  await addPriced(hands, prices);
}

async function addPriced(hands: Hands, prices: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, price] of Object.entries(prices))
    await addCluster(hands, name, { labels: { tier: 'gold' }, claims: { price } });
}

export const joinPriced = (prices: Readonly<Record<string, string>>): Step =>
  step(`clusters join with the prices ${JSON.stringify(prices)}`, (hands) => addPriced(hands, prices));

export const edit = (name: string, spec: object): Step =>
  step(`Placement ${name} is edited: ${JSON.stringify(spec)}`, (hands) =>
    hands.patch(Placements, { name, namespace: TEAM }, { spec }),
  );

export const editSet = (name: string, spec: object): Step =>
  step(`ManagedClusterSet ${name} is edited: ${JSON.stringify(spec)}`, (hands) =>
    hands.patch(ManagedClusterSets, { name }, { spec }),
  );

/** `null` removes an annotation. */
export const annotate = (name: string, annotations: Readonly<Record<string, string | null>>): Step =>
  step(`Placement ${name} has the annotations ${JSON.stringify(annotations)}`, (hands) =>
    hands.patch(Placements, { name, namespace: TEAM }, { metadata: { annotations } }),
  );

interface TaintGiven {
  readonly key: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

export const taintSince = (name: string, taints: readonly TaintGiven[]): Step =>
  step(`cluster ${name} has the taints ${JSON.stringify(taints)}`, (hands) =>
    hands.patch(ManagedClusters, { name }, { spec: { taints } }),
  );

/** While the programs restart: they see all of the change at once, so that it is judged as one. */
export const atOnce = (title: string, act: (hands: Hands) => Promise<unknown>): Step => ({
  title: `while the programs restart, ${title}`,
  act: async ({ hands, programs }) => {
    for (const program of programs) program.crash(2_000);
    await act(hands);
  },
});

/** `names`: letters, one each. */
export const leaveAtOnce = (names: string): Step =>
  atOnce(`clusters ${names} are deleted`, async (hands) => {
    for (const name of names) await hands.remove(ManagedClusters, { name });
  });

/** `names`: letters, one each. */
export const joinAll = (names: string, given: ClusterGiven = {}): Step =>
  step(`clusters ${names} join`, async (hands) => {
    for (const name of names) await addCluster(hands, name, given);
  });

/** With all its objects. A release counts only later than 30 s after that. */
export const redefine: Step = {
  title: 'the definition of ManagedCluster is deleted, is created again after a minute, and two minutes pass',
  act: async (stage) => {
    const name = `${ManagedClusters.plural}.${ManagedClusters.group}`;
    await stage.hands.remove(CustomResourceDefinitions, { name });
    await wait(1).act(stage);
    await createAll(stage.hands, 'crds/managedcluster.yaml');
    // The second change of this step.
    for (const { passes } of stage.programs) passes.clear();
    await wait(2).act(stage);
  },
};

/** `file`: a path in the repository. */
export async function createAll(hands: Hands, file: string): Promise<void> {
  for (const object of readObjects(file)) await hands.create(object);
}

const NOTES = { name: 'notes', namespace: TEAM };

/** What {@link noted} has left, for {@link Content}. */
export const note = (step: number, expect: string): Content => ({
  step,
  type: ConfigMaps,
  name: NOTES,
  field: 'data.seen',
  expect,
});

/** The same step, after which people look so many minutes later, and note what is there then: faults make it no earlier. */
export const noted = (minutes: number, of: Step, look: (hands: Hands) => Promise<string>): Step => ({
  ...of,
  title: `${of.title}, and ${minutes} min later people note what they see`,
  act: async (stage) => {
    await of.act(stage);
    await stage.simulation.pass(minutes * 60_000);
    const seen = await look(stage.hands);
    await stage.hands.put({ apiVersion: 'v1', kind: ConfigMaps.kind, metadata: NOTES, data: { seen } });
  },
});

/** The clusters that Placement `name` selects: letters, one each. */
export const selectedBy =
  (name: string) =>
  async (hands: Hands): Promise<string> => {
    const objects = await hands.list(PlacementDecisions);
    const own = objects.filter(({ metadata }) => metadata.labels?.[PLACEMENT_LABEL] === name);
    const selected = own.flatMap((one) => recordsIn(field(field(one, 'status'), 'decisions')));
    return selected
      .map((one) => textField(one, 'clusterName'))
      .sort()
      .join('');
  };

async function leaderOf(lease: string, { hands, programs }: Stage): Promise<Process | undefined> {
  const found = await hands.find(Leases, { name: lease, namespace: LEADER_NAMESPACE });
  return programs.find(({ name }) => name === field(field(found, 'spec'), 'holderIdentity'));
}

/** The process that holds the Lease is killed, and starts again after `ms`. */
export const killLeader = (lease: string, ms: number): Step => ({
  title: `the holder of the Lease ${lease} is killed`,
  act: async (stage) => (await leaderOf(lease, stage))?.crash(ms),
});

/** The process that holds the Lease is ended, as a Deployment does that is changed. */
export const endLeader = (lease: string): Step => ({
  title: `the holder of the Lease ${lease} ends`,
  act: async (stage) => (await leaderOf(lease, stage))?.quit?.(),
});

/** The process that holds the Lease stands still until another one has it. */
export const stopLeader = (lease: string): Step => ({
  title: `the holder of the Lease ${lease} is stopped for ${STOPPED_MS / 1_000} s`,
  act: async (stage) => {
    (await leaderOf(lease, stage))?.stop(STOPPED_MS);
    await stage.simulation.pass(STOPPED_MS + 5_000);
  },
});

export const deleteLease = (name: string): Step =>
  step(`the Lease ${name} is deleted`, (hands) => hands.remove(Leases, { name, namespace: LEADER_NAMESPACE }));
