import { GRID, INK, rounded, svg, text } from '../plot.js';

/** Draws the panels of a Grafana dashboard at their places, as SVG. */

export interface Panel {
  readonly type: string;
  readonly title: string;
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly options?: { readonly textMode?: string; readonly colorMode?: string };
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit: string;
      readonly thresholds?: { readonly steps: readonly { readonly color: string; readonly value: number | null }[] };
    };
  };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string; readonly instant?: boolean }[];
}

/** `t`: seconds since the begin of the picture, in ascending order. */
export interface Series {
  readonly name: string;
  readonly points: readonly { readonly t: number; readonly v: number }[];
}

const [COLUMN, ROW, GAP] = [50, 32, 8];
/** Points that lie further apart, in seconds, are not joined. */
const JOINED = 12;
const LEGEND = { height: 15, rows: 5, letter: 6.4 };
const COLOURS = '#2f9e44 #d9930d #1c7ed6 #e8590c #e03131 #0c8599 #ae3ec9 #7950f2 #868e96 #a0522d'.split(' ');
const NAMED: Readonly<Record<string, string>> = { green: '#2f9e44', red: '#e03131' };
const UNITS: Readonly<Record<string, string>> = { none: '', ops: ' ops/s', reqps: ' req/s' };
const DURATIONS = [
  [1e-3, 1e-6, 'µs'],
  [1, 1e-3, 'ms'],
  [3600, 1, 's'],
  [604_800, 86_400, 'days'],
  [Infinity, 604_800, 'weeks'],
] as const;

/** A panel with its series, the size of its box, and the length of the picture. */
interface Drawn {
  readonly panel: Panel;
  readonly series: readonly Series[];
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
}

/** The dashboard over `seconds`, with the series of each panel. */
export function drawDashboard(panels: readonly (readonly [Panel, readonly Series[]])[], seconds: number): string {
  const rows = Math.max(...panels.map(([{ gridPos }]) => gridPos.y + gridPos.h));
  const size = { width: 24 * COLUMN + GAP, height: rows * ROW + GAP };
  return svg('The dashboard of a demonstration hub', size, [
    '<style>path{fill:none;stroke-width:1.5}.b{font-weight:bold}</style>',
    ...panels.flatMap(([panel, series]) => {
      const { x, y, w, h } = panel.gridPos;
      const drawn = { panel, series, width: w * COLUMN - GAP, height: h * ROW - GAP, seconds };
      return [
        `<g transform="translate(${x * COLUMN + GAP} ${y * ROW + GAP})">`,
        `<g class="b">${start(panel.type === 'row' ? 2 : 10, 18, panel.title)}</g>`,
        ...(panel.type === 'row' ? [] : box(drawn)),
        '</g>',
      ];
    }),
  ]);
}

function box(drawn: Drawn): readonly string[] {
  const { panel, series, width, height } = drawn;
  const edge = `<rect width="${width}" height="${height}" rx="3" fill="none" stroke="${GRID}"/>`;
  if (series.length === 0) return [edge, text({ x: width / 2, y: height / 2, anchor: 'middle' }, 'No data')];
  return [edge, ...(panel.type === 'stat' ? stat(drawn) : chart(drawn))];
}

/** The name, the value, or both in a row for each series. */
function stat({ panel: { fieldConfig, options = {} }, series, width, height }: Drawn): readonly string[] {
  const row = (height - 30) / series.length;
  return series.flatMap(({ name, points }, index) => {
    const value = points.at(-1)?.v ?? NaN;
    const step = fieldConfig?.defaults.thresholds?.steps.findLast((one) => value >= (one.value ?? -Infinity));
    const colour = options.colorMode === 'none' ? INK : NAMED[step?.color ?? ''];
    const y = 36 + (index + 0.5) * row;
    const shown = options.textMode === 'name' ? name : formatted(value, fieldConfig?.defaults.unit);
    const isAlone = options.textMode === 'name' || (series.length === 1 && options.textMode === undefined);
    const size = Math.min(28, (1.7 * width) / shown.length);
    const large = text({ x: isAlone ? width / 2 : width - 14, y, anchor: isAlone ? 'middle' : 'end' }, shown, colour);
    return [`<g font-size="${rounded(size)}">${large}</g>`, ...(isAlone ? [] : [start(12, y, name)])];
  });
}

