import type { JSX } from 'preact';
import type { Meaning } from '../../../wire/find.js';
import { shown } from '../../command.js';
import { changeDraft, draft } from '../../draft.js';
import { Combo } from '../combo.js';

/** Changes of single clusters in a draft: short texts in fields of their own. */

export type ChipField = 'labels' | 'drains' | 'losses' | 'each';

interface ChipKind {
  readonly field: ChipField;
  readonly title: string;
  readonly add: string;
  readonly hint: string;
  /** What the list of the field has. */
  readonly ask: Meaning['kind'];
}

export const CHIPS: readonly ChipKind[] = [
  { field: 'labels', title: 'label', add: 'Label', hint: 'cluster-1:tier=gold, or cluster-1:tier-', ask: 'drain' },
  { field: 'drains', title: 'drain', add: 'Drain', hint: 'name of a cluster', ask: 'drain' },
  { field: 'losses', title: 'lose', add: 'Lose', hint: 'a region, a cluster set, a cluster', ask: 'lose' },
  { field: 'each', title: 'lose each', add: 'Lose each', hint: 'region, or another label or claim', ask: 'each' },
];

/** As the draft has what was chosen. */
function textOf(field: ChipField, one: Meaning): string {
  if (one.kind === 'lose') return one.target;
  if (one.kind === 'each') return one.key;
  return one.kind === 'drain' ? `${one.name}${field === 'labels' ? ':' : ''}` : '';
}

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

interface ChipsProps {
  readonly kind: ChipKind;
  readonly list: readonly string[];
  readonly onChange: (list: readonly string[]) => void;
}

/** Each can be changed, and taken away. */
export function Chips({ kind: { field, title, hint, ask }, list, onChange }: ChipsProps): JSX.Element | null {
  if (list.length === 0) return null;
  const change = (index: number, value: string): void =>
    onChange(list.map((other, at) => (at === index ? value : other)));
  return (
    <div class="chips" role="group" aria-label={title} data-chips={field}>
      {list.map((one, index) => (
        <span key={index} class="chip-field">
          <span class="chip-title">{title}</span>
          <Combo
            label={`${title}, ${index + 1}`}
            placeholder={hint}
            value={one}
            onInput={(value) => change(index, value)}
            ask={ask}
            isWhole={(ask === 'drain' ? /:/ : /\//).test(one)}
            onTake={(meaning) => change(index, textOf(field, meaning))}
            {...(ask !== 'drain' && { first: 'leave' as const })}
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
