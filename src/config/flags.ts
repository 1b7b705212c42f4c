import { parseArgs } from 'node:util';

const ENVIRONMENT_PREFIX = 'MULTICLUSTER_ENGINE_';

/** One flag of a command. */
export interface FlagRow {
  readonly name: string;
  /** Placeholder of the value in the help. */
  readonly value: string;
  readonly help: string;
  /** The value when neither the flag nor the variable is set. */
  readonly default?: string;
  /** The help text for a computed default. */
  readonly defaultText?: string;
  /** Name of the variable if it is not derived from the flag. */
  readonly variable?: string;
  /** A switch: without a value it is true. */
  readonly isSwitch?: true;
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** An address to listen on; port 0 selects a free port. */
export interface Listen {
  readonly host: string;
  readonly port: number;
}

/** `HOST:PORT` for flags and URLs, an IPv6 address in brackets. */
export function addressOf({ host, port }: { readonly host: string; readonly port: number | string }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** An error in the command line or the environment: one line with the flag, its value and the rule. */
export class FlagError extends Error {}

/** Parses a command line; `program` is used in errors. */
export function readFlags(
  rows: readonly FlagRow[],
  argv: readonly string[],
  program: string,
): Map<string, string> | 'help' | 'version' {
  const strings = rows.map((row) => [row.name, { type: row.isSwitch === true ? 'boolean' : 'string' }] as const);
  const booleans = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } as const;
  const options = { ...Object.fromEntries(strings), ...booleans };
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  const given = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind !== 'option') {
      const stray = token.kind === 'positional' ? token.value : '--';
      throw new FlagError(
        `unexpected argument ${JSON.stringify(stray)}: only flags are allowed (see ${program} --help)`,
      );
    }
    const flag = token.rawName;
    if (token.name === 'help' || token.name === 'version') {
      if (token.value !== undefined) throw new FlagError(`${flag} takes no value, got ${JSON.stringify(token.value)}`);
      return token.name;
    }
    const row = rows.find((one) => one.name === token.name);
    if (row === undefined) throw new FlagError(`unknown flag ${JSON.stringify(flag)} (see ${program} --help)`);
    const value = token.value ?? (row.isSwitch === true ? 'true' : undefined);
    if (value === undefined) throw new FlagError(`${flag} needs a value (${flag}=VALUE)`);
    if (given.has(token.name))
      throw new FlagError(`${flag} is given twice, the second time as ${JSON.stringify(value)}`);
    given.set(token.name, value);
  }
  return given;
}

export interface FlagValue {
  readonly text: string;
  /** The flag or variable that set it. */
  readonly origin: string;
}

/** Flag values: from the command line, else the environment, else the default. */
export class Flags {
  readonly #rows: readonly FlagRow[];
  readonly #given: ReadonlyMap<string, string>;
  readonly #env: Readonly<Record<string, string | undefined>>;

  constructor(
    rows: readonly FlagRow[],
    given: ReadonlyMap<string, string>,
    env: Readonly<Record<string, string | undefined>>,
  ) {
    this.#rows = rows;
    this.#given = given;
    this.#env = env;
  }

  /** The value of a flag; undefined when it is unset and has no default. */
  find(name: string): FlagValue | undefined {
    const row = this.#rows.find((one) => one.name === name);
    if (row === undefined) throw new Error(`no row for the flag --${name}`);
    const text = this.#given.get(name);
    if (text !== undefined) return { text, origin: `--${name}` };
    const variable = variableOf(row);
    const value = this.#env[variable];
    if (value !== undefined && value !== '') return { text: value, origin: variable };
    return row.default === undefined ? undefined : { text: row.default, origin: `--${name}` };
  }

  /** The value of a flag that has a default. */
  get(name: string): FlagValue {
    const given = this.find(name);
    if (given === undefined) throw new Error(`no default for the flag --${name}`);
    return given;
  }
}

/** The environment variable of a flag. */
export function variableOf(row: FlagRow): string {
  return ENVIRONMENT_PREFIX + (row.variable ?? row.name.toUpperCase().replaceAll('-', '_'));
}

/** @throws FlagError with the flag or variable, the rule and the value. */
export function refuse(given: FlagValue, rule: string): never {
  throw new FlagError(`${given.origin} must be ${rule}, got ${JSON.stringify(given.text)}`);
}

/** The text, which must match `pattern`. */
export function matching(given: FlagValue, pattern: RegExp, rule: string): string {
  return pattern.test(given.text) ? given.text : refuse(given, rule);
}

export function oneOf<T extends string>(given: FlagValue, values: readonly T[]): T {
  return values.find((value) => value === given.text) ?? refuse(given, `one of ${values.join(', ')}`);
}

export function bool(given: FlagValue): boolean {
  return oneOf(given, ['true', 'false']) === 'true';
}

export function integer(given: FlagValue, from: number, to: number): number {
  const value = /^\d{1,9}$/.test(given.text) ? Number(given.text) : NaN;
  return value >= from && value <= to ? value : refuse(given, `a whole number from ${from} to ${to}`);
}

/** A number above 0, up to `to`. */
export function number(given: FlagValue, to: number): number {
  const value = /^\d{1,9}(\.\d{1,9})?$/.test(given.text) ? Number(given.text) : NaN;
  return value > 0 && value <= to ? value : refuse(given, `a number above 0, up to ${to}`);
}

/** A duration in ms, up to `toMs`. */
export function duration(given: FlagValue, toMs: number): number {
  const match = /^(\d{1,9}(?:\.\d{1,9})?)(ms|s)$/.exec(given.text);
  const ms = match === null ? NaN : Number(match[1]) * (match[2] === 's' ? 1000 : 1);
  return ms <= toMs ? ms : refuse(given, `a duration such as 50ms or 1s, from 0s to ${toMs / 1000}s`);
}

/** `host:port`, `[v6]:port` or `:port` (all addresses). */
export function listen(given: FlagValue): Listen {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]*)):(\d{1,5})$/.exec(given.text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535)
    return refuse(given, 'HOST:PORT, [IPV6]:PORT or :PORT with a port from 0 to 65535');
  return Object.freeze({ host: match[1] ?? (match[2] || '0.0.0.0'), port });
}
