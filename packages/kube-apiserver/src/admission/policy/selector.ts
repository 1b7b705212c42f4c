import { listAt, optionalStructAt } from '../../fields.js';
import type { JsonObject } from '../../json.js';
import { matchesSelector } from '../../registry/builtins/validation/labelselector.js';

/** Whether labels match an object's label selector; a missing or empty selector matches everything. */
export function selects(selector: JsonObject | undefined, labels: Readonly<Record<string, string>> = {}): boolean {
  return selector === undefined || matchesSelector(selector, labels);
}

/** Whether a selector has no requirements. */
export function isEmpty(selector: JsonObject | undefined): boolean {
  return (
    selector === undefined ||
    (Object.keys(optionalStructAt(selector, 'matchLabels') ?? {}).length === 0 &&
      listAt(selector, 'matchExpressions').length === 0)
  );
}
