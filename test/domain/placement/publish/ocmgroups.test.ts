import { describe, expect, it } from '@jest/globals';
import { schedule } from '../../../../src/domain/placement/select/schedule.js';
import { publishedAfter, sliceChanges } from '../../../../src/domain/placement/publish/slices.js';
import { decisionGroups } from '../../../../src/domain/placement/report/groups.js';
import { member, snapshot } from '../../../support/builders/placement.js';

/**
 * The cases of Open Cluster Management's tests of decision groups, one row each, with what `status.decisionGroups` says of a
 * first decision. Which clusters are in a piece differs on purpose: here it is the order in which they were selected.
 */

const cloud = (groupName: string, value: string): object => ({
  groupName,
  groupClusterSelector: { labelSelector: { matchLabels: { cloud: value } } },
});

function groupsOf(groupStrategy: object, clouds: readonly string[]): readonly string[] {
  const fleet = clouds.map((name, index) => member(`cluster${index + 1}`, { labels: { cloud: name } }));
  const seen = snapshot({ spec: { decisionStrategy: { groupStrategy } }, fleet });
  const slices = publishedAfter(sliceChanges(seen, schedule(seen)));
  return (decisionGroups(slices) ?? []).map(
    (one) => `${one.decisionGroupIndex} ${one.decisionGroupName} ${one.decisions.join(' ')} ${one.clusterCount}`,
  );
}

describe("decision groups in the cases of Open Cluster Management's tests", () => {
  it.each([
    {
      name: 'a group of two, one cluster in each piece, and the rest',
      strategy: { decisionGroups: [cloud('canary', 'Amazon')], clustersPerDecisionGroup: 1 },
      clouds: ['Amazon', 'Amazon', 'Azure', 'Azure'],
      groups: ['0 canary web-decision-1 1', '1 canary web-decision-2 1', '2  web-decision-3 1', '3  web-decision-4 1'],
    },
    {
      name: 'two groups that take all clusters',
      strategy: { decisionGroups: [cloud('group1', 'Amazon'), cloud('group2', 'Azure')] },
      clouds: ['Amazon', 'Amazon', 'Azure'],
      groups: ['0 group1 web-decision-1 2', '1 group2 web-decision-2 1'],
    },
    {
      name: 'a quarter of three clusters, rounded up',
      strategy: { clustersPerDecisionGroup: '25%' },
      clouds: ['Amazon', 'Amazon', 'Azure'],
      groups: ['0  web-decision-1 1', '1  web-decision-2 1', '2  web-decision-3 1'],
    },
    {
      name: 'no cluster is selected',
      strategy: {},
      clouds: [],
      groups: ['0  web-decision-1 0'],
    },
  ])('$name', ({ strategy, clouds, groups }) => {
    expect(groupsOf(strategy, clouds)).toEqual(groups);
  });

  it('differs: a Placement without a groupStrategy has no groups, where OCM has one without a name', () => {
    const seen = snapshot({ fleet: [member('cluster1')] });
    expect(decisionGroups(publishedAfter(sliceChanges(seen, schedule(seen))))).toBeUndefined();
  });
});
