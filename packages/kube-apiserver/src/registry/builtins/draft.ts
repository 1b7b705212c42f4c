import { isObject, type Json } from '../../json.js';

/** A value that is still being made, so that nobody else can see it: defaults are written into drafts in place. */
export type DraftValue = null | boolean | number | string | DraftValue[] | Draft;

/** Only keys that the code spells out are written: users' keys go through Object.fromEntries. */
export interface Draft {
  [key: string]: DraftValue | undefined;
}

/** A deep copy to write into. */
export function draftOf(value: Json): DraftValue {
  if (Array.isArray(value)) return value.map((item: Json) => draftOf(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, part === undefined ? undefined : draftOf(part)]),
  );
}

export function isDraft(value: DraftValue | undefined): value is Draft {
  return isObject(value);
}

/** The struct at a key; undefined when there is none. */
export function structIn(draft: Draft, key: string): Draft | undefined {
  const value = draft[key];
  return isDraft(value) ? value : undefined;
}

/** The struct at a key, made when it is not there: a struct of Go that is no pointer. */
export function ensureStruct(draft: Draft, key: string): Draft {
  const value = draft[key];
  if (isDraft(value)) return value;
  const made: Draft = {};
  draft[key] = made;
  return made;
}

/** The structs of a list; none when there is no list. */
export function structsIn(draft: Draft, key: string): Draft[] {
  const value = draft[key];
  return Array.isArray(value) ? value.filter(isDraft) : [];
}

/** Sets a pointer that is nil. */
export function fill(draft: Draft, key: string, value: DraftValue): void {
  if (draft[key] === undefined || draft[key] === null) draft[key] = value;
}

/** Sets a text, number or flag that is no pointer and has its zero value. */
export function fillZero(draft: Draft, key: string, value: DraftValue): void {
  const old = draft[key];
  if (old === undefined || old === null || old === '' || old === 0 || old === false) draft[key] = value;
}

export function textOf(draft: Draft, key: string): string {
  const value = draft[key];
  return typeof value === 'string' ? value : '';
}
