/** An invalid field of the spec: its path, its value and the rule that it breaks. */
export interface FieldError {
  readonly field: string;
  readonly value: string;
  readonly rule: string;
}

const LONGEST_SHOWN = 80;

/** `value`: as the spec has it; shown as JSON, and cut where it is long. */
export function fieldError(field: string, value: unknown, rule: string): FieldError {
  const shown = JSON.stringify(value) ?? 'nothing';
  return { field, value: shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}…` : shown, rule };
}

/** One line with field, value and rule. */
export function fieldErrorText(one: FieldError): string {
  return `${one.field}: ${one.value}: ${one.rule}`;
}
