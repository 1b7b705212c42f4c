import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clusterAnswer } from '../../../src/answers/cluster.js';
import { explainReport } from '../../../src/answers/explain/report.js';
import { clusterLines } from '../../../src/answers/explain/text.js';
import { matrixAnswer, whyAnswer } from '../../../src/console/server/matrix.js';
import { matchedBy } from '../../../src/console/server/fleet/fleet.js';
import {
  nearestNames,
  placementAnswer,
  placementsAnswer,
  undecidedIn,
} from '../../../src/console/server/placements.js';
import { Snapshot } from '../../../src/console/server/snapshot.js';
import { EXAMPLE_SPEC, exampleClusters, exampleWorld } from '../../support/builders/examplefleet.js';
import type { World } from '../../../src/answers/world/world.js';
import type { Matrix, PlacementView } from '../../../src/console/wire/placement.js';
import type { FunnelStep } from '../../../src/answers/explain/funnel.js';
import { predicate, rawCluster, rawPlacement, someWorld } from '../../support/builders/world.js';
import { rawEngine, readingOf } from '../../support/builders/hubinput.js';

describe('a Placement whose clusters are kept out', () => {
  it('has them as explain has them, and nowhere as not needed', () => {
    const world = exampleWorld({ ...EXAMPLE_SPEC, numberOfClusters: 5, paused: true });
    const snapshot = new Snapshot(readingOf(world));
    const view = placementAnswer(snapshot, 'shop', 'web');
    const matrix = matrixAnswer(snapshot, ['shop', 'web'], { show: 'out', query: '', after: 0, limit: 100 });
    const report = explainReport(world, 'shop', 'web');
    const held = report?.explanation.clusters.filter(({ verdict }) => verdict === 'Held') ?? [];

    expect(held).toHaveLength(2);
    expect(view?.funnel.at(-1)).toEqual({
      step: 'in',
      count: 3,
      lost: [{ count: 2, text: 'kept out by spec.paused' }],
    });
    for (const one of held) {
      expect(matrix?.rows.find(({ name }) => name === one.name)).toMatchObject({
        verdict: 'Waiting',
        why: expect.stringContaining('; spec.paused keeps it out'),
      });
      expect(report && clusterLines(one, report)[0]).toContain('spec.paused keeps it out');
    }
    const request = { show: 'Waiting', query: '', after: 0, limit: 100 } as const;
    expect(matrixAnswer(snapshot, ['shop', 'web'], request)).toMatchObject({
      verdicts: { Selected: 3, Waiting: 2 },
      rows: [{ verdict: 'Waiting' }, { verdict: 'Waiting' }],
    });
  });
});

it('a filter by name finds the cluster of this very name first', () => {
  const names = ['a-1', 'edge-1', 'edge-10', 'ns/edge-1', '1'];
  const found = (text: string): readonly string[] => nearestNames(names, text, (name) => name);
  expect([found('1'), found('edge-1'), found('')]).toEqual([
    ['1', 'a-1', 'edge-1', 'edge-10', 'ns/edge-1'],
    ['edge-1', 'ns/edge-1', 'edge-10'],
    names,
  ]);
});

describe('the way into a decision', () => {
  it('says of each cluster that is lost or kept on it why', () => {
    let kept = 0;
    fc.assert(
      fc.property(someWorld, (world) => {
        const [placement] = world.objects.placements;
        const { namespace = '', name = '' } = placement?.metadata ?? {};
        const steps = placementAnswer(new Snapshot(readingOf(world)), namespace, name)?.funnel ?? [];
        const of = (step: FunnelStep['step']): FunnelStep | undefined => steps.find((one) => one.step === step);
        const sum = (parts: FunnelStep['lost'] = []): number => parts.reduce((all, { count }) => all + count, 0);
        const [match, taints, last] = [of('match'), of('taints'), of('in')];
        if (match === undefined || taints === undefined || last === undefined) return;
        expect(last.count).toBe(taints.count - sum(last.lost) + sum(last.kept));
        expect(taints.count).toBe(match.count - sum(taints.lost));
        kept += sum(last.kept);
      }),
    );
    expect(kept).toBeGreaterThan(0);
  });
});

