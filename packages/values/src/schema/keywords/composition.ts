import { goQuote } from '../../text.js';
import { composite, VALID, VALID_MATCH, OutcomeBuilder, type Outcome } from './problem.js';
import type { Schema } from '../schema.js';

/** Checks the value against a subschema. */
export type Check = (schema: Schema) => Outcome;

/**
 * Checks `anyOf`, `oneOf`, `allOf` and `not` as kube-openapi does: where no alternative matches, the problems of the
 * best match are reported too.
 */
export function checkComposition(schema: Schema, path: string, check: Check): Outcome {
  if (
    schema.anyOf === undefined &&
    schema.oneOf === undefined &&
    schema.allOf === undefined &&
    schema.not === undefined
  )
    return VALID_MATCH;
  const sum = new OutcomeBuilder();
  if (schema.anyOf !== undefined && schema.anyOf.length > 0) checkAny(schema.anyOf, path, check, sum);
  if (schema.oneOf !== undefined && schema.oneOf.length > 0) checkOne(schema.oneOf, path, check, sum);
  if (schema.allOf !== undefined && schema.allOf.length > 0) checkAll(schema.allOf, path, check, sum);
  if (schema.not !== undefined && check(schema.not).problems.length === 0)
    sum.report(composite(`${goQuote(path)} must not validate the schema (not)`));
  sum.addMatch();
  return sum.outcome();
}

function checkAny(schemas: readonly Schema[], path: string, check: Check, sum: OutcomeBuilder): void {
  let best: Outcome | undefined;
  for (const schema of schemas) {
    const result = check(schema);
    if (result.problems.length === 0) return sum.add(result);
    if (best === undefined || result.matches > best.matches) best = result;
  }
  sum.report(composite(`${goQuote(path)} must validate at least one schema (anyOf)`));
  sum.add(best ?? VALID);
}

function checkOne(schemas: readonly Schema[], path: string, check: Check, sum: OutcomeBuilder): void {
  let best: Outcome | undefined;
  let first: Outcome | undefined;
  let valid = 0;
  for (const schema of schemas) {
    const result = check(schema);
    if (result.problems.length === 0) {
      valid += 1;
      first ??= result;
    } else if (best === undefined || result.matches > best.matches) {
      best = result;
    }
  }
  if (valid === 1) return sum.add(first ?? VALID);
  const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
  sum.report(composite(`${goQuote(path)} must validate one and only one schema (oneOf). ${found}`));
  if (valid === 0) sum.add(best ?? VALID);
}

function checkAll(schemas: readonly Schema[], path: string, check: Check, sum: OutcomeBuilder): void {
  let valid = 0;
  for (const schema of schemas) {
    const result = check(schema);
    if (result.problems.length === 0) valid += 1;
    sum.add(result);
  }
  if (valid === schemas.length) return;
  sum.report(
    composite(`${goQuote(path)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`),
  );
}
