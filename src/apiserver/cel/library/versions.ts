import { Library } from '../language/signature.js';
import { EvaluationError, noSuchOverload } from '../runtime/error.js';
import { Opaque, type Value } from '../runtime/value.js';
import { textOf } from './operators.js';

/** A semantic version; what stands behind `+` counts for nothing in comparisons. */
class Semver extends Opaque {
  readonly typeName = 'kubernetes.Semver';
  readonly numbers: readonly bigint[];
  readonly release: readonly string[];

  constructor(numbers: readonly bigint[], release: readonly string[]) {
    super();
    this.numbers = numbers;
    this.release = release;
  }

  equals(other: Opaque): boolean {
    return other instanceof Semver && compare(this, other) === 0;
  }
}

const PART = '(0|[1-9]\\d*)';
const SEMVER = new RegExp(`^${PART}\\.${PART}\\.${PART}(?:-([0-9A-Za-z.-]+))?(?:\\+([0-9A-Za-z.-]+))?$`);

/** Numbers have 64 bits, without a sign. */
const LARGEST = 2n ** 64n - 1n;

function parse(text: string): Semver | string {
  if (text === '') return 'Version string empty';
  if (text.split(/[-+]/)[0]?.split('.').length !== 3) return 'No Major.Minor.Patch elements found';
  const match = SEMVER.exec(text);
  if (match === null) return problemOf(text);
  const release = match[4]?.split('.') ?? [];
  const large = [...match.slice(1, 4), ...release].find((part) => /^\d{20,}$/.test(part) && (part.length > 20 || BigInt(part) > LARGEST));
  if (large !== undefined) return `strconv.ParseUint: parsing "${large}": value out of range`;
  const build = match[5]?.split('.') ?? [];
  if (release.includes('')) return 'Prerelease is empty';
  if (build.includes('')) return 'Build meta data is empty';
  const padded = release.find((part) => /^0\d+$/.test(part));
  if (padded !== undefined) return `Numeric PreRelease version must not contain leading zeroes "${padded}"`;
  return new Semver(match.slice(1, 4).map(BigInt), release);
}

function problemOf(text: string): string {
  const names = ['Major', 'Minor', 'Patch'];
  for (const [index, part] of (text.split(/[-+]/)[0] ?? '').split('.').entries()) {
    const name = names[index] ?? '';
    if (!/^\d+$/.test(part)) return `Invalid character(s) found in ${name.toLowerCase()} number "${part}"`;
    if (/^0\d/.test(part)) return `${name} number must not contain leading zeroes "${part}"`;
  }
  return 'Invalid character(s) found in prerelease';
}

/** Takes `v1.2` and `1.02.3` for versions: no prefix, no leading zeros, three numbers. */
function normalize(text: string): string | undefined {
  const parts = splitThree(text.replace(/^v/, '')).map((part) => (part.length > 1 ? part.replace(/^0+(?=\d)/, '').replace(/^0+(?=\D)/, '0') : part));
  if (parts.length === 3) return parts.join('.');
  if (/[+-]/.test(parts.at(-1) ?? '')) return undefined;
  return [...parts, '0', '0'].slice(0, 3).join('.');
}

function splitThree(text: string): string[] {
  const [major = '', minor, ...rest] = text.split('.');
  return [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join('.')])];
}

function read(text: string, loose: boolean): Semver | string {
  const normalized = loose ? normalize(text) : text;
  return normalized === undefined ? 'short version cannot contain PreRelease/Build meta data' : parse(normalized);
}

function toSemver(text: string, loose: boolean): Semver {
  const version = read(text, loose);
  if (typeof version === 'string') throw new EvaluationError(version);
  return version;
}

function compare(a: Semver, b: Semver): number {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (a.release.length === 0 || b.release.length === 0) return Math.sign(b.release.length - a.release.length);
  return compareReleases(a.release, b.release);
}

/** Numbers before texts, numbers by value, texts by their characters; the longer one wins where all else is equal. */
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

/** Kubernetes' library of semantic versions. */
export function versions(): Library {
  const library = new Library();
  const type = 'kubernetes.Semver';
  library.add('string_to_semver', `semver(string): ${type}`, ([text]) => toSemver(textOf(text), false));
  library.add('string_bool_to_semver', `semver(string, bool): ${type}`, ([text, loose]) => toSemver(textOf(text), loose === true));
  library.add('is_semver_string', 'isSemver(string): bool', ([text]) => typeof read(textOf(text), false) !== 'string');
  library.add('is_semver_string_bool', 'isSemver(string, bool): bool', ([text, loose]) => typeof read(textOf(text), loose === true) !== 'string');
  library.add('semver_is_greater_than', `${type}.isGreaterThan(${type}): bool`, ([a, b]) => compare(semverOf(a), semverOf(b)) > 0);
  library.add('semver_is_less_than', `${type}.isLessThan(${type}): bool`, ([a, b]) => compare(semverOf(a), semverOf(b)) < 0);
  library.add('semver_compare_to', `${type}.compareTo(${type}): int`, ([a, b]) => BigInt(compare(semverOf(a), semverOf(b))));
  for (const [index, name] of ['major', 'minor', 'patch'].entries()) {
    library.add(`semver_${name}`, `${type}.${name}(): int`, ([value]) => BigInt.asIntN(64, semverOf(value).numbers[index] ?? 0n));
  }
  return library;
}

function semverOf(value: Value | undefined): Semver {
  if (value instanceof Semver) return value;
  throw noSuchOverload();
}
