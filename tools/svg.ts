/** Parts of the pictures of figures. */

export const INK = '#1f2937';
const FONT = 'font-family="Helvetica, Arial, sans-serif" font-size="13"';

/** A picture on white. */
export function svg(
  { title, width, height }: { readonly title: string; readonly width: number; readonly height: number },
  content: readonly string[],
): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" ${FONT}>`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...content,
    '</svg>',
    '',
  ].join('\n');
}

export interface Place {
  readonly x: number;
  readonly y: number;
  /** Default: start. */
  readonly anchor?: 'start' | 'middle' | 'end';
}

export function text({ x, y, anchor = 'start' }: Place, content: string, colour = INK): string {
  return `<text x="${rounded(x)}" y="${rounded(y)}" text-anchor="${anchor}" fill="${colour}">${content}</text>`;
}

/** With one decimal. */
export function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
