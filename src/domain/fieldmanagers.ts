import { asRecord, recordsIn, textField, type JsonRecord } from '../runtime/vocabulary/json.js';

/**
 * `managedFields` in which the fields that the managers `names` (earlier name → name) have applied belong to their later names;
 * undefined where there are none. Written whole, this changes no field, and no moment is without an owner.
 */
export function renamedManagers(
  managedFields: unknown,
  names: ReadonlyMap<string, string>,
): readonly JsonRecord[] | undefined {
  const entries = recordsIn(managedFields);
  const nameOf = (one: JsonRecord): string | undefined =>
    one['operation'] === 'Apply' && textField(one, 'subresource') === ''
      ? names.get(textField(one, 'manager'))
      : undefined;
  if (entries.every((one) => nameOf(one) === undefined)) return undefined;
  const result: JsonRecord[] = entries.filter((one) => nameOf(one) === undefined);
  for (const one of entries) {
    const manager = nameOf(one);
    if (manager === undefined) continue;
    const at = result.findIndex((other) => isSameManager(other, { ...one, manager }));
    const { time: _time, ...entry } = one;
    if (at < 0) result.push({ ...entry, manager });
    else
      result[at] = {
        ...entry,
        manager,
        fieldsV1: union(asRecord(result[at]?.['fieldsV1']), asRecord(one['fieldsV1'])),
      };
  }
  return result;
}

/** What the API server keeps one entry for. */
function isSameManager(a: JsonRecord, b: JsonRecord): boolean {
  return ['manager', 'operation', 'apiVersion', 'subresource'].every((key) => a[key] === b[key]);
}

/** The union of two field sets. */
function union(a: JsonRecord, b: JsonRecord): JsonRecord {
  const paths = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(paths.map((path) => [path, union(asRecord(a[path]), asRecord(b[path]))]));
}
