import { parseArgs, type ParseArgsConfig } from 'node:util';

import { errorText } from '../../src/runtime/errors.js';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<T extends Options> = ReturnType<typeof parseArgs<{ options: T; strict: true }>>['values'];

/** Said by a program that ends without having run anything; others look for it. */
export const NOTHING_TO_RUN = 'there was nothing to run';

/** The exit code for wrong arguments, and for nothing to run. */
export const REFUSED = 2;

/** A random plan n of a seed is made from `seed * 1_000_003 + n`: up to this seed the product is exact. */
const MOST_SEED = 9_000_000_000;

/**
 * The flags of a program, as `read` understands them. Ends the program with the usage for `--help`, and with one line and code 2 for
 * flags that are wrong, or where `read` throws an Error.
 */
export function argumentsOf<T extends Options, R>(
  program: string,
  usage: string,
  options: T,
  read: (values: Values<T>) => R,
): R {
  const given = process.argv.slice(2);
  if (given.includes('--help')) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return read(flagsIn(given, options));
  } catch (error) {
    return refuse(program, errorText(error));
  }
}

/** Ends the program with what is wrong. */
function refuse(program: string, what: string): never {
  console.error(`${program}: ${what}`);
  process.exit(REFUSED);
}

/** @throws Error in one line, that begins with the flag */
export function flagsIn<T extends Options>(args: readonly string[], options: T): Values<T> {
  // What is not strict takes values that begin with a dash, such as numbers below 0.
  const { values, tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') throw new Error('--: is no flag');
    if (token.kind === 'positional') throw new Error(`${JSON.stringify(token.value)}: only flags are taken`);
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) && rawName.startsWith('--') ? options[name] : undefined;
    if (option === undefined) throw new Error(`${rawName}: is no flag; --help lists them`);
    if (option.type === 'boolean' && value !== undefined) throw new Error(`${rawName}: takes no value`);
    if (option.type === 'string' && (value === undefined || (!inlineValue && value.startsWith('--'))))
      throw new Error(`${rawName}: needs a value`);
    if (seen.has(name) && option.multiple !== true) throw new Error(`${rawName}: is given twice`);
    seen.add(name);
  }
  return values;
}

/** @throws Error in one line, that begins with the flag */
export function integerOf(flag: string, text: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  if (!/^\d+$/.test(text) || Number(text) < least)
    throw new Error(`--${flag}: ${JSON.stringify(text)} is not an integer of at least ${least}`);
  if (Number(text) > most) throw new Error(`--${flag}: ${JSON.stringify(text)} is more than ${most}`);
  return Number(text);
}

/** @throws Error in one line */
export function seedOf(text = '1'): number {
  return integerOf('seed', text, 0, MOST_SEED);
}

/** Refuses the flags of many runs beside `one`, which names a single one. @throws Error in one line, that begins with the flag */
export function refuseBeside<F extends string>(
  given: Readonly<Partial<Record<F, unknown>>>,
  one: F,
  many: readonly F[],
): void {
  const beside = many.find((flag) => given[flag] !== undefined);
  if (given[one] !== undefined && beside !== undefined) throw new Error(`--${beside}: is not for one --${one}`);
}

/** What `read` makes of the value of a flag. @throws Error in one line, that begins with the flag */
export function valueOf<R>(flag: string, read: () => R): R {
  try {
    return read();
  } catch (error) {
    throw new Error(`--${flag}: ${errorText(error)}`, { cause: error });
  }
}

/** The last line of a program, and its exit code. */
export function conclude(program: string, line: string, runs: number, violations: number): void {
  console.log(line);
  if (runs === 0 && violations === 0) console.error(`${program}: ${NOTHING_TO_RUN}`);
  process.exitCode = violations > 0 ? 1 : runs === 0 ? REFUSED : 0;
}
