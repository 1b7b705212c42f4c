import { countAt, listAt } from '@multicluster-engine/values/fields';
import type { JsonObject } from '@multicluster-engine/values/json';
import { matchesSelector } from '../../registry/builtins/validation/labelselector.js';

/** Whether labels match an object's label selector; a missing or empty selector matches everything. */
export function selects(selector: JsonObject | undefined, labels: Readonly<Record<string, string>> = {}): boolean {
  return selector === undefined || matchesSelector(selector, labels);
}

/** Whether a selector has no requirements: it selects everything, objects without labels included. */
export function isEmpty(selector: JsonObject | undefined): boolean {
  return (
    selector === undefined ||
    (countAt(selector, 'matchLabels') === 0 && listAt(selector, 'matchExpressions').length === 0)
  );
}
