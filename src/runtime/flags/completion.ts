import { commandFirst, givenIn } from './commandline.js';
import type { FlagRow, FlagRows, Suggestion } from './flags.js';

/** What help and completion say of a command. */
export interface CommandSummary {
  readonly name: string;
  readonly summary: string;
  readonly flags: FlagRows;
  /** For a command for users: the arguments before its flags. Its flags have no variables. */
  readonly arguments?: string;
  /** For a command for users: the switch with which it runs as a component. The flags of the component have variables, too. */
  readonly asComponent?: string;
  /** The flags that only some of the actions in `arguments` have, by the name of the action: its help leaves out the others. */
  readonly actionFlags?: Readonly<Record<string, readonly string[]>>;
  /** For a command for users: what its help says of exit codes, if it has others than 0 and 1. */
  readonly exitCodes?: string;
  /** What its arguments can be, by position. */
  readonly completes?: readonly Suggestion[];
}

/** The flags of all commands. A flag takes the same values in each command that has it. */
export function rowsOfAll(commands: readonly CommandSummary[]): FlagRows {
  return Object.fromEntries(commands.flatMap(({ flags }) => Object.entries(flags)));
}

/** The flags that a command takes with an action, which need not be one: then all of them. */
export function flagsOf(
  { flags, actionFlags = {} }: CommandSummary,
  action: string,
): readonly (readonly [name: string, row: FlagRow])[] {
  const all = Object.entries(flags);
  const own = Object.hasOwn(actionFlags, action) ? actionFlags[action] : undefined;
  if (own === undefined) return all;
  const ofActions = Object.values(actionFlags).flat();
  return all.filter(([name]) => !ofActions.includes(name) || own.includes(name));
}

/** What can follow in a command line. */
export interface Completion extends Suggestion {
  /** The begin of the word that is being typed, and of all that can follow. */
  readonly prefix: string;
  /** The flags that the line has so far, by name. */
  readonly flags: ReadonlyMap<string, string>;
}

/**
 * What can follow `typed`, the words after the name of the program; the last of them is being typed, and may be empty. Never
 * throws: a command line that is not complete is often wrong.
 */
export function completionOf(commands: readonly CommandSummary[], typed: readonly string[]): Completion {
  const last = typed.at(-1) ?? '';
  const words = commandFirst(rowsOfAll(commands), typed.slice(0, -1));
  const isHelp = words[0] === 'help';
  const line = isHelp ? words.slice(1) : words;
  const [name = '', ...rest] = line;
  // Before a command there are at most its flags.
  const isBefore = name === '' || name.startsWith('-');
  const command = isBefore ? anyCommand(commands) : commands.find((one) => one.name === name);
  const given = givenIn(command?.flags ?? {}, isBefore ? line : rest);
  const suggestion = next(command, given, last);
  return {
    ...(isHelp && last.startsWith('-') ? {} : suggestion),
    prefix: last.startsWith('--') && last.includes('=') ? last.slice(last.indexOf('=') + 1) : last,
    flags: given.flags,
  };
}

/** What stands for a command for users that is still to be named. */
function anyCommand(commands: readonly CommandSummary[]): CommandSummary {
  const flags = rowsOfAll(commands.filter((one) => one.arguments !== undefined));
  return { name: '', summary: '', flags, completes: [{ words: commands.map((one) => `${one.name}\t${one.summary}`) }] };
}

function next(
  command: CommandSummary | undefined,
  { positional, open }: ReturnType<typeof givenIn>,
  last: string,
): Suggestion {
  if (command === undefined) return {};
  const flag = open ?? /^--([^=]+)=/.exec(last)?.[1];
  if (flag !== undefined) return Object.hasOwn(command.flags, flag) ? (command.flags[flag]?.completes ?? {}) : {};
  if (last.startsWith('-')) return { words: flagWords(command, positional[0] ?? '') };
  return command.completes?.[positional.length] ?? {};
}

/** The flags of the action that the command line names; all flags where it names none. */
function flagWords(command: CommandSummary, action: string): readonly string[] {
  return flagsOf(command, action).map(([name, { help }]) => `--${name}\t${help}`);
}
