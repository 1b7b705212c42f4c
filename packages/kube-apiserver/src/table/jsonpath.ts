import { isArray, isObject, own, type Json } from '../json.js';

/** One step of a path: maps a value to the values that it selects, none where they are missing. */
type Step = (value: Json) => readonly Json[];

const NAME = /^[^.[\]'"\s(){}@?*,:=<>!]+/;

/**
 * Compiles the JSONPath of a printer column (`.spec.n`, `.status.conditions[?(@.type=="Ready")].status`, `.items[*].a`,
 * `.metadata.labels.a\.b`, `['x']`, `[0]`, `[-1]`, `[1:3]`, `..name`) to a function that finds its values.
 * undefined where the path is invalid.
 */
export function compilePath(text: string): ((value: Json) => readonly Json[]) | undefined {
  const steps = parse(text.trim());
  if (steps === undefined) return undefined;
  return (value) => {
    let found: readonly Json[] = [value];
    for (const step of steps) found = found.flatMap(step);
    return found;
  };
}

function parse(text: string): Step[] | undefined {
  const steps: Step[] = [];
  let rest = text.startsWith('$') ? text.slice(1) : text;
  while (rest !== '') {
    const next = rest.startsWith('[') ? bracket(rest) : dotted(rest);
    if (next === undefined) return undefined;
    if (next.step !== undefined) steps.push(next.step);
    rest = next.rest;
  }
  return steps;
}

interface Parsed {
  readonly step: Step | undefined;
  readonly rest: string;
}

function dotted(text: string): Parsed | undefined {
  if (text.startsWith('..'))
    return { step: (value) => descendants(value), rest: text.slice(text.startsWith('..[') ? 2 : 1) };
  const body = text.startsWith('.') ? text.slice(1) : text;
  if (body === '') return { step: undefined, rest: '' };
  if (body.startsWith('[')) return { step: undefined, rest: body };
  if (body.startsWith('*')) return { step: everything, rest: body.slice(1) };
  return field(body);
}

/** A name in which special characters are escaped by a backslash. */
function field(text: string): Parsed | undefined {
  let name = '';
  let rest = text;
  while (rest !== '') {
    const plain = rest.startsWith('\\') ? rest.slice(1, 2) : NAME.exec(rest)?.[0].split('\\')[0];
    if (plain === undefined || plain === '') break;
    name += plain;
    rest = rest.slice(plain.length + (rest.startsWith('\\') ? 1 : 0));
  }
  return name === '' ? undefined : { step: child(name), rest };
}

function bracket(text: string): Parsed | undefined {
  if (text.startsWith('[?(')) return filtered(text);
  const end = text.indexOf(']');
  const step = end < 0 ? undefined : selector(text.slice(1, end));
  return step === undefined ? undefined : { step, rest: text.slice(end + 1) };
}

function filtered(text: string): Parsed | undefined {
  const end = closing(text);
  const filter = /^\?\((.*)\)$/s.exec(text.slice(1, end < 0 ? 1 : end))?.[1];
  const step = filter === undefined ? undefined : filterStep(filter.trim());
  return step === undefined ? undefined : { step, rest: text.slice(end + 1) };
}

/** The index of the bracket that closes the first one; quoted brackets are skipped. -1 where there is none. */
function closing(text: string): number {
  let depth = 0;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (quote !== '') quote = letter === quote ? '' : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === '[') depth += 1;
    else if (letter === ']' && (depth -= 1) === 0) return at;
  }
  return -1;
}

/** The content of brackets: a union, a quoted name, an index or a slice. Blanks are significant. */
function selector(inner: string): Step | undefined {
  if (inner === '*') return (value) => (isArray(value) ? value : []);
  if (inner.includes(',')) return union(inner.split(','));
  const quoted = /^'([^']*)'$/.exec(inner)?.[1];
  if (quoted !== undefined) return named(quoted);
  if (/^-?\d+$/.test(inner)) return element(Number(inner));
  const slice = /^(-?\d*):(-?\d*)(?::(\d*))?$/.exec(inner);
  return slice === null ? undefined : sliceStep(slice[1] ?? '', slice[2] ?? '', Number(slice[3] || '1'));
}

