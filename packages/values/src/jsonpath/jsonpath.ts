import { compareBytes, goFloat, goJson } from '../text.js';

import { isArray, isObject, own, type Json } from '../json.js';
import { TemplateError, type Comparison, type Path, type Slice, type Step, type Template } from './jsonpathparser.js';

/**
 * Templates as kubectl fills them: a field that is missing prints nothing, results of one action have a space between them, and
 * objects and lists are JSON. `@` and `$` are the object of the loop. @throws TemplateError, in one line
 */
export function filled(template: Template, data: Json): string {
  return template
    .map((part) => {
      if (part.kind === 'text') return part.text;
      const found = walk(part.path, [data]);
      return part.kind === 'range' ? found.map((one) => filled(part.body, one)).join('') : found.map(textOf).join(' ');
    })
    .join('');
}

/** The values that a path selects, none where a field is missing. @throws TemplateError, in one line */
export function walk(path: Path, from: readonly Json[]): readonly Json[] {
  return path.reduce((found, step) => take(step, found), from);
}

function take(step: Step, from: readonly Json[]): readonly Json[] {
  switch (step.kind) {
    case 'field':
      return from.flatMap((one) => presentIn([isObject(one) ? own(one, step.name) : undefined]));
    case 'wildcard':
      return from.flatMap(childrenOf);
    case 'recursive':
      return from.flatMap(descendantsOf);
    case 'slice':
      return slicedEach(step.slice, from);
    case 'union':
      return step.paths.flatMap((path) => walk(path, from));
    case 'filter':
      return from.flatMap((one) => listOf(one).filter((item) => passes(step, item)));
    case 'value':
      return typeof step.value === 'string' ? [step.value] : from.map(() => step.value);
  }
}

/** The bytes of a text, as in kubectl. */
function childrenOf(value: Json): readonly Json[] {
  if (typeof value === 'string') return [...Buffer.from(value)];
  return isArray(value) ? value : isObject(value) ? presentIn(Object.values(value)) : [];
}

function presentIn(values: readonly (Json | undefined)[]): readonly Json[] {
  return values.filter((one) => one !== undefined);
}

function descendantsOf(value: Json): readonly Json[] {
  const children = childrenOf(value);
  return children.length === 0 ? [] : [value, ...children.flatMap(descendantsOf)];
}

function listOf(value: Json): readonly Json[] {
  if (isArray(value)) return value;
  refuse(`${typeName(value)} is not array or slice`);
}

/** As in kubectl, a list of which nothing is taken ends the search: what follows it is not visited. */
function slicedEach(slice: Slice, from: readonly Json[]): readonly Json[] {
  const found: Json[] = [];
  for (const one of from) {
    if (one === null) continue;
    const items = sliced(slice, one);
    if (items.length === 0) break;
    found.push(...items);
  }
  return found;
}

function sliced(slice: Slice, value: Json): readonly Json[] {
  const list = listOf(value);
  const { length } = list;
  const begin = slice.from ?? 0;
  const from = begin < 0 ? begin + length : begin;
  const to = endOf(slice, length);
  if (from === to) return [];
  for (const [index, most] of [
    [from, length - 1],
    [to - 1, length - 1],
  ] as const)
    if (index < 0 || index > most) refuse(`array index out of bounds: index ${index}, length ${length}`);
  if (from > to) refuse(`starting index ${from} is greater than ending index ${to}`);
  if (slice.step !== undefined && slice.step <= 0) refuse('step must be > 0');
  const step = slice.step ?? 1;
  return list.slice(from, to).filter((_one, at) => at % step === 0);
}

function endOf({ from = 0, to, isIndex }: Slice, length: number): number {
  if (!isIndex) return to === undefined ? length : to < 0 ? to + length : to;
  const end = from + 1;
  return end <= 0 ? end + length : end;
}

function passes({ left, comparison }: Extract<Step, { kind: 'filter' }>, item: Json): boolean {
  if (comparison === undefined) return exists(left, item);
  const [a, b] = [onlyOf(walk(left, [item])), onlyOf(walk(comparison.right, [item]))];
  return a !== undefined && b !== undefined && compare(comparison, a, b);
}

/** As in kubectl, a path that fails counts as one that exists. */
function exists(path: Path, item: Json): boolean {
  try {
    return walk(path, [item]).length > 0;
  } catch (error) {
    if (error instanceof TemplateError) return true;
    throw error;
  }
}

function onlyOf(found: readonly Json[]): Json | undefined {
  if (found.length > 1) refuse('can only compare one element at a time');
  return found[0];
}

function compare({ operator }: Comparison, a: Json, b: Json): boolean {
  const [left, right] = [typeName(a), typeName(b)];
  const scalar = ['string', 'int64', 'float64', 'bool'];
  if (!scalar.includes(left) || !scalar.includes(right)) refuse('invalid type for comparison');
  if (left !== right) refuse('incompatible types for comparison');
  if (operator === '==') return a === b;
  if (operator === '!=') return a !== b;
  if (typeof a === 'boolean') refuse('invalid type for comparison');
  const order = typeof a === 'string' && typeof b === 'string' ? compareBytes(a, b) : Number(a) - Number(b);
  return operator.endsWith('=') && order === 0 ? true : operator.startsWith('<') ? order < 0 : order > 0;
}

function typeName(value: Json): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'object') return Array.isArray(value) ? 'slice' : 'map';
  return typeof value === 'string' ? 'string' : 'bool';
}

/** A value as it is printed. */
export function textOf(value: Json): string {
  if (typeof value === 'number') return goFloat(value);
  return typeof value === 'object' && value !== null ? goJson(value) : String(value);
}

/** The reasons are those of kubectl. */
function refuse(reason: string): never {
  throw new TemplateError(`error executing jsonpath: ${reason}`);
}