/** Lines over time, with their names below. */
function chart({ panel, series, width, height, seconds }: Drawn): readonly string[] {
  const unit = panel.fieldConfig?.defaults.unit;
  const [names, rows] = legendOf(series, width);
  const [left, right, top, bottom] = [62, width - 26, 34, height - 26 - rows * LEGEND.height];
  const max = Math.max(0, ...series.flatMap(({ points }) => points.map(({ v }) => v)));
  const step = stepOf(max, unit);
  const ticks = Array.from({ length: Math.max(1, Math.ceil(max / step - 1e-9)) + 1 }, (_, index) => index * step);
  const x = (t: number): number => Math.round(left + (t / seconds) * (right - left));
  const y = (v: number): number => rounded(bottom - (v / (ticks.at(-1) ?? 1)) * (bottom - top));
  const minutes = Array.from({ length: Math.floor(seconds / 120) + 1 }, (_, index) => index * 2);
  return [
    ...ticks.flatMap((tick) => [
      `<path stroke="${GRID}" d="M${left} ${y(tick)}H${right}"/>`,
      text({ x: left - 6, y: y(tick) + 4, anchor: 'end' }, formatted(tick, unit)),
    ]),
    ...minutes.map((one) => text({ x: x(one * 60), y: bottom + 16, anchor: 'middle' }, one === 0 ? '0' : `${one} min`)),
    ...series.flatMap(({ points }, index) =>
      lines(
        points.map(({ t, v }) => ({ t, x: x(t), y: y(v) })),
        colourOf(index),
      ),
    ),
    ...names.map(({ at, row, name, colour }) => start(at, height - (rows - row) * LEGEND.height + 4, name, colour)),
  ];
}

function start(x: number, y: number, content: string, colour = INK): string {
  return text({ x, y, anchor: 'start' }, content, colour);
}

function colourOf(index: number): string {
  return COLOURS[index % COLOURS.length] ?? INK;
}

/** A path for each run of points, without the middle of a level line; a dot for a single point. */
function lines(
  points: readonly { readonly t: number; readonly x: number; readonly y: number }[],
  colour: string,
): readonly string[] {
  const runs = points.reduce<(typeof points)[]>((all, point) => {
    const run = all.at(-1) ?? [];
    return point.t - (run.at(-1)?.t ?? -Infinity) > JOINED ? [...all, [point]] : [...all.slice(0, -1), [...run, point]];
  }, []);
  return runs.map((run) => {
    const kept = run
      .filter(({ y }, at) => run[at - 1]?.y !== y || run[at + 1]?.y !== y)
      .map((one) => `${one.x} ${one.y}`);
    return `<path stroke="${colour}" d="M${kept.join('L')}${kept.length === 1 ? 'h2' : ''}"/>`;
  });
}

/** The names in their colours at their places, and the number of rows. Names that do not fit into the last row are counted. */
function legendOf(series: readonly Series[], width: number) {
  let [at, row] = [12, 0];
  const all = series.map(({ name }, index) => {
    const needed = (name.length + 2) * LEGEND.letter;
    if (at > 12 && at + needed > width) [at, row] = [12, row + 1];
    at += needed;
    return { at: at - needed, row, name, colour: colourOf(index) };
  });
  if (row < LEGEND.rows) return [all, row + 1] as const;
  const shown = all.filter((one) => one.row < LEGEND.rows - 1);
  const more = { at: 12, row: LEGEND.rows - 1, name: `and ${all.length - shown.length} more`, colour: INK };
  return [[...shown, more], LEGEND.rows] as const;
}

/** The distance of ticks, of which at most five are drawn; whole for numbers that are. */
function stepOf(max: number, unit = 'none'): number {
  if (max === 0) return 1;
  if (unit === 'bytes') return 2 ** Math.ceil(Math.log2(max / 4));
  const power = 10 ** Math.floor(Math.log10(max / 4));
  const step = ([1, 2, 5].find((one) => one * power * 4 >= max) ?? 10) * power;
  return unit === 'none' && max >= 1 ? Math.max(1, step) : step;
}

function formatted(value: number, unit = 'none'): string {
  const [, size, name] = DURATIONS.find(([below]) => value < below) ?? DURATIONS[4];
  const [scaled, suffix] =
    unit === 'bytes'
      ? [value / 2 ** 20, ' MiB']
      : unit === 's'
        ? [value / size, ` ${name}`]
        : [value, UNITS[unit] ?? ` ${unit}`];
  return value === 0 ? '0' : `${Number(scaled.toPrecision(3))}${suffix}`;
}
