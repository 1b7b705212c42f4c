import { LAST_APPLIED } from '../api/names.js';
import {
  asRecord,
  isRecord,
  parseJson,
  recordsIn,
  sameJson,
  textField,
  type JsonRecord,
} from '../runtime/vocabulary/json.js';
import type { RawObject } from '../runtime/vocabulary/meta.js';

/**
 * Who has edited an object, and when, as the API server keeps it in its managedFields: the last edit of each field manager, to
 * the second. What an earlier edit of the same manager has changed is not kept.
 */

/** The last edit of one field manager. */
export interface Edit {
  readonly manager: string;
  /** RFC 3339, whole seconds. */
  readonly time: string;
  /** What the manager has written with it or before, and owns: `spec.numberOfClusters`, `metadata.labels.tier`. */
  readonly fields: readonly string[];
}

/** A field that is not as `kubectl apply` has written it last. */
export interface Difference {
  readonly field: string;
  /** As it was applied, JSON; absent where it was not. */
  readonly applied?: string;
  /** As it is; absent where it was removed. */
  readonly now?: string;
  /** Who has written it as it is; absent where nobody owns it. */
  readonly by?: Pick<Edit, 'manager' | 'time'>;
}

/** The fields that are named, by what they are in. */
const NAMED = [['spec'], ['metadata', 'labels'], ['metadata', 'annotations'], ['status']] as const;
const APPLIED_FIELD = `metadata.annotations.${LAST_APPLIED}`;

interface Entry extends Edit {
  readonly owned: JsonRecord;
  readonly subresource: string;
}

/** The newest first; without those of the status where `isOfStatus` is false. */
export function editsOf(object: RawObject, isOfStatus: boolean): readonly Edit[] {
  return entriesOf(object)
    .filter((one) => one.time !== '' && one.fields.length > 0 && (isOfStatus || one.subresource !== 'status'))
    .map(({ manager, time, fields }) => ({ manager, time, fields }));
}

function entriesOf({ metadata }: RawObject): readonly Entry[] {
  const entries = recordsIn((metadata as { readonly managedFields?: unknown }).managedFields).map((entry): Entry => {
    const owned = isRecord(entry['fieldsV1']) ? entry['fieldsV1'] : {};
    const [manager, time, subresource] = ['manager', 'time', 'subresource'].map((name) => textField(entry, name));
    const fields = fieldsIn(owned).filter((field) => field !== APPLIED_FIELD);
    return { manager: manager ?? '', time: time ?? '', subresource: subresource ?? '', fields, owned };
  });
  return entries.sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0));
}

function fieldsIn(owned: JsonRecord): readonly string[] {
  return NAMED.flatMap((path) => {
    const below = path.reduce<JsonRecord>((at, key) => asRecord(at[`f:${key}`]), owned);
    const keys = Object.keys(below).filter((key) => key.startsWith('f:'));
    return keys.map((key) => [...path, key.slice(2)].join('.'));
  });
}

/** What of the spec is not as `kubectl apply` has written it last; undefined where it never has. */
export function differencesOf(object: RawObject): readonly Difference[] | undefined {
  const last = parseJson(object.metadata.annotations?.[LAST_APPLIED] ?? '');
  if (!isRecord(last)) return undefined;
  const applied = isRecord(last['spec']) ? last['spec'] : {};
  const now = isRecord(object.spec) ? object.spec : {};
  const entries = entriesOf(object);
  const applier = entries.find(({ owned }) => owns(owned, ['metadata', 'annotations', LAST_APPLIED]));
  const writerOf = (path: readonly string[]): Entry | undefined => entries.find(({ owned }) => owns(owned, path));
  // A field that the apply did not name, and that its manager owns, is a default of the definition.
  const added = Object.keys(now).filter((key) => {
    const writer = writerOf(['spec', key]);
    return !Object.hasOwn(applied, key) && writer !== undefined && writer.manager !== applier?.manager;
  });
  const changed = [
    ...changedIn(applied, now, ['spec']),
    ...added.map((key) => [['spec', key], undefined, now[key]] as const),
  ];
  return changed.map(([path, before, after]) => {
    const writer = after === undefined ? undefined : writerOf(path);
    return {
      field: path.join('.'),
      ...(before !== undefined && { applied: jsonText(before) }),
      ...(after !== undefined && { now: jsonText(after) }),
      ...(writer !== undefined && { by: { manager: writer.manager, time: writer.time } }),
    };
  });
}

/** Of an annotation that anybody may write: JSON.parse reads more levels than JSON.stringify writes. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '(nested too deeply)';
  }
}

type Changed = readonly [path: readonly string[], before: unknown, after: unknown];

/** The fields of the first that the second does not have so. */
function changedIn(before: JsonRecord, after: JsonRecord, path: readonly string[]): readonly Changed[] {
  return Object.entries(before).flatMap(([key, value]): readonly Changed[] => {
    const now = Object.hasOwn(after, key) ? after[key] : undefined;
    if (holds(value, now)) return [];
    return isRecord(value) && isRecord(now) ? changedIn(value, now, [...path, key]) : [[[...path, key], value, now]];
  });
}

/** Whether all of the first is in the second, which may have defaults besides. */
function holds(value: unknown, now: unknown): boolean {
  if (Array.isArray(value))
    return Array.isArray(now) && value.length === now.length && value.every((one, index) => holds(one, now[index]));
  if (!isRecord(value)) return value === null ? now === undefined || now === null : sameJson(value, now);
  return isRecord(now) && Object.entries(value).every(([key, one]) => holds(one, now[key]));
}

/** Whether the field is owned, or a part of it, or what it is a part of. */
function owns(owned: JsonRecord, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  const below = owned[`f:${first}`];
  if (!isRecord(below)) return false;
  return Object.keys(below).length === 0 || owns(below, rest);
}
