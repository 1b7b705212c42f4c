import { describe, expect, it } from '@jest/globals';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../src/api/resources.js';
import { checkHub } from '../../src/answers/check/hub.js';
import type { CheckResult } from '../../src/answers/check/result.js';
import { explainPlacement } from '../../src/cli/commands/explain.js';
import { planChange } from '../../src/cli/commands/plan.js';
import { tree } from '../../src/cli/commands/tree.js';
import { worldOf, type World } from '../../src/answers/world/world.js';
import { hubFacts, readingOf } from '../support/builders/hubinput.js';
import { readConfig } from '../support/commandline.js';
import { NAMESPACE, PlacementRig } from '../support/rigs/controllers/placement.js';

/**
 * The canary group of a rollout lost its last cluster, and no condition, event or command said so: the first wave was then the
 * rest of the fleet. Right: each says it in the same words, and a group that has a cluster again is no longer spoken of.
 */

const group = (groupName: string): object => ({
  groupName,
  groupClusterSelector: { labelSelector: { matchLabels: { wave: groupName } } },
});
const SPEC = { decisionStrategy: { groupStrategy: { decisionGroups: [group('canary'), group('early')] } } };
const LOST = 'no selected cluster is in group canary; the first wave is piece 0 (group early)';

async function hubOf(spec: object = SPEC): Promise<PlacementRig> {
  const hub = new PlacementRig();
  hub.cluster('a', { wave: 'canary' });
  hub.cluster('b', { wave: 'early' });
  hub.clusters('c', 'd');
  hub.place('web', spec);
  return hub.start();
}

function said(hub: PlacementRig): string | undefined {
  return hub.condition('web', 'GroupsEmpty')?.message;
}

function events(hub: PlacementRig): readonly string[] {
  return hub.events.filter(({ reason }) => reason === 'GroupsEmpty').map(({ type, note }) => `${type}: ${note}`);
}

function worldIn(hub: PlacementRig): World {
  return worldOf({
    placements: hub.api.all(Placements),
    placementdecisions: hub.api.all(PlacementDecisions),
    managedclusters: hub.api.all(ManagedClusters),
    managedclustersets: hub.api.all(ManagedClusterSets),
    managedclustersetbindings: hub.api.all(ManagedClusterSetBindings),
  });
}

function checked(hub: PlacementRig): readonly CheckResult[] {
  return checkHub(hubFacts({ reading: readingOf(worldIn(hub)) })).filter(({ name }) => name === 'groups');
}

function shown(hub: PlacementRig, output: 'text' | 'json'): readonly string[] {
  const world = worldIn(hub);
  const request = { namespace: NAMESPACE, placement: 'web', cluster: undefined, nearest: 0, output, colored: false };
  return [
    explainPlacement(world, request),
    tree(readingOf(world, { namespace: NAMESPACE }), 'web', { output, colored: false }),
  ];
}

describe('a group that has no cluster any more', () => {
  it('is named by the status, one event, check, tree and explain, in the same words', async () => {
    const hub = await hubOf();
    expect(said(hub)).toBeUndefined();
    expect(checked(hub)).toEqual([]);
    for (const one of [...shown(hub, 'text'), ...shown(hub, 'json')]) expect(one).not.toMatch(/in group|emptyGroups/);

    hub.api.remove(ManagedClusters, { name: 'a' });
    await hub.untilIdle(60_000);

    expect(said(hub)).toBe(LOST);
    expect(events(hub)).toEqual([`Warning: ${LOST}`]);
    expect(checked(hub)).toMatchObject([{ status: 'Warning', message: `team/web: ${LOST}` }]);
    const [{ remedy = '' } = {}] = checked(hub);
    expect(readConfig(remedy.split(' ').slice(2), {})).toMatchObject({ command: 'tree', placement: 'web' });
    for (const one of shown(hub, 'text')) expect(one.split('\n')).toContain(LOST);
    for (const one of shown(hub, 'json')) expect(JSON.parse(one)).toMatchObject(expectedIn(one));
    const idle = hub.mark;
    await hub.untilIdle(60_000);
    expect(hub.writesSince(idle)).toEqual([]);
  });

  it('is no longer spoken of once it has one again', async () => {
    const hub = await hubOf();
    hub.cluster('a');
    await hub.untilIdle();
    expect(said(hub)).toBe(LOST);

    hub.cluster('c', { wave: 'canary' });
    await hub.untilIdle();

    expect(said(hub)).toBeUndefined();
    expect(hub.status('web').phase).toBe('Satisfied');
  });

  it('is named from the first decision on, and each further one with an event of its own', async () => {
    const hub = new PlacementRig();
    hub.cluster('b', { wave: 'early' });
    hub.clusters('c', 'd');
    hub.place('web', SPEC);
    await hub.start();
    expect(events(hub)).toEqual([`Warning: ${LOST}`]);

    hub.cluster('b');
    await hub.untilIdle();

    const both = 'no selected cluster is in group canary, early; the first wave is piece 0 (no group)';
    expect(said(hub)).toBe(both);
    expect(events(hub)).toEqual([`Warning: ${LOST}`, `Warning: ${both}`]);
  });

  it('is named by plan before the label is taken away', async () => {
    const hub = await hubOf();
    const request = {
      namespace: NAMESPACE,
      manifests: undefined,
      complete: false,
      deletions: [],
      output: 'text',
    } as const;
    const limits = { maxRemovals: undefined, maxAdditions: undefined, colored: false };

    const { text } = planChange(readingOf(worldIn(hub)), { ...request, ...limits, labels: ['mcl/a:wave-'] });

    expect(text.split('\n')).toContain(`  ${LOST}`);
  });

  it('is not spoken of where nothing is selected at all, which the status says, or where there are no groups', async () => {
    const none = await hubOf({ ...SPEC, numberOfClusters: 0 });
    expect(said(none)).toBeUndefined();
    const plain = await hubOf({});
    expect(said(plain)).toBeUndefined();
  });
});

function expectedIn(text: string): object {
  return text.includes('PlacementExplanation') ? { emptyGroups: LOST } : { placements: [{ emptyGroups: LOST }] };
}