/** The page of Placement shop/web. */
function viewOf(world: World): PlacementView | undefined {
  return placementAnswer(new Snapshot(readingOf(world)), 'shop', 'web');
}

const GOLD = { numberOfClusters: 3, predicates: [predicate({ tier: 'gold' })] };

describe('the page of a Placement', () => {
  it.each([
    ['Paused', 'Paused', { ...EXAMPLE_SPEC, paused: true }],
    ['Satisfied', 'PlacementSatisfied', EXAMPLE_SPEC],
  ])('has the time of the state %s', (phase, type, spec) => {
    const conditions = ['PlacementSatisfied', 'Paused', 'RemovalsHeld'].map((one) => ({
      type: one,
      status: one === 'RemovalsHeld' ? 'False' : 'True',
      lastTransitionTime: `the time of ${one}`,
    }));
    const placement = { ...rawPlacement(spec), status: { phase, conditions } };
    const world = exampleWorld(spec, { placements: [placement], multiclusterengines: [rawEngine()] });

    expect(viewOf(world)).toMatchObject({ since: `the time of ${type}`, explanation: { phase } });
    const [row] = placementsAnswer(new Snapshot(readingOf(world)), '').rows;
    expect(row?.since).toBe(`the time of ${type}`);
    // What is computed is another state than the one whose time is known.
    const other = { ...placement, status: { phase: 'Unsatisfied', conditions } };
    expect(viewOf(exampleWorld(spec, { placements: [other] }))).not.toHaveProperty('since');
  });

  it('says how many of its clusters do not answer, and has them first', () => {
    const silent = exampleClusters()
      .filter(({ metadata }) => metadata.name === 'prod-us-1')
      .map((one) => ({
        ...one,
        spec: { hubAcceptsClient: true },
        status: { ...(one.status as object), conditions: [{ type: 'ManagedClusterJoined', status: 'True' }] },
      }));
    const world = exampleWorld(EXAMPLE_SPEC, { managedclusters: exampleClusters({ 'prod-us-1': silent[0] }) });
    const snapshot = new Snapshot(readingOf(world));

    expect(placementAnswer(snapshot, 'shop', 'web')?.gone).toBe('1 silent');
    expect(placementsAnswer(snapshot, '').rows[0]?.gone).toBe('1 silent');
    expect(viewOf(exampleWorld())).not.toHaveProperty('gone');
    const request = { show: 'in', query: '', after: 0, limit: 100 } as const;
    expect(matrixAnswer(snapshot, ['shop', 'web'], request)?.rows[0]).toMatchObject({ name: 'prod-us-1' });
  });

  it('names the clusters that are held, why they would leave, and has them first', () => {
    const world = exampleWorld({ ...GOLD, disruptionBudget: { maxRemovals: 0 } });
    const request = { show: 'in', query: '', after: 0, limit: 2 } as const;
    const rows = matrixAnswer(new Snapshot(readingOf(world)), ['shop', 'web'], request)?.rows;

    const note = viewOf(world)?.notes.find(({ end }) => end === 'release');
    expect(note?.text).toMatch(/^removals are held: .*; these would leave: edge-eu-2 \(.*prod-eu-2 \(/);
    expect(note?.command?.join(' ')).toBe('kubectl mce release placement web -n shop');
    expect(rows?.map(({ verdict }) => verdict)).toEqual(['Held', 'Held']);
  });

  it('says how to end a pause, also where what decides it is not known', () => {
    const world = exampleWorld({ ...EXAMPLE_SPEC, paused: true }, { managedclustersets: [] }, [
      { resource: 'managedclustersets', verb: 'list', status: 404 },
    ]);
    expect(viewOf(world)).toMatchObject({ isKnown: false });
    expect(viewOf(world)?.notes).toContainEqual({
      text: 'spec.paused is true: no cluster comes in and none leaves',
      end: 'resume',
      command: ['kubectl', 'mce', 'resume', 'placement', 'web', '-n', 'shop'],
    });
  });

  it('says nothing of now where nothing is decided, and of what cannot be read that it is not known', () => {
    const unserved = { resource: 'managedclustersets', verb: 'list', status: 404 } as const;
    const snapshot = new Snapshot(readingOf(exampleWorld(EXAMPLE_SPEC, { managedclustersets: [] }, [unserved])));

    expect(placementsAnswer(snapshot, '').rows).toMatchObject([
      { phase: 'Undecided', held: false, message: expect.stringMatching(/^when it was last decided: /) },
    ]);
    expect(whyAnswer(snapshot, 'shop', 'web', 'prod-ap-1')?.lines).toEqual([
      'cluster prod-ap-1 is not in the decision; more is not known, since managedclustersets could not be read',
    ]);
    expect(matchedBy(snapshot, 'set:production').fault).toBe(
      'set:production: not known: the hub does not serve managedclustersets',
    );
  });

  it('says that objects are lost since a definition was made anew, and what brings them back', () => {
    const held = [{ type: 'RemovalsHeld', status: 'True', reason: 'DefinitionsReplaced', message: '' }];
    const status = { phase: 'Held', observedGeneration: 1, conditions: held };
    const placements = [{ ...rawPlacement(EXAMPLE_SPEC), status }];
    const multiclusterengines = [rawEngine()];
    const world = exampleWorld(EXAMPLE_SPEC, { placements, managedclustersets: [], multiclusterengines });

    expect(undecidedIn(new Snapshot(readingOf(world)))).toEqual({
      message: expect.stringMatching(/objects are lost; .*shop\/web; to recover, create .* from Git or a backup$/),
      remedy: 'kubectl apply -f BACKUP',
      isOfSome: true,
    });
    const note = viewOf(world)?.notes.find(({ end }) => end === 'release');
    expect(note?.text).toContain('; to recover, create the clusters, sets and bindings of namespace shop again');
    expect(placementsAnswer(new Snapshot(readingOf(world)), '').rows).toMatchObject([{ phase: 'Held' }]);
  });

  it('finds the cluster of the filter that is in none of its sets, and says of a silent one that it is', () => {
    const other = rawCluster('lab-1', { set: 'lab' });
    const silent = { ...rawCluster('lab-2', {}), spec: { hubAcceptsClient: true } };
    const conditions = [{ type: 'ManagedClusterJoined', status: 'True' }];
    const managedclusters = [...exampleClusters(), other, { ...silent, status: { conditions } }];
    const snapshot = new Snapshot(readingOf(exampleWorld(EXAMPLE_SPEC, { managedclusters })));
    const matrix = (query: string): Matrix | undefined =>
      matrixAnswer(snapshot, ['shop', 'web'], { show: 'all', query, after: 0, limit: 10 });

    expect(matrix('lab')).toMatchObject({ rows: [], elsewhere: ['lab-1', 'lab-2'] });
    expect(matrix('prod')).not.toHaveProperty('elsewhere');
    expect(whyAnswer(snapshot, 'shop', 'web', 'lab-2')).toMatchObject({ health: 'silent' });
    expect(whyAnswer(snapshot, 'shop', 'web', 'lab-1')).not.toHaveProperty('health');
  });

  it('has each requirement that a cluster lacks of predicates of which one would do', () => {
    expect(clusterAnswer(exampleWorld(), 'prod-ap-2')?.missedBy).toMatchObject([
      {
        verdict: 'NotMatched',
        why: 'label tier=silver, wanted tier=gold; or claim platform=OpenStack, wanted platform in (aws, Azure, "Google Cloud")',
      },
    ]);
  });

  it('begins with the near misses where clusters are missing, and else with what is in', () => {
    const short = { ...GOLD, numberOfClusters: 9 };
    expect(viewOf(exampleWorld(short))?.first).toBe('near');
    expect(viewOf(exampleWorld())?.first).toBe('in');
    expect(viewOf(exampleWorld({ ...short, disruptionBudget: { maxRemovals: 0 } }))?.first).toBe('in');
  });
});
