/** A command of a transcript and its expected output. */
export interface Command {
  /** The bash script, of one or more lines. */
  readonly script: string;
  /** Masked lines of stdout and stderr; `…` stands for any lines; the last may be `exit CODE`. */
  readonly output: readonly string[];
}

/** A sequence of commands in a namespace of its own. */
export interface Scenario {
  readonly title: string;
  readonly commands: readonly Command[];
}

/**
 * Parses a transcript: `## title` begins a scenario, `$ command` a command, `> more` continues it, and every other line
 * is output. Empty lines before the next title are dropped.
 */
export function readTranscript(text: string): Scenario[] {
  const scenarios: { title: string; commands: { script: string; output: string[] }[] }[] = [];
  for (const line of text.split('\n')) {
    const commands = scenarios.at(-1)?.commands;
    if (line.startsWith('## ')) scenarios.push({ title: line.slice(3), commands: [] });
    else if (line.startsWith('$ ')) commands?.push({ script: line.slice(2), output: [] });
    else if (line.startsWith('> ') && commands?.at(-1)?.output.length === 0)
      commands[commands.length - 1] = { script: `${commands.at(-1)?.script}\n${line.slice(2)}`, output: [] };
    else commands?.at(-1)?.output.push(line);
  }
  return scenarios.map(({ title, commands }) => ({
    title,
    commands: commands.map(({ script, output }, at) => ({
      script,
      output: at < commands.length - 1 ? output : withoutEmptyEnd(output),
    })),
  }));
}

/** The inverse of {@link readTranscript}. */
export function writeTranscript(scenarios: readonly Scenario[]): string {
  const blocks = scenarios.map(({ title, commands }) => {
    const lines = commands.flatMap(({ script, output }) => [
      ...script.split('\n').map((line, at) => `${at === 0 ? '$' : '>'} ${line}`),
      ...output,
    ]);
    return [`## ${title}`, ...lines, ''].join('\n');
  });
  return blocks.join('\n');
}

/** Whether lines match the expected output. */
export function matchesOutput(lines: readonly string[], output: readonly string[]): boolean {
  const [first, ...rest] = output;
  if (first === undefined) return lines.length === 0;
  if (first !== '…') return lines[0] === first && matchesOutput(lines.slice(1), rest);
  return rest.length === 0 || lines.some((_line, at) => matchesOutput(lines.slice(at), rest));
}

function withoutEmptyEnd(lines: readonly string[]): string[] {
  const last = lines.findLastIndex((line) => line !== '');
  return lines.slice(0, last + 1);
}
