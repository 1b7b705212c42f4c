import { textAt } from '@multicluster-engine/values/fields';
import { isObject, own, withKey } from '@multicluster-engine/values/json';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject, ManagedFieldsEntry } from '@multicluster-engine/values/object';

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
