import { signal } from '@preact/signals';
import type { Draft } from '../wire/plan.js';

/** The draft of the what-if page: kept while the tab is open, also when a session ends. */

const KEY = 'console-draft';

export const EMPTY_DRAFT: Draft = { manifests: '', labels: [], drains: [], losses: [] };

export const draft = signal<Draft>(stored());

function stored(): Draft {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    return found === null || typeof found !== 'object' ? EMPTY_DRAFT : { ...EMPTY_DRAFT, ...found };
  } catch {
    return EMPTY_DRAFT;
  }
}

export function changeDraft(change: Partial<Draft>): void {
  draft.value = { ...draft.value, ...change };
  sessionStorage.setItem(KEY, JSON.stringify(draft.value));
}

export function isEmptyDraft({ manifests, labels, drains, losses }: Draft): boolean {
  return manifests.trim() === '' && labels.length + drains.length + losses.length === 0;
}

/** The plan of the same draft on the command line; undefined where it has none. */
export function planWords({ manifests, labels, losses, drains }: Draft): readonly string[] | undefined {
  if (drains.length > 0) return undefined;
  return [
    'kubectl',
    'mce',
    'plan',
    ...(manifests.trim() === '' ? [] : ['-f', 'draft.yaml']),
    ...labels.flatMap((one) => ['--set', `mcl/${one}`]),
    ...losses.flatMap((one) => ['--delete', `mcl/${one}`]),
  ];
}

/** Without labels that are not yet written to their end. */
export function whole(value: Draft): Draft {
  return { ...value, labels: value.labels.filter((one) => /:.*(=|-$)/.test(one)) };
}
