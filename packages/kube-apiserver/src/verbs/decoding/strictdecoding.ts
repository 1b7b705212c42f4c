import { isArray, isObject } from '../../json.js';
import type { Json } from '../../json.js';

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

function pathOf(finding: string): string {
  return PATH.exec(finding)?.[1] ?? '';
}

function inPlace(value: Json, all: readonly string[]): readonly string[] {
  const places = new Map<string, number>();
  note(value, '', places);
  const placeOf = (finding: string): number => places.get(pathOf(finding)) ?? places.size;
  return all
    .map((finding) => ({ finding, place: placeOf(finding) }))
    .sort((a, b) => a.place - b.place)
    .map(({ finding }) => finding);
}

function note(value: Json | undefined, path: string, places: Map<string, number>): void {
  if (isArray(value)) for (const [index, item] of value.entries()) note(item, `${path}[${index}]`, places);
  if (!isObject(value)) return;
  for (const [key, child] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    places.set(at, places.size);
    note(child, at, places);
  }
}

/** The message of fieldValidation=Strict: the errors of YAML are one error of several lines. */
export function strictMessage(findings: readonly string[]): string {
  const lines = findings.filter((finding) => OF_YAML.test(finding));
  const rest = findings.filter((finding) => !OF_YAML.test(finding));
  const yaml = lines.length === 0 ? [] : [['yaml: unmarshal errors:', ...lines].join('\n  ')];
  return `strict decoding error: ${[...yaml, ...rest].join(', ')}`;
}
