import type { Resource } from '../resource.js';
import type { Exchange } from './exchange.js';
import { MAX_BODY } from './exchange.js';
import { UnreadableProtobuf } from './protobuf/body.js';
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from './response/negotiate.js';
import type { Json } from '@multicluster-engine/values/json';
import { NO_KIND, parseBody, readBody, summarize } from '../schema/body/parse.js';
import { MalformedBody } from '@multicluster-engine/values/read/malformed';
import { badRequest, StatusError, unsupportedMediaType } from '../status.js';
import type { Body } from '../schema/body/body.js';
import type { PatchType } from '../verbs/verbs.js';

/** Decodes a protobuf body of a built-in kind. */
export type ProtobufDecoder = (bytes: Uint8Array) => Body;

const UNKNOWN_FORMAT = 'the body of the request was in an unknown format - accepted media types include: ';
const OBJECT_TYPES = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];
const PATCH_TYPES: ReadonlyMap<string, PatchType> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
]);

/** Prefixes of the decoder's messages. */
const PATCH_ERRORS: Readonly<Record<PatchType, string>> = {
  json: 'error decoding patch: ',
  merge: 'error decoding patch: ',
  strategic: '',
  apply: 'error decoding YAML: error converting YAML to JSON: ',
};

/** A body that a caller within the process passed as a value needs no decoding. */
type Raw = { readonly value: Json } | { readonly bytes: Uint8Array };

async function rawBody({ request: { body } }: Exchange): Promise<Raw> {
  if (body === undefined) return { bytes: Buffer.alloc(0) };
  if (typeof body !== 'function' && !(body instanceof Uint8Array)) return { value: body };
  const bytes = typeof body === 'function' ? await body() : body;
  if (bytes.length > MAX_BODY) throw bodyTooLarge();
  return { bytes };
}

export function bodyTooLarge(): StatusError {
  return new StatusError(413, `Request entity too large: limit is ${MAX_BODY}`, { reason: 'RequestEntityTooLarge' });
}

/** The expected content of the body of a POST or PUT. */
export interface Expected {
  readonly kind: string;
  /** Whether the media type is checked before the options of the request. */
  readonly typeFirst: boolean;
  /** undefined where the kind has no protobuf form. */
  readonly protobuf: ProtobufDecoder | undefined;
}

/**
 * @throws StatusError 413, and 415 where that comes first; the verb reports decoding errors, after errors in its
 * options
 */
export async function readObject(exchange: Exchange, expected: Expected): Promise<Body> {
  const { protobuf, typeFirst } = expected;
  const raw = await rawBody(exchange);
  if ('value' in raw) return { value: raw.value, duplicates: [] };
  if (typeFirst) objectType(exchange, protobuf !== undefined);
  return orInvalid('', () => {
    const type = objectType(exchange, protobuf !== undefined);
    if (type === PROTOBUF_TYPE && protobuf !== undefined) {
      return fromProtobuf(
        protobuf,
        raw.bytes,
        (why) =>
          `the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${summarize(raw.bytes)})`,
      );
    }
    return parseBody(raw.bytes, type === YAML_TYPE ? 'yaml' : 'json', expected.kind);
  });
}

function fromProtobuf(protobuf: ProtobufDecoder, bytes: Uint8Array, inWords: (why: string) => string): Body {
  try {
    return protobuf(bytes);
  } catch (error) {
    if (!(error instanceof UnreadableProtobuf)) throw error;
    return invalidBody(badRequest(inWords(error.why)));
  }
}

function objectType(exchange: Exchange, protobuf: boolean): string {
  const type = mediaType(exchange) ?? JSON_TYPE;
  if (!OBJECT_TYPES.includes(type) || (type === PROTOBUF_TYPE && !protobuf)) throw unknownFormat(OBJECT_TYPES);
  return type;
}

function unknownFormat(types: readonly string[]): StatusError {
  return new StatusError(415, `${UNKNOWN_FORMAT}${types.join(', ')}`, { reason: 'UnsupportedMediaType' });
}

/** The DeleteOptions of a DELETE; undefined without a body. The verb reports errors in them. */
export async function readDeleteOptions(exchange: Exchange, protobuf: ProtobufDecoder): Promise<Body | undefined> {
  const raw = await rawBody(exchange);
  if ('bytes' in raw && raw.bytes.length === 0) return undefined;
  if ('value' in raw) return { value: raw.value, duplicates: [] };
  return orInvalid('', () => {
    const type = objectType(exchange, true);
    if (type === PROTOBUF_TYPE) return fromProtobuf(protobuf, raw.bytes, (why) => why);
    return orInvalid(type === YAML_TYPE ? '' : NO_KIND, () =>
      readBody(raw.bytes, type === YAML_TYPE ? 'yaml' : 'json'),
    );
  });
}

/** A body with a decoding error, for a verb that checks other things first. */
function invalidBody(refusal: StatusError): Body {
  return { value: null, duplicates: [], refusal };
}

/** @param before prefix of the decoder's messages */
function orInvalid(before: string, read: () => Body): Body {
  try {
    return read();
  } catch (error) {
    if (error instanceof StatusError) return invalidBody(error);
    if (!(error instanceof MalformedBody)) throw error;
    return invalidBody(badRequest(`${before}${error.message}`));
  }
}

/**
 * The patch type of the Content-Type, exactly as written before its first semicolon. Custom resources have no
 * strategic merge patch.
 */
export function patchType({ request }: Exchange, { custom }: Resource): PatchType {
  const header = request.headers['content-type'] ?? '';
  const type = PATCH_TYPES.get(beforeParameters(header));
  if (type !== undefined && !(custom && type === 'strategic')) return type;
  // A built-in endpoint accepts any Content-Type that contains a patch type, and is strict after that.
  if (!custom && !header.split(',').some((one) => PATCH_TYPES.has(beforeParameters(one).trim())))
    throw unsupportedMediaType('415: Unsupported Media Type');
  throw unknownFormat([...PATCH_TYPES.keys()].filter((one) => !(custom && one.includes('strategic'))));
}

function beforeParameters(media: string): string {
  return media.split(';')[0] ?? '';
}

/** @throws StatusError 413; the verb reports decoding errors, if the object exists */
export async function readPatch(exchange: Exchange, type: PatchType): Promise<Body> {
  const raw = await rawBody(exchange);
  if ('value' in raw) return { value: raw.value, duplicates: [] };
  if (type === 'apply' && raw.bytes.length === 0) return { value: {}, duplicates: [] };
  return orInvalid(PATCH_ERRORS[type], () => ({
    ...readBody(raw.bytes, type === 'apply' ? 'yaml' : 'json'),
    bytes: raw.bytes,
  }));
}

/** The media type without its parameters; undefined where the header is absent or empty, '' where it is invalid. */
function mediaType({ request }: Exchange): string | undefined {
  const header = request.headers['content-type'];
  if (header === undefined || header === '') return undefined;
  const [type = '', ...parameters] = header
    .replace(/;\s*$/, '')
    .split(';')
    .map((part) => part.trim());
  return parameters.every((one) => /^[^=\s]+=.+$/.test(one)) ? type.toLowerCase() : '';
}
