import { parseArgs } from 'node:util';
import { meantText } from '@multicluster-engine/values/nearestword';
import { FlagError, isSwitch, rowOf, type FlagRow, type FlagRows } from './flags.js';

/** The words of a command line, as kubectl reads them. */

/** What a command line holds: its flags by name, and its other arguments in their order. */
interface CommandLine {
  readonly flags: ReadonlyMap<string, string>;
  readonly positional: readonly string[];
}

/** A command line, or that it asks for the help or the version. */
export type ParsedCommandLine =
  | { readonly kind: 'parsed'; readonly line: CommandLine }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' };

/** Parses a command line of flags alone; `program` is used in errors. */
export function readFlags(rows: FlagRows, argv: readonly string[], program: string): ParsedCommandLine {
  const parsed = readCommandLine(rows, argv, program);
  const [stray] = parsed.kind === 'parsed' ? parsed.line.positional : [];
  if (stray !== undefined)
    throw new FlagError(`unexpected argument ${JSON.stringify(stray)}: only flags are allowed (see ${program} --help)`);
  return parsed;
}

/** Parses a command line; `program` is used in errors. As for kubectl, only arguments follow a `--`. */
export function readCommandLine(rows: FlagRows, argv: readonly string[], program: string): ParsedCommandLine {
  const own = Object.entries(rows).map(([name, row]) => [name, optionOf(row)] as const);
  const booleans = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } as const;
  const options = { ...Object.fromEntries(own), ...booleans };
  const args = argv.flatMap((word) => longForm(rows, word));
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true });
  const given = new Map<string, string>();
  const positional: string[] = [];
  for (const token of tokens) {
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
      const known = Object.keys(options).map((name) => `--${name}`);
      throw new FlagError(`unknown flag ${JSON.stringify(flag)} (see ${program} --help)${meantText(flag, known)}`);
    }
    const value = token.value ?? (isSwitch(row) ? 'true' : undefined);
    if (value === undefined) throw new FlagError(`${flag} needs a value (${flag}=VALUE)`);
    const before = given.get(token.name);
    if (before !== undefined && row.list !== true)
      throw new FlagError(`${flag} is given twice, the second time as ${JSON.stringify(value)}`);
    given.set(token.name, before === undefined ? value : `${before},${value}`);
  }
  return { kind: 'parsed', line: { flags: given, positional } };
}

/** The command line with its first word that belongs to no flag in front: kubectl takes flags before a command, too. */
export function commandFirst(rows: FlagRows, argv: readonly string[]): readonly string[] {
  const options = Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, optionOf(row)] as const));
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  const at = tokens.find(({ kind }) => kind === 'positional')?.index ?? 0;
  return [...argv.slice(at, at + 1), ...argv.slice(0, at), ...argv.slice(at + 1)];
}

/** `-n=shop`, `-A=false` and `-Ao=json`, which kubectl takes too, with the last flag in its long form. */
function longForm(rows: FlagRows, word: string): readonly string[] {
  const [, others = '', letter, value = ''] = /^-([A-Za-z]*)([A-Za-z])=(.*)$/s.exec(word) ?? [];
  const [name] = Object.entries(rows).find(([, row]) => row.short === letter) ?? [];
  if (letter === undefined || name === undefined) return [word];
  return [...(others === '' ? [] : [`-${others}`]), `--${name}=${value}`];
}

function optionOf(row: FlagRow): { type: 'boolean' | 'string'; short?: string } {
  const type = isSwitch(row) ? 'boolean' : 'string';
  return row.short === undefined ? { type } : { type, short: row.short };
}
