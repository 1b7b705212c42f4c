import { isDraft, type Draft } from '../../draft.js';
import { parseQuantity, quantityText, roundUpToMilli } from '@multicluster-engine/values/schema/struct/quantity';

/** Brings the quantities of a resource list into canonical form, rounded up to milli units. Invalid values are kept. */
export function roundUpResources(draft: Draft, key: string): void {
  const list = draft[key];
  if (!isDraft(list)) return;
  const rounded = Object.entries(list).map(([name, value]) => {
    const quantity = typeof value === 'string' ? parseQuantity(value) : undefined;
    return [name, quantity === undefined ? value : quantityText(roundUpToMilli(quantity))] as const;
  });
  draft[key] = Object.fromEntries(rounded);
}
