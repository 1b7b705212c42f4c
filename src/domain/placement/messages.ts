import { MESSAGE_LIMIT } from '../../api/names.js';
import type { ConditionStatus } from '../../api/meta.js';
import type { PlacementReason } from '../../api/placementreasons.js';
import type { Problem } from '../selectors.js';

/** What is said of a condition. */
export interface ConditionText {
  readonly status: ConditionStatus;
  readonly reason: PlacementReason;
  readonly message: string;
}

/** Two such lists and a sentence stay within the limit of a message. */
const LIST_LIMIT = 280;
/** Of what stands behind something else in one message. */
const TAIL_LIMIT = 640;

/** Field, value and rule, as one sentence. */
export function problemText(problem: Problem): string {
  return `${problem.field}: ${problem.message}`;
}

/** Two texts in one message. Where both do not fit, each loses its end: neither hides the other. */
export function joinedTexts(first: string, second: string): string {
  const tail = cut(second, TAIL_LIMIT);
  return `${cut(first, MESSAGE_LIMIT - tail.length - 2)}; ${tail}`;
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** `names` with commas; a long list says how many it leaves out. */
export function nameList(names: readonly string[]): string {
  return boundedList(names, ', ');
}

/** `items` with a separator; a long list says how many it leaves out. The first always stands. */
export function boundedList(items: readonly string[], separator: string): string {
  let text = items[0] ?? '';
  for (let index = 1; index < items.length; index++) {
    const next = `${text}${separator}${items[index]}`;
    if (next.length > LIST_LIMIT) return `${text} and ${items.length - index} more`;
    text = next;
  }
  return text;
}
