import { STRUCTS } from '@multicluster-engine/values/data/structs';
import { definitionName, META } from '../../discovery/schemanames.js';
import type { Json } from '@multicluster-engine/values/json';
import { badRequest, StatusError } from '../../status.js';
import type { Body } from '../../schema/body/body.js';
import { MAGIC } from './envelope.js';
import { decodeStruct } from './message.js';
import { fieldsOf, MalformedMessage, type WireField } from './reader.js';

/** A protobuf body as its JSON value. */
export interface ProtobufBody extends Body {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The first bytes of such a body, as errors print them. */
const PROTOBUF_PREFIX = '[107 56 115 0]';
/** Kinds that exist in every group. */
const EVERYWHERE: readonly string[] = ['DeleteOptions'];

/** A body that is not protobuf; the caller adds what was expected. */
export class UnreadableProtobuf extends StatusError {
  /** In Go's words. */
  readonly why: string;

  constructor(why: string) {
    super(400, `the object provided is unrecognized: ${why}`, { reason: 'BadRequest' });
    this.why = why;
  }
}

/**
 * Decodes a body of `application/vnd.kubernetes.protobuf`: an object of a built-in kind in an envelope with its kind.
 * The value is the JSON of the object.
 * @throws StatusError 400 for any other body, or a kind without a protobuf form
 */
export function decodeProtobuf(bytes: Uint8Array): ProtobufBody {
  try {
    return decode(bytes);
  } catch (error) {
    if (error instanceof MalformedMessage) throw new UnreadableProtobuf(error.message);
    throw error;
  }
}

function isProtobuf(bytes: Uint8Array): boolean {
  return MAGIC.equals(bytes.subarray(0, MAGIC.length));
}

function decode(bytes: Uint8Array): ProtobufBody {
  if (bytes.length === 0) throw new MalformedMessage('empty data');
  if (!isProtobuf(bytes))
    throw new MalformedMessage(
      `provided data does not appear to be a protobuf message, expected prefix ${PROTOBUF_PREFIX}`,
    );
  if (bytes.length === MAGIC.length) throw new MalformedMessage('empty body');
  const envelope = fieldsOf(bytes.subarray(MAGIC.length));
  const type = fieldsOf(part(envelope, 1));
  const apiVersion = Buffer.from(part(type, 1)).toString('utf8');
  const kind = Buffer.from(part(type, 2)).toString('utf8');
  const definition = definitionFor(apiVersion, kind);
  const value: Json = { apiVersion, kind, ...decodeStruct(definition, part(envelope, 2)) };
  return { apiVersion, kind, value, duplicates: [] };
}

function part(fields: readonly WireField[], at: number): Uint8Array {
  const found = fields.findLast(({ number }) => number === at)?.value;
  if (found === undefined) return new Uint8Array();
  if (found.wire !== 'bytes') throw new MalformedMessage('proto: wrong wireType');
  return found.bytes;
}

function definitionFor(apiVersion: string, kind: string): string {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const definition = EVERYWHERE.includes(kind) ? META + kind : definitionName({ group, version, kind });
  if (!Object.hasOwn(STRUCTS, definition))
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"`,
    );
  return definition;
}
