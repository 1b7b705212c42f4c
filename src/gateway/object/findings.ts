import { isDataObject, type Data, type DataObject } from './document.js';
import { record, type Unknowns } from './record.js';
import { Refusal, type FieldCause } from '../refusal.js';
import { isReason, type Finding, type Rulebook } from './rulebook.js';

/** An object that was sent, and what its kind demands. */
export interface Sent {
  readonly kind: string;
  readonly object: DataObject;
  readonly rules: Rulebook;
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
export function objectRefusal(status: 400 | 422, said: Unknowns, sent: Sent): Refusal {
  const { kind, object, rules } = sent;
  const unknown = unknownFields(said, object);
  const found = fieldFindings(said);
  const never = found.filter(({ field }) => rules.isNever(kind, field)).map(({ field }) => field);
  const wrong = found.filter(({ field }) => !never.includes(field)).map((one) => rules.explain(kind, one, object));
  const causes: FieldCause[] = [...wrong, ...[...unknown, ...never].map((field) => rules.unknown(kind, field))].slice(
    0,
    MAX_CAUSES,
  );
  const malformed = status === 400 || (never.length > 0 && wrong.length === 0);
  const message =
    causes.length === 0
      ? 'the API server finds the object not valid'
      : causes.map(({ field, message: rule }) => `${field}: ${rule}`).join('; ');
  return new Refusal(malformed ? 'malformed' : 'invalid', { message, ...(causes.length > 0 && { causes }) });
}

function fieldFindings(said: Unknowns): Finding[] {
  const causes = record(said['details'])['causes'];
  if (!Array.isArray(causes)) return [];
  const found = new Map<string, Finding>();
  for (const one of causes.slice(0, MAX_CAUSES)) {
    const { field, reason } = record(one);
    if (typeof field !== 'string' || typeof reason !== 'string' || !isReason(reason) || !FIELD.test(field)) continue;
    found.set(`${field} ${reason}`, { field, reason });
  }
  return [...found.values()];
}

/** The API server names fields that it does not know in its message alone. */
function unknownFields(said: Unknowns, object: DataObject): string[] {
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
function* pathsIn(value: Data, path: string): Generator<string> {
  if (path.length > MAX_DESCENT) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* pathsIn(item, `${path}[${index}]`);
  } else if (isDataObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const below = path === '' ? key : `${path}.${key}`;
      yield below;
      yield* pathsIn(item, below);
    }
  }
}
