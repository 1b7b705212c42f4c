import { asRecord, type JsonRecord } from '../../runtime/vocabulary/json.js';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { fieldErrors, StatusError } from '../statuserror.js';
import { isKnownReason, type FieldRules } from '@multicluster-engine/values/schema/fieldrules';

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
/**
 * The error for an object that the API server rejects with 400 or 422. Of its Status, only paths of fields and reasons
 * are used; rules and unknown fields are looked up here, so that no text of the API server reaches the client. A field that the kind
 * does not have is `malformed`, also where a rule of the CRD forbids it; any other error is `invalid`.
 */
export function invalidObjectError(code: 400 | 422, status: JsonRecord, sent: SentObject): StatusError {
  const { kind, object, rules } = sent;
  // A field that the kind does not have is refused before the values of the others are looked at.
  const unknown = code === 400 ? rules.unknownFields(kind, object).map((path) => path.slice(0, MAX_FIELD)) : [];
  const errors = reportedErrors(status);
  const forbidden = errors.filter(({ field }) => rules.isForbidden(kind, field)).map(({ field }) => field);
  const wrong = errors
    .filter(({ field }) => !forbidden.includes(field))
    .map((one) => rules.describe(kind, one, object));
  const causes: FieldError[] = [
    ...wrong,
    ...[...unknown, ...forbidden].map((field) => rules.unknownField(kind, field)),
  ].slice(0, MAX_CAUSES);
  const malformed = code === 400 || (forbidden.length > 0 && wrong.length === 0);
  const kindOfError = malformed ? 'malformed' : 'invalid';
  return causes.length === 0
    ? new StatusError(kindOfError, { message: 'the API server rejects the object as invalid' })
    : fieldErrors(kindOfError, causes);
}

function reportedErrors(status: JsonRecord): Omit<FieldError, 'message'>[] {
  const causes = asRecord(status['details'])['causes'];
  if (!Array.isArray(causes)) return [];
  const errors = new Map<string, Omit<FieldError, 'message'>>();
  for (const one of causes.slice(0, MAX_CAUSES)) {
    const { field, reason } = asRecord(one);
    if (typeof field !== 'string' || typeof reason !== 'string' || !isKnownReason(reason) || !FIELD.test(field))
      continue;
    errors.set(`${field} ${reason}`, { field, reason });
  }
  return [...errors.values()];
}
