import type { FacetValue, Key } from '../wire/fleet.js';
import type { SchemaField } from '../wire/plan.js';
import { contextAt, type YamlContext } from './yamlcontext.js';

/** What can follow at the caret of a manifest: fields of a Placement, and keys and values of the fleet. */

export interface Suggestion {
  /** What is inserted in the place of what was typed. */
  readonly text: string;
  readonly note: string;
}

export interface Completion {
  readonly typed: string;
  readonly list: readonly Suggestion[];
}

export interface Known {
  readonly schema: readonly SchemaField[];
  readonly keys: readonly Key[];
  readonly sets: readonly FacetValue[];
}

const MOST = 10;
/** So far above the caret the key of a value is looked for. */
const NEAR_LINES = 4;

export function completionAt(text: string, caret: number, known: Known): Completion | undefined {
  const context = contextAt(text, caret);
  if (context === undefined) return undefined;
  const { typed } = context;
  const list = suggestionsFor(context, known, text.slice(0, caret)).filter(
    (one) => one.text.toLowerCase().startsWith(typed.toLowerCase()) && one.text !== typed,
  );
  return list.length === 0 ? undefined : { typed, list: list.slice(0, MOST) };
}

function suggestionsFor({ path, valueOf }: YamlContext, known: Known, before: string): readonly Suggestion[] {
  const source = path.includes('claimSelector') ? 'claim' : 'label';
  const keys = known.keys.filter((one) => one.source === source);
  const isPairs = path.at(-1) === 'matchLabels' || path.at(-1) === 'matchClaims';
  if (valueOf === undefined) {
    if (isPairs) return keys.map((one) => ({ text: `${one.key}: `, note: clusters(one.clusters) }));
    return fieldsBelow(path, known.schema);
  }
  if (isPairs) return valuesOf(keys, valueOf);
  if (valueOf === 'key' && path.includes('predicates'))
    return keys.map((one) => ({ text: one.key, note: clusters(one.clusters) }));
  if (valueOf === 'values') return valuesOf(keys, keyAbove(before));
  if (valueOf === 'ClusterSets') return known.sets.map(({ value, count }) => ({ text: value, note: clusters(count) }));
  const field = known.schema.find((one) => one.path === [...path, valueOf].join('.'));
  const values = field?.type === 'boolean' ? ['true', 'false'] : (field?.values ?? []);
  return values.map((value) => ({ text: value, note: '' }));
}

function fieldsBelow(path: readonly string[], schema: readonly SchemaField[]): readonly Suggestion[] {
  const parent = path.join('.');
  return schema
    .filter((one) => one.path.slice(0, one.path.lastIndexOf('.')) === parent)
    .map((one) => ({ text: `${one.path.slice(parent.length + 1)}: `, note: one.description }));
}

function valuesOf(keys: readonly Key[], key: string): readonly Suggestion[] {
  const found = keys.find((one) => one.key === key);
  return (found?.values ?? []).map(({ value, count }) => ({ text: plain(value), note: clusters(count) }));
}

function keyAbove(before: string): string {
  const lines = before
    .split('\n')
    .slice(-NEAR_LINES - 1)
    .reverse();
  for (const line of lines) {
    const [, key] = /^[\s-]*key:\s*["']?([^\s"']+)/.exec(line) ?? [];
    if (key !== undefined) return key;
  }
  return '';
}

/** In quotes where YAML reads something else than a text. */
function plain(value: string): string {
  return /^[A-Za-z][\w./-]*$/.test(value) && !/^(true|false|yes|no|on|off|null|y|n)$/i.test(value)
    ? value
    : JSON.stringify(value);
}

/** `1 cluster`, `1,200 clusters`. */
export function clusters(count: number): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? 'cluster' : 'clusters'}`;
}
