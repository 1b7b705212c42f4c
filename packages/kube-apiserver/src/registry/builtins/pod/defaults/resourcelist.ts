import { isDraft, type Draft } from '../../draft.js';
import { parseQuantity, quantityText, roundUpToMilli } from '../../../../schema/struct/quantity.js';

/** Brings the quantities of a list of resources into canonical form; what is none stays. */
export function roundUpResources(draft: Draft, key: string): void {
  const list = draft[key];
  if (!isDraft(list)) return;
  const rounded = Object.entries(list).map(([name, value]) => {
    const quantity = typeof value === 'string' ? parseQuantity(value) : undefined;
    return [name, quantity === undefined ? value : quantityText(roundUpToMilli(quantity))] as const;
  });
  draft[key] = Object.fromEntries(rounded);
}
