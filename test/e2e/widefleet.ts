import { expect } from '@jest/globals';
import { WRITES } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';

import { ManagedClusterSets } from '../../src/api/resources.js';
import type { Hands } from '../faults/hub/hands.js';
import type { Reference } from '../faults/run.js';
import { step, type Scenario, type Step } from '../faults/scenario.js';
import { addCluster, label, placementOf } from '../faults/scenarios/fleet.js';
import { addSet, byLabels } from '../faults/scenarios/placement/words.js';
import { edit } from '../faults/scenarios/timed/words.js';
import { QUIET_MS, referencesOf } from '../faults/real/plans.js';
import type { RealProcess } from '../faults/real/process.js';
import { RealRun } from '../faults/real/run.js';

/** A fleet whose decisions fill several objects, for tests of what happens to a whole server. */

const CLUSTERS = 140;
const SETS = ['prod', 'stage'] as const;
const europe = [byLabels({ region: 'eu' })];
const PLACEMENTS = [
  placementOf('everything', {}),
  placementOf('large', { numberOfClusters: 120 }),
  placementOf('three', { ClusterSets: ['stage'], numberOfClusters: 3, predicates: europe }),
  placementOf('dozen', { ClusterSets: ['prod'], numberOfClusters: 12, predicates: europe }),
];
/** The objects of all decisions: two each of the first two. */
export const OBJECTS = 6;

/** The name by which the API server knows the controller. */
export const IDENTITY = 'steadfast';

export const memberName = (n: number): string => `member-${String(n).padStart(3, '0')}`;
const regionOf = (n: number): string => (n % 3 === 0 ? 'us' : 'eu');

/** All clusters but the one of this name. */
export async function addMembers(hands: Hands, but?: string): Promise<void> {
  for (let n = 0; n < CLUSTERS; n++)
    if (memberName(n) !== but)
      await addCluster(hands, memberName(n), { labels: { region: regionOf(n) }, set: n % 4 === 0 ? 'stage' : 'prod' });
}

export async function addPlacements(hands: Hands): Promise<void> {
  for (const one of PLACEMENTS) await hands.create(one);
}

/** Of a set that the namespace is bound to already. */
export async function makeSet(hands: Hands, name: string): Promise<void> {
  const { group, version, kind } = ManagedClusterSets;
  await hands.create({ apiVersion: `${group}/${version}`, kind, metadata: { name }, spec: {} });
}

export async function makeSets(hands: Hands): Promise<void> {
  for (const name of SETS) await makeSet(hands, name);
}

export const resize = (name: string, numberOfClusters: number): Step => edit(name, { numberOfClusters });

/** A change after which each Placement has something to do, and two more; each `n` is another one. */
export function stir(n: number): readonly Step[] {
  const region = regionOf(n) === 'eu' ? 'us' : 'eu';
  return [label(memberName(n), { region }), resize('large', 101 + n), resize('dozen', 5 + n)];
}

/** A quarter of the fleet leaves all decisions, and comes back. */
export const unmakeStage: Step = step('set stage is deleted', (hands) =>
  hands.remove(ManagedClusterSets, { name: 'stage' }),
);
export const makeStage: Step = step('set stage is created again', (hands) => makeSet(hands, 'stage'));

/** A step in which people do nothing. */
export const nothing: Step = step('nothing is done', () => Promise.resolve());

/** A scenario with the fleet, and what it does in this process. */
export interface WideFleet {
  readonly scenario: Scenario;
  readonly reference: Reference;
}

/** To be called before a server is started, as {@link referencesOf}. */
export async function wideFleet(steps: readonly Step[], names: readonly string[] = [IDENTITY]): Promise<WideFleet> {
  const scenario: Scenario = {
    name: 'wide',
    quietMs: QUIET_MS,
    programs: names.map((name) => ({ name, controllers: ['placement'] })),
    given: async (hands) => {
      for (const name of SETS) await addSet(hands, name);
      await addMembers(hands);
      await addPlacements(hands);
    },
    steps,
  };
  const [reference] = await referencesOf([scenario]);
  if (reference === undefined) throw new Error('there is no reference');
  return { scenario, reference };
}

/** Runs `body` with the fleet at rest; then no rule may be broken, and a controller that is alone be the same process. */
export async function withFleet(
  server: ControlPlane,
  fleet: WideFleet,
  body: (run: RealRun, first: RealProcess) => Promise<void>,
): Promise<void> {
  const run = await RealRun.begin({ server, ...fleet });
  const [first] = run.processes;
  if (first === undefined) throw new Error('the scenario has no program');
  try {
    const { pid } = first.controller;
    await body(run, first);
    if (run.processes.length === 1) expect([first.controller.pid, first.controller.exit()]).toEqual([pid, undefined]);
    expect(run.violations).toEqual([]);
  } finally {
    await run.end();
  }
}

/** The accepted writes of the controller to decision objects since `mark`. */
export async function decisionWrites(server: ControlPlane, mark: number): Promise<string[]> {
  const log = await server.requestLog({ after: mark, verbs: WRITES, resources: ['placementdecisions'] });
  return log
    .filter(({ userAgent, code }) => userAgent.endsWith(` ${IDENTITY}`) && code < 300)
    .map(({ verb, uri }) => `${verb} ${uri}`);
}
