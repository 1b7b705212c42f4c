import { definitionName, META } from '../../discovery/schemanames.js';
import { structAt, textAt } from '@multicluster-engine/values/fields';
import { isArray, isObject, own, type Json, type JsonObject } from '@multicluster-engine/values/json';
import { writeStruct } from './encode.js';
import { Writer } from './writer.js';

/** The prefix of a protobuf body. */
export const MAGIC = Buffer.from('k8s\0', 'latin1');
const LENGTH_BYTES = 4;
const LIST = 'List';

/** Kinds of `meta.k8s.io`, and the Status of `v1`: the same in every group. */
const OF_META: Readonly<Record<string, (writer: Writer, value: JsonObject) => void>> = {
  Status: (writer, value) => writeStruct(writer, `${META}Status`, value),
  PartialObjectMetadata: metadataOnly,
  PartialObjectMetadataList: (writer, value) => list(writer, value, (item) => metadataOnly(writer, item)),
};

/**
 * Encodes an object or a list of a built-in kind as `application/vnd.kubernetes.protobuf`: in an envelope with its
 * kind.
 */
export function encodeProtobuf(value: JsonObject): Buffer {
  const writer = new Writer();
  writeEnvelope(writer, value);
  return writer.finish();
}

function writeEnvelope(writer: Writer, value: JsonObject): void {
  const [apiVersion, kind] = [textAt(value, 'apiVersion'), textAt(value, 'kind')];
  writer.text(4, '');
  writer.text(3, '');
  writer.field(2, () => content(writer, value, { apiVersion, kind }));
  writer.field(1, () => {
    writer.text(2, kind);
    writer.text(1, apiVersion);
  });
  writer.bytes(MAGIC);
}

/** The events of one object are one value for all its watchers. */
const frames = new WeakMap<JsonObject, Buffer>();

/** A watch event as one frame of a stream: its length, then the event, whose object has an envelope of its own. */
export function encodeEvent(value: Json): Buffer {
  const event = objectOf(value);
  const known = frames.get(event) ?? frameOf(event);
  frames.set(event, known);
  return known;
}

function frameOf(event: JsonObject): Buffer {
  const writer = new Writer();
  writer.field(2, () => writer.field(1, () => writeEnvelope(writer, structAt(event, 'object'))));
  writer.text(1, textAt(event, 'type'));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(writer.finish().length);
  writer.bytes(length);
  return writer.finish();
}

function content(
  writer: Writer,
  value: JsonObject,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): void {
  const known = OF_META[kind];
  if (known !== undefined) return known(writer, value);
  const [first = '', second] = apiVersion.split('/');
  const group = second === undefined ? '' : first;
  const version = second ?? first;
  if (!kind.endsWith(LIST) || !isArray(own(value, 'items')))
    return writeStruct(writer, definitionName({ group, version, kind }), value);
  const item = definitionName({ group, version, kind: kind.slice(0, -LIST.length) });
  return list(writer, value, (one) => writeStruct(writer, item, one));
}

function list(writer: Writer, value: JsonObject, write: (item: JsonObject) => void): void {
  const items = own(value, 'items');
  if (isArray(items))
    for (let at = items.length - 1; at >= 0; at -= 1) writer.field(2, () => write(objectOf(items[at])));
  writer.field(1, () => writeStruct(writer, `${META}ListMeta`, structAt(value, 'metadata')));
}

function metadataOnly(writer: Writer, value: JsonObject): void {
  writer.field(1, () => writeStruct(writer, `${META}ObjectMeta`, structAt(value, 'metadata')));
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
