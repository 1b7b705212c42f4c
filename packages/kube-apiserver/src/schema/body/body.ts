import type { Json } from '@multicluster-engine/values/json';
import type { StatusError } from '../../status.js';

/** A decoded request body. JSON, YAML and protobuf are all decoded to this. */
export interface Body {
  readonly value: Json;
  /** Findings for fieldValidation: `duplicate field "spec.color"`, `line 5: key "a" already set in map`. */
  readonly duplicates: readonly string[];
  /** The decoding error, where other checks come before it; `value` has no meaning then. */
  readonly refusal?: StatusError;
  /** The bytes of the request, where error messages quote them. */
  readonly bytes?: Uint8Array;
  /** The encoding; JSON when absent. */
  readonly form?: 'json' | 'yaml';
}
