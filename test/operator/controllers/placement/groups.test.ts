import { describe, expect, it } from '@jest/globals';
import type { PlacementDecision } from '../../../../src/api/generated/placementdecision.js';
import { PlacementDecisions } from '../../../../src/api/resources.js';
import { PlacementRig } from '../../../support/rigs/controllers/placement.js';

const CANARY = {
  decisionStrategy: {
    groupStrategy: {
      decisionGroups: [
        { groupName: 'canary', groupClusterSelector: { labelSelector: { matchLabels: { canary: 'true' } } } },
      ],
      clustersPerDecisionGroup: 2,
    },
  },
};

/** `web-decision-1 0/canary: a`. */
function objects(hub: PlacementRig): readonly string[] {
  return hub.api
    .all<PlacementDecision>(PlacementDecisions)
    .map(({ metadata: { name, labels = {} }, status }) => {
      const piece = ['index', 'name']
        .map((key) => labels[`cluster.fleetmgmt.io/decision-group-${key}`] ?? '-')
        .join('/');
      const items = status.decisions.map(({ clusterName, group, groupIndex }) => {
        expect(piece).toBe(`${groupIndex ?? '-'}/${group ?? '-'}`);
        return clusterName;
      });
      return `${name} ${piece}: ${[...items].sort().join(' ')}`;
    })
    .sort();
}

describe('a Placement with groups', () => {
  it('a label moves a cluster to the canary group: it is added there before it leaves, and the status lists the pieces', async () => {
    const hub = new PlacementRig();
    hub.clusters('a', 'b', 'c');
    hub.cluster('d', { canary: 'true' });
    await hub.start();
    hub.place('web', CANARY);
    await hub.untilIdle();
    const before = objects(hub);
    expect(before.map((one) => one.slice(0, 'web-decision-1 0/'.length))).toEqual([
      'web-decision-1 0/',
      'web-decision-2 1/',
      'web-decision-3 2/',
    ]);
    expect(before[0]).toBe('web-decision-1 0/canary: d');
    const moving = before[1]?.slice(-1) ?? '';
    const mark = hub.mark;

    hub.cluster(moving, { canary: 'true' });
    await hub.untilIdle();

    expect(hub.writesSince(mark)).toEqual([
      'update placementdecisions team/web-decision-1',
      'update placementdecisions team/web-decision-2',
      'updateStatus placements team/web',
    ]);
    expect(objects(hub)[0]).toBe(`web-decision-1 0/canary: ${['d', moving].sort().join(' ')}`);
    expect(hub.status('web')).toMatchObject({
      numberOfSelectedClusters: 4,
      decisionGroups: [
        { decisionGroupIndex: 0, decisionGroupName: 'canary', decisions: ['web-decision-1'], clusterCount: 2 },
        { decisionGroupIndex: 1, decisionGroupName: '', decisions: ['web-decision-2'], clusterCount: 1 },
        { decisionGroupIndex: 2, decisionGroupName: '', decisions: ['web-decision-3'], clusterCount: 1 },
      ],
    });
    const idle = hub.mark;
    await hub.untilIdle(20_000);
    expect(hub.writesSince(idle)).toEqual([]);
  });

  it('a label of a cluster that is not selected, and one that no group names, cost no pass', async () => {
    const hub = new PlacementRig();
    hub.clusters('a', 'b');
    await hub.start();
    hub.place('web', { ...CANARY, numberOfClusters: 1 });
    await hub.untilIdle();
    const chosen = objects(hub)[0]?.slice(-1) ?? '';
    const passes = hub.infos.length;

    hub.cluster(chosen === 'a' ? 'b' : 'a', { canary: 'true' });
    hub.cluster(chosen, { other: 'true' });
    await hub.untilIdle();

    expect(hub.infos).toHaveLength(passes);
  });

  it('without groups again, the objects lose labels and fields, and no cluster changes its object', async () => {
    const hub = new PlacementRig();
    hub.clusters('a', 'b', 'c');
    await hub.start();
    hub.place('web', CANARY);
    await hub.untilIdle();
    const before = objects(hub).map((one) => one.replace(/ \d+\/[^:]*/, ' -/-'));

    hub.place('web', {});
    await hub.untilIdle();

    expect(objects(hub)).toEqual(before);
    expect(hub.status('web')).not.toHaveProperty('decisionGroups');
  });
});
