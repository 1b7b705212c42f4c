import {
  checkClaimKey,
  checkLabelKey,
  readList,
  readObject,
  readString,
  reject,
  type StringMap,
} from '../../selectors.js';
import type { TopologyKey } from './spread.js';

/** `spec.decisionDetails`: the labels and claims of a cluster whose values its item of the decision has. */

const MOST_DETAILS = 16;
/** Together with their number this bounds an object of 100 items. */
const LONGEST_DETAIL_BYTES = 256;

/** The labels and claims that a spec names, each once, inside a `parse`. */
export function readDetails(value: unknown, path: string): readonly TopologyKey[] {
  const fields = readObject(value, path);
  const keysOf = (field: string, source: TopologyKey['source'], check: typeof checkLabelKey): TopologyKey[] => {
    const keys = readList(fields[field], `${path}.${field}`).map((item, index) => {
      const at = `${path}.${field}[${index}]`;
      const key = readString(item, at);
      check(key, at);
      return key;
    });
    return [...new Set(keys)].map((key) => ({ source, key }));
  };
  const details = [...keysOf('labels', 'label', checkLabelKey), ...keysOf('claims', 'claim', checkClaimKey)];
  if (details.length > MOST_DETAILS)
    reject(path, `names ${details.length} labels and claims: at most ${MOST_DETAILS} are allowed together`);
  return details;
}

/**
 * The fields of an item: `label/region`, `claim/platform`. Each is there, and empty for a cluster without the label or claim, and
 * for a value that is too long: in templates an absent field is an error, or the text `<no value>`, and a part of a value would
 * be a wrong one.
 */
export function detailsOf(
  details: readonly TopologyKey[],
  valueOf: (one: TopologyKey) => string | undefined,
): StringMap {
  return Object.fromEntries(
    details.map((one) => {
      const value = valueOf(one) ?? '';
      return [detailName(one), isTooLong(value) ? '' : value];
    }),
  );
}

export function detailName({ source, key }: TopologyKey): string {
  return `${source}/${key}`;
}

/** Whether a field of an item is the name of a detail. */
export function isDetailName(field: string): boolean {
  return /^(label|claim)\/./.test(field);
}

/** Whether the value of a label or claim is longer than that of an item may be. */
function isTooLong(value: string): boolean {
  // A character has at most three bytes for each unit of UTF-16.
  return value.length * 3 > LONGEST_DETAIL_BYTES && new TextEncoder().encode(value).length > LONGEST_DETAIL_BYTES;
}
