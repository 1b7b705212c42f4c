import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** The plural for 404 and 409, the kind for 422. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
  readonly retryAfterSeconds?: number;
}

interface StatusOptions {
  readonly reason?: string;
  /** undefined leaves the key out; {} is sent. */
  readonly details?: StatusDetails;
  readonly cause?: unknown;
  /** For `metadata.continue` of an expired continue token. */
  readonly metadata?: JsonObject;
}

/** The error of a failed request, with the whole response. Any other thrown error becomes a 500. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string | undefined;
  readonly details: StatusDetails | undefined;
  readonly metadata: JsonObject;

  constructor(code: number, message: string, options: StatusOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StatusError';
    this.code = code;
    this.reason = options.reason;
    this.details = options.details;
    this.metadata = options.metadata ?? {};
  }

  /** The body: a Status of v1. */
  toStatus(): JsonObject {
    const { code, reason, details, metadata, message } = this;
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(details === undefined ? {} : { details: asJson(details) }),
      code,
    };
  }
}

/** Names a resource in messages and details: `placements.multicluster.platform.io`, `configmaps`. */
export interface ResourceName {
  readonly group: string;
  readonly plural: string;
}

export interface KindName {
  readonly group: string;
  readonly kind: string;
}

export function qualified({ group, plural }: ResourceName): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function qualifiedKind({ group, kind }: KindName): string {
  return group === '' ? kind : `${kind}.${group}`;
}

export function notFound(resource: ResourceName, name: string): StatusError {
  const { group, plural } = resource;
  return new StatusError(404, `${qualified(resource)} ${quoted(name)} not found`, {
    reason: 'NotFound',
    details: { name, ...groupOf(group), kind: plural },
  });
}

/** 404 for a resource that is not served. */
export function noSuchResource(): StatusError {
  return new StatusError(404, 'the server could not find the requested resource', { reason: 'NotFound', details: {} });
}

export function alreadyExists(resource: ResourceName, name: string): StatusError {
  const { group, plural } = resource;
  return new StatusError(409, `${qualified(resource)} ${quoted(name)} already exists`, {
    reason: 'AlreadyExists',
    details: { name, ...groupOf(group), kind: plural },
  });
}

/** 409: the stored object is not in the state that the request expects. `kind` of the details is `plural` as passed. */
export function conflict(resource: ResourceName, name: string, why: string): StatusError {
  const { group, plural } = resource;
  const message = `Operation cannot be fulfilled on ${qualified(resource)} ${quoted(name)}: ${why}`;
  return new StatusError(409, message, { reason: 'Conflict', details: { name, ...groupOf(group), kind: plural } });
}

export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** 422 with causes, worded as `NewInvalid` of apimachinery: the message has each text once, the causes have all. */
export function invalid(kind: KindName, name: string, errors: readonly FieldError[]): StatusError {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const all = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const causes = errors.map(({ reason, message, field }) => ({ reason, message, field }));
  const details = {
    ...(name === '' ? {} : { name }),
    ...groupOf(kind.group),
    ...(kind.kind === '' ? {} : { kind: kind.kind }),
    causes,
  };
  return new StatusError(422, `${qualifiedKind(kind)} ${quoted(name)} is invalid: ${all}`, {
    reason: 'Invalid',
    details,
  });
}

/** 422 without details, as kube-apiserver responds where its own error has no Status. */
export function terseInvalid(): StatusError {
  return new StatusError(422, 'the server rejected our request due to an error in our request', {
    reason: 'Invalid',
    details: {},
  });
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, message, { reason: 'BadRequest' });
}

export function forbidden(resource: ResourceName, name: string, why: string): StatusError {
  const { group, plural } = resource;
  const what =
    plural === ''
      ? 'forbidden'
      : name === ''
        ? `${qualified(resource)} is forbidden`
        : `${qualified(resource)} ${quoted(name)} is forbidden`;
  return new StatusError(403, `${what}: ${why}`, {
    reason: 'Forbidden',
    details: { ...(name === '' ? {} : { name }), ...groupOf(group), ...(plural === '' ? {} : { kind: plural }) },
  });
}

export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', { reason: 'Unauthorized' });
}

export function methodNotAllowed(resource: ResourceName, verb: string): StatusError {
  const message = `${verb} is not supported on resources of kind ${quoted(qualified(resource))}`;
  return new StatusError(405, message, {
    reason: 'MethodNotAllowed',
    details: { ...groupOf(resource.group), kind: resource.plural },
  });
}

/** 410: the resourceVersion or continue token is no longer available. */
export function expired(message: string, metadata?: JsonObject): StatusError {
  return new StatusError(410, message, { reason: 'Expired', ...(metadata === undefined ? {} : { metadata }) });
}

export function internalError(message: string, cause?: unknown): StatusError {
  const details = { causes: [{ message }] };
  return new StatusError(500, `Internal error occurred: ${message}`, { reason: 'InternalError', details, cause });
}

/** 500 with a bare message, for errors of kube-apiserver that have no Status. */
export function unknownError(message: string): StatusError {
  return new StatusError(500, message);
}

export function unsupportedMediaType(message: string): StatusError {
  return new StatusError(415, message, { reason: 'UnsupportedMediaType', details: {} });
}

export function notAcceptable(message: string): StatusError {
  return new StatusError(406, message, { reason: 'NotAcceptable', details: {} });
}

export function entityTooLarge(message: string): StatusError {
  return new StatusError(413, message, { reason: 'RequestEntityTooLarge' });
}

/** 503: the store cannot accept writes now (a full disk, a shutdown); reads still work. */
export function unavailable(message: string): StatusError {
  return new StatusError(503, message, { reason: 'ServiceUnavailable' });
}

/** Quotes a text as Go's %q does, sufficient for names. */
export function quoted(text: string): string {
  return JSON.stringify(text)
    .replaceAll(/\\u00([01][\da-f])/g, (_all, code: string) => LETTERS[code] ?? `\\x${code}`)
    .replaceAll('\u007f', '\\x7f');
}

/** Control characters that Go writes as a letter and JSON does not. */
const LETTERS: Readonly<Record<string, string>> = { '07': '\\a', '0b': '\\v' };

function groupOf(group: string): { group?: string } {
  return group === '' ? {} : { group };
}

function asJson(details: StatusDetails): JsonObject {
  const { causes, ...rest } = details;
  const listed: Json[] | undefined = causes?.map((cause) => ({ ...cause }));
  return { ...rest, ...(listed === undefined ? {} : { causes: listed }) };
}
