import { isJsonObject, type JsonValue, type JsonObject } from '../object/document.js';
import { asRecord, type UnknownRecord } from '../object/record.js';
import { StatusError, type StatusCause } from '../statuserror.js';
import { isKnownReason, type FieldError, type FieldRules } from '../object/fieldrules.js';

/** An object that was sent, and what its kind demands. */
export interface SentObject {
  readonly kind: string;
  readonly object: JsonObject;
  readonly rules: FieldRules;
}

const MAX_CAUSES = 32;
const MAX_FIELD = 256;
/** The path of a field; the server writes `<nil>` where it means no field. */
const FIELD = /^(?!<nil>$)[\x20-\x7e]{1,256}$/;
/** What lies below a longer path is not looked for: all those paths together could be far larger than the body. */
const MAX_DESCENT = 1_024;
/** Before the name of each field that the API server does not know. */
const UNKNOWN_FIELD = /(?:^|: |, )unknown field "/;

/**
 * The refusal of an object that the API server answers with 400 or 422: `said` is its Status. The fields are its own, as
 * far as they stand in the object; every other word is of the gateway. What the kind does not have is `malformed`, also
 * where a rule of the kind says so; any other fault is `invalid`.
 */
export function invalidObjectError(status: 400 | 422, said: UnknownRecord, sent: SentObject): StatusError {
  const { kind, object, rules } = sent;
  const unknown = unknownFields(said, object);
  const found = fieldErrors(said);
  const never = found.filter(({ field }) => rules.isForbidden(kind, field)).map(({ field }) => field);
  const wrong = found.filter(({ field }) => !never.includes(field)).map((one) => rules.describe(kind, one, object));
  const causes: StatusCause[] = [
    ...wrong,
    ...[...unknown, ...never].map((field) => rules.unknownField(kind, field)),
  ].slice(0, MAX_CAUSES);
  const malformed = status === 400 || (never.length > 0 && wrong.length === 0);
  const message =
    causes.length === 0
      ? 'the API server finds the object not valid'
      : causes.map(({ field, message: rule }) => `${field}: ${rule}`).join('; ');
  return new StatusError(malformed ? 'malformed' : 'invalid', { message, ...(causes.length > 0 && { causes }) });
}

function fieldErrors(said: UnknownRecord): FieldError[] {
  const causes = asRecord(said['details'])['causes'];
  if (!Array.isArray(causes)) return [];
  const found = new Map<string, FieldError>();
  for (const one of causes.slice(0, MAX_CAUSES)) {
    const { field, reason } = asRecord(one);
    if (typeof field !== 'string' || typeof reason !== 'string' || !isKnownReason(reason) || !FIELD.test(field))
      continue;
    found.set(`${field} ${reason}`, { field, reason });
  }
  return [...found.values()];
}

/** The API server names fields that it does not know in its message alone. */
function unknownFields(said: UnknownRecord, object: JsonObject): string[] {
  const message = said['message'];
  if (typeof message !== 'string' || !UNKNOWN_FIELD.test(message)) return [];
  const named = new Set(
    message
      .split(UNKNOWN_FIELD)
      .slice(1)
      .map((text) => text.replace(/"$/, '')),
  );
  const found: string[] = [];
  for (const path of pathsIn(object, '')) {
    if (named.has(path)) found.push(path.slice(0, MAX_FIELD));
    if (found.length >= MAX_CAUSES) break;
  }
  return found;
}

/** Every field of an object, as the API server writes its path: `spec.tolerations[0].key`. */
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
