import { definitionName, META } from '../../discovery/definition.js';
import { isArray, isObject, own, type Json, type JsonObject } from '../../json.js';
import { encodeStruct } from './encode.js';
import { bytesField, textField } from './writer.js';

const MAGIC = Buffer.from('k8s\0', 'latin1');
const NO_CODING = Buffer.concat([textField(3, ''), textField(4, '')]);
const LENGTH_BYTES = 4;
const LIST = 'List';

/** Kinds of `meta.k8s.io`, and the Status of `v1`: the same in every group. */
const OF_META: Readonly<Record<string, (value: JsonObject) => Buffer>> = {
  Status: (value) => encodeStruct(`${META}Status`, value),
  PartialObjectMetadata: metadataOnly,
  PartialObjectMetadataList: (value) => list(value, metadataOnly),
};

/**
 * Writes an object, or a list of objects, of a built-in kind as an answer of `application/vnd.kubernetes.protobuf`: in an
 * envelope that says its kind.
 */
export function encodeProtobuf(value: JsonObject): Buffer {
  const [apiVersion, kind] = [textAt(value, 'apiVersion'), textAt(value, 'kind')];
  const type = Buffer.concat([textField(1, apiVersion), textField(2, kind)]);
  return Buffer.concat([MAGIC, bytesField(1, type), bytesField(2, contentOf(value, apiVersion, kind)), NO_CODING]);
}

/** Events of one object are one value to all its watchers. */
const frames = new WeakMap<JsonObject, Buffer>();

/** An event of a watch as one frame of a stream: its length, and the event, whose object is an answer by itself. */
export function encodeEvent(value: Json): Buffer {
  const event = objectOf(value);
  const known = frames.get(event) ?? frameOf(event);
  frames.set(event, known);
  return known;
}

function frameOf(event: JsonObject): Buffer {
  const { object } = event;
  const message = Buffer.concat([textField(1, textAt(event, 'type')), bytesField(2, bytesField(1, isObject(object) ? encodeProtobuf(object) : Buffer.alloc(0)))]);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(message.length);
  return Buffer.concat([length, message]);
}

function contentOf(value: JsonObject, apiVersion: string, kind: string): Buffer {
  const known = OF_META[kind];
  if (known !== undefined) return known(value);
  const [first = '', second] = apiVersion.split('/');
  const group = second === undefined ? '' : first;
  const version = second ?? first;
  if (!kind.endsWith(LIST) || !isArray(own(value, 'items'))) return encodeStruct(definitionName({ group, version, kind }), value);
  const item = definitionName({ group, version, kind: kind.slice(0, -LIST.length) });
  return list(value, (one) => encodeStruct(item, one));
}

function list(value: JsonObject, write: (item: JsonObject) => Buffer): Buffer {
  const items = own(value, 'items');
  const metadata = bytesField(1, encodeStruct(`${META}ListMeta`, objectAt(value, 'metadata')));
  return Buffer.concat([metadata, ...(isArray(items) ? items : []).map((item) => bytesField(2, write(objectOf(item))))]);
}

function metadataOnly(value: JsonObject): Buffer {
  return bytesField(1, encodeStruct(`${META}ObjectMeta`, objectAt(value, 'metadata')));
}

function objectAt(value: JsonObject, key: string): JsonObject {
  return objectOf(own(value, key));
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function textAt(value: JsonObject, key: string): string {
  const text = own(value, key);
  return typeof text === 'string' ? text : '';
}
