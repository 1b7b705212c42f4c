import { isInt64 } from '../../text.js';
import {
  numberText,
  composite,
  VALID_MATCH,
  outcome,
  wrong,
  wrongNumber,
  type Outcome,
  type Problem,
} from './problem.js';
import type { Schema } from '../schema.js';

/**
 * Checks the keywords of numbers as kube-openapi does. It distinguishes integers from floating point numbers, and
 * compares an integer with the integer part of a bound: for maximum 2.5, 3 is reported as greater than 2.
 */
export function checkNumber(schema: Schema, value: number, path: string): Outcome {
  const kind = kindOf(schema);
  const problems: Problem[] = [];
  const report = (problem: Problem | undefined): void => {
    if (problem !== undefined && !problems.some((one) => one.text === problem.text)) problems.push(problem);
  };
  report(outOfRange(value, kind, 'Checked', path));
  const { multipleOf, maximum, minimum } = schema;
  if (multipleOf !== undefined) {
    const rangeProblem = outOfRange(multipleOf, kind, 'MultipleOf', path);
    report(rangeProblem);
    report(notMultiple(value, multipleOf, path, rangeProblem === undefined && isInt64(value)));
  }
  if (minimum !== undefined) {
    const rangeProblem = outOfRange(minimum, kind, 'Minimum boundary', path);
    report(rangeProblem);
    report(
      below(
        value,
        {
          limit: minimum,
          exclusive: schema.exclusiveMinimum ?? false,
          whole: rangeProblem === undefined && isInt64(value),
        },
        path,
      ),
    );
  }
  if (maximum !== undefined) {
    const rangeProblem = outOfRange(maximum, kind, 'Maximum boundary', path);
    report(rangeProblem);
    report(
      above(
        value,
        {
          limit: maximum,
          exclusive: schema.exclusiveMaximum ?? false,
          whole: rangeProblem === undefined && isInt64(value),
        },
        path,
      ),
    );
  }
  return problems.length === 0 ? VALID_MATCH : outcome(problems, 1);
}

interface Kind {
  readonly type: 'integer' | 'number' | '';
  readonly format: string;
}

function kindOf({ type, format = '', ...schema }: Schema): Kind {
  if (schema['x-kubernetes-int-or-string'] === true) return { type: '', format: '' };
  if (type === 'integer') return { type, format: format === 'int32' || format === 'int64' ? format : '' };
  if (type === 'number') return { type, format: format === 'float' || format === 'double' ? format : '' };
  return { type: '', format: '' };
}

const MAX_INT64 = 2 ** 63;
const MAX_INT32 = 2 ** 31;
const MAX_FLOAT32 = 3.4028235677973366e38;

function outOfRange(value: number, { type, format }: Kind, what: string, path: string): Problem | undefined {
  const most = format === 'int32' ? MAX_INT32 : MAX_INT64;
  const fits =
    type === 'integer'
      ? Number.isInteger(value) && value >= -most && value < most
      : format !== 'float' || Math.abs(value) < MAX_FLOAT32;
  if (fits) return undefined;
  const rule =
    format === '' ? `must be of type ${type} (default format)` : `must be of type ${type} with format ${format}`;
  return composite(`${what} value ${rule} in ${path}`);
}

interface Limit {
  readonly limit: number;
  readonly exclusive: boolean;
  readonly whole: boolean;
}

function below(value: number, { limit, exclusive, whole }: Limit, path: string): Problem | undefined {
  const least = whole ? Math.trunc(limit) : limit;
  if (exclusive ? value > least : value >= least) return undefined;
  return wrongNumber(
    path,
    value,
    whole,
    `should be greater than ${exclusive ? '' : 'or equal to '}${numberText(least, whole)}`,
  );
}

function above(value: number, { limit, exclusive, whole }: Limit, path: string): Problem | undefined {
  const most = whole ? Math.trunc(limit) : limit;
  if (exclusive ? value < most : value <= most) return undefined;
  return wrongNumber(
    path,
    value,
    whole,
    `should be less than ${exclusive ? '' : 'or equal to '}${numberText(most, whole)}`,
  );
}

function notMultiple(value: number, factor: number, path: string, whole: boolean): Problem | undefined {
  const step = whole ? Math.trunc(factor) : factor;
  if (step <= 0)
    return wrong(path, step, `factor MultipleOf declared for ${path} must be positive: ${numberText(step, whole)}`);
  const fits = whole ? value % step === 0 : isNearlyInteger(step < 1 ? (1 / step) * value : value / step);
  return fits ? undefined : wrongNumber(path, value, whole, `should be a multiple of ${numberText(step, whole)}`);
}

/** Whether a floating point number counts as a JSON integer: within a relative tolerance. */
export function isNearlyInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  if (value === whole) return true;
  const difference = Math.abs(value - whole);
  return whole > 0 && difference / (Math.abs(value) + Math.abs(whole)) < 1e-9;
}
