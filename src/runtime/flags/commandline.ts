import { parseArgs } from 'node:util';
import { meantText } from '@multicluster-engine/values/nearestword';
import { FlagError, isSwitch, rowOf, type FlagRows } from './flags.js';

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

export function givenIn(rows: FlagRows, words: readonly string[]): GivenSoFar {
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
