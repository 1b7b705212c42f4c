/**
 * The source of an expression with strings and comments blanked out, so that operators and brackets can be found by
 * text search. It has the length of the source.
 */
export interface Mask {
  readonly text: string;
  /** Offsets of closing brackets by the offset of the opening one. */
  readonly closing: ReadonlyMap<number, number>;
  /** Offsets of the `?` of optional entries: `[?a]`, `{?'k': v}`. */
  readonly optionalMarks: ReadonlySet<number>;
  /** Offsets of dots that begin a number (`.5`) or a name (`.self`). */
  readonly leadingDots: ReadonlySet<number>;
}

/** Replaces a character of a string: neither an operator nor a part of a name. */
const BLANK = '§';

/** Blanks out strings and comments and matches brackets. Accepts any text. */
export function maskSource(source: string): Mask {
  let text = '';
  let index = 0;
  while (index < source.length) {
    const end = skippedEnd(source, index);
    if (end === index) {
      text += source[index++] ?? '';
      continue;
    }
    const comment = source.startsWith('//', index);
    text += (comment ? ' ' : BLANK).repeat(end - index);
    index = end;
  }
  return { text, closing: pairs(text), optionalMarks: optionalMarks(text), leadingDots: leadingDots(text) };
}

/** The end of the string or comment that begins at `start`; `start` itself when none does. */
function skippedEnd(source: string, start: number): number {
  if (source.startsWith('//', start)) {
    const end = source.indexOf('\n', start);
    return end < 0 ? source.length : end;
  }
  const quote = source[start];
  if (quote !== '"' && quote !== "'") return start;
  const mark = source.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
  const raw = /(?:^|[^A-Za-z0-9_])(?:[rR]|[rR][bB]|[bB][rR])$/.test(source.slice(Math.max(0, start - 3), start));
  for (let index = start + mark.length; index < source.length; index++) {
    if (source[index] === '\\' && !raw) index++;
    else if (source.startsWith(mark, index)) return index + mark.length;
  }
  return source.length;
}

function pairs(text: string): ReadonlyMap<number, number> {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const char = text[index] ?? '';
    if ('([{'.includes(char)) open.push(index);
    if (!')]}'.includes(char)) continue;
    const start = open.pop();
    if (start !== undefined) closing.set(start, index);
  }
  return closing;
}

/**
 * A `?` directly after `[`, `{` or a comma marks an optional entry; after the `[` of an index it belongs to the index.
 */
function optionalMarks(text: string): ReadonlySet<number> {
  const marks = new Set<number>();
  for (let index = 0; index < text.length; index++) {
    if (text[index] !== '?') continue;
    const before = lastVisible(text, index);
    const char = text[before] ?? '';
    if (char === ',' || char === '{' || (char === '[' && !followsOperand(text, before))) marks.add(index);
  }
  return marks;
}

/** A dot before a name or digit that follows neither an operand nor the dot of another name. */
function leadingDots(text: string): ReadonlySet<number> {
  const dots = new Set<number>();
  for (let at = text.indexOf('.'); at >= 0; at = text.indexOf('.', at + 1)) {
    if (
      /[A-Za-z0-9_]/.test(text[at + 1] ?? '') &&
      !followsOperand(text, at) &&
      !/\.\s*\??\s*$/.test(text.slice(Math.max(0, at - 20), at))
    )
      dots.add(at);
  }
  return dots;
}

/** Whether an operand ends before the offset; a bracket there is an index. */
function followsOperand(text: string, bracket: number): boolean {
  const end = lastVisible(text, bracket) + 1;
  if (!/[A-Za-z0-9_)\]}§]/.test(text[end - 1] ?? '')) return false;
  return !/(?:^|[^A-Za-z0-9_])in$/.test(text.slice(Math.max(0, end - 3), end));
}

/** The offset of the last character before an offset that is not white space; -1 when there is none. */
export function lastVisible(text: string, before: number): number {
  let index = before - 1;
  while (index >= 0 && /\s/.test(text[index] ?? '')) index--;
  return index;
}
