import { describe, expect, it } from '@jest/globals';
import { explainReport } from '../../src/cli/explain/report.js';
import { explanationLines } from '../../src/cli/explain/text.js';
import { worldOf, type RawObject, type World } from '../../src/domain/fleet/world.js';
import {
  NAMESPACE,
  predicate,
  rawBinding,
  rawCluster,
  rawDecision,
  rawPlacement,
  rawSet,
} from '../support/builders/world.js';

/*
 * `explain` proposed to relabel a production cluster for a value that no cluster has, and the cluster then left another
 * Placement. It proposed nothing for a set that is not bound or misspelt, and one fix at a time where several clusters were
 * missing. Right: what is proposed takes nothing from others, existing values and sets are named, and all that is missing is
 * proposed at once.
 */

interface Fleet {
  readonly spec: object;
  readonly clusters?: readonly RawObject[];
  readonly bindings?: readonly string[];
  readonly others?: readonly RawObject[];
  readonly withheld?: World['withheld'];
}

const silver = (name: string): RawObject => rawCluster(name, { set: 'prod', labels: { tier: 'silver' } });
const CLUSTERS = [rawCluster('a', { set: 'prod', labels: { tier: 'gold' } }), silver('b'), silver('c')];

function lines({ spec, clusters = CLUSTERS, bindings = ['prod'], others = [], withheld = [] }: Fleet): string {
  const objects = {
    placements: [rawPlacement(spec), ...others],
    placementdecisions: [rawDecision(1, [])],
    managedclusters: clusters,
    managedclustersets: withheld.length === 0 ? [rawSet('edge'), rawSet('prod')] : [],
    managedclustersetbindings: bindings.map((name) => rawBinding(name)),
  };
  const report = explainReport(worldOf(objects, withheld), NAMESPACE, 'web');
  return (report ? explanationLines(report, { nearest: 0, colored: false }) : []).join('\n');
}

const wants = (tier: string, numberOfClusters: number): object => ({
  numberOfClusters,
  predicates: [predicate({ tier })],
});
/** A Placement of all clusters with the label tier=silver. */
const api = { ...rawPlacement({ predicates: [predicate({ tier: 'silver' })] }, 'api') };
const API = { ...api, metadata: { ...api.metadata, uid: 'api' } };

describe('what explain proposes', () => {
  it('is as many labels as clusters are missing', () => {
    const found = lines({ spec: wants('gold', 3) });

    expect(found.match(/to select [bc]: kubectl label mcl [bc] tier=gold --overwrite/g)).toHaveLength(2);
  });

  it('is no label by which another Placement loses a cluster', () => {
    expect(lines({ spec: wants('gold', 3), others: [API] })).not.toContain('to select');
  });

  it('names the existing values in place of a label that no cluster has', () => {
    const found = lines({ spec: wants('platinum-plus', 1) });

    expect(found).not.toContain('kubectl label');
    expect(found).toContain('there are label tier=silver (2), tier=gold (1)');
  });

  it.each([
    ['a set that is not bound', { ClusterSets: ['edge'] }, ['prod'], 'fix: kubectl mce clusterset bind edge -n shop'],
    ['a misspelt set', { ClusterSets: ['prdo'] }, ['prod'], 'there is no ManagedClusterSet prdo; did you mean prod?'],
    ['no binding at all', {}, [], 'fix: kubectl mce clusterset bind SET -n shop, with one of edge, prod'],
  ])('helps with %s, where the caller can read sets', (_what, spec, bindings, text) => {
    const withheld = [{ resource: 'managedclustersets', verb: 'list', status: 403 }] as const;

    expect(lines({ spec, bindings })).toContain(text);
    expect(lines({ spec, bindings, withheld })).not.toMatch(/did you mean|clusterset bind/);
  });
});
