/** One command that a document shows, with the output that it shows for it. */
export interface Step {
  readonly command: string;
  /** Empty where the document shows none. */
  readonly output: readonly string[];
}

/** The commands of all `console` blocks of a Markdown text, in order; a comment behind a command is dropped. */
export function stepsIn(markdown: string): Step[] {
  const steps: { command: string; output: string[] }[] = [];
  for (const [, block = ''] of markdown.matchAll(/^```console\n([\s\S]*?)^```$/gm)) {
    for (const line of block.split('\n')) {
      if (line.startsWith('$ ')) steps.push({ command: line.slice(2).replace(/\s+#.*$/, ''), output: [] });
      else if (line.trim() !== '') steps.at(-1)?.output.push(line);
    }
  }
  return steps;
}

/** Lines without what differs from run to run: ages and durations, the widths of columns, empty lines. */
export function masked(lines: readonly string[]): string[] {
  const plain = lines.map((line) =>
    line
      .replaceAll(/(?<![\w-])(\d+m)?\d+(\.\d+)? ?s(?![\w-])/g, 'TIME')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  return plain.filter((line) => line !== '');
}
