import { goQuote } from '@multicluster-engine/values/text/go';
import { Library } from '../../language/signature.js';
import { EvaluationError, noSuchOverload } from '../../language/error.js';
import { Opaque, type Value } from '../../language/value.js';
import { textOf } from '../operators.js';

/** A semantic version; comparisons ignore build metadata. */
class Semver extends Opaque {
  readonly typeName = 'kubernetes.Semver';
  readonly numbers: readonly bigint[];
  readonly release: readonly string[];
  readonly build: readonly string[];

  constructor(numbers: readonly bigint[], release: readonly string[], build: readonly string[]) {
    super();
    this.numbers = numbers;
    this.release = release;
    this.build = build;
  }

  override get goText(): string {
    const build = this.build.length === 0 ? '' : `+${this.build.join('.')}`;
    return `(semver.Version)${this.numbers.join('.')}${this.release.length === 0 ? '' : `-${this.release.join('.')}`}${build}`;
  }

  equals(other: Opaque): boolean {
    return other instanceof Semver && compare(this, other) === 0;
  }
}

/** An invalid version. */
class Malformed extends Error {}

/** The largest unsigned 64-bit integer. */
const LARGEST = 2n ** 64n - 1n;

function parse(text: string): Semver {
  if (text === '') throw new Malformed('Version string empty');
  const [major, minor, rest] = splitThree(text);
  if (major === undefined || minor === undefined || rest === undefined)
    throw new Malformed('No Major.Minor.Patch elements found');
  const numbers = [readNumber(major, 'Major'), readNumber(minor, 'Minor')];
  const plus = rest.indexOf('+');
  const build = plus < 0 ? [] : rest.slice(plus + 1).split('.');
  const body = plus < 0 ? rest : rest.slice(0, plus);
  const dash = body.indexOf('-');
  const release = dash < 0 ? [] : body.slice(dash + 1).split('.');
  numbers.push(readNumber(dash < 0 ? body : body.slice(0, dash), 'Patch'));
  for (const part of release) checkRelease(part);
  for (const part of build) {
    if (part === '') throw new Malformed('Build meta data is empty');
    if (!WORD.test(part)) throw new Malformed(`Invalid character(s) found in build meta data ${goQuote(part)}`);
  }
  return new Semver(numbers, release, build);
}

const WORD = /^[0-9A-Za-z-]+$/;

function readNumber(text: string, name: string): bigint {
  if (!/^\d*$/.test(text))
    throw new Malformed(`Invalid character(s) found in ${name.toLowerCase()} number ${goQuote(text)}`);
  if (/^0\d/.test(text)) throw new Malformed(`${name} number must not contain leading zeroes ${goQuote(text)}`);
  return fitting(text);
}

function fitting(digits: string): bigint {
  if (digits === '') throw new Malformed('strconv.ParseUint: parsing "": invalid syntax');
  if (digits.length > 20 || BigInt(digits) > LARGEST)
    throw new Malformed(`strconv.ParseUint: parsing ${goQuote(digits)}: value out of range`);
  return BigInt(digits);
}

function checkRelease(part: string): void {
  if (part === '') throw new Malformed('Prerelease is empty');
  if (/^0\d+$/.test(part))
    throw new Malformed(`Numeric PreRelease version must not contain leading zeroes ${goQuote(part)}`);
  if (/^\d+$/.test(part)) fitting(part);
  else if (!WORD.test(part)) throw new Malformed(`Invalid character(s) found in prerelease ${goQuote(part)}`);
}

/** Normalizes versions such as `v1.2` and `1.02.3`: removes the prefix and leading zeros, and adds missing numbers. */
function normalize(text: string): string {
  const parts = splitThree(text.replace(/^v/, '')).map(withoutZeros);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? ''))
    throw new Malformed('short version cannot contain PreRelease/Build meta data');
  return [...parts, '0', '0'].slice(0, 3).join('.');
}

/** Removes leading zeros. A part that does not begin with a digit then gets a zero. */
function withoutZeros(part: string): string {
  if (Buffer.byteLength(part) < 2) return part;
  const short = part.replace(/^0+/, '');
  return /^\d/.test(short) ? short : `0${short}`;
}

/** Splits at the first two dots. */
function splitThree(text: string): string[] {
  const [major = '', minor, ...rest] = text.split('.');
  return [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join('.')])];
}

interface SemverOptions {
  /** Whether a leading `v`, leading zeros and missing parts are accepted. */
  readonly loose: boolean;
}

function toSemver(text: string, { loose }: SemverOptions): Semver {
  try {
    return parse(loose ? normalize(text) : text);
  } catch (error) {
    throw error instanceof Malformed ? new EvaluationError(error.message) : error;
  }
}

function isSemver(text: string, options: SemverOptions): boolean {
  try {
    return toSemver(text, options) instanceof Semver;
  } catch (error) {
    if (error instanceof EvaluationError) return false;
    throw error;
  }
}

function compare(a: Semver, b: Semver): number {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (a.release.length === 0 || b.release.length === 0) return Math.sign(b.release.length - a.release.length);
  return compareReleases(a.release, b.release);
}

/**
 * Compares prerelease identifiers: numbers before text, numbers by value, text by characters; the longer list wins
 * otherwise.
 */
function compareReleases(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const [one = '', two = ''] = [a[index], b[index]];
    if (one === two) continue;
    const numbers = [one, two].map((part) => /^\d+$/.test(part));
    if (numbers[0] === true && numbers[1] === true) return BigInt(one) < BigInt(two) ? -1 : 1;
    if (numbers[0] !== numbers[1]) return numbers[0] === true ? -1 : 1;
    return one < two ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}

/** The Kubernetes library of semantic versions. */
export function versions(): Library {
  const library = new Library();
  const type = 'kubernetes.Semver';
  library.add('string_to_semver', `semver(string): ${type}`, ([text]) => toSemver(textOf(text), { loose: false }));
  library.add('string_bool_to_semver', `semver(string, bool): ${type}`, ([text, loose]) =>
    toSemver(textOf(text), { loose: loose === true }),
  );
  library.add('is_semver_string', 'isSemver(string): bool', ([text]) => isSemver(textOf(text), { loose: false }));
  library.add('is_semver_string_bool', 'isSemver(string, bool): bool', ([text, loose]) =>
    isSemver(textOf(text), { loose: loose === true }),
  );
  library.add(
    'semver_is_greater_than',
    `${type}.isGreaterThan(${type}): bool`,
    ([a, b]) => compare(semverOf(a), semverOf(b)) > 0,
  );
  library.add(
    'semver_is_less_than',
    `${type}.isLessThan(${type}): bool`,
    ([a, b]) => compare(semverOf(a), semverOf(b)) < 0,
  );
  library.add('semver_compare_to', `${type}.compareTo(${type}): int`, ([a, b]) =>
    BigInt(compare(semverOf(a), semverOf(b))),
  );
  for (const [index, name] of ['major', 'minor', 'patch'].entries()) {
    library.add(`semver_${name}`, `${type}.${name}(): int`, ([value]) =>
      BigInt.asIntN(64, semverOf(value).numbers[index] ?? 0n),
    );
  }
  return library;
}

function semverOf(value: Value | undefined): Semver {
  if (value instanceof Semver) return value;
  throw noSuchOverload();
}
