import { isIPv4, isIPv6 } from 'node:net';
import { httpsUrl, HTTPS_URL_RULE, withoutUser } from '../vocabulary/url.js';

/** What can follow in a command line that is being typed. */
export interface Suggestion {
  /** A word and, after a tab, what it means. */
  readonly words?: readonly string[];
  /** What the program reads names of, such as the plural name of a resource. */
  readonly live?: string;
  /** The shell completes names of files. */
  readonly files?: boolean;
}

export interface FlagRow {
  /** Placeholder of the value in the help; absent for a switch, which is true without a value. */
  readonly value?: string;
  readonly help: string;
  /** The value when neither the flag nor the variable is set. */
  readonly default?: string;
  /** The help text for a computed default. */
  readonly defaultText?: string;
  /** Name of the variable if it is not derived from the flag. */
  readonly variable?: string;
  /** One letter that the flag can be given by. */
  readonly short?: string;
  /** It can be given several times, and its values can have commas between them, as lists of kubectl. */
  readonly list?: true;
  /** Without one of these flags it would do nothing, and is refused. */
  readonly needs?: readonly string[];
  /** Beside one of these flags, `NAME` or `NAME=VALUE`, it would do nothing, and is refused. */
  readonly excludes?: readonly string[];
  /** What its value can be. */
  readonly completes?: Suggestion;
}

