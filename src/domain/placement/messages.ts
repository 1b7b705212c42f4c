import { MESSAGE_LIMIT } from '../../api/names.js';
import type { ConditionStatus } from '../../api/meta.js';
import type { PlacementReason } from '../../api/placementreasons.js';
import { clip } from '../conditions.js';
import type { Problem } from '../selectors.js';

/** Status, reason and message of a condition. */
export interface ConditionText {
  readonly status: ConditionStatus;
  readonly reason: PlacementReason;
  readonly message: string;
}

/** Characters of one list: two lists and a sentence fit in a message. */
const LIST_LIMIT = 280;
/** Characters of the second of two joined texts. */
const TAIL_LIMIT = 640;

/** Field, value and rule in one sentence. */
export function problemText(problem: Problem): string {
  return `${problem.field}: ${problem.message}`;
}

/** Two texts in one message. When they do not fit, the end of each is cut, so that both can be read. */
export function joinedTexts(first: string, second: string): string {
  const tail = clip(second, TAIL_LIMIT);
  return `${clip(first, MESSAGE_LIMIT - tail.length - 2)}; ${tail}`;
}

/** `names` with commas; a list that is cut ends with the number of names left out. */
export function nameList(names: readonly string[]): string {
  return boundedList(names, ', ');
}

/** `items` with a separator; a list that is cut ends with the number of items left out. The first is never cut. */
export function boundedList(items: readonly string[], separator: string): string {
  let text = items[0] ?? '';
  for (let index = 1; index < items.length; index++) {
    const next = `${text}${separator}${items[index]}`;
    if (next.length > LIST_LIMIT) return `${text} and ${items.length - index} more`;
    text = next;
  }
  return text;
}
