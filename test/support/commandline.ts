import { jest } from '@jest/globals';
import type { CompleteConfig } from '../../src/cli/commands/completion.js';
import type { Config as CommandConfig } from '../../src/main.js';
import { readProgram, type Program } from '../../src/runtime/flags/commands.js';

/** The configuration of one command, or of a question of a shell. */
export type Config = CommandConfig | CompleteConfig;

/** What is printed instead of running a command. */
export interface Usage {
  readonly command: 'usage';
  readonly exitCode: number;
  readonly text: string;
}

/** The program with the table of its commands, which `src/main.ts` starts when it is imported. */
export const program = await new Promise<Program>((resolve, reject) => {
  jest.unstable_mockModule('../../src/cli/start.js', () => ({ start: resolve }));
  import('../../src/main.js').catch(reject);
});

/** Reads a command line as the program does. */
export function readConfig(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Config | Usage {
  const reading = readProgram(program, argv, env);
  if (reading.kind === 'usage') return { command: 'usage', exitCode: reading.exitCode, text: reading.text };
  return reading.config as Config;
}

/** What is printed instead of running the command. Throws where the command line is accepted. */
export function usage(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Usage {
  const config = readConfig(argv, env);
  if (config.command !== 'usage') throw new Error('the command line was accepted');
  return config;
}
