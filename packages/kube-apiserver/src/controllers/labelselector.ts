import { isArray, isObject, own, type Json, type JsonObject } from '../json.js';

type Labels = { readonly [key: string]: string };

/** Whether labels satisfy a LabelSelector: all of matchLabels and matchExpressions. An empty one is satisfied by any. */
export function matchesLabels(selector: JsonObject, labels: Labels): boolean {
  const { matchLabels, matchExpressions } = selector;
  const exact = isObject(matchLabels) ? Object.entries(matchLabels) : [];
  const expressions = isArray(matchExpressions) ? matchExpressions : [];
  return (
    exact.every(([key, value]) => own(labels, key) === value) &&
    expressions.every((one) => isObject(one) && satisfies(one, labels))
  );
}

function satisfies({ key, operator, values }: JsonObject, labels: Labels): boolean {
  const value = own(labels, typeof key === 'string' ? key : '');
  const listed: readonly Json[] = isArray(values) ? values : [];
  if (operator === 'In') return value !== undefined && listed.includes(value);
  if (operator === 'NotIn') return value === undefined || !listed.includes(value);
  if (operator === 'Exists') return value !== undefined;
  return operator === 'DoesNotExist' && value === undefined;
}
