/** Reasons of causes: `field.ErrorType` of apimachinery, and others. */
export type CauseReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError'
  | 'FieldManagerConflict'
  | 'ResourceVersionTooLarge'
  | 'NamespaceTerminating';

/** An error of one field. `message` does not name the field: `Invalid value: "x": must be …`. */
export interface FieldError {
  readonly reason: CauseReason;
  readonly field: string;
  readonly message: string;
}

/** The result of validation. Warnings are sent unchanged in `Warning` headers. */
export interface ValidationResult {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
  /** Where a kind repeats the metadata checks (those of updates, or all): before the error of that index. */
  readonly metadata?: { readonly repeated: 'update' | 'all'; readonly at: number };
}
