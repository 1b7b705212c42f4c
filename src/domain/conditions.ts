import { MESSAGE_LIMIT } from '../api/names.js';
import { field, recordsIn, type JsonRecord } from '../runtime/vocabulary/json.js';
import type { Condition, ConditionStatus } from '../runtime/vocabulary/meta.js';
import type { Problem } from './selectors.js';

/** Characters of one list: two lists and a sentence fit in a message. */
const LIST_LIMIT = 280;
/** Characters of the second of two joined texts. */
const TAIL_LIMIT = 640;

/** A condition as a rule computes it: without times. */
export interface ConditionState {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
}

/** The condition of this type in an unchecked status; undefined without one. */
export function conditionIn(status: unknown, type: string): JsonRecord | undefined {
  return recordsIn(field(status, 'conditions')).find((one) => one['type'] === type);
}

/**
 * The conditions to store: `states` in their order, with the stored times of conditions that have not changed.
 * `lastTransitionTime` changes with `status`, `lastUpdateTime` with any field. Stored conditions that are not in `states`
 * are dropped. `now` is RFC 3339.
 */
export function mergeConditions(
  stored: readonly Condition[],
  states: readonly ConditionState[],
  now: string,
): Condition[] {
  const find = (type: string): Condition | undefined => stored.find((one) => one.type === type);
  return states.map((state) => timedCondition(state, find(state.type), now));
}

/** A condition as it is stored, unchecked: anybody with the right may have written it. */
export interface StoredCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
  readonly observedGeneration?: number;
}

/** The condition with its times and a message of bounded length. `before`: the stored one of its type. */
export function timedCondition<State extends Omit<ConditionState, 'observedGeneration'>>(
  state: State & { readonly observedGeneration?: number },
  before: StoredCondition | undefined,
  now: string,
): State & { lastTransitionTime: string; lastUpdateTime: string } {
  const next = { ...state, message: clip(state.message) };
  // An API server also takes a list where the definition says a text with a format.
  const timeOf = (stored: unknown): string => (typeof stored === 'string' ? stored : now);
  const isSame =
    before?.status === next.status &&
    before.reason === next.reason &&
    before.message === next.message &&
    (next.observedGeneration === undefined || before.observedGeneration === next.observedGeneration);
  return {
    ...next,
    lastTransitionTime: before?.status === next.status ? timeOf(before.lastTransitionTime) : now,
    lastUpdateTime: isSame ? timeOf(before.lastUpdateTime) : now,
  };
}

/** `text` of at most `limit` characters; a longer one is cut and ends in an ellipsis, never in half a surrogate pair. */
export function clip(text: string, limit = MESSAGE_LIMIT): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

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

/**
 * `items` with a separator, of at most `limit` characters; a list that is cut ends with the number of items left out. The
 * first is never cut.
 */
export function boundedList(items: readonly string[], separator: string, limit = LIST_LIMIT): string {
  let text = items[0] ?? '';
  for (let index = 1; index < items.length; index++) {
    const next = `${text}${separator}${items[index]}`;
    if (next.length > limit) return `${text} and ${items.length - index} more`;
    text = next;
  }
  return text;
}
