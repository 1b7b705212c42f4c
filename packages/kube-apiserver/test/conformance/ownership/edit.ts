import type { Json } from '@multicluster-engine/values/json';
import type { KubeObject, ManagedFieldsEntry } from '@multicluster-engine/values/object';
import type { Dice } from '../../../testing/random.js';

/** managedFields as a client may send them: reset, shortened, renamed, extended or invalid. */
export function editedEntries(dice: Dice, live: KubeObject): Json {
  const entries = live.metadata.managedFields ?? [];
  const change = dice.pick<(entry: ManagedFieldsEntry) => Json>([
    (entry) => ({ ...entry, manager: 'renamed' }),
    (entry) => ({ ...entry, operation: entry.operation === 'Apply' ? 'Update' : 'Apply' }),
    (entry) => ({
      ...entry,
      fieldsV1: { 'f:spec': { 'f:nowhere': {}, 'f:m': { '.': {}, 'f:x': {} }, 'x:odd': {} }, 'f:data': { 'f:x': {} } },
    }),
    (entry) => ({ ...entry, apiVersion: 'gone.example.com/v9' }),
    (entry) => ({ ...entry, time: '2020-01-01T02:00:00+02:00' }),
    (entry) => ({ ...entry, fieldsV1: {} }),
    (entry) => ({ ...entry, fieldsV1: { bad: {} } }),
    (entry) => ({ ...entry, subresource: 'status' }),
    (entry) => ({ ...entry, apiVersion: '' }),
  ]);
  return dice.pick<() => Json>([
    () => [{}],
    () => [],
    () => entries.slice(1),
    () => entries.map((entry, index) => (index === 0 ? change(entry) : entry)),
    () => entries.map((entry): Json => entry).reverse(),
  ])();
}
