import type { Json } from '../../json.js';
import type { FieldError } from '../fielderror.js';
import {
  child,
  invalidRaw,
  invalidValue,
  MAX_ERRORS,
  NO_FIELD,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '../field.js';
import { goFloat64, goJson, goQuote } from '../../text.js';

/**
 * A violation of a schema keyword, in the two steps of the API server: kube-openapi writes its text (problems with equal
 * text are reported once), then apiextensions turns it into a field error.
 */
export interface Problem {
  readonly text: string;
  readonly error: (base: string) => FieldError;
}

/**
 * The result of checking a value against a schema. `matches` counts successful checks and selects the best of several
 * failed alternatives.
 */
export interface Outcome {
  readonly problems: readonly Problem[];
  readonly matches: number;
}

const NONE: readonly Problem[] = [];
export const VALID: Outcome = { problems: NONE, matches: 0 };
/** No problem and one match. */
export const VALID_MATCH: Outcome = { problems: NONE, matches: 1 };

export function outcome(problems: readonly Problem[], matches = 0): Outcome {
  return { problems, matches };
}

/** Combines outcomes. Problems with equal text are reported once, and at most MAX_ERRORS of them. */
export class OutcomeBuilder {
  #problems: Problem[] | undefined;
  #texts: Set<string> | undefined;
  #matches = 0;

  add({ problems, matches }: Outcome): void {
    for (const problem of problems) this.report(problem);
    this.#matches += matches;
  }

  report(problem: Problem): void {
    this.#problems ??= [];
    this.#texts ??= new Set();
    if (this.full || this.#texts.has(problem.text)) return;
    this.#texts.add(problem.text);
    this.#problems.push(problem);
  }

  addMatch(): void {
    this.#matches += 1;
  }

  /** Whether the limit of problems is reached, so that further checks cannot change the result. */
  get full(): boolean {
    return (this.#problems?.length ?? 0) >= MAX_ERRORS;
  }

  outcome(): Outcome {
    if (this.#problems !== undefined) return { problems: this.#problems, matches: this.#matches };
    return this.#matches === 0 ? VALID : { problems: NONE, matches: this.#matches };
  }
}

/** The field of a validator's path, which may begin with a dot. */
function fieldOf(base: string, path: string): string {
  const name = path.startsWith('.') ? path.slice(1) : path;
  if (name !== '') return child(base, name);
  return base === '' ? NO_FIELD : base;
}

export function wrongType(path: string, expected: string, actual: string): Problem {
  const text = `${path} in body must be of type ${expected}: ${goQuote(actual)}`;
  return { text, error: (base) => typeInvalid(fieldOf(base, path), actual, text) };
}

export function wrongFormat(path: string, format: string, value: string): Problem {
  const text = `${path} in body must be of type ${format}: ${goQuote(value)}`;
  return { text, error: (base) => typeInvalid(fieldOf(base, path), value, text) };
}

/** A value that violates a rule: `should be at least 1 chars long`. */
export function wrongValue(path: string, value: Json, rule: string): Problem {
  return wrong(path, value, `${path} in body ${rule}`);
}

export function wrong(path: string, value: Json, text: string): Problem {
  return { text, error: (base) => invalidValue(fieldOf(base, path), value, text) };
}

export function missingField(path: string, key: string): Problem {
  const where = `${path}.${key}`;
  return { text: `${where} in body is required`, error: (base) => required(fieldOf(base, where)) };
}

/** A key that is not allowed. */
export function forbiddenKey(path: string, key: string): Problem {
  return wrong(path, key, `${path}.${key} in body is a forbidden property`);
}

export function notInEnum(path: string, value: Json, values: readonly Json[]): Problem {
  const supported = values.map((one) => (typeof one === 'string' ? one : goJson(one)));
  return {
    text: `${path} in body should be one of ${goJson([...values])}`,
    error: (base) => notSupported(fieldOf(base, path), value, supported),
  };
}

export function tooManyCharacters(path: string, most: number): Problem {
  return {
    text: `${path} in body should be at most ${most} chars long`,
    error: (base) => tooLong(fieldOf(base, path), most),
  };
}

export function tooManyOf(path: string, what: 'items' | 'properties', count: number, most: number): Problem {
  return {
    text: `${path} in body should have at most ${most} ${what}`,
    error: (base) => tooMany(fieldOf(base, path), count, most),
  };
}

/** A problem that names no field: failed anyOf, oneOf, allOf or not, and numbers that are out of range. */
export function composite(text: string): Problem {
  return { text, error: (base) => invalidValue(base === '' ? NO_FIELD : base, '', text) };
}

/** A number that violates a rule, formatted as a Go integer or as a float64. */
export function wrongNumber(path: string, value: number, whole: boolean, rule: string): Problem {
  const text = `${path} in body ${rule}`;
  return { text, error: (base) => invalidRaw(fieldOf(base, path), numberText(value, whole), text) };
}

export function numberText(value: number, whole: boolean): string {
  return whole ? goJson(Math.trunc(value)) : goFloat64(value);
}
