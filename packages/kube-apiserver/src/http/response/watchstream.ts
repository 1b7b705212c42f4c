import { partial, type TableMaker, versionOf } from './lists.js';
import type { Form } from './negotiate.js';
import type { Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Resource } from '../../resource.js';
import { includeObjectOf } from '../../table/table.js';
import type { WatchEvent } from '../../verbs/verbs.js';

export interface WatchForm {
  readonly resource: Resource;
  readonly form: Form;
  readonly query: ReadonlyMap<string, string>;
  readonly table: TableMaker;
}

/**
 * Events as lines of a stream in the requested form. As Tables, each event is a Table of one row; only the first has
 * column definitions.
 * @throws StatusError 400, at once, for an invalid includeObject
 */
export function watchStream(
  events: AsyncIterable<WatchEvent>,
  { resource, form: { as }, query, table }: WatchForm,
): AsyncIterable<Json> {
  if (as === undefined) return plain(events);
  if (as.kind === 'PartialObjectMetadata') return map(events, (object) => partial(object, as.version));
  // An event has one object, which is not a list: kube-apiserver sends nothing.
  if (as.kind === 'PartialObjectMetadataList') return nothing(events);
  const include = includeObjectOf(query.get('includeObject'));
  let header = true;
  return map(events, (object, type) => {
    // A bookmark always includes its metadata.
    const includeObject = type === 'BOOKMARK' && include === 'None' ? 'Metadata' : include;
    const made = table({
      resource,
      items: [object],
      metadata: versionOf(object),
      includeObject,
      version: as.version,
      header,
    });
    header = false;
    return made;
  });
}

/** The events of one object are one value for all its watchers, so that it is encoded once. */
const shared = new WeakMap<object, Map<string, Json>>();

async function* plain(events: AsyncIterable<WatchEvent>): AsyncIterable<Json> {
  for await (const { type, object } of events) {
    const values = shared.get(object) ?? new Map<string, Json>();
    const value = values.get(type) ?? { type, object };
    if (values.size === 0) shared.set(object, values);
    values.set(type, value);
    yield value;
  }
}

async function* map(
  events: AsyncIterable<WatchEvent>,
  write: (object: KubeObject, type: WatchEvent['type']) => Json,
): AsyncIterable<Json> {
  for await (const event of events) {
    // Not a spread, to keep the order of keys.
    yield event.type === 'ERROR'
      ? { type: event.type, object: event.object }
      : { type: event.type, object: write(event.object, event.type) };
  }
}

// oxlint-disable-next-line require-yield
async function* nothing(events: AsyncIterable<WatchEvent>): AsyncIterable<Json> {
  for await (const _event of events) return;
}
