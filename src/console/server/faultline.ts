/** Where in the text of a draft a fault is: what YAML calls a line, or where its field stands. */

/** From 1; undefined where the fault names neither line nor field. Of a field that is absent, the line of what should have it. */
export function faultLine(text: string, fault: string): number | undefined {
  const [, document = '', rest = ''] = /^draft, document (\d+): (?:\w+ \S+: )?(.*)$/s.exec(fault) ?? [];
  const lines = text.split('\n');
  const first = firstLineOf(lines, Number(document));
  if (first === undefined) return undefined;
  const [, line] = /^yaml: line (\d+)/.exec(rest) ?? [];
  if (line !== undefined) return Math.min(first + Number(line), lines.length);
  const [, field] = /^(?:unknown field ")?([a-zA-Z][\w./[\]-]*)/.exec(rest) ?? [];
  return field === undefined ? undefined : fieldLine(lines, first, field.match(/[^.[\]]+/g) ?? []);
}

/** The index of the first line of a document, from 1. A separator on the first line ends none. */
function firstLineOf(lines: readonly string[], document: number): number | undefined {
  const starts = lines.flatMap((line, index) => (/^---(\s|$)/.test(line) ? [index + 1] : []));
  return (starts[0] === 1 ? starts : [0, ...starts])[document - 1];
}

/** Block style: as far as the path is found. */
function fieldLine(lines: readonly string[], first: number, path: readonly string[]): number | undefined {
  let found: Place | undefined;
  let within: Place = { index: first - 1, column: -1 };
  for (const step of path) {
    const next = /^\d+$/.test(step) ? itemIn(lines, within, Number(step)) : keyIn(lines, within, step);
    if (next === undefined) break;
    within = next;
    found = next;
  }
  return found && found.index + 1;
}

interface Place {
  readonly index: number;
  /** Where its key or its dash stands. */
  readonly column: number;
}

function keyIn(lines: readonly string[], within: Place, key: string): Place | undefined {
  // The first key of an item stands on the line of its dash.
  const isItem = within.column >= 0 && lines[within.index]?.[within.column] === '-';
  return places(lines, within, isItem ? within.index : within.index + 1).find(({ index, column }) => {
    const text = (lines[index] ?? '').slice(column).replace(/^(- +)+/, '');
    return text.startsWith(`${key}:`) || text.startsWith(`"${key}":`);
  });
}

function itemIn(lines: readonly string[], within: Place, at: number): Place | undefined {
  const items = places(lines, { ...within, column: within.column - 1 }, within.index + 1).filter(
    ({ index, column }) => (lines[index] ?? '')[column] === '-',
  );
  return items.filter(({ column }) => column === items[0]?.column)[at];
}

/** The lines below a place, as long as they stand to its right; the place of an item itself. */
function places(lines: readonly string[], within: Place, from: number): readonly Place[] {
  const found: Place[] = [];
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const column = line.search(/\S/);
    if (column < 0 || line[column] === '#') continue;
    if (line.startsWith('---') || (index !== within.index && column <= within.column)) break;
    found.push({ index, column });
  }
  return found;
}
