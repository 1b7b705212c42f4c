/** A text with a color of ANSI terminals, or none. */
interface ColoredText {
  readonly text: string;
  readonly color?: Color | undefined;
}

export type Cell = string | ColoredText;

export type Color = 'green' | 'yellow' | 'red';

const CODES: Readonly<Record<Color, number>> = { green: 32, yellow: 33, red: 31 };
const GAP = 2;

/** Lines with columns of equal width, two blanks apart; the last column is not padded. */
export function table(rows: readonly (readonly Cell[])[], colored: boolean): readonly string[] {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? { text: cell } : cell)));
  const widths: number[] = [];
  for (const row of texts)
    for (const [index, { text }] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, text.length);
  return texts.map((row) =>
    row
      .map((cell, index) => {
        const isLast = index === row.length - 1;
        const padding = isLast ? '' : ' '.repeat((widths[index] ?? 0) + GAP - cell.text.length);
        return painted(cell, colored) + padding;
      })
      .join(''),
  );
}

export function painted({ text, color }: ColoredText, colored: boolean): string {
  return colored && color !== undefined ? `\u001b[${CODES[color]}m${text}\u001b[0m` : text;
}
