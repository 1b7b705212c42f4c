import path from 'node:path';

/** One instruction of a Dockerfile, such as `COPY` with `src src`; continued lines are joined. */
interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** What the Dockerfile says of one of its stages. */
export class Stage {
  readonly #instructions: readonly Instruction[];

  constructor(instructions: readonly Instruction[]) {
    this.#instructions = instructions;
  }

  /** The text behind each instruction of this name, in order. */
  all(name: string): readonly string[] {
    return this.#instructions.filter((one) => one.name === name).map(({ rest }) => rest);
  }

  /** The words of the last array of strings that an instruction of this name contains, such as `ENTRYPOINT ["node"]`. */
  words(name: string): readonly string[] {
    return JSON.parse(/\[.*\]$/.exec(this.all(name).at(-1) ?? '')?.[0] ?? '[]') as string[];
  }

  /** The pairs `NAME=value` of all instructions of this name; quotes are removed. */
  pairs(name: string): Readonly<Record<string, string>> {
    const pairs = this.all(name).flatMap((rest) => [...rest.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S*))/g)]);
    return Object.fromEntries(pairs.map(([, key = '', quoted, plain]) => [key, quoted ?? plain ?? '']));
  }

  /** The files and folders of the repository that are copied, with the place of each below the working directory. */
  get copied(): readonly (readonly [from: string, to: string])[] {
    return this.all('COPY').flatMap((rest) => {
      const words = rest.split(/\s+/);
      const to = words.at(-1) ?? '';
      if (rest.startsWith('--')) return [];
      return words.slice(0, -1).map((from) => [from, to.endsWith('/') ? path.join(to, from) : to] as const);
    });
  }
}

/** The stages of a Dockerfile, in order. */
export function readDockerfile(text: string): readonly Stage[] {
  const joined = text.replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n/g, ' ');
  return joined
    .split(/^(?=FROM )/m)
    .filter((stage) => stage.startsWith('FROM '))
    .map((stage) => {
      const lines = stage.split('\n').filter((line) => line.trim() !== '');
      return new Stage(
        lines.map((line) => ({ name: line.split(' ', 1).join(''), rest: line.slice(line.indexOf(' ')).trim() })),
      );
    });
}
