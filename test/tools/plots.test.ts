import { describe, expect, it } from '@jest/globals';

import { drawPlot } from '../../tools/plot.js';

const frame = { title: 'Title', xLabel: 'clusters', yLabel: 'ms' };

describe('a plot', () => {
  it('a plot has logarithmic axes that end at powers of ten, and a point where its values are', () => {
    const points = [
      { x: 100, y: 0.1 },
      { x: 1_000, y: 1 },
      { x: 10_000, y: 10 },
    ];
    const svg = drawPlot({ ...frame, lines: [{ name: 'cost', points }] });

    expect(svg).toContain('<polyline points="80,320 290,180 500,40"');
    expect(svg.match(/<circle /g)).toHaveLength(3);
    for (const word of ['>100<', '>10000<', '>0.1<', '>10<', '>cost<', '<title>Title</title>'])
      expect(svg).toContain(word);
  });

  it('a plot without a point is an error', () => {
    expect(() => drawPlot({ ...frame, lines: [{ name: 'none', points: [] }] })).toThrow('needs a point');
  });
});
