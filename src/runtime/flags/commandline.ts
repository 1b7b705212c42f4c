import { parseArgs } from 'node:util';
import { meantText } from '@multicluster-engine/values/nearestword';
import { FlagError, isSwitch, rowOf, type FlagRows, type FlagRow, type Suggestion } from './flags.js';

/** The words of a command line, as kubectl reads them. */

/** What a command line holds: its flags by name, and its other arguments in their order. */
interface CommandLine {
  readonly flags: ReadonlyMap<string, string>;
  readonly positional: readonly string[];
}

/** A command line, or that it asks for the help or the version. */
type ParsedCommandLine =
  | { readonly kind: 'parsed'; readonly line: CommandLine }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' };

/**
 * Parses a command line; `program` is used in errors. As for kubectl, only arguments follow a `--`. `hasArguments`: whether there
 * may be any.
 */
export function readCommandLine(
  rows: FlagRows,
  argv: readonly string[],
  { program, hasArguments }: { readonly program: string; readonly hasArguments: boolean },
): ParsedCommandLine {
  const given = new Map<string, string>();
  const positional: string[] = [];
  for (const token of tokensOf(rows, inLongForm(rows, argv))) {
    if (token.kind !== 'option') {
      if (token.kind === 'positional') positional.push(token.value);
      continue;
    }
    const flag = token.rawName;
    if (token.name === 'help' || token.name === 'version') {
      if (token.value !== undefined) throw new FlagError(`${flag} takes no value, got ${JSON.stringify(token.value)}`);
      return { kind: token.name };
    }
    const row = rowOf(rows, token.name);
    if (row === undefined) {
      const known = [...Object.keys(rows), 'help', 'version'].map((name) => `--${name}`);
      throw new FlagError(`unknown flag ${JSON.stringify(flag)} (see ${program} --help)${meantText(flag, known)}`);
    }
    const value = token.value ?? (isSwitch(row) ? 'true' : undefined);
    if (value === undefined) throw new FlagError(`${flag} needs a value (${flag}=VALUE)`);
    const before = given.get(token.name);
    if (before !== undefined && row.list !== true)
      throw new FlagError(`${flag} is given twice, the second time as ${JSON.stringify(value)}`);
    given.set(token.name, before === undefined ? value : `${before},${value}`);
  }
  const [stray] = positional;
  if (stray !== undefined && !hasArguments)
    throw new FlagError(`unexpected argument ${JSON.stringify(stray)}: only flags are allowed (see ${program} --help)`);
  return { kind: 'parsed', line: { flags: given, positional } };
}

/** What stands in a command line that is being typed, right or wrong. */
interface GivenSoFar {
  readonly flags: ReadonlyMap<string, string>;
  readonly positional: readonly string[];
  /** The flag whose value is the next word. */
  readonly open: string | undefined;
}

function givenIn(rows: FlagRows, words: readonly string[]): GivenSoFar {
  const tokens = tokensOf(rows, inLongForm(rows, words));
  const named = tokens.flatMap((token) => {
    const row = token.kind === 'option' ? rowOf(rows, token.name) : undefined;
    if (token.kind !== 'option' || row === undefined) return [];
    return [[token.name, token.value ?? (isSwitch(row) ? 'true' : undefined)] as const];
  });
  const [open] = named.find(([, value]) => value === undefined) ?? [];
  const flags = named.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const positional = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  return { flags: new Map(flags), positional, open };
}

/** The command line with its first word that belongs to no flag in front: kubectl takes flags before a command, too. */
export function commandFirst(rows: FlagRows, argv: readonly string[]): readonly string[] {
  const at = tokensOf(rows, argv).find(({ kind }) => kind === 'positional')?.index ?? 0;
  return [...argv.slice(at, at + 1), ...argv.slice(0, at), ...argv.slice(at + 1)];
}

function tokensOf(rows: FlagRows, args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(rows).map(([name, { short, ...row }]) => {
      const type = isSwitch(row) ? ('boolean' as const) : ('string' as const);
      return [name, short === undefined ? { type } : { type, short }];
    }),
  );
  const booleans = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } as const;
  return parseArgs({ args: [...args], options: { ...options, ...booleans }, strict: false, tokens: true }).tokens;
}

/** `-n=shop`, `-A=false` and `-Ao=json`, which kubectl takes too, with the last flag in its long form. */
function inLongForm(rows: FlagRows, words: readonly string[]): readonly string[] {
  return words.flatMap((word) => {
    const [, others = '', letter, value = ''] = /^-([A-Za-z]*)([A-Za-z])=(.*)$/s.exec(word) ?? [];
    const [name] = Object.entries(rows).find(([, row]) => row.short === letter) ?? [];
    if (letter === undefined || name === undefined) return [word];
    return [...(others === '' ? [] : [`-${others}`]), `--${name}=${value}`];
  });
}

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
