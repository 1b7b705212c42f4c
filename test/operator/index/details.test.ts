import { describe, expect, it } from '@jest/globals';
import { CLUSTER_SET_LABEL } from '../../../src/api/names.js';
import { schedule } from '../../../src/domain/placement/select/schedule.js';
import type { ClusterView } from '../../../src/domain/placement/select/snapshot.js';
import { compileSpec } from '../../../src/domain/placement/spec/predicates.js';
import type { ClusterEffects } from '../../../src/operator/index/affected.js';
import { PlacementIndex } from '../../../src/operator/index/placementindex.js';
import type { IndexedDecision, Reading } from '../../../src/operator/index/reading.js';
import { binding, cluster, members, publishedLists, snapshot } from '../../support/builders/placement.js';

const KEY = 'team/web';
const NOTED = { placements: [], delayed: [{ key: KEY, afterMs: 5_000 }] };
const NOTHING = { placements: [], delayed: [] };
/** The decision that selects `a` alone. */
const DECIDED: IndexedDecision = {
  decision: schedule(snapshot({ fleet: members('a') })),
  before: undefined,
  after: publishedLists([['a']]),
};

/** An index of a Placement that may select the clusters. */
class Fleet {
  readonly index = new PlacementIndex();

  constructor(spec: unknown, ...names: readonly string[]) {
    this.index.tracking = true;
    this.index.upsertSet({ name: 'fleet', deleting: false, selector: { kind: 'exclusive' } });
    this.index.upsertBinding('team', binding('fleet'));
    for (const name of names) this.change(name);
    this.index.upsertPlacement(KEY, { namespace: 'team', rules: compileSpec(spec) });
  }

  begin(): Reading {
    const reading = this.index.begin(KEY);
    if (reading === undefined) throw new Error('the index has no Placement');
    return reading;
  }

  change(name: string, { labels, ...over }: Partial<ClusterView> = {}): ClusterEffects {
    return this.index.upsertCluster(cluster(name, { ...over, labels: { [CLUSTER_SET_LABEL]: 'fleet', ...labels } }));
  }
}

describe('the details of items in the placement index', () => {
  it('each other value of a selected cluster is noted, and nothing else', () => {
    const fleet = new Fleet(
      { numberOfClusters: 1, decisionDetails: { labels: ['region'], claims: ['platform'] } },
      'a',
    );
    fleet.begin().commit(DECIDED);
    const labels = { region: 'eu' };

    expect(fleet.change('a', { labels })).toMatchObject(NOTED);
    expect(fleet.change('a', { labels: { ...labels, tier: 'gold' } })).toMatchObject(NOTHING);
    expect(fleet.change('a', { labels, claims: { platform: 'aws', region: 'eu' } })).toMatchObject(NOTED);
    expect(fleet.change('a', { labels, claims: { platform: 'aws' } })).toMatchObject(NOTHING);
    fleet.change('b');
    fleet.begin();
    expect(fleet.change('b', { labels })).toMatchObject(NOTHING);
    fleet.index.removePlacement(KEY);
    expect(fleet.change('a')).toMatchObject(NOTHING);
  });

  it('a value that changes during a pass asks for another one', () => {
    const fleet = new Fleet({ decisionDetails: { labels: ['region'] } }, 'a');
    const reading = fleet.begin();
    fleet.change('a', { labels: { region: 'eu' } });

    expect(reading.commit(DECIDED).isStale).toBe(true);
  });
});
