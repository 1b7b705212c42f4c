import type { Json } from '../../json.js';
import type { StatusError } from '../../status.js';

/** A body as it was read: JSON, YAML and protobuf all end here. */
export interface Body {
  readonly value: Json;
  /** `duplicate field "spec.color"`, `line 5: key "a" already set in map`: for fieldValidation. */
  readonly duplicates: readonly string[];
  /** Why it could not be read, where other things are looked at before the body; `value` says nothing then. */
  readonly refusal?: StatusError;
  /** As it came, where errors show of it. */
  readonly bytes?: Uint8Array;
  /** What it is written in; JSON where nothing is said. */
  readonly form?: 'json' | 'yaml';
}
