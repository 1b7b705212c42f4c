import { isArray, isObject, own } from '../json.js';
import type { Json } from '../json.js';
import { goJson } from '../schema/go/text.js';

/** A string or a number; the colon after a string that is a key. */
const SCALAR = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[-+.\deE]*/g;
/** What may be spelled in another way than Go spells it. */
const AMBIGUOUS = /\\[u/]|[<>&\u2028\u2029]|\d[.eE]/;

/**
 * A text of JSON in which every string and number that is no key stands as the text that it was written as; undefined
 * where all of them are spelled as Go spells them.
 * @param text that has been read as JSON before.
 */
export function rawLiterals(text: string): Json | undefined {
  if (!AMBIGUOUS.test(text)) return undefined;
  const quoted: Json = JSON.parse(
    text.replace(SCALAR, (found, colon?: string) => (colon === undefined ? JSON.stringify(found) : found)),
  );
  return quoted;
}

/**
 * Whether a value that equals another one is spelled as Go spells that one: the library of kube-apiserver holds the bytes
 * of strings and numbers against each other, so that "\u00fc" is not "ü".
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
