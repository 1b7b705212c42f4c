import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { explainReport } from '../../../src/answers/explain/report.js';
import { clusterLines } from '../../../src/answers/explain/text.js';
import { matrixAnswer } from '../../../src/console/server/matrix.js';
import { nearestNames, placementAnswer } from '../../../src/console/server/placements.js';
import { Snapshot } from '../../../src/console/server/snapshot.js';
import { EXAMPLE_SPEC, exampleWorld } from '../../support/builders/examplefleet.js';
import type { FunnelStep } from '../../../src/answers/explain/funnel.js';
import { someWorld } from '../../support/builders/world.js';
import { readingOf } from '../../support/builders/hubinput.js';

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
