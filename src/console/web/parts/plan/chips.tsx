import type { JSX } from 'preact';
import { shown } from '../../command.js';
import { changeDraft, draft } from '../../draft.js';

/** Changes of single clusters in a draft: short texts in fields of their own. */

export type ChipField = 'labels' | 'drains' | 'losses' | 'each';

interface ChipKind {
  readonly field: ChipField;
  readonly title: string;
  readonly add: string;
  readonly hint: string;
}

export const CHIPS: readonly ChipKind[] = [
  { field: 'labels', title: 'label', add: 'Label', hint: 'cluster-1:tier=gold, or cluster-1:tier-' },
  { field: 'drains', title: 'drain', add: 'Drain', hint: 'name of a cluster' },
  {
    field: 'losses',
    title: 'lose',
    add: 'Lose',
    hint: 'label/region=eu-west, mclset/edge, a cluster',
  },
  { field: 'each', title: 'lose each', add: 'Lose each', hint: 'label/region, or claim/zone' },
];

/** An empty text, with the focus in it. */
export function addChip(field: ChipField): void {
  changeDraft({ [field]: [...draft.value[field], ''] });
  focusLast(`[data-chips="${field}"] input`);
}

/** The focus goes to what somebody wants to write, once it is drawn: to its end, or to what is found in it. */
export function focusLast(selector: string, at = /$/): void {
  setTimeout(() => {
    const field = [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(selector)].at(-1);
    const place = field?.value.search(at) ?? 0;
    field?.setSelectionRange(place, place);
    field?.focus();
  });
}

interface ChipsProps extends Omit<ChipKind, 'add'> {
  readonly list: readonly string[];
  readonly onChange: (list: readonly string[]) => void;
}

/** Each can be changed, and taken away. */
export function Chips({ field, title, hint, list, onChange }: ChipsProps): JSX.Element | null {
  if (list.length === 0) return null;
  return (
    <div class="chips" role="group" aria-label={title} data-chips={field}>
      {list.map((one, index) => (
        <span key={index} class="chip-field">
          <span class="chip-title">{title}</span>
          <input
            aria-label={`${title}, ${index + 1}`}
            placeholder={hint}
            title={hint}
            spellcheck={false}
            value={one}
            onInput={(event) => {
              const { value } = event.currentTarget;
              onChange(list.map((other, at) => (at === index ? value : other)));
            }}
          />
          <button
            type="button"
            class="quiet-button"
            aria-label={`Take away ${title} ${shown(one)}`}
            onClick={() => onChange(list.filter((_, at) => at !== index))}
          >
            ×
          </button>
        </span>
      ))}
    </div>
  );
}
