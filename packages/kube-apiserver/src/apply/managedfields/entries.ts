import { textAt } from '../../fields.js';
import { isObject, own, withKey } from '../../json.js';
import type { JsonObject } from '../../json.js';
import type { KubeObject, ManagedFieldsEntry } from '../../object.js';

/** The managedFields of an object. */
export function entriesOf(object: KubeObject | undefined): readonly ManagedFieldsEntry[] | undefined {
  return object?.metadata?.managedFields;
}

/** The object without managedFields; the same object when it has none. */
export function withoutEntries(object: JsonObject): JsonObject {
  const metadata = own(object, 'metadata');
  if (!isObject(metadata) || own(metadata, 'managedFields') === undefined) return object;
  return { ...object, metadata: withKey(metadata, 'managedFields', undefined) };
}

/** The object with these managedFields, or without any for undefined. */
export function withEntries(object: JsonObject, entries: readonly ManagedFieldsEntry[] | undefined): KubeObject {
  const bare = withoutEntries(object);
  const metadata = own(bare, 'metadata');
  const known = isObject(metadata) ? metadata : {};
  return {
    ...bare,
    apiVersion: textAt(bare, 'apiVersion'),
    kind: textAt(bare, 'kind'),
    metadata: entries === undefined ? known : { ...known, managedFields: entries },
  };
}