/** The flags of a command by name, in the order of the help. */
export type FlagRows = Readonly<Record<string, FlagRow>>;
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where flags are read from that the command line does not give. */
interface Variables {
  readonly env: Environment;
  /** Begins the name of each variable. */
  readonly prefix: string;
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** An address to listen on; port 0 selects a free port. */
export interface Listen {
  /** Empty: all addresses, of IPv4 and IPv6. */
  readonly host: string;
  readonly port: number;
}

/** `HOST:PORT` for flags and URLs, an IPv6 address in brackets. */
export function addressOf({ host, port }: { readonly host: string; readonly port: number | string }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** An error in the command line or the environment: one line with the flag, its value and the rule. */
export class FlagError extends Error {}

export function isSwitch(row: Pick<FlagRow, 'value'>): boolean {
  return row.value === undefined;
}

export function rowOf(rows: FlagRows, name: string): FlagRow | undefined {
  return Object.hasOwn(rows, name) ? rows[name] : undefined;
}

/** Flag values: from the command line, else the environment, else the default. */
export class Flags {
  readonly #rows: FlagRows;
  readonly #given: ReadonlyMap<string, string>;
  readonly #variables: Variables;

  /** Without `variables` the environment has no value. */
  constructor(rows: FlagRows, given: ReadonlyMap<string, string>, variables: Variables = { env: {}, prefix: '' }) {
    this.#rows = rows;
    this.#given = given;
    this.#variables = variables;
  }

  /** The value of a flag; undefined when it is unset and has no default. */
  find(name: string): FlagValue | undefined {
    const row = rowOf(this.#rows, name);
    if (row === undefined) throw new Error(`no row for the flag --${name}`);
    const text = this.#given.get(name);
    if (text !== undefined) return new FlagValue(text, `--${name}`);
    const { env, prefix } = this.#variables;
    const variable = variableOf(prefix, name, row);
    const value = env[variable];
    if (value !== undefined && value !== '') return new FlagValue(value, variable);
    return row.default === undefined ? undefined : new FlagValue(row.default, `--${name}`);
  }

  /** As {@link find}; a text that is empty counts as unset, as for the flags of kubectl that name a hub and its parts. */
  findText(name: string): FlagValue | undefined {
    const found = this.find(name);
    return found?.text === '' ? undefined : found;
  }

  /** Whether the flag or its variable sets a value. */
  isSet(name: string): boolean {
    const row = rowOf(this.#rows, name);
    const { env, prefix } = this.#variables;
    return this.#given.has(name) || (row !== undefined && Boolean(env[variableOf(prefix, name, row)]));
  }

  /** Whether the flag or its variable sets a value, which is not `false` of a switch; `value`: this one. */
  isOn(name: string, value?: string): boolean {
    if (!this.isSet(name)) return false;
    const text = this.find(name)?.text;
    return value === undefined ? !isSwitch(this.#rows[name] ?? {}) || text !== 'false' : text === value;
  }

  /** The value of a flag that has a default. */
  get(name: string): FlagValue {
    const given = this.find(name);
    if (given === undefined) throw new Error(`no default for the flag --${name}`);
    return given;
  }
}

/** Refuses a flag that would do nothing, by `needs` and `excludes` of the rows. @throws FlagError that names both flags */
export function checkTogether(rows: FlagRows, flags: Flags): void {
  for (const [name, { needs, excludes = [] }] of Object.entries(rows)) {
    if (!flags.isOn(name)) continue;
    if (needs?.some((one) => flags.isOn(one)) === false)
      throw new FlagError(`--${name} needs ${needs.map((one) => usageOf(one, rows[one])).join(' or ')}`);
    const other = excludes.find((one) => flags.isOn(...splitValue(one)));
    if (other !== undefined) throw new FlagError(`--${name} cannot be used with --${other}`);
  }
}

function splitValue(text: string): [name: string, value?: string] {
  const at = text.indexOf('=');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** `--name`, or `--name=VALUE`. */
export function usageOf(name: string, row: FlagRow | undefined): string {
  return row?.value === undefined ? `--${name}` : `--${name}=${row.value}`;
}

export function variableOf(prefix: string, name: string, { variable }: FlagRow): string {
  return prefix + (variable ?? name.toUpperCase().replaceAll('-', '_'));
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration as Go writes it, such as 1h30m, also in days; NaN for another text. */
function durationMs(text: string): number {
  if (!/^(\d{1,9}(\.\d{1,9})?(ms|[smhd]))+$/.test(text)) return NaN;
  const parts = [...text.matchAll(/([\d.]+)(ms|[smhd])/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNIT_MS[unit] ?? NaN), 0);
}

const DNS_LABEL = '[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?';
const DNS_NAME = `${DNS_LABEL}(\\.${DNS_LABEL})*`;
/** One that ends with a number would be an IPv4 address. */
const HOST_NAME = new RegExp(`^${DNS_NAME}$(?<!(^|\\.)\\d+$)`);

/** The text of a flag. Each method that reads it throws a FlagError with the flag or variable, the rule and the text. */
export class FlagValue {
  readonly text: string;
  /** The flag or variable that set it. */
  readonly #origin: string;

  constructor(text: string, origin: string) {
    this.text = text;
    this.#origin = origin;
  }

  /** The same flag with another text, such as one entry of a list. */
  with(text: string): FlagValue {
    return new FlagValue(text, this.#origin);
  }

  refuse(rule: string): never {
    throw new FlagError(`${this.#origin} must be ${rule}, got ${JSON.stringify(this.text)}`);
  }

  /** The text, which must match `pattern`. */
  matching(pattern: RegExp, rule: string): string {
    return pattern.test(this.text) ? this.text : this.refuse(rule);
  }

  /** The words between commas; none is empty. */
  list(): readonly string[] {
    const words = this.text.split(',');
    return words.includes('') ? this.refuse('words with commas between them') : words;
  }

  oneOf<T extends string>(values: readonly T[]): T {
    return values.find((value) => value === this.text) ?? this.refuse(`one of ${values.join(', ')}`);
  }

  bool(): boolean {
    return this.oneOf(['true', 'false']) === 'true';
  }

  /** A path, which need not exist; `what`: a file, for the error. */
  file(what = 'a file'): string {
    return this.matching(/^[^\0]+$/s, what);
  }

  httpsUrl(): string {
    return httpsUrl(this.text) === undefined ? this.with(withoutUser(this.text)).refuse(HTTPS_URL_RULE) : this.text;
  }

  /** The name of a namespace that may be created. */
  namespace(): string {
    const rule = 'a namespace name (at most 63 lower-case letters, digits and inner dashes)';
    return this.matching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, rule);
  }

  integer(from: number, to: number): number {
    const value = /^\d{1,9}$/.test(this.text) ? Number(this.text) : NaN;
    return value >= from && value <= to ? value : this.refuse(`a whole number from ${from} to ${to}`);
  }

  /** A number above 0, up to `to`. */
  number(to: number): number {
    const value = /^\d{1,9}(\.\d{1,9})?$/.test(this.text) ? Number(this.text) : NaN;
    return value > 0 && value <= to ? value : this.refuse(`a number above 0, up to ${to}`);
  }

  /** A duration between two others, in ms; `examples`: for the error. */
  duration(from: string, to: string, examples = '50ms or 1s'): number {
    const ms = durationMs(this.text);
    const isIn = ms >= durationMs(from) && ms <= durationMs(to);
    return isIn ? ms : this.refuse(`a duration such as ${examples}, from ${from} to ${to}`);
  }

  /** `[host[:port]/]path[:tag][@digest]`, as in the OCI distribution specification, with a digest as long as its algorithm's. */
  image(): string {
    const host = `${DNS_NAME}(:\\d{1,5})?/`;
    const part = '[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*';
    const name = `${part}(/${part})*`;
    const pattern = new RegExp(
      `^(${host})?${name}(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64}|@sha512:[0-9a-f]{128})?$`,
    );
    if (this.text.length > 1024 || !pattern.test(this.text))
      this.refuse('an image name: [host[:port]/]path[:tag][@digest]');
    return this.text;
  }

  /** `host:port`, `[v6]:port` or `:port` (all addresses). */
  listen(): Listen {
    const [, bracketed, host = '', digits] = /^(?:\[(.*)\]|(.*)):(\d{1,5})$/.exec(this.text) ?? [];
    const isHost =
      bracketed === undefined
        ? host === '' || isIPv4(host) || HOST_NAME.test(host)
        : isIPv6(bracketed) && !bracketed.includes('%');
    const port = Number(digits);
    if (!isHost || !(port <= 65_535)) return this.refuse('HOST:PORT, [IPV6]:PORT or :PORT with a port from 0 to 65535');
    return Object.freeze({ host: bracketed ?? host, port });
  }
}
