import type { Dice } from '../../../testing/random.js';

/** A generated JSON value. */
export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };
export type Fields = { readonly [key: string]: Value };

/** Generates a part of an object. */
export type Feature = (dice: Dice) => Fields;

/** Merges parts of an object. Other values than objects are taken from the later part. */
export function combined(pieces: readonly Fields[]): Fields {
  return pieces.reduce<Fields>((all, piece) => over(all, piece), {});
}

function over(below: Fields, above: Fields): Fields {
  const merged: Record<string, Value> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const old = merged[key];
    merged[key] = isFields(old) && isFields(value) ? over(old, value) : value;
  }
  return merged;
}

export function isFields(value: Value | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const WORDS = ['a', 'b', 'c', 'red', 'blue'] as const;

export function word(dice: Dice): string {
  return dice.pick(WORDS);
}

function meta(fields: Fields): Fields {
  return { metadata: fields };
}

/** A reference to the namespace of the sequence, which always exists, so that dependents are not garbage-collected. */
function owner(name: string, controller: boolean): Fields {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    name,
    uid: '{{uid /api/v1/namespaces/{{namespace}}}}',
    ...(controller ? { controller } : {}),
  };
}

/** Valid metadata of any object. */
export const METADATA: readonly Feature[] = [
  (dice) => meta({ labels: { color: word(dice) } }),
  (dice) => meta({ labels: { [word(dice)]: word(dice), tier: word(dice) } }),
  (dice) => meta({ annotations: { note: word(dice) } }),
  (dice) => meta({ annotations: { [`example.com/${word(dice)}`]: word(dice) } }),
  () => meta({ labels: {}, annotations: {} }),
  (dice) => meta({ finalizers: [`example.com/${word(dice)}`] }),
  () => meta({ finalizers: [] }),
  () => meta({ ownerReferences: [owner('{{namespace}}', false)] }),
];

/** Metadata and top-level fields that are invalid or ignored. */
export const BAD_METADATA: readonly Feature[] = [
  () => meta({ labels: { color: 'not a label' } }),
  () => meta({ labels: { 'x/y/z': 'a' } }),
  () => meta({ labels: { color: 7 } }),
  () => meta({ labels: null }),
  () => meta({ annotations: { color: true } }),
  () => meta({ annotations: null }),
  () => meta({ finalizers: ['plain'] }),
  () => meta({ finalizers: 'text' }),
  () => meta({ ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] }),
  () => meta({ ownerReferences: [owner('{{namespace}}', true), owner('other', true)] }),
  () => meta({ generation: 7, creationTimestamp: '2020-01-01T00:00:00Z' }),
  () => meta({ creationTimestamp: 'yesterday' }),
  () => meta({ uid: 'aaaa' }),
  () => meta({ deletionTimestamp: '2020-01-01T00:00:00Z' }),
  () => meta({ surprise: 1 }),
  () => meta({ generateName: 'gen-' }),
  () => ({ surprise: { deep: 1 } }),
  () => ({ metadata: 'text' }),
  () => ({ kind: 'Other' }),
  () => ({ apiVersion: 'v9' }),
];
