/** Draws the pictures of the documents: boxes on a grid, and vertical arrows between them. */

interface Box {
  readonly column: number;
  readonly row: number;
  readonly span: number;
  readonly lines: readonly string[];
}

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

const WIDTH = 250;
const HEIGHT = 84;
const GAP = { x: 40, y: 56 };
const MARGIN = 20;
const LINE = 20;
const INK = '#1f2937';
const FONT = 'font-family="Helvetica, Arial, sans-serif" font-size="14"';

/**
 * The SVG of a picture. `source`: lines `box NAME COLUMN ROW SPAN | title | line | …` and `arrow FROM TO | label`, where
 * columns and rows count from 0; lines that begin with `#` are comments. Throws an Error for any other line, and for an
 * arrow whose boxes share no column.
 */
export function drawPicture(source: string, title: string): string {
  const boxes = new Map<string, Box>();
  const arrows: Arrow[] = [];
  for (const line of source.split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
    const [head = '', ...lines] = line.split('|').map((part) => part.trim());
    const [word, ...rest] = head.split(/\s+/);
    const [first = '', second = ''] = rest;
    const [column = NaN, row = NaN, span = NaN] = rest.slice(1).map(Number);
    if (word === 'box' && rest.length === 4 && column + row + span >= 0) boxes.set(first, { column, row, span, lines });
    else if (word === 'arrow' && rest.length === 2) arrows.push({ from: first, to: second, label: lines.join(' ') });
    else throw new Error(`a picture has no line like this: ${line}`);
  }
  const all = [...boxes.values()];
  const columns = Math.max(...all.map(({ column, span }) => column + span));
  const rows = Math.max(...all.map(({ row }) => row + 1));
  const [width, height] = [left(columns) - GAP.x + MARGIN, top(rows) - GAP.y + MARGIN];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" ${FONT}>`,
    `<title>${escaped(title)}</title>`,
    `<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" orient="auto"><path d="M0 0L8 4L0 8Z" fill="${INK}"/></marker></defs>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...arrows.map((arrow) => drawArrow(arrow, boxes)),
    ...all.map(drawBox),
    '</svg>',
    '',
  ].join('\n');
}

function left(column: number): number {
  return MARGIN + column * (WIDTH + GAP.x);
}

function top(row: number): number {
  return MARGIN + row * (HEIGHT + GAP.y);
}

function drawBox({ column, row, span, lines }: Box): string {
  const width = span * (WIDTH + GAP.x) - GAP.x;
  const [x, y] = [left(column), top(row)];
  const first = y + HEIGHT / 2 - ((lines.length - 1) * LINE) / 2 + 5;
  const texts = lines.map((line, at) => {
    const weight = at === 0 ? ' font-weight="bold"' : '';
    return `<text x="${x + width / 2}" y="${first + at * LINE}" text-anchor="middle" fill="${INK}"${weight}>${escaped(line)}</text>`;
  });
  const frame = `<rect x="${x}" y="${y}" width="${width}" height="${HEIGHT}" rx="6" fill="#eef2ff" stroke="${INK}"/>`;
  return [frame, ...texts].join('\n');
}

/** An arrow runs in the middle of the narrower of its boxes. */
function drawArrow({ from, to, label }: Arrow, boxes: ReadonlyMap<string, Box>): string {
  const [start, end] = [boxes.get(from), boxes.get(to)];
  if (start === undefined || end === undefined) throw new Error(`an arrow from ${from} to ${to} lacks a box`);
  const [narrow, wide] = start.span <= end.span ? [start, end] : [end, start];
  const inside = narrow.column >= wide.column && narrow.column + narrow.span <= wide.column + wide.span;
  if (!inside || start.row === end.row) throw new Error(`an arrow from ${from} to ${to} would not be vertical`);
  const x = left(narrow.column) + (narrow.span * (WIDTH + GAP.x) - GAP.x) / 2;
  const down = start.row < end.row;
  const y1 = down ? top(start.row) + HEIGHT : top(start.row);
  const y2 = down ? top(end.row) : top(end.row) + HEIGHT;
  const beside = `x="${x + 10}" y="${down ? y2 - GAP.y / 2 + 5 : y2 + GAP.y / 2 + 5}"`;
  return [
    `<line x1="${x}" y1="${y1}" x2="${x}" y2="${y2}" stroke="${INK}" stroke-width="1.5" marker-end="url(#head)"/>`,
    `<text ${beside} fill="${INK}">${escaped(label)}</text>`,
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