function union(parts: readonly string[]): Step | undefined {
  const steps = parts.map((part) => selector(part.trim())).filter((step) => step !== undefined);
  return steps.length < parts.length ? undefined : (value) => steps.flatMap((step) => step(value));
}

/** A quoted name is parsed like a path after a dot: dots separate names unless they are escaped. */
function named(name: string): Step | undefined {
  const steps = name === '' ? [child('')] : parse(`.${name}`);
  return steps === undefined
    ? undefined
    : (value) => steps.reduce<readonly Json[]>((found, step) => found.flatMap(step), [value]);
}

function child(name: string): Step {
  return (value) => {
    const found = isObject(value) ? own(value, name) : undefined;
    return found === undefined ? [] : [found];
  };
}

function element(at: number): Step {
  return (value) => {
    const found = isArray(value) ? value.at(at) : undefined;
    return found === undefined ? [] : [found];
  };
}

function sliceStep(from: string, to: string, by: number): Step {
  return (value) => {
    if (!isArray(value)) return [];
    const part = value.slice(from === '' ? 0 : Number(from), to === '' ? undefined : Number(to));
    return part.filter((_item, index) => index % Math.max(by, 1) === 0);
  };
}

function everything(value: Json): readonly Json[] {
  if (isArray(value)) return value;
  return isObject(value) ? Object.values(value).filter((inner) => inner !== undefined) : [];
}

function descendants(value: Json): readonly Json[] {
  return [value, ...everything(value).flatMap(descendants)];
}

type Operand = (item: Json) => Json | undefined;

const COMPARE: Readonly<Record<string, (a: Json, b: Json) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => order(a, b) === -1,
  '<=': (a, b) => [-1, 0].includes(order(a, b)),
  '>': (a, b) => order(a, b) === 1,
  '>=': (a, b) => [0, 1].includes(order(a, b)),
};

/** -1, 0 or 1; NaN where the values are not comparable. */
function order(a: Json, b: Json): number {
  const numbers = typeof a === 'number' && typeof b === 'number';
  const texts = typeof a === 'string' && typeof b === 'string';
  if (!numbers && !texts) return Number.NaN;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A filter: a comparison (`@.type=="Ready"`), or a path (`@.x`) that selects the items which have it. */
function filterStep(text: string): Step | undefined {
  const match = /^(.+?)\s*(==|!=|<=|>=|<|>)\s*(.+)$/s.exec(text);
  if (match === null) {
    const path = operand(text);
    return path === undefined
      ? undefined
      : (value) => (isArray(value) ? value.filter((item) => path(item) !== undefined) : []);
  }
  const left = operand(match[1] ?? '');
  const right = operand(match[3] ?? '');
  const compare = COMPARE[match[2] ?? ''];
  if (left === undefined || right === undefined || compare === undefined) return undefined;
  return (value) => (isArray(value) ? value.filter((item) => holds(left(item), right(item), compare)) : []);
}

function holds(a: Json | undefined, b: Json | undefined, compare: (a: Json, b: Json) => boolean): boolean {
  return a !== undefined && b !== undefined && compare(a, b);
}

function operand(text: string): Operand | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith('@')) {
    const find = compilePath(trimmed.slice(1));
    return find === undefined ? undefined : (item) => find(item)[0];
  }
  const quoted = /^(?:'(.*)'|"(.*)")$/s.exec(trimmed);
  if (quoted !== null) return () => quoted[1] ?? quoted[2] ?? '';
  if (/^-?\d+(\.\d+)?$/.test(trimmed)) return () => Number(trimmed);
  return trimmed === 'true' || trimmed === 'false' ? () => trimmed === 'true' : undefined;
}
