import { isObject, type Json } from '@multicluster-engine/values/json';

/** A mutable copy of a value, into which defaults are written in place. No other code holds it. */
export type DraftValue = null | boolean | number | string | DraftValue[] | Draft;

/** Only literal keys are assigned; keys of users go through Object.fromEntries, which is safe for `__proto__`. */
export interface Draft {
  [key: string]: DraftValue | undefined;
}

/** A deep, mutable copy. */
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

/** The struct at a key; undefined where there is none. */
export function structIn(draft: Draft, key: string): Draft | undefined {
  const value = draft[key];
  return isDraft(value) ? value : undefined;
}

/** The struct at a key, created where it is missing, like a field of Go that is a struct and not a pointer. */
export function ensureStruct(draft: Draft, key: string): Draft {
  const value = draft[key];
  if (isDraft(value)) return value;
  const created: Draft = {};
  draft[key] = created;
  return created;
}

/** The structs of a list; none where there is no list. */
export function structsIn(draft: Draft, key: string): Draft[] {
  const value = draft[key];
  return Array.isArray(value) ? value.filter(isDraft) : [];
}

/** Sets a field that is a pointer in Go, where it is nil. */
export function fill(draft: Draft, key: string, value: DraftValue): void {
  if (draft[key] === undefined || draft[key] === null) draft[key] = value;
}

/** Sets a field that is no pointer in Go, where it has its zero value. */
export function fillZero(draft: Draft, key: string, value: DraftValue): void {
  const old = draft[key];
  if (old === undefined || old === null || old === '' || old === 0 || old === false) draft[key] = value;
}

export function textOf(draft: Draft, key: string): string {
  const value = draft[key];
  return typeof value === 'string' ? value : '';
}
