import { describe, expect, it } from '@jest/globals';
import { explainReport } from '../../../src/answers/explain/report.js';
import { clusterLines } from '../../../src/answers/explain/text.js';
import { matrixAnswer } from '../../../src/console/server/matrix.js';
import { placementAnswer } from '../../../src/console/server/placements.js';
import { Snapshot } from '../../../src/console/server/snapshot.js';
import { EXAMPLE_SPEC, exampleWorld } from '../../support/builders/examplefleet.js';
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
    expect(view?.funnel.at(-1)).toEqual({ step: 'in', count: 3, out: '2 kept out by spec.paused' });
    for (const one of held) {
      expect(matrix?.rows.find(({ name }) => name === one.name)).toMatchObject({ verdict: 'Waiting' });
      expect(report && clusterLines(one, report)[0]).toContain('spec.paused keeps it out');
    }
  });
});
