import { meantText } from '@multicluster-engine/values/nearestword';
import {
  commandFirst,
  readCommandLine,
  completionOf,
  flagsOf,
  rowsOfAll,
  type CommandSummary,
  type Completion,
} from './commandline.js';
import {
  checkTogether,
  FlagError,
  Flags,
  usageOf,
  variableOf,
  type Environment,
  type FlagRow,
  type FlagRows,
} from './flags.js';

/** The commands of a program: reads its command line, and says what is wrong with it. */

/** What a configuration is read from, besides flags. */
export interface Given {
  readonly env: Environment;
  readonly positional: readonly string[];
  /** Version of the program. */
  readonly version: string;
}

/** What the configuration of each command has. */
interface CommandConfig {
  /** Name of the command, with that of its action. */
  readonly command: string;
}

const PROFILE_FLAGS: FlagRows = {
  'profile-dir': {
    value: 'DIR',
    help: 'folder for profiles of the first minute, and of the minute after each SIGUSR2',
    defaultText: 'no profiles',
  },
};

/** A command; `build` throws FlagError with the flag or argument, its value and the rule. */
export interface Command<C extends CommandConfig> extends CommandSummary {
  readonly build: (flags: Flags, given: Given) => C;
}

/** A command whose configuration is what its `build` makes. */
export function defineCommand<const C extends CommandConfig>(row: Command<C>): Command<C> {
  return row;
}

/** The configuration of a command. */
export type ConfigOf<T> = T extends Command<infer C> ? C : never;

/** Runs a command; returns the exit code. */
type Run<C> = (config: C) => Promise<number>;

/** A command with its configuration, ready to run. */
export interface Ready<C extends CommandConfig = CommandConfig> {
  readonly kind: 'ready';
  readonly config: C & { readonly profileDir?: string };
  readonly run: () => Promise<number>;
}

/** A command of a program. */
export interface CommandRow<C extends CommandConfig = CommandConfig> extends CommandSummary {
  readonly read: (flags: Flags, given: Given) => Ready<C>;
}

/** A command line that help shows: what it is for, and the words after the name of the program. */
export type Example = readonly [purpose: string, words: string];

/** A text to print instead of running a command: to standard output with code 0, else to standard error. */
export interface Usage {
  readonly kind: 'usage';
  /** 2 for an error in the command line; 1 for one of a command for users, whose code 2 may have another meaning. */
  readonly exitCode: 0 | 1 | 2;
  readonly text: string;
}

export interface Program {
  /** How the user has called it. */
  readonly name: string;
  readonly version: string;
  /** Begins the name of the variable of each flag. */
  readonly prefix: string;
  readonly commands: readonly CommandRow[];
  /** By the name of the command. */
  readonly examples: Readonly<Record<string, readonly Example[]>>;
  /** Answers a shell that asks what can follow in a command line. */
  readonly complete: (completion: Completion, given: Pick<Given, 'version'>) => Ready;
}

/** The row of a command; `run` imports what runs it, which neither help nor another command loads. */
export function commandRow<C extends CommandConfig>(command: Command<C>, run: Run<C>): CommandRow<C> {
  return {
    ...command,
    flags: { ...command.flags, ...PROFILE_FLAGS },
    read: (flags, given) => {
      const profileDir = flags.find('profile-dir')?.file('a folder');
      return ready(Object.freeze({ ...command.build(flags, given), ...(profileDir && { profileDir }) }), run);
    },
  };
}

export function ready<C extends CommandConfig>(config: C, run: Run<C>): Ready<C> {
  return { kind: 'ready', config, run: () => run(config) };
}

/**
 * Reads a command line, the words after the name of the program. A flag has precedence over its variable; an empty variable
 * counts as unset.
 */
export function readProgram(program: Program, argv: readonly string[], env: Environment): Ready | Usage {
  try {
    return interpret(program, argv, env);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    return { kind: 'usage', exitCode: usageExitCode(program, argv), text: `${program.name}: ${error.message}\n` };
  }
}

/** 2 for a command that runs a server. Else 1, also for an unknown command. */
function usageExitCode(program: Program, argv: readonly string[]): 1 | 2 {
  const [first] = commandFirst(rowsOfAll(program.commands), argv);
  const command = commandOf(program, first);
  return command !== undefined && command.arguments === undefined ? 2 : 1;
}

