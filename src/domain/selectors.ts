/** Requirements on string maps (labels, claims), parsed from values that admission may not have checked. */
import { isRecord } from '../runtime/vocabulary/json.js';
import {
  THRESHOLD_RULE,
  COMPARISONS,
  holds,
  isComparison,
  readThreshold,
  type Threshold,
  type Comparison,
} from './comparison.js';

export type Operator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | Comparison;

export type StringMap = Readonly<Record<string, string>>;

/**
 * One requirement. `path` is its field in the parsed object; `values` is empty for Exists and DoesNotExist, and the text of
 * the `threshold` alone for a comparison.
 */
export interface Requirement {
  readonly path: string;
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
  readonly threshold?: Threshold;
}

/** An invalid field. `message` gives the value and the rule, without repeating `field`. */
export interface Problem {
  readonly field: string;
  readonly message: string;
}

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem };

const SET_OPERATORS: readonly Operator[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];
const LONGEST_SHOWN = 80;

/** Thrown by {@link reject}, caught by {@link parse}. */
class Rejection extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Ends the enclosing {@link parse}: the value of `field` is invalid. */
export function reject(field: string, message: string): never {
  throw new Rejection({ field, message });
}

/** The value that `read` returns, or the problem that it rejects. Other errors are rethrown. */
export function parse<T>(read: () => T): Parsed<T> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (error instanceof Rejection) return { ok: false, problem: error.problem };
    throw error;
  }
}

/** The requirements of a LabelSelector at `path`: matchLabels (by key) first; none when it is absent or empty. */
export function parseLabelSelector(value: unknown, path: string): Parsed<readonly Requirement[]> {
  return parse(() => readLabelSelector(value, path));
}

/** {@link parseLabelSelector} inside a {@link parse}. Keys and values have the syntax of Kubernetes labels. */
function readLabelSelector(value: unknown, path: string): readonly Requirement[] {
  const selector = readObject(value, path);
  return [
    ...readMatchLabels(selector['matchLabels'], `${path}.matchLabels`),
    ...readExpressions(selector, path, LABELS),
  ];
}

/** Labels AND claims of a cluster. */
export interface LabelsAndClaims {
  readonly labels: readonly Requirement[];
  readonly claims: readonly Requirement[];
}

/**
 * The fields `labelSelector` and `claimSelector` of an object inside a {@link parse}. Claims have expressions only, and their
 * values are free strings.
 */
export function readRequirements(selector: Readonly<Record<string, unknown>>, path: string): LabelsAndClaims {
  const [labels, claims] = [`${path}.labelSelector`, `${path}.claimSelector`];
  return {
    labels: readLabelSelector(selector['labelSelector'], labels),
    claims: readExpressions(readObject(selector['claimSelector'], claims), claims, CLAIMS),
  };
}

/** Whether labels and claims meet all of them. */
export function meetsAll(
  { labels, claims }: LabelsAndClaims,
  cluster: { readonly labels: StringMap; readonly claims: StringMap },
): boolean {
  return firstUnmet(labels, cluster.labels) === undefined && firstUnmet(claims, cluster.claims) === undefined;
}

/** The first of `requirements` that `values` does not meet; undefined when it meets all. */
export function firstUnmet(requirements: readonly Requirement[], values: StringMap): Requirement | undefined {
  for (const requirement of requirements) if (!meets(requirement, values)) return requirement;
  return undefined;
}

/** Whether `values` meets the requirement. A missing key meets NotIn and DoesNotExist. Values are compared byte by byte. */
export function meets(requirement: Requirement, values: StringMap): boolean {
  return admits(requirement, valueOf(values, requirement.key));
}

/** Whether the value of the requirement's key meets it; `found` is undefined without the key. */
export function admits({ operator, values, threshold }: Requirement, found: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return found !== undefined && values.includes(found);
    case 'NotIn':
      return found === undefined || !values.includes(found);
    case 'Exists':
      return found !== undefined;
    case 'DoesNotExist':
      return found === undefined;
    default:
      return found !== undefined && threshold !== undefined && holds(operator, found, threshold) === true;
  }
}

/** The value of `key`. What an object inherits (`toString`, `__proto__`) is no label, and none of it is a string. */
export function valueOf(values: StringMap, key: string): string | undefined {
  const found: unknown = values[key];
  return typeof found === 'string' ? found : undefined;
}

/** The operators, and the rules for keys and values; each rejects an invalid one. */
interface Syntax {
  readonly operators: readonly Operator[];
  key(key: string, path: string): void;
  value(value: string, path: string): void;
}

const LABELS: Syntax = { operators: SET_OPERATORS, key: checkLabelKey, value: checkLabelValue };
const CLAIMS: Syntax = {
  operators: [...SET_OPERATORS, ...COMPARISONS],
  key: checkClaimKey,
  value: () => undefined,
};

