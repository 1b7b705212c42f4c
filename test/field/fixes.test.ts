import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { TAINTS } from '../../src/api/names.js';
import { explainPlacement, type ExplainRequest } from '../../src/cli/commands/explain.js';
import { proposalsOf, type Proposal } from '../../src/answers/explain/proposals.js';
import { explainReport } from '../../src/answers/explain/report.js';
import { explanationLines } from '../../src/answers/explain/text.js';
import { overlay, type Change } from '../../src/answers/world/overlay.js';
import { planFleet } from '../../src/answers/plan/plan.js';
import { worldOf, type World } from '../../src/answers/world/world.js';
import { taint } from '../support/builders/taints.js';
import {
  NAMESPACE,
  predicate,
  rawBinding,
  rawCluster,
  rawDecision,
  rawPlacement,
  rawSet,
  someWorld,
} from '../support/builders/world.js';
import { runs } from '../support/runs.js';

/*
 * `explain` proposed to relabel a production cluster for a value that no cluster has, and the cluster then left another
 * Placement. It proposed nothing for a set that is not bound or misspelt, and one fix at a time where several clusters were
 * missing; it proposed what the caller may not do. Right: what is proposed takes nothing from others, existing values and sets
 * are named, all that is missing is proposed at once, in text and JSON, and who may not run it reads whom to ask.
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

  it('is nothing for a misspelt binding of a set that the Placement does not ask for', () => {
    const bindings = ['prod', 'prdo'];

    expect(lines({ spec: { ClusterSets: ['prod'], ...wants('gold', 3) }, bindings })).not.toContain('prdo');
    expect(lines({ spec: wants('gold', 3), bindings })).toContain('no ManagedClusterSet prdo; did you mean prod?');
  });
});

const REQUEST: ExplainRequest = {
  namespace: NAMESPACE,
  placement: 'web',
  cluster: undefined,
  nearest: 0,
  output: 'text',
  colored: false,
};

/** Sets edge and prod, of which prod is bound; another Placement may be in namespace lab, with its own set. */
function world({ spec, clusters = CLUSTERS, bindings = ['prod'], others = [] }: Fleet): World {
  return worldOf({
    placements: [rawPlacement(spec), ...others],
    managedclusters: clusters,
    managedclustersets: [rawSet('edge'), rawSet('prod'), rawSet('prod2')],
    managedclustersetbindings: [...bindings.map((name) => rawBinding(name)), rawBinding('prod2', { namespace: 'lab' })],
  });
}

const inLab = (spec: object): RawObject => {
  const { metadata, ...rest } = rawPlacement(spec, 'tests');
  return { ...rest, metadata: { ...metadata, namespace: 'lab', uid: 'lab' } };
};
const edge = (name: string): RawObject => rawCluster(name, { set: 'edge', labels: { tier: 'silver' } });
const of = (fleet: Fleet, over: Partial<ExplainRequest> = {}): string =>
  explainPlacement(world(fleet), { ...REQUEST, ...over });
const fixesOf = (fleet: Fleet, over: Partial<ExplainRequest> = {}): unknown =>
  (JSON.parse(of(fleet, { ...over, output: 'json' })) as { fixes?: unknown }).fixes;

describe('a fix that moves a cluster into another set', () => {
  const clusters = [...CLUSTERS, rawCluster('d', { set: 'prod2', labels: { tier: 'silver' } })];
  const wanted = { predicates: [predicate({ tier: 'gold' })] };

  it('has the labels that the cluster lacks there, too', () => {
    const command = 'kubectl label mcl d tier=gold cluster.fleetmgmt.io/clusterset=prod --overwrite';

    expect(of({ spec: wanted, clusters }, { cluster: 'd' })).toContain(`  fix: ${command}\n`);
    expect(JSON.parse(of({ spec: wanted, clusters }, { cluster: 'd', output: 'json' }))).toMatchObject({
      clusters: [{ name: 'd', fix: command }],
    });
  });

  it('is not offered when another Placement loses the cluster by it', () => {
    const fleet = { spec: {}, clusters, others: [inLab({})] };

    expect(of(fleet, { cluster: 'd' })).toContain('  no fix: in cluster set prod, lab/tests would lose d\n');
    expect(of(fleet, { cluster: 'd', output: 'json' })).not.toContain('"fix"');
  });

  it('is not offered where Placements of other namespaces could not be read, also with -A', () => {
    const refused = [{ resource: 'placements', verb: 'list', status: 403 }] as const;
    const all = { namespace: undefined, cluster: 'd', beyond: { refused, namespace: NAMESPACE } };

    expect(of({ spec: {}, clusters }, all)).not.toContain('  fix: ');
    expect(of({ spec: {}, clusters }, { ...all, beyond: { refused: [], namespace: undefined } })).toContain('  fix: ');
  });
});

