import type { Dice } from '../../../testing/random.js';

/** A JSON value that is made up. */
export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };
export type Fields = { readonly [key: string]: Value };

/** A piece of an object: what it adds, made anew each time. */
export type Feature = (dice: Dice) => Fields;

/** Pieces laid over each other: objects merge, everything else of the later one wins. */
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

/** The sequence's own namespace: it is there all the time, so that no garbage collector takes what belongs to it. */
function owner(name: string, controller: boolean): Fields {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    name,
    uid: '{{uid /api/v1/namespaces/{{namespace}}}}',
    ...(controller ? { controller } : {}),
  };
}

/** What any object may carry. */
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

/** What no object may carry, and what is passed over in silence. */
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