function readMatchLabels(value: unknown, path: string): Requirement[] {
  const labels = readObject(value, path);
  return Object.keys(labels)
    .sort()
    .map((key) => {
      const at = `${path}[${shorten(key)}]`;
      checkLabelKey(key, at);
      const wanted = readString(labels[key], at);
      checkLabelValue(wanted, at);
      return { path: at, key, operator: 'In', values: [wanted] };
    });
}

function readExpressions(selector: Readonly<Record<string, unknown>>, path: string, syntax: Syntax): Requirement[] {
  const at = `${path}.matchExpressions`;
  return readList(selector['matchExpressions'], at).map((item, index) =>
    readExpression(item, `${at}[${index}]`, syntax),
  );
}

function readExpression(value: unknown, path: string, syntax: Syntax): Requirement {
  const expression = readObject(value, path);
  const key = readString(expression['key'], `${path}.key`);
  syntax.key(key, `${path}.key`);
  const operator = readOperator(expression['operator'], `${path}.operator`, syntax.operators);
  const values = readList(expression['values'], `${path}.values`).map((one, index) => {
    const text = readString(one, `${path}.values[${index}]`);
    syntax.value(text, `${path}.values[${index}]`);
    return text;
  });
  if (isComparison(operator))
    return { path, key, operator, values, threshold: readOneThreshold(values, operator, path) };
  const needsValues = operator === 'In' || operator === 'NotIn';
  if (needsValues && values.length === 0) reject(`${path}.values`, `[] must not be empty with operator ${operator}`);
  if (!needsValues && values.length > 0)
    reject(`${path}.values`, `${quote(values)} must be empty with operator ${operator}`);
  return { path, key, operator, values };
}

function readOneThreshold(values: readonly string[], operator: Comparison, path: string): Threshold {
  const [text = ''] = values;
  if (values.length !== 1)
    reject(`${path}.values`, `${quote(values)} must have exactly one item with operator ${operator}`);
  return (
    readThreshold(text) ??
    reject(`${path}.values[0]`, `${quote(text)} must be ${THRESHOLD_RULE} with operator ${operator}`)
  );
}

function readOperator(value: unknown, path: string, operators: readonly Operator[]): Operator {
  const known = operators.find((one) => one === value);
  const rule = `must be one of ${operators.join(', ')}`;
  return (
    known ?? reject(path, value === undefined ? `is missing: ${rule}` : `${quote(value)} is not an operator: ${rule}`)
  );
}

/** The object at `path`; an empty one for an absent or null value. */
export function readObject(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  return isRecord(value) ? value : reject(path, `${quote(value)} is not an object`);
}

/** The list at `path`, of at most `most` items; an empty one for an absent or null value. */
export function readList(value: unknown, path: string, most = Infinity): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!isList(value)) return reject(path, `${quote(value)} is not a list`);
  if (value.length > most) reject(path, `has ${value.length} items: at most ${most} are allowed`);
  return value;
}

/** The whole number from `least` to `most` at `path`; undefined for an absent or null value. */
export function readWhole(value: unknown, path: string, least: number, most: number): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  return reject(path, `${quote(value)} is not a whole number from ${least} to ${most}`);
}

/** The string at `path`; an absent one is rejected. */
export function readString(value: unknown, path: string): string {
  if (value === undefined) return reject(path, 'is missing: a string is required');
  return typeof value === 'string' ? value : reject(path, `${quote(value)} is not a string`);
}

/** The one of `known` at `path`; an absent one is rejected. */
export function readOneOf<T extends string>(value: unknown, known: readonly T[], path: string): T {
  const rule = `must be one of ${known.join(', ')}`;
  const found = known.find((one) => one === value);
  return (
    found ?? reject(path, value === undefined || value === null ? `is missing: it ${rule}` : `${quote(value)}: ${rule}`)
  );
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

const NAME_RULE = 'at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends';
const NAME_SHAPE = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const PREFIX_SHAPE = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Rejects what is no key of a label. */
export function checkLabelKey(key: string, path: string): void {
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  if (isName(key.slice(slash + 1)) && (prefix === undefined || isPrefix(prefix))) return;
  reject(path, `${quote(key)} is not a label key: ${NAME_RULE}, with an optional DNS name and "/" before it`);
}

function checkLabelValue(value: string, path: string): void {
  if (value === '' || isName(value)) return;
  reject(path, `${quote(value)} is not a label value: empty, or ${NAME_RULE}`);
}

/** Rejects what is no name of a claim. */
export function checkClaimKey(key: string, path: string): void {
  if (key === '') reject(path, 'is empty: the name of a claim is needed');
}

function isName(text: string): boolean {
  return text.length <= 63 && NAME_SHAPE.test(text);
}

function isPrefix(text: string): boolean {
  return text.length <= 253 && PREFIX_SHAPE.test(text);
}

/** `value`, which is not undefined, for a message: JSON, cut when long. JSON has no Infinity, and files have. */
export function quote(value: unknown): string {
  return shorten(typeof value === 'number' ? String(value) : JSON.stringify(value));
}

function shorten(text: string): string {
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
