import type { FlagRow, FlagRows, Suggestion } from './flags.js';

/** What help and completion say of a command. */
export interface CommandSummary {
  readonly name: string;
  readonly summary: string;
  readonly flags: FlagRows;
  /** A command for users: with these arguments before its flags, and without variables for these. */
  readonly arguments?: string;
  /** The flags that only some of the actions in `arguments` have, by the name of the action: its help leaves out the others. */
  readonly actionFlags?: Readonly<Record<string, readonly string[]>>;
  /** Of a command for users, for its help, where it has others than 0 and 1. */
  readonly exitCodes?: string;
  /** What its arguments can be, by position. */
  readonly completes?: readonly Suggestion[];
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
