import type { Json } from '../../src/json.js';
import type { Schema } from '../../src/schema/schema.js';
import { decodeCustom } from '../../src/schema/custom/decode.js';
import { validateCustom } from '../../src/schema/custom/validate.js';

/** A schema of `spec.x`, a value, and the causes that kube-apiserver 1.36.3 returned: `field|reason|message`. */
export type Row = readonly [Schema, Json, readonly string[]];

/** The causes of validating a value of `spec.x` against its schema, sorted, in the form of a {@link Row}. */
export function causesOf(schema: Schema, value: Json): string[] {
  const whole: Schema = { type: 'object', properties: { spec: { type: 'object', properties: { x: schema } } } };
  const decoded = decodeCustom(whole, { apiVersion: 'g/v1', kind: 'K', metadata: { name: 'a' }, spec: { x: value } });
  if ('problem' in decoded) return [decoded.problem];
  return validateCustom(whole, decoded.object)
    .errors.map(({ field, reason, message }) => `${field}|${reason.replace('FieldValue', '')}|${message}`)
    .sort();
}
