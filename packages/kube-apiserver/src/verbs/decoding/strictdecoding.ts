import { isArray, isObject } from '@multicluster-engine/values/json';
import type { Json } from '@multicluster-engine/values/json';

/** For YAML: its reader reports all duplicates before fields are decoded. */
const OF_YAML = /^line \d+: key /;
const PATH = /^(?:duplicate|unknown) field "(.*)"$/s;

/** The errors of strict decoding of a built-in kind, in the order in which a JSON decoder reports them. */
export function inDecodingOrder(
  value: Json,
  duplicates: readonly string[],
  unknown: readonly string[],
): readonly string[] {
  const all = [...duplicates, ...unknown];
  if (duplicates.length === 0 || unknown.length === 0 || duplicates.some((one) => OF_YAML.test(one))) return all;
  const passed = unknown.map(pathOf);
  return inPlace(value, [
    ...duplicates.filter((one) => !passed.some((path) => isWithin(pathOf(one), path))),
    ...unknown,
  ]);
}

/** The content of an unknown field is not checked, nor whether the field is duplicate. */
function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}.`) || path.startsWith(`${other}[`);
}

function pathOf(error: string): string {
  return PATH.exec(error)?.[1] ?? '';
}

function inPlace(value: Json, all: readonly string[]): readonly string[] {
  const positions = new Map<string, number>();
  note(value, '', positions);
  const positionOf = (error: string): number => positions.get(pathOf(error)) ?? positions.size;
  return all
    .map((error) => ({ error, position: positionOf(error) }))
    .sort((a, b) => a.position - b.position)
    .map(({ error }) => error);
}

function note(value: Json | undefined, path: string, positions: Map<string, number>): void {
  if (isArray(value)) for (const [index, item] of value.entries()) note(item, `${path}[${index}]`, positions);
  if (!isObject(value)) return;
  for (const [key, child] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    positions.set(at, positions.size);
    note(child, at, positions);
  }
}

/** The message of fieldValidation=Strict: the errors of YAML are one error of several lines. */
export function strictMessage(errors: readonly string[]): string {
  const lines = errors.filter((error) => OF_YAML.test(error));
  const rest = errors.filter((error) => !OF_YAML.test(error));
  const yaml = lines.length === 0 ? [] : [['yaml: unmarshal errors:', ...lines].join('\n  ')];
  return `strict decoding error: ${[...yaml, ...rest].join(', ')}`;
}
