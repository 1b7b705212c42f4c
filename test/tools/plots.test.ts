import { describe, expect, it } from '@jest/globals';

import { drawPlot } from '../../tools/plot.js';
import { drawShares } from '../../tools/shares.js';

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

it('a chart of shares has two bars a row, each as long as its time and divided by its shares', () => {
  const before = { ms: 8, shares: { connection: 75, JSON: 25 } };
  const after = { ms: 2, shares: { connection: 50, JSON: 50 } };
  const drawn = drawShares('Title', [{ name: 'a label', before, after }]);

  const bars = [...drawn.matchAll(/<rect x="(\d+)" y="(\d+)" width="(\d+)" height="14"/g)];
  expect(bars.map(([, x, y, width]) => [x, y, width].map(Number))).toEqual([
    [190, 70, 300],
    [490, 70, 100],
    [190, 87, 50],
    [240, 87, 50],
  ]);
  for (const word of ['>a label<', '>before: 8 ms<', '>2 ms<', '>connection<']) expect(drawn).toContain(word);
});
