import { isArray, isObject, own } from '@multicluster-engine/values/json';
import type { Json } from '@multicluster-engine/values/json';
import { goJson } from '@multicluster-engine/values/text';

/** A string or a number; the group captures the colon after an object key. */
const SCALAR = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[-+.\deE]*/g;
/** Text whose encoding may differ from that of Go. */
const AMBIGUOUS = /\\[u/]|[<>&\u2028\u2029]|\d[.eE]/;

/**
 * Parses JSON with every string and number replaced by its literal text, except for object keys; undefined where all
 * literals have Go's encoding.
 * @param text valid JSON.
 */
export function rawLiterals(text: string): Json | undefined {
  if (!AMBIGUOUS.test(text)) return undefined;
  const quoted: Json = JSON.parse(
    text.replace(SCALAR, (found, colon?: string) => (colon === undefined ? JSON.stringify(found) : found)),
  );
  return quoted;
}

/**
 * Whether the literals of an equal value have Go's encoding: the library of kube-apiserver compares the bytes of
 * strings and numbers, so "\u00fc" does not equal "ü".
 */
export function matchesRawLiterals(value: Json, spelling: Json | undefined): boolean {
  if (isArray(value)) return isArray(spelling) && value.every((item, at) => matchesRawLiterals(item, spelling[at]));
  if (isObject(value))
    return (
      isObject(spelling) &&
      Object.entries(value).every(([key, item]) => matchesRawLiterals(item ?? null, own(spelling, key)))
    );
  return typeof value === 'string' || typeof value === 'number' ? spelling === goJson(value) : true;
}