describe('a fix that binds a set', () => {
  const spec = { ClusterSets: ['edge'], ...wants('gold', 2) };
  const clusters = [edge('e1'), edge('e2'), edge('e3')];

  it('comes with the labels that are needed with it, in the order in which to run them', () => {
    const gold = rawCluster('e4', { set: 'edge', labels: { tier: 'gold' } });
    const found = of({ spec: { ClusterSets: ['edge'], ...wants('gold', 3) }, clusters: [...clusters, gold] });

    expect(found).toMatch(
      /^fix: kubectl mce clusterset bind edge -n shop\n(.*\n)*to select (e\d), with cluster set edge bound: kubectl label mcl \2 tier=gold --overwrite\nto select (e\d), with cluster set edge bound: kubectl label mcl \3 tier=gold --overwrite\n$/m,
    );
    expect(fixesOf({ spec: { ClusterSets: ['edge'], ...wants('gold', 3) }, clusters: [...clusters, gold] })).toEqual([
      { reason: 'NoBinding', clusterSets: ['edge'], command: 'kubectl mce clusterset bind edge -n shop' },
      ...[0, 1].map(() => ({
        reason: 'NotMatched',
        cluster: expect.stringMatching(/^e[123]$/),
        command: expect.stringMatching(/^kubectl label mcl e[123] tier=gold --overwrite$/),
      })),
    ]);
  });

  it('comes without labels when the clusters of the set match', () => {
    expect(fixesOf({ spec: { ClusterSets: ['edge'], ...wants('silver', 2) }, clusters })).toEqual([
      { reason: 'NoBinding', clusterSets: ['edge'], command: 'kubectl mce clusterset bind edge -n shop' },
    ]);
  });

  it('is not offered when another Placement loses a cluster by it', () => {
    const cutOff = taint(TAINTS.unreachable, { since: -400_000 });
    const lost = rawCluster('p', { set: 'prod', labels: { tier: 'silver' }, taints: [cutOff] });
    // It keeps p for as long as no other cluster can take its place.
    const keeping = { ...rawPlacement(wants('silver', 1), 'keeps') };
    const KEEPS = { ...keeping, metadata: { ...keeping.metadata, uid: 'keeps' } };
    const { metadata, ...decided } = rawDecision(1, ['p']);
    const [owner] = metadata.ownerReferences ?? [];
    const decision = {
      ...decided,
      metadata: {
        ...metadata,
        name: 'keeps-decision-1',
        labels: { 'cluster.fleetmgmt.io/placement': 'keeps' },
        ownerReferences: owner === undefined ? [] : [{ ...owner, name: 'keeps', uid: 'keeps' }],
      },
    };
    const base = world({ spec, clusters: [...clusters, lost], others: [KEEPS] });
    const found = { ...base, objects: { ...base.objects, placementdecisions: [decision] } };
    const text = explainPlacement(found, REQUEST);

    expect(text).toContain('no fix: with a binding of edge, shop/keeps would lose p\n');
    expect(text).not.toContain('clusterset bind');
  });

  it('is that of the set that the decision was made with, where that is known', () => {
    const base = world({ spec: {}, bindings: [] });
    const placements = base.objects.placements.map((one) => ({ ...one, status: { basis: { clusterSets: ['prod'] } } }));
    const text = explainPlacement({ ...base, objects: { ...base.objects, placements } }, REQUEST);

    expect(text).toContain('fix: kubectl mce clusterset bind prod -n shop\n');
  });

  it('suggests the name of a misspelt set in JSON, too', () => {
    expect(fixesOf({ spec: { ClusterSets: ['prdo'] } })).toEqual([
      { reason: 'NoSuchSet', clusterSets: ['prdo'], suggested: 'prod' },
    ]);
  });
});

describe('all that explain proposes, of any fleet,', () => {
  it('selects the clusters that it names, and takes none from another Placement', () => {
    let proposed = 0;
    fc.assert(
      fc.property(someWorld, someWorld, (one, { objects: { placements } }) => {
        const others = placements.map(({ metadata, spec }) => ({
          metadata: { ...metadata, name: 'api', uid: 'api' },
          spec,
        }));
        // More are wanted than there are, and of the sets one is bound at most.
        const [web] = one.objects.placements;
        const short = { ...(web?.spec as object), numberOfClusters: 7, disruptionBudget: undefined };
        const objects = {
          ...one.objects,
          placements: [rawPlacement(short), ...others],
          managedclustersetbindings: one.objects.managedclustersetbindings.slice(0, 1),
        };
        const before = { ...one, objects };
        const report = explainReport(before, NAMESPACE, 'web');
        const proposals = report === undefined ? [] : proposalsOf(report);
        const changes = proposals.flatMap((each) => changesOf(each.kind === 'Bind' ? each.sets.slice(0, 1) : [], each));
        const named = proposals.flatMap((each) => (each.kind === 'Label' ? [each.cluster] : []));
        if (changes.length === 0) return;
        proposed++;
        const plans = planFleet(before, overlay(before, changes));
        const [api, own] = ['api', 'web'].map((name) => plans.find((plan) => plan.name === name));

        expect(api?.remove).toEqual([]);
        const held = new Set(
          planFleet(before, before)
            .find(({ name }) => name === 'api')
            ?.held.map(({ name }) => name),
        );
        expect(api?.held.filter(({ name }) => !held.has(name))).toEqual([]);
        expect([...(own?.add ?? []).map(({ name }) => name), ...(own?.stay ?? [])]).toEqual(
          expect.arrayContaining(named),
        );
      }),
      { seed: 28, numRuns: runs(300) },
    );
    expect(proposed).toBeGreaterThan(15);
  });
});

/** What a proposal changes. */
function changesOf(sets: readonly string[], proposal: Proposal): readonly Change[] {
  const bound = sets.map((set): Change => ({
    kind: 'apply',
    resource: 'managedclustersetbindings',
    object: rawBinding(set),
  }));
  if (proposal.kind !== 'Label') return bound;
  const words = proposal.command
    .split(' ')
    .slice(4)
    .filter((word) => word !== '--overwrite');
  return words.map((word): Change => {
    const [key = '', value] = word.replace(/-$/, '').split('=');
    return { kind: 'label', resource: 'managedclusters', object: { name: proposal.cluster }, key, value };
  });
}
