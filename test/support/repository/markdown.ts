/** One command that a document shows, with the output that it shows for it. */
export interface Step {
  readonly command: string;
  /** Empty where the document shows none. */
  readonly output: readonly string[];
}

/** A fenced block of a Markdown text. */
export interface Block {
  /** The line of its opening fence, counted from 1. */
  readonly line: number;
  /** What follows the opening fence; empty for none. */
  readonly language: string;
  /** The lines between the fences, each with its line feed. */
  readonly text: string;
  /** The reason of a comment `<!-- not run: REASON -->` on the line above; undefined without one. */
  readonly notRun: string | undefined;
}

/** The languages of the blocks that a reader types: `console` has `$ ` before each command, `sh` is a script. */
const TYPED: ReadonlySet<string> = new Set(['console', 'sh', 'bash', 'shell']);

/** All fenced blocks of a Markdown text, in order, indented ones too. */
export function blocksIn(markdown: string): Block[] {
  const found = markdown.matchAll(/^([ \t]*)```([^\n`]*)\n((?:(?![ \t]*```[ \t]*$)[^\n]*\n)*)[ \t]*```[ \t]*$/gm);
  return [...found].map((match) => {
    const [, , language = '', text = ''] = match;
    const above = markdown.slice(0, match.index);
    return {
      line: above.split('\n').length,
      language: language.trim(),
      text,
      notRun: /^[ \t]*<!-- not run: (.+) -->\n$/.exec(above.slice(above.lastIndexOf('\n', above.length - 2) + 1))?.[1],
    };
  });
}

/** The blocks of commands. */
export function typedBlocksIn(markdown: string): Block[] {
  return blocksIn(markdown).filter(({ language }) => TYPED.has(language));
}

/**
 * The commands of a Markdown text, in order, without those of blocks that are marked as not run: each command of a
 * `console` block, without a comment behind it, and each `sh` block as one command.
 */
export function stepsIn(markdown: string): Step[] {
  return typedBlocksIn(markdown)
    .filter(({ notRun }) => notRun === undefined)
    .flatMap(({ language, text }) => (language === 'console' ? stepsOf(text) : [{ command: text, output: [] }]));
}

function stepsOf(block: string): Step[] {
  const steps: { command: string; output: string[] }[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2).replace(/\s+#.*$/, ''), output: [] });
    else if (line.trim() !== '') steps.at(-1)?.output.push(line);
  }
  return steps;
}

/** Lines without what differs from run to run: times, ages and durations, the widths of columns, empty lines. */
export function masked(lines: readonly string[]): string[] {
  const plain = lines.map((line) =>
    line
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
      .replaceAll(/(?<![\w-])(?:(\d+m)?\d+(\.\d+)? ?s(?![\w-])|\d+ m(?= ago))/g, 'TIME')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  return plain.filter((line) => line !== '');
}
