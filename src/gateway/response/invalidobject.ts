import { asRecord, type JsonRecord } from '../../runtime/vocabulary/json.js';
import { isJsonObject, type JsonValue, type JsonObject } from '../object/document.js';
import type { StatusCause } from '../../runtime/errors.js';
import { StatusError } from '../statuserror.js';
import { isKnownReason, type FieldError, type FieldRules } from '../object/fieldrules.js';

/** An object that was sent, and the rules of its kind. */
interface SentObject {
  readonly kind: string;
  readonly object: JsonObject;
  readonly rules: FieldRules;
}

const MAX_CAUSES = 32;
const MAX_FIELD = 256;
/** The path of a field; the server writes `<nil>` for no field. */
const FIELD = /^(?!<nil>$)[\x20-\x7e]{1,256}$/;
/** Fields below a longer path are not searched: all those paths together could be far larger than the body. */
const MAX_DESCENT = 1_024;
/** Precedes the name of each unknown field in the API server's message. */
const UNKNOWN_FIELD = /(?:^|: |, )unknown field "/;

/**
 * The error for an object that the API server rejects with 400 or 422. Of its Status, only paths of fields and reasons
 * are used; the rules are looked up here, so that no text of the API server reaches the client. A field that the kind
 * does not have is `malformed`, also where a rule of the CRD forbids it; any other error is `invalid`.
 */
export function invalidObjectError(code: 400 | 422, status: JsonRecord, sent: SentObject): StatusError {
  const { kind, object, rules } = sent;
  const unknown = unknownFields(status, object);
  const errors = fieldErrors(status);
  const forbidden = errors.filter(({ field }) => rules.isForbidden(kind, field)).map(({ field }) => field);
  const wrong = errors
    .filter(({ field }) => !forbidden.includes(field))
    .map((one) => rules.describe(kind, one, object));
  const causes: StatusCause[] = [
    ...wrong,
    ...[...unknown, ...forbidden].map((field) => rules.unknownField(kind, field)),
  ].slice(0, MAX_CAUSES);
  const malformed = code === 400 || (forbidden.length > 0 && wrong.length === 0);
  const message =
    causes.length === 0
      ? 'the API server rejects the object as invalid'
      : causes.map(({ field, message: rule }) => `${field}: ${rule}`).join('; ');
  return new StatusError(malformed ? 'malformed' : 'invalid', { message, ...(causes.length > 0 && { causes }) });
}

function fieldErrors(status: JsonRecord): FieldError[] {
  const causes = asRecord(status['details'])['causes'];
  if (!Array.isArray(causes)) return [];
  const errors = new Map<string, FieldError>();
  for (const one of causes.slice(0, MAX_CAUSES)) {
    const { field, reason } = asRecord(one);
    if (typeof field !== 'string' || typeof reason !== 'string' || !isKnownReason(reason) || !FIELD.test(field))
      continue;
    errors.set(`${field} ${reason}`, { field, reason });
  }
  return [...errors.values()];
}

/**
 * The unknown fields. This reads the message of the Status, because the API server names them nowhere else;
 * test/integration/gateway/messages.test.ts pins the text.
 */
function unknownFields(status: JsonRecord, object: JsonObject): string[] {
  const message = status['message'];
  if (typeof message !== 'string' || !UNKNOWN_FIELD.test(message)) return [];
  const named = new Set(
    message
      .split(UNKNOWN_FIELD)
      .slice(1)
      .map((text) => text.replace(/"$/, '')),
  );
  const fields: string[] = [];
  for (const path of pathsIn(object, '')) {
    if (named.has(path)) fields.push(path.slice(0, MAX_FIELD));
    if (fields.length >= MAX_CAUSES) break;
  }
  return fields;
}

/** The paths of all fields of an object, as the API server writes them: `spec.tolerations[0].key`. */
function* pathsIn(value: JsonValue, path: string): Generator<string> {
  if (path.length > MAX_DESCENT) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* pathsIn(item, `${path}[${index}]`);
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const below = path === '' ? key : `${path}.${key}`;
      yield below;
      yield* pathsIn(item, below);
    }
  }
}
