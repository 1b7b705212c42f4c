/** Draws a line chart with logarithmic axes, as SVG. */

export interface Line {
  readonly name: string;
  /** Both above 0, in ascending order of `x`. */
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface Plot {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly lines: readonly Line[];
}

const AREA = { left: 80, top: 40, width: 420, height: 280 };
const SIZE = { width: 720, height: 380 };
export const GRID = '#e5e7eb';
export const INK = '#1f2937';
const FONT = 'font-family="Helvetica, Arial, sans-serif" font-size="13"';
const COLOURS = ['#1d4ed8', '#b45309', '#047857', '#be123c', '#6d28d9'];

/** The chart; both axes end at powers of ten. Throws an Error without a point. */
export function drawPlot({ title, xLabel, yLabel, lines }: Plot): string {
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0) throw new Error('a plot needs a point');
  const x = axis(points.map((point) => point.x));
  const y = axis(points.map((point) => point.y));
  const across = (value: number): number => AREA.left + x.share(value) * AREA.width;
  const down = (value: number): number => AREA.top + (1 - y.share(value)) * AREA.height;
  const [right, bottom] = [AREA.left + AREA.width, AREA.top + AREA.height];
  return svg(title, SIZE, [
    ...x.ticks.map((tick) => tickLine({ x1: across(tick), y1: AREA.top, x2: across(tick), y2: bottom })),
    ...y.ticks.map((tick) => tickLine({ x1: AREA.left, y1: down(tick), x2: right, y2: down(tick) })),
    ...x.ticks.map((tick) => text({ x: across(tick), y: bottom + 18, anchor: 'middle' }, String(tick))),
    ...y.ticks.map((tick) => text({ x: AREA.left - 8, y: down(tick) + 4, anchor: 'end' }, String(tick))),
    text({ x: AREA.left + AREA.width / 2, y: bottom + 40, anchor: 'middle' }, xLabel),
    text({ x: AREA.left, y: AREA.top - 14, anchor: 'middle' }, yLabel),
    ...lines.flatMap((line, index) => {
      const colour = COLOURS[index % COLOURS.length] ?? INK;
      const places = line.points.map((point) => `${rounded(across(point.x))},${rounded(down(point.y))}`);
      const last = line.points.at(-1);
      return [
        `<polyline points="${places.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
        ...places.map((place) => dot(place, colour)),
        ...(last === undefined
          ? []
          : [text({ x: right + 12, y: down(last.y) + 4, anchor: 'start' }, line.name, colour)]),
      ];
    }),
  ]);
}

/** A picture on white. */
export function svg(title: string, { width, height }: typeof SIZE, content: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" ${FONT}>`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...content,
    '</svg>',
    '',
  ].join('\n');
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly anchor: 'start' | 'middle' | 'end';
}

export function text({ x, y, anchor }: Place, content: string, colour = INK): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${rounded(x)}" y="${rounded(y)}" text-anchor="${anchor}" fill="${colour}">${escaped}</text>`;
}

/** With one decimal. */
export function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/** A logarithmic axis: the powers of ten around the values, and the share of the axis at which a value lies. */
function axis(values: readonly number[]): { readonly ticks: readonly number[]; share(value: number): number } {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(Math.ceil(Math.log10(Math.max(...values))), first + 1);
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => Number(`1e${first + index}`));
  return { ticks, share: (value) => (Math.log10(value) - first) / (last - first) };
}

function tickLine(ends: Readonly<Record<'x1' | 'y1' | 'x2' | 'y2', number>>): string {
  const attributes = Object.entries(ends).map(([name, value]) => `${name}="${rounded(value)}"`);
  return `<line ${attributes.join(' ')} stroke="${GRID}"/>`;
}

function dot(place: string, colour: string): string {
  const [x, y] = place.split(',');
  return `<circle cx="${x}" cy="${y}" r="3.5" fill="${colour}"/>`;
}