function interpret(program: Program, argv: readonly string[], env: Environment): Ready | Usage {
  const { name: caller, version, commands } = program;
  const [first, ...rest] = commandFirst(rowsOfAll(commands), argv);
  if (first === undefined) throw new FlagError(`no command (see ${caller} --help)`);
  if (first === '--help' || first === '-h') return print(overview(program));
  if (first === '--version') return print(`${version}\n`);
  if (first === '__complete') return program.complete(completionOf(commands, rest), { version });
  if (first === 'help') return interpret(program, [...rest, '--help'], env);
  const command = commandOf(program, first);
  if (command === undefined) throw unknownCommand(program, first);
  const given = readCommandLine(command.flags, rest, {
    program: `${caller} ${command.name}`,
    hasArguments: command.arguments !== undefined,
  });
  if (given.kind === 'help') return print(help(program, command, rest[0]));
  if (given.kind === 'version') return print(`${version}\n`);
  const { prefix } = program;
  const { asComponent } = command;
  const hasVariables =
    command.arguments === undefined ||
    (asComponent !== undefined && new Flags(command.flags, given.line.flags).isOn(asComponent));
  const flags = new Flags(command.flags, given.line.flags, hasVariables ? { env, prefix } : undefined);
  checkTogether(command.flags, flags);
  return command.read(flags, { env, positional: given.line.positional, version });
}

function commandOf({ commands }: Program, name: string | undefined): CommandRow | undefined {
  return commands.find((row) => row.name === name);
}

function unknownCommand({ name: caller, commands }: Program, word: string): FlagError {
  const known = commands.map(({ name }) => name);
  const what = word.startsWith('-')
    ? `no command after ${JSON.stringify(word)}`
    : `unknown command ${JSON.stringify(word)}`;
  return new FlagError(`${what}${meantText(word, known) || ` (see ${caller} --help)`}`);
}

function print(text: string): Usage {
  return { kind: 'usage', exitCode: 0, text };
}

function overview({ name, commands }: Program): string {
  const lines = commands.map((row) => `  ${row.name.padEnd(12)} ${row.summary}`);
  const hint = `${name} help COMMAND lists the flags of a command.`;
  return `Usage: ${name} COMMAND [flags]\n\nCommands:\n${lines.join('\n')}\n\n${hint}\n`;
}

/** The help of a command. `action`: the first argument; help is that of this action if the command has it. */
function help(program: Program, command: CommandRow, action = ''): string {
  const { name: caller, prefix } = program;
  const { actionFlags = {} } = command;
  const all = command.arguments;
  const isAction = Object.hasOwn(actionFlags, action);
  const positional = isAction ? all?.split('|').find((one) => one.split(' ')[0] === action) : all;
  const usage = ['Usage:', caller, command.name, positional ?? '', '[flags]'].filter((word) => word !== '').join(' ');
  const title =
    positional === undefined
      ? 'Flags, with the environment variable below (the flag has precedence, an empty variable counts as unset):'
      : `Flags${variablesText(prefix, command)}:`;
  const examples = exampleLines(program, command.name, isAction ? `${command.name} ${action} ` : command.name);
  const lines = [usage, '', command.summary, '', ...examples, title];
  for (const [name, row] of flagsOf(command, action)) {
    lines.push(`  ${flagUsage(name, row).padEnd(48)} ${row.help}`);
    const variable = positional === undefined ? variableOf(prefix, name, row) : '';
    lines.push(`    ${variable.padEnd(46)} default: ${row.default ?? row.defaultText ?? 'none'}`);
  }
  lines.push(`  ${'--help, -h'.padEnd(48)} prints this help`, `  ${'--version'.padEnd(48)} prints the version`);
  if (positional !== undefined) lines.push('', `Exit codes: ${command.exitCodes ?? '0: success; 1: an error'}`);
  return `${lines.join('\n')}\n`;
}

/** The examples of a command that begin so. */
function exampleLines({ name: caller, examples }: Program, command: string, begin: string): readonly string[] {
  const own = (examples[command] ?? []).filter(([, words]) => `${words} `.startsWith(begin));
  if (own.length === 0) return [];
  return ['Examples:', ...own.flatMap(([purpose, words]) => [`  # ${purpose}`, `  ${caller} ${words}`]), ''];
}

/** Which switch makes variables count, by the example of the first flag. */
function variablesText(prefix: string, { asComponent, flags }: CommandRow): string {
  const [[name, row] = []] = Object.entries(flags);
  if (asComponent === undefined || name === undefined || row === undefined) return '';
  return `; with --${asComponent} also by environment variables, such as ${variableOf(prefix, name, row)} for --${name}`;
}

function flagUsage(name: string, row: FlagRow): string {
  const short = row.short === undefined ? '' : `-${row.short}, `;
  return `${short}${usageOf(name, row)}`;
}
